/** The requests of the project in the last hour, their times and refusals; for administrators. */
import { Group, Text as Paragraph, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getMinutes, type Minute } from '../api/overview.js';
import { ChartTable, type ChartParts } from '../charts/chart-table.js';
import { Plot } from '../charts/plot.js';
import '../charts/charts.css';
import { useText, type Text } from '../i18n/text.js';
import { PageError, Waiting } from '../shell/page-states.js';

/** Milliseconds between two looks at the numbers, while the page is seen. */
const REFRESH = 10_000;

export function LoadSection() {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: ['minutes'],
    queryFn: ({ signal }) => getMinutes(signal),
    refetchInterval: REFRESH,
    retry: false,
  });
  return (
    <section aria-label={text('overview.load')} className="charts overview-load">
      <Title order={2} size="h5">
        {text('overview.load')}
      </Title>
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data && (
        <>
          <Totals minutes={data} />
          <div className="overview-columns">
            <Lines minutes={data} of={COUNTS} measure={text('overview.per_minute')} />
            <Lines minutes={data} of={TIMES} measure={text('overview.times')} />
          </div>
          <Paragraph size="sm" c="dimmed">
            {text('overview.load_text')}
          </Paragraph>
        </>
      )}
    </section>
  );
}

const COUNTS = ['requests', 'refused', 'failed'] as const;
const TIMES = ['p50_seconds', 'p99_seconds'] as const;
type Measure = (typeof COUNTS)[number] | (typeof TIMES)[number];

function Totals({ minutes }: { minutes: readonly Minute[] }) {
  const text = useText();
  const sum = (name: (typeof COUNTS)[number]) => minutes.reduce((all, minute) => all + minute[name], 0);
  const requests = sum('requests');
  const part = (count: number) => percent.format(requests === 0 ? 0 : count / requests);
  const shown = [
    [text('overview.requests'), requests.toLocaleString()],
    [text('overview.refused'), part(sum('refused'))],
    [text('overview.failed'), part(sum('failed'))],
  ];
  return (
    <Group component="dl" gap="xl" m={0}>
      {shown.map(([name, value]) => (
        <div key={name}>
          <Paragraph component="dt" size="sm" c="dimmed">
            {name}
          </Paragraph>
          <Paragraph component="dd" fw={700} m={0}>
            {value}
          </Paragraph>
        </div>
      ))}
    </Group>
  );
}

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumSignificantDigits: 2 });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

interface LinesProps {
  readonly minutes: readonly Minute[];
  readonly of: readonly Measure[];
  readonly measure: string;
}

function Lines({ minutes, of, measure }: LinesProps) {
  const text = useText();
  const parts: ChartParts = {
    values: {
      rows: minutes.map((minute) => ({ by: minute.begin, values: of.map((name) => shownNumber(name, minute[name])) })),
      series: of,
      allRows: minutes.length,
      allSeries: of.length,
    },
    by: (begin) => clock.format(new Date(begin as string)),
    split: (name) => seriesName(name as Measure, text),
    isSplit: true,
    names: { measure, by: text('overview.minute') },
  };
  return (
    <div>
      <Paragraph size="sm" fw={600}>
        {measure}
      </Paragraph>
      <Plot as="lines" {...parts} />
      <details>
        <summary>{text('charts.table')}</summary>
        <ChartTable {...parts} />
      </details>
    </div>
  );
}

/** Times in milliseconds. */
function shownNumber(name: Measure, value: number | null): number | null {
  if (value === null || !name.endsWith('_seconds')) return value;
  return Math.round(value * 10_000) / 10;
}

function seriesName(name: Measure, text: Text): string {
  return text(`overview.${name}`);
}
