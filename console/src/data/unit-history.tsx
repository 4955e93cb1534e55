/** What a unit was: who changed what and when, and a way to put it back. */
import { Badge, Button, List, Table, Text as Paragraph } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { Link } from 'react-router';
import { listVersions, revertUnit, type UnitVersion } from '../api/history.js';
import type { Field } from '../api/types.js';
import { shownInstant } from '../fields/shown-time.js';
import { shownValue } from '../fields/values.js';
import { useText } from '../i18n/text.js';
import { ActionButton } from '../shell/action.js';
import { Empty, PageError, Waiting } from '../shell/page-states.js';
import { WideTable } from '../shell/wide-table.js';
import { addressOf } from './grid-row.js';
import { WriteDialog } from './write-dialog.js';

interface UnitHistoryProps {
  readonly kind: string;
  readonly id: string;
  readonly fields: readonly Field[];
  /** Why nothing can be put back; undefined if something can. */
  readonly refusal: string | undefined;
  readonly onReverted: () => void | Promise<void>;
}

export function UnitHistory({ kind, id, fields, refusal, onReverted }: UnitHistoryProps) {
  const text = useText();
  const notify = useNotify();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['history', kind, id],
    queryFn: ({ pageParam, signal }) => listVersions(kind, id, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    retry: false,
  });
  const [asked, setAsked] = useState<UnitVersion>();
  const labels = new Map(fields.map(({ id: field, label }) => [field, label]));
  const revert = useMutation({
    mutationFn: (version: number) => revertUnit(kind, id, version),
    onSuccess: async ({ left_out: left }) => {
      setAsked(undefined);
      const names = left.map(({ parameter }) => labels.get(parameter) ?? parameter).join(', ');
      notify(left.length > 0 ? text('history.left_out', { names }) : text('history.put_back_done'), {
        type: left.length > 0 ? 'warning' : 'success',
      });
      await refetch();
      await onReverted();
    },
  });
  if (error) return <PageError error={error} onRetry={() => void refetch()} />;
  if (!data) return <Waiting />;
  const versions = data.pages.flatMap(({ items }) => items);
  if (versions.length === 0) return <Empty>{text('history.none')}</Empty>;
  return (
    <>
      <WideTable minWidth={640} label={text('history.title')}>
        <Table.Thead>
          <Table.Tr>
            {(['when', 'who', 'what'] as const).map((name) => (
              <Table.Th key={name}>{text(`history.${name}`)}</Table.Th>
            ))}
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {versions.map((version, at) => (
            <Table.Tr key={`${version.version} ${version.operation}`}>
              <Table.Td>{shownInstant(version.at)}</Table.Td>
              <Table.Td className="text-of-tenant">
                <Who version={version} />
              </Table.Td>
              <Table.Td className="text-of-tenant">
                <Changes version={version} fields={fields} />
              </Table.Td>
              <Table.Td>
                {at > 0 && version.operation !== 'delete' && version.erased !== true && (
                  <ActionButton size="compact-xs" variant="default" reason={refusal} onClick={() => setAsked(version)}>
                    {text('history.put_back_of', { when: shownInstant(version.at) })}
                  </ActionButton>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {hasNextPage && (
        <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {text('history.more')}
        </Button>
      )}
      <WriteDialog
        isOpen={asked !== undefined}
        title={text('history.put_back_title')}
        refusedTitle={text('history.refused')}
        fault={revert.error}
        isBusy={revert.isPending}
        canConfirm
        confirm={text('history.put_back')}
        color="blue"
        onConfirm={() => asked && revert.mutate(asked.version)}
        onClose={() => {
          revert.reset();
          setAsked(undefined);
        }}
      >
        <Paragraph size="sm">{text('history.put_back_text')}</Paragraph>
      </WriteDialog>
    </>
  );
}

function Who({ version: { member, member_kind: kind, via } }: { version: UnitVersion }) {
  const text = useText();
  if (member === null || kind === null) return <>{text('history.via', { via })}</>;
  return (
    <>
      <Link to={addressOf(kind, member)}>{member}</Link>
      {via !== 'api' && ` ${text('history.via', { via })}`}
    </>
  );
}

function Changes({
  version: { operation, changes, erased },
  fields,
}: {
  version: UnitVersion;
  fields: readonly Field[];
}) {
  const text = useText();
  const known = new Map(fields.map((field) => [field.id, field]));
  const shown = (id: string, value: unknown): string => {
    const field = known.get(id);
    if (value === null || value === undefined) return text('history.nothing');
    return (field ? shownValue(field, value, text) : JSON.stringify(value)) || text('history.nothing');
  };
  return (
    <>
      {text(`history.operation.${operation}`)}{' '}
      {erased === true && <Badge variant="default">{text('history.erased')}</Badge>}
      <List size="sm">
        {Object.entries(changes).map(([id, [before, after]]) => (
          <List.Item key={id}>
            {erased === true
              ? (known.get(id)?.label ?? id)
              : text('history.change', {
                  field: known.get(id)?.label ?? id,
                  before: shown(id, before),
                  after: shown(id, after),
                })}
          </List.Item>
        ))}
      </List>
    </>
  );
}
