/** What the hook `after_commit` has failed to do for good, for administrators: tried again, or discarded. */
import { Alert, Anchor, Group, Table, Text as Paragraph, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { Link } from 'react-router';
import { ApiError } from '../api/errors.js';
import { discardFailure, listFailures, retryFailure, type CommitFailure } from '../api/functions.js';
import { addressOf } from '../data/grid-row.js';
import { useKinds } from '../data/use-kinds.js';
import { WriteDialog } from '../data/write-dialog.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText } from '../i18n/text.js';
import { PageError } from '../shell/page-states.js';
import { RowButton } from '../shell/row-button.js';
import { WideTable } from '../shell/wide-table.js';
import { whyOf } from './function-text.js';

/** The key of the query that lists them. */
export const FAILURES = ['failures'];

export function FailuresSection() {
  const text = useText();
  const notify = useNotify();
  const { data, error, refetch } = useQuery({ queryKey: FAILURES, queryFn: listFailures, retry: false });
  const [asked, setAsked] = useState<CommitFailure>();
  const again = useMutation({
    mutationFn: ({ id }: CommitFailure) => retryFailure(id),
    onSuccess: () => notify(text('functions.again_begun'), { type: 'success' }),
    onSettled: () => refetch(),
  });
  const discarded = useMutation({
    mutationFn: ({ id }: CommitFailure) => discardFailure(id),
    onSuccess: () => {
      setAsked(undefined);
      notify(text('functions.discarded'), { type: 'success' });
    },
    onSettled: () => refetch(),
  });
  const shown = data?.items.length ?? 0;
  if (shown === 0 && !error) return null;
  return (
    <section aria-label={text('functions.failures')}>
      <Title order={2} size="h4">
        {text('functions.failures')}
      </Title>
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {data && <FailureTable failures={data.items} onAgain={again.mutate} onDiscard={setAsked} />}
      {data && data.count > shown && (
        <Paragraph size="sm">{text('functions.failures_part', { shown, count: data.count })}</Paragraph>
      )}
      {again.error && <AgainFault fault={again.error} onRetry={() => void refetch()} />}
      <WriteDialog
        isOpen={asked !== undefined}
        title={text('functions.discard_title')}
        refusedTitle={text('functions.discard_refused')}
        fault={discarded.error}
        isBusy={discarded.isPending}
        canConfirm
        confirm={text('functions.discard')}
        color="red"
        onConfirm={() => asked && discarded.mutate(asked)}
        onClose={() => {
          discarded.reset();
          setAsked(undefined);
        }}
      >
        <Paragraph size="sm">{text('functions.discard_text')}</Paragraph>
      </WriteDialog>
    </section>
  );
}

function AgainFault({ fault, onRetry }: { readonly fault: Error; readonly onRetry: () => void }) {
  const text = useText();
  if (!(fault instanceof ApiError && fault.has('changes.gone'))) return <PageError error={fault} onRetry={onRetry} />;
  return (
    <Alert color="yellow" role="alert">
      {text('functions.again_gone')}
    </Alert>
  );
}

interface FailureTableProps {
  readonly failures: readonly CommitFailure[];
  readonly onAgain: (failure: CommitFailure) => void;
  readonly onDiscard: (failure: CommitFailure) => void;
}

function FailureTable({ failures, onAgain, onDiscard }: FailureTableProps) {
  const text = useText();
  const { labelOf } = useKinds();
  return (
    <>
      <Paragraph size="sm">{text('functions.failures_help')}</Paragraph>
      <WideTable minWidth={720} label={text('functions.failures')}>
        <Table.Thead>
          <Table.Tr>
            {(['failure_when', 'unit', 'failure_change', 'failure_attempts', 'why'] as const).map((name) => (
              <Table.Th key={name}>{text(`functions.${name}`)}</Table.Th>
            ))}
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {failures.map((failure) => {
            const { id, kind_id: kind, unit_id: unit, attempts, code } = failure;
            const operation = text(`functions.operations.${failure.operation}`);
            const of = { unit, kind: labelOf(kind), operation };
            return (
              <Table.Tr key={id}>
                <Table.Td>{shownInstant(failure.failed_at)}</Table.Td>
                <Table.Td className="text-of-tenant">
                  {of.kind}{' '}
                  <Anchor component={Link} size="sm" to={addressOf(kind, unit)}>
                    {unit}
                  </Anchor>
                </Table.Td>
                <Table.Td>{operation}</Table.Td>
                <Table.Td>{attempts}</Table.Td>
                <Table.Td className="text-of-tenant">
                  {whyOf(failure)}
                  {code !== null && (
                    <Paragraph size="xs" c="dimmed">
                      {code}
                    </Paragraph>
                  )}
                </Table.Td>
                <Table.Td>
                  <Group gap="xs" wrap="nowrap">
                    <RowButton label={text('functions.again_of', of)} onClick={() => onAgain(failure)}>
                      {text('functions.again')}
                    </RowButton>
                    <RowButton label={text('functions.discard_of', of)} onClick={() => onDiscard(failure)}>
                      {text('functions.discard')}
                    </RowButton>
                  </Group>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </WideTable>
    </>
  );
}
