/** The identity providers of the project, with the addresses that are registered there. Their forms are those of units. */
import { Alert, Anchor, CopyButton, Group, Table } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { Link } from 'react-router';
import { callbackOf, deleteProvider, listProviders, testProvider, type Provider } from '../api/providers.js';
import { RemovalDialog, useRemoval } from '../data/removal.js';
import { useText } from '../i18n/text.js';
import { ListSection } from '../members/list-section.js';
import { ActionButton } from '../shell/action.js';
import { RowButton } from '../shell/row-button.js';
import { WideTable } from '../shell/wide-table.js';
import { CallbackAddress } from './callback-address.js';

const QUERY_KEY = ['identity-providers'];

export function ProvidersSection() {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: QUERY_KEY, queryFn: listProviders, retry: false });
  const removal = useRemoval<Provider>(deleteProvider, async () => {
    notify(text('providers.deleted'), { type: 'success' });
    await queries.invalidateQueries({ queryKey: QUERY_KEY });
  });
  const test = useMutation({ mutationFn: testProvider });
  const tested = test.variables?.label ?? '';
  return (
    <ListSection
      title={text('providers.title')}
      action={
        <ActionButton size="xs" variant="default" reason={undefined} to="/data/identity_provider/new">
          {text('providers.new')}
        </ActionButton>
      }
      error={error}
      onRetry={() => void refetch()}
      count={data?.length}
      none={text('providers.none')}
      table={
        <ProviderTable
          providers={data ?? []}
          tested={test.isPending ? test.variables.id : undefined}
          onTest={(provider) => test.mutate(provider)}
          onDelete={(provider) => {
            test.reset();
            removal.ask(provider);
          }}
        />
      }
    >
      <div aria-live="polite">
        {test.data && (
          <Alert color="green" className="text-of-tenant">
            {text('providers.tested', { label: tested, address: test.data.authorization_endpoint })}
          </Alert>
        )}
        {test.error && (
          <Alert color="red" className="text-of-tenant" title={text('providers.test_failed', { label: tested })}>
            {test.error.message}
          </Alert>
        )}
      </div>
      <CallbackAddress id={undefined} />
      <RemovalDialog
        removal={removal}
        title={text('providers.delete_title', { label: removal.asked?.label ?? '' })}
        refusedTitle={text('passkeys.refused')}
        confirm={text('providers.delete')}
      >
        {text('providers.delete_text')}
      </RemovalDialog>
    </ListSection>
  );
}

interface ProviderTableProps {
  readonly providers: readonly Provider[];
  /** The id of the one that is tested. */
  readonly tested: string | undefined;
  readonly onTest: (provider: Provider) => void;
  readonly onDelete: (provider: Provider) => void;
}

function ProviderTable({ providers, tested, onTest, onDelete }: ProviderTableProps) {
  const text = useText();
  return (
    <WideTable minWidth={720} label={text('providers.title')}>
      <Table.Thead>
        <Table.Tr>
          {(['label', 'issuer', 'active', 'callback'] as const).map((name) => (
            <Table.Th key={name}>{text(`providers.${name}`)}</Table.Th>
          ))}
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {providers.map((provider) => (
          <Table.Tr key={provider.id}>
            <Table.Td className="text-of-tenant">
              <Anchor component={Link} to={`/data/identity_provider/unit/${encodeURIComponent(provider.id)}`}>
                {provider.label}
              </Anchor>
            </Table.Td>
            <Table.Td className="text-of-tenant">{provider.issuer}</Table.Td>
            <Table.Td>{text(provider.active ? 'passkeys.yes' : 'passkeys.no')}</Table.Td>
            <Table.Td>
              <code>{callbackOf(provider.id)}</code>
            </Table.Td>
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                <CopyButton value={callbackOf(provider.id)}>
                  {({ copied, copy }) => (
                    <RowButton label={text('providers.copy_of', { label: provider.label })} onClick={copy}>
                      {text(copied ? 'keys.copied' : 'providers.copy')}
                    </RowButton>
                  )}
                </CopyButton>
                <RowButton
                  label={text('providers.test_of', { label: provider.label })}
                  loading={tested === provider.id}
                  onClick={() => onTest(provider)}
                >
                  {text('providers.test')}
                </RowButton>
                <RowButton
                  removes
                  label={text('providers.delete_of', { label: provider.label })}
                  onClick={() => onDelete(provider)}
                >
                  {text('providers.delete')}
                </RowButton>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
