/** What an agent has done with its key. */
import { Modal, Table, Text as Paragraph } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listCalls } from '../api/members.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText } from '../i18n/text.js';
import { PageError, Waiting } from '../shell/page-states.js';
import { WideTable } from '../shell/wide-table.js';

interface CallsDialogProps {
  /** Of the key. */
  readonly id: string;
  readonly title: string;
  readonly onClose: () => void;
}

export function CallsDialog({ id, title, onClose }: CallsDialogProps) {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: ['keys', id, 'calls'],
    queryFn: () => listCalls(id),
    retry: false,
  });
  const { items = [], count = 0 } = data ?? {};
  return (
    <Modal opened onClose={onClose} size="xl" title={title}>
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data && count === 0 && <Paragraph size="sm">{text('keys.no_calls')}</Paragraph>}
      {items.length > 0 && (
        <WideTable minWidth={560} label={title}>
          <Table.Thead>
            <Table.Tr>
              {(['at', 'tool', 'kind', 'number', 'outcome'] as const).map((name) => (
                <Table.Th key={name}>{text(`keys.${name}`)}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((call) => (
              <Table.Tr key={call.id}>
                <Table.Td>{shownInstant(call.at)}</Table.Td>
                <Table.Td>{call.tool}</Table.Td>
                <Table.Td className="text-of-tenant">{call.kind_id}</Table.Td>
                <Table.Td>{call.number}</Table.Td>
                <Table.Td>{call.outcome}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
      )}
      {count > items.length && (
        <Paragraph size="sm">{text('keys.more_calls', { shown: items.length, count })}</Paragraph>
      )}
    </Modal>
  );
}
