/** One webhook: how it is, what was sent, and what can be done with it. */
import { Alert, Anchor, Button, Group, Stack, Text as Paragraph, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { getWebhook, ping, rotateSecret, setActive, type Ping, type Webhook } from '../api/webhooks.js';
import { WriteDialog } from '../data/write-dialog.js';
import { useText } from '../i18n/text.js';
import { PageError, Waiting } from '../shell/page-states.js';
import { Deliveries } from './deliveries.js';
import { SecretDialog } from './secret-dialog.js';
import { nameOf, whyNot } from './webhook-text.js';
import { WebhookState } from './webhooks-page.js';

export function WebhookPage() {
  const text = useText();
  const { id = '' } = useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', id],
    queryFn: () => getWebhook(id),
    retry: false,
  });
  return (
    <div className="page" style={{ overflow: 'auto' }}>
      <Anchor component={Link} to="/webhooks" size="sm">
        {text('webhooks.to_list')}
      </Anchor>
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data && <OneWebhook hook={data} />}
    </div>
  );
}

function OneWebhook({ hook }: { readonly hook: Webhook }) {
  const text = useText();
  const kinds = hook.kinds?.join(', ') ?? text('webhooks.all_kinds');
  return (
    <>
      <Stack gap="xs">
        <Group gap="sm">
          <Title order={1} size="h3" className="text-of-tenant">
            {nameOf(hook)}
          </Title>
          <WebhookState hook={hook} />
        </Group>
        <Paragraph size="sm" className="text-of-tenant">
          {hook.url} ({kinds})
        </Paragraph>
        <StateText hook={hook} />
        <Actions hook={hook} />
      </Stack>
      <Deliveries id={hook.id} />
    </>
  );
}

/** Why nothing is sent, or what was lost. */
function StateText({ hook: { state, reason } }: { readonly hook: Webhook }) {
  const text = useText();
  if (state === 'ok' && reason === null) return null;
  const told = reason === null ? text('webhooks.paused_by_hand') : undefined;
  return (
    <Alert color={state === 'paused' ? 'red' : 'yellow'} className="text-of-tenant">
      {told ?? text(state === 'paused' ? 'webhooks.paused' : 'webhooks.told', { reason: reason ?? '' })}
    </Alert>
  );
}

function Actions({ hook }: { readonly hook: Webhook }) {
  const text = useText();
  const queries = useQueryClient();
  const changed = () => queries.invalidateQueries({ queryKey: ['webhooks'] });
  const [isAsking, setAsking] = useState(false);
  const pinged = useMutation({ mutationFn: () => ping(hook.id), onSettled: changed });
  const switched = useMutation({ mutationFn: () => setActive(hook.id, !hook.active), onSettled: changed });
  const rotated = useMutation({
    mutationFn: () => rotateSecret(hook.id),
    onSuccess: () => {
      setAsking(false);
      return changed();
    },
  });
  const failure = pinged.error ?? switched.error;
  return (
    <>
      <Group gap="xs">
        <Button size="xs" loading={pinged.isPending} onClick={() => pinged.mutate()}>
          {text('webhooks.ping')}
        </Button>
        <Button size="xs" variant="default" loading={switched.isPending} onClick={() => switched.mutate()}>
          {text(hook.active ? 'webhooks.pause' : 'webhooks.go_on')}
        </Button>
        <Button size="xs" variant="default" onClick={() => setAsking(true)}>
          {text('webhooks.rotate')}
        </Button>
        <Anchor component={Link} to={`/data/webhook/unit/${encodeURIComponent(hook.id)}`} size="sm">
          {text('webhooks.settings')}
        </Anchor>
      </Group>
      <div role="status">{pinged.data && <PingText told={pinged.data} />}</div>
      {failure && <PageError error={failure} onRetry={() => void changed()} />}
      <WriteDialog
        isOpen={isAsking}
        title={text('webhooks.rotate_title', { name: nameOf(hook) })}
        refusedTitle={text('webhooks.refused')}
        fault={rotated.error}
        isBusy={rotated.isPending}
        canConfirm
        confirm={text('webhooks.rotate')}
        onConfirm={() => rotated.mutate()}
        onClose={() => setAsking(false)}
      >
        <Paragraph size="sm">{text('webhooks.rotate_text')}</Paragraph>
      </WriteDialog>
      {rotated.data !== undefined && (
        <SecretDialog title={text('webhooks.rotated')} secret={rotated.data} onClose={() => rotated.reset()} />
      )}
    </>
  );
}

function PingText({ told }: { readonly told: Ping }) {
  const text = useText();
  const { status, milliseconds } = told;
  const why = whyNot(told, text);
  return (
    <Alert color={why === undefined ? 'green' : 'red'}>
      {why === undefined
        ? text('webhooks.delivered', { status: status ?? 0, milliseconds })
        : text('webhooks.not_delivered', { why })}
    </Alert>
  );
}
