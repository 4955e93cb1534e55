/** The webhooks of the project, for administrators. */
import { Anchor, Badge, Group, Table, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { listWebhooks, type Webhook } from '../api/webhooks.js';
import { useRefusal } from '../data/use-refusal.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText } from '../i18n/text.js';
import { ActionButton } from '../shell/action.js';
import { Empty, PageError, Waiting } from '../shell/page-states.js';
import { WideTable } from '../shell/wide-table.js';
import { NewWebhook } from './new-webhook.js';
import { SecretDialog } from './secret-dialog.js';
import { addressOfWebhook, nameOf } from './webhook-text.js';

export function WebhooksPage() {
  const text = useText();
  const { data, error, refetch } = useQuery({ queryKey: ['webhooks'], queryFn: listWebhooks, retry: false });
  const refusal = useRefusal()('create', ['webhook']);
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const made = (told: string): void => {
    setMaking(false);
    setSecret(told);
    void refetch();
  };
  return (
    <div className="page" style={{ overflow: 'auto' }}>
      <Group justify="space-between">
        <Title order={1} size="h3">
          {text('webhooks.title')}
        </Title>
        <ActionButton size="xs" reason={refusal} onClick={() => setMaking(true)}>
          {text('webhooks.new')}
        </ActionButton>
      </Group>
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data?.length === 0 && <Empty>{text('webhooks.none')}</Empty>}
      {data && data.length > 0 && <WebhookTable hooks={data} />}
      {isMaking && <NewWebhook onMade={made} onClose={() => setMaking(false)} />}
      {secret !== undefined && (
        <SecretDialog title={text('webhooks.made')} secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </div>
  );
}

function WebhookTable({ hooks }: { readonly hooks: readonly Webhook[] }) {
  const text = useText();
  return (
    <WideTable minWidth={640} label={text('webhooks.title')}>
      <Table.Thead>
        <Table.Tr>
          {(['label', 'url', 'state', 'waiting', 'delivered_at'] as const).map((name) => (
            <Table.Th key={name}>{text(`webhooks.${name}`)}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {hooks.map((hook) => (
          <Table.Tr key={hook.id}>
            <Table.Td className="text-of-tenant">
              <Anchor component={Link} to={addressOfWebhook(hook.id)} fw={600}>
                {nameOf(hook)}
              </Anchor>
            </Table.Td>
            <Table.Td className="text-of-tenant">{hook.url}</Table.Td>
            <Table.Td>
              <WebhookState hook={hook} />
            </Table.Td>
            <Table.Td>{hook.waiting}</Table.Td>
            <Table.Td>{shownInstant(hook.delivered_at) || text('webhooks.never')}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

export function WebhookState({ hook: { state } }: { readonly hook: Pick<Webhook, 'state'> }) {
  const text = useText();
  return (
    <Badge variant="default" {...(state === 'paused' && { color: 'red', variant: 'filled' })}>
      {text(`webhooks.states.${state}`)}
    </Badge>
  );
}
