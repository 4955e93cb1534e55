/** When a function runs by itself, its latest runs, and a button that begins one. */
import { Button, Group, Stack, Table, Text as Paragraph, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { listRuns, runNow, type DeclaredFunction, type FunctionRun } from '../api/functions.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText } from '../i18n/text.js';
import { PageError } from '../shell/page-states.js';
import { WideTable } from '../shell/wide-table.js';
import { whyOf } from './function-text.js';

interface ScheduleSectionProps {
  readonly declared: DeclaredFunction;
  readonly schedule: NonNullable<DeclaredFunction['schedule']>;
}

export function ScheduleSection({ declared, schedule }: ScheduleSectionProps) {
  const text = useText();
  const { kind_id: kind, name, next_at: next } = declared;
  const { data, error, refetch } = useQuery({ queryKey: ['runs', kind], queryFn: () => listRuns(kind), retry: false });
  const start = useMutation({ mutationFn: () => runNow(declared), onSettled: () => refetch() });
  const runs = data?.filter((run) => run.function === name) ?? [];
  const failure = error ?? start.error;
  return (
    <Stack gap="xs" maw={900}>
      <Title order={2} size="h4">
        {text('functions.schedule')}
      </Title>
      <Paragraph size="sm">
        {schedule.cron} ({schedule.timezone}).{' '}
        {next === null ? text('functions.next_none') : text('functions.next', { time: shownInstant(next) })}
      </Paragraph>
      <Group gap="xs">
        <Button size="xs" loading={start.isPending} onClick={() => start.mutate()}>
          {text('functions.run_now')}
        </Button>
        <Button size="xs" variant="default" onClick={() => void refetch()}>
          {text('grid.refresh')}
        </Button>
      </Group>
      {failure && <PageError error={failure} onRetry={() => void refetch()} />}
      {runs.length > 0 && <Runs runs={runs} />}
    </Stack>
  );
}

function Runs({ runs }: { readonly runs: readonly FunctionRun[] }) {
  const text = useText();
  return (
    <WideTable minWidth={480} label={text('functions.runs')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text('functions.tick')}</Table.Th>
          <Table.Th>{text('functions.outcome')}</Table.Th>
          <Table.Th>{text('functions.why')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {runs.map((run) => (
          <Table.Tr key={run.id}>
            <Table.Td>{shownInstant(run.tick)}</Table.Td>
            <Table.Td>{text(`functions.outcomes.${run.outcome}`)}</Table.Td>
            <Table.Td className="text-of-tenant">{whyOf(run)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
