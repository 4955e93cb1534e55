/** The API keys of a member: their scope, their end, and ways to make and revoke them. */
import { Anchor, Button, Group, Table, Text as Paragraph, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { Link } from 'react-router';
import { deleteKey, listKeys, type ApiKey } from '../api/members.js';
import { addressOf } from '../data/grid-row.js';
import { useKinds } from '../data/use-kinds.js';
import { shownValue } from '../data/values.js';
import { WriteDialog } from '../data/write-dialog.js';
import { useText, type Text } from '../i18n/text.js';
import { PageError, Waiting } from '../shell/page-states.js';
import { WideTable } from '../shell/wide-table.js';
import { operationText } from './key-operations.js';
import { NewKeyDialog } from './new-key-dialog.js';

export function KeyList({ member }: { member: string }) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const queryKey = ['keys', member];
  const { data, error, refetch } = useQuery({ queryKey, queryFn: () => listKeys(member), retry: false });
  const [revoked, setRevoked] = useState<ApiKey>();
  const [isMaking, setMaking] = useState(false);
  const revoke = useMutation({
    mutationFn: (id: string) => deleteKey(id),
    onSuccess: async () => {
      setRevoked(undefined);
      notify(text('keys.revoked'), { type: 'success' });
      await queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <section aria-label={text('keys.title')}>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {text('keys.title')}
        </Title>
        <Button size="xs" variant="default" onClick={() => setMaking(true)}>
          {text('keys.new')}
        </Button>
      </Group>
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data?.length === 0 && <Paragraph size="sm">{text('keys.none')}</Paragraph>}
      {data && data.length > 0 && (
        <KeyTable
          keys={data}
          onRevoke={(key) => {
            revoke.reset();
            setRevoked(key);
          }}
        />
      )}
      {isMaking && (
        <NewKeyDialog
          member={member}
          onMade={() => void queries.invalidateQueries({ queryKey })}
          onClose={() => setMaking(false)}
        />
      )}
      <WriteDialog
        isOpen={revoked !== undefined}
        title={text('keys.revoke_title', { name: nameOf(revoked) })}
        refusedTitle={text('keys.refused')}
        fault={revoke.error}
        isBusy={revoke.isPending}
        canConfirm
        confirm={text('keys.revoke')}
        color="red"
        onConfirm={() => revoked && revoke.mutate(revoked.id)}
        onClose={() => setRevoked(undefined)}
      >
        <Paragraph size="sm">{text('keys.revoke_text')}</Paragraph>
      </WriteDialog>
    </section>
  );
}

/** What a key is called, or else how it ends. */
function nameOf(key: ApiKey | undefined): string {
  return key?.label || `…${key?.hint ?? ''}`;
}

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: (key: ApiKey) => void;
}

function KeyTable({ keys, onRevoke }: KeyTableProps) {
  const text = useText();
  const { own, builtIn } = useKinds();
  const labels = new Map([...own, ...builtIn].map(({ id, label }) => [id, label]));
  const time = (value: string | null, none: string) =>
    value === null ? none : shownValue({ type: 'datetime', multiple: false }, value, text);
  return (
    <WideTable minWidth={640} label={text('keys.title')}>
      <Table.Thead>
        <Table.Tr>
          {(['label', 'hint', 'scope', 'expires_at', 'last_used_at'] as const).map((name) => (
            <Table.Th key={name}>{text(`keys.${name}`)}</Table.Th>
          ))}
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <Table.Tr key={key.id}>
            <Table.Td className="text-of-tenant">{key.label}</Table.Td>
            <Table.Td>…{key.hint}</Table.Td>
            <Table.Td className="text-of-tenant">{scopeText(key, labels, text)}</Table.Td>
            <Table.Td>{time(key.expires_at, text('keys.never'))}</Table.Td>
            <Table.Td>{time(key.last_used_at, text('keys.unused'))}</Table.Td>
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                <Anchor
                  component={Link}
                  size="sm"
                  to={addressOf('api_key', key.id)}
                  aria-label={text('keys.edit_of', { name: nameOf(key) })}
                >
                  {text('keys.edit')}
                </Anchor>
                <Button
                  size="compact-xs"
                  color="red"
                  variant="light"
                  aria-label={text('keys.revoke_of', { name: nameOf(key) })}
                  onClick={() => onRevoke(key)}
                >
                  {text('keys.revoke')}
                </Button>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function scopeText({ scope }: ApiKey, labels: ReadonlyMap<string, string>, text: Text): string {
  if (scope === null) return text('keys.all');
  if (scope.length === 0) return text('keys.nothing');
  const parts = scope.map(({ kinds, operations }) =>
    text('keys.part', {
      operations: operations.map((each) => operationText(each, text)).join(', '),
      kinds: kinds.map((id) => labels.get(id) ?? id).join(', '),
    }),
  );
  return parts.join('; ');
}
