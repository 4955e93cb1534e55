/** The accounts that the member has at identity providers, by which it signs in: linked and removed. */
import { Alert, Button, Group, Table } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { canLeave, deleteIdentity, linkAt, listIdentities, type Identity } from '../api/providers.js';
import { session } from '../api/session.js';
import { getWays } from '../api/ways.js';
import { RemovalDialog, useRemoval } from '../data/removal.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText } from '../i18n/text.js';
import { ListSection } from '../members/list-section.js';
import { RowButton } from '../shell/row-button.js';
import { WideTable } from '../shell/wide-table.js';

export function IdentitiesSection({ member }: { readonly member: string }) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const queryKey = ['identities', member];
  const { data, error, refetch } = useQuery({ queryKey, queryFn: () => listIdentities(member), retry: false });
  const ways = useQuery({ queryKey: ['ways', session.project], queryFn: () => getWays(session.project) });
  const providers = ways.data?.providers ?? [];
  const labels = new Map(providers.map(({ id, label }) => [id, label]));
  const labelOf = (id: string) => labels.get(id) ?? id;
  const leave = useMutation({
    mutationFn: (provider: (typeof providers)[number]) =>
      linkAt(
        provider,
        data?.map(({ id }) => id),
      ),
  });
  const removal = useRemoval<Identity>(deleteIdentity, async () => {
    notify(text('providers.removed'), { type: 'success' });
    await queries.invalidateQueries({ queryKey });
  });
  if (providers.length === 0 && !data?.length) return null;
  return (
    <ListSection
      title={text('providers.accounts')}
      action={
        canLeave() && (
          <Group gap="xs">
            {providers.map((provider) => (
              <Button
                key={provider.id}
                size="xs"
                variant="default"
                className="text-of-tenant"
                loading={leave.isPending && leave.variables.id === provider.id}
                onClick={() => leave.mutate(provider)}
              >
                {text('providers.link', { label: provider.label })}
              </Button>
            ))}
          </Group>
        )
      }
      error={error}
      onRetry={() => void refetch()}
      count={data?.length}
      none={text('providers.no_accounts')}
      table={<IdentityTable identities={data ?? []} labelOf={labelOf} onRemove={removal.ask} />}
    >
      <div aria-live="polite">{leave.error && <Alert color="red">{leave.error.message}</Alert>}</div>
      <RemovalDialog
        removal={removal}
        title={text('providers.remove_title', { label: labelOf(removal.asked?.provider ?? '') })}
        refusedTitle={text('passkeys.refused')}
        confirm={text('passkeys.remove')}
      >
        {text('providers.remove_text')}
      </RemovalDialog>
    </ListSection>
  );
}

interface IdentityTableProps {
  readonly identities: readonly Identity[];
  readonly labelOf: (provider: string) => string;
  readonly onRemove: (identity: Identity) => void;
}

function IdentityTable({ identities, labelOf, onRemove }: IdentityTableProps) {
  const text = useText();
  return (
    <WideTable minWidth={560} label={text('providers.accounts')}>
      <Table.Thead>
        <Table.Tr>
          {(['provider', 'email', 'made_at', 'last_used_at'] as const).map((name) => (
            <Table.Th key={name}>{text(`providers.${name}`)}</Table.Th>
          ))}
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {identities.map((identity) => (
          <Table.Tr key={identity.id}>
            <Table.Td className="text-of-tenant">{labelOf(identity.provider)}</Table.Td>
            <Table.Td className="text-of-tenant">{identity.email ?? text('sessions.unknown')}</Table.Td>
            <Table.Td>{shownInstant(identity.inserted_at)}</Table.Td>
            <Table.Td>
              {identity.last_used_at === null ? text('passkeys.unused') : shownInstant(identity.last_used_at)}
            </Table.Td>
            <Table.Td>
              <RowButton
                removes
                label={text('providers.remove_of', { label: labelOf(identity.provider) })}
                onClick={() => onRemove(identity)}
              >
                {text('passkeys.remove')}
              </RowButton>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
