/** What a webhook has sent and will send, the newest first. */
import { Button, Group, Table, Text as Paragraph } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { listDeliveries, sendAgain, type Delivery } from '../api/webhooks.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText } from '../i18n/text.js';
import { ListSection } from '../members/list-section.js';
import { PageError } from '../shell/page-states.js';
import { RowButton } from '../shell/row-button.js';
import { WideTable } from '../shell/wide-table.js';
import { attemptsText } from './webhook-text.js';

export function Deliveries({ id }: { readonly id: string }) {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', id, 'deliveries'],
    queryFn: () => listDeliveries(id),
    retry: false,
  });
  const again = useMutation({ mutationFn: (delivery: string) => sendAgain(id, delivery), onSettled: () => refetch() });
  const shown = data?.items.length ?? 0;
  return (
    <ListSection
      title={text('webhooks.deliveries')}
      action={
        <Button size="xs" variant="default" onClick={() => void refetch()}>
          {text('grid.refresh')}
        </Button>
      }
      error={error}
      onRetry={() => void refetch()}
      count={data?.items.length}
      none={text('webhooks.no_deliveries')}
      table={<DeliveryTable deliveries={data?.items ?? []} onAgain={(delivery) => again.mutate(delivery)} />}
    >
      {data && data.count > shown && (
        <Paragraph size="sm">{text('webhooks.part', { shown, count: data.count })}</Paragraph>
      )}
      {again.error && <PageError error={again.error} onRetry={() => void refetch()} />}
    </ListSection>
  );
}

interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[];
  readonly onAgain: (id: string) => void;
}

function DeliveryTable({ deliveries, onAgain }: DeliveryTableProps) {
  const text = useText();
  return (
    <WideTable minWidth={640} label={text('webhooks.deliveries')}>
      <Table.Thead>
        <Table.Tr>
          {(['message', 'unit', 'state', 'attempts'] as const).map((name) => (
            <Table.Th key={name}>{text(`webhooks.${name}`)}</Table.Th>
          ))}
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.map((delivery) => (
          <Table.Tr key={delivery.id}>
            <Table.Td>{delivery.type}</Table.Td>
            <Table.Td className="text-of-tenant">{delivery.unit_id}</Table.Td>
            <Table.Td>{text(`webhooks.delivery_states.${delivery.state}`)}</Table.Td>
            <Table.Td>
              <Group gap="xs">
                {attemptsText(delivery, text)}
                {delivery.next_at !== null && (
                  <Paragraph size="sm" c="dimmed">
                    {text('webhooks.next', { time: shownInstant(delivery.next_at) })}
                  </Paragraph>
                )}
              </Group>
            </Table.Td>
            <Table.Td>
              <RowButton
                label={text('webhooks.again_of', { type: delivery.type, unit: delivery.unit_id })}
                onClick={() => onAgain(delivery.id)}
              >
                {text('webhooks.again')}
              </RowButton>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
