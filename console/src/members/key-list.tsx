/** The API keys of a member: their scope, their end, and ways to make and revoke them. */
import { Group, Table } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { deleteKey, listKeys, type ApiKey } from '../api/members.js';
import { RemovalDialog, useRemoval } from '../data/removal.js';
import { useKinds } from '../data/use-kinds.js';
import { useRefusal } from '../data/use-refusal.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText, type Text } from '../i18n/text.js';
import { ActionButton } from '../shell/action.js';
import { RowButton } from '../shell/row-button.js';
import { WideTable } from '../shell/wide-table.js';
import { operationText } from './key-operations.js';
import { CallsDialog } from './key-calls.js';
import { EditKeyDialog, NewKeyDialog } from './key-dialogs.js';
import { ListSection } from './list-section.js';

export function KeyList({ member }: { member: string }) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const queryKey = ['keys', member];
  const { data, error, refetch } = useQuery({ queryKey, queryFn: () => listKeys(member), retry: false });
  const [edited, setEdited] = useState<ApiKey>();
  const [called, setCalled] = useState<ApiKey>();
  const [isMaking, setMaking] = useState(false);
  const refusal = useRefusal()('create', ['api_key']);
  const changed = () => void queries.invalidateQueries({ queryKey });
  const removal = useRemoval<ApiKey>(deleteKey, async () => {
    notify(text('keys.revoked'), { type: 'success' });
    await queries.invalidateQueries({ queryKey });
  });
  return (
    <ListSection
      title={text('keys.title')}
      action={
        <ActionButton size="xs" variant="default" reason={refusal} onClick={() => setMaking(true)}>
          {text('keys.new')}
        </ActionButton>
      }
      error={error}
      onRetry={() => void refetch()}
      count={data?.length}
      none={text('keys.none')}
      table={<KeyTable keys={data ?? []} onEdit={setEdited} onCalls={setCalled} onRevoke={removal.ask} />}
    >
      {isMaking && <NewKeyDialog member={member} onMade={changed} onClose={() => setMaking(false)} />}
      {edited && <EditKeyDialog edited={edited} onDone={changed} onClose={() => setEdited(undefined)} />}
      {called && (
        <CallsDialog
          id={called.id}
          title={text('keys.calls_of', { name: nameOf(called) })}
          onClose={() => setCalled(undefined)}
        />
      )}
      <RemovalDialog
        removal={removal}
        title={text('keys.revoke_title', { name: nameOf(removal.asked) })}
        refusedTitle={text('keys.refused')}
        confirm={text('keys.revoke')}
      >
        {text('keys.revoke_text')}
      </RemovalDialog>
    </ListSection>
  );
}

/** What a key is called, or else how it ends. */
function nameOf(key: ApiKey | undefined): string {
  return key?.label || `…${key?.hint ?? ''}`;
}

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly onEdit: (key: ApiKey) => void;
  readonly onCalls: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

function KeyTable({ keys, onEdit, onCalls, onRevoke }: KeyTableProps) {
  const text = useText();
  const { own, builtIn } = useKinds();
  const labels = new Map([...own, ...builtIn].map(({ id, label }) => [id, label]));
  const time = (value: string | null, none: string) => (value === null ? none : shownInstant(value));
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
            <Table.Td className="text-of-tenant">{rightsText(key, labels, text)}</Table.Td>
            <Table.Td>{time(key.expires_at, text('keys.never'))}</Table.Td>
            <Table.Td>{time(key.last_used_at, text('keys.unused'))}</Table.Td>
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                <RowButton label={text('keys.edit_of', { name: nameOf(key) })} onClick={() => onEdit(key)}>
                  {text('keys.edit')}
                </RowButton>
                {key.agent && (
                  <RowButton label={text('keys.calls_of', { name: nameOf(key) })} onClick={() => onCalls(key)}>
                    {text('keys.calls')}
                  </RowButton>
                )}
                <RowButton removes label={text('keys.revoke_of', { name: nameOf(key) })} onClick={() => onRevoke(key)}>
                  {text('keys.revoke')}
                </RowButton>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function rightsText(key: ApiKey, labels: ReadonlyMap<string, string>, text: Text): string {
  const scope = scopeText(key, labels, text);
  return key.agent ? text(key.writes ? 'keys.of_writing_agent' : 'keys.of_agent', { scope }) : scope;
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
