/** Any aggregation of a kind as bars, lines, a table or a map. The address has all of it, so that it can be sent. */
import { Button, Group, Text as Paragraph, Title } from '@mantine/core';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useEffectEvent, useMemo } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import { aggregate, type AggregateRow } from '../api/aggregate.js';
import type { Field, Page, Unit } from '../api/types.js';
import { useReferenceLabels } from '../data/reference-labels.js';
import { filterQuery, useColumnsOf, useLabelOf, type Source } from '../data/source.js';
import { useText } from '../i18n/text.js';
import { Empty, PageError, Waiting } from '../shell/page-states.js';
import { useAddress } from '../shell/use-address.js';
import { ChartForm } from './chart-form.js';
import { ChartTable } from './chart-table.js';
import { ChartMap } from './chart-map.js';
import {
  chartOf,
  largerCell,
  placedQuery,
  placeFields,
  placesOf,
  queryOf,
  valuesOf,
  type Chart,
  type PlaceFields,
} from './chart-query.js';
import { groupName, measureName, type GroupName } from './chart-names.js';
import { useFirstChart } from './first-chart.js';
import './charts.css';

const Plot = lazy(async () => ({ default: (await import('./plot.js')).Plot }));

export function ChartsPage() {
  const { kind = '' } = useParams();
  const text = useText();
  const source: Source = { type: 'kind', id: kind };
  const label = useLabelOf(source);
  const { fields, error, isPending, refetch } = useColumnsOf(source);
  const filter = useSearchParams()[0].get('filter');
  return (
    <div className="page charts">
      <Group justify="space-between">
        <Title order={1} size="h3">
          {text('charts.title', { kind: label })}
        </Title>
        <Button size="xs" variant="default" component={Link} to={`/data/${kind}${filterQuery(filter)}`}>
          {text('charts.to_units')}
        </Button>
      </Group>
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {isPending && <Waiting />}
      {fields && <ChartOfKind key={kind} kind={kind} fields={fields} />}
    </div>
  );
}

function ChartOfKind({ kind, fields }: { kind: string; fields: readonly Field[] }) {
  const [parameters, setAddress] = useAddress();
  const chart = useMemo(() => chartOf(parameters, fields), [parameters, fields]);
  const isCellChosen = parameters.has('cell');
  const { isAsked, first } = useFirstChart(kind, fields, parameters);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['aggregate', kind, chart, isCellChosen],
    queryFn: isAsked ? skipToken : ({ signal }) => drawn(kind, chart, fields, isCellChosen, signal),
    retry: false,
    placeholderData: keepPreviousData,
  });
  const change = (next: Partial<Chart>, replace = false): void =>
    // All units together are a choice too.
    setAddress({ ...next }, { replace, keeps: 'by' });
  const showFirst = useEffectEvent((chosen: Partial<Chart>) => change(chosen, true));
  useEffect(() => {
    // The address follows, so that it is asked once.
    if (first) showFirst(first);
  }, [first]);
  return (
    <>
      <ChartForm
        key={chart.filter}
        chart={isCellChosen || !data ? chart : { ...chart, cell: data.chart.cell }}
        fields={fields}
        onChange={change}
      />
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {isPending && <Waiting />}
      {data && !error && <ChartOfValues kind={kind} chart={data.chart} fields={fields} page={data.page} />}
    </>
  );
}

interface Drawn {
  /** Belongs to the values, which are shown until the next ones are there. */
  readonly chart: Chart;
  readonly page: Page<AggregateRow>;
}

/** The values of a chart. Of a map, those of the smallest cells that are not too many, unless their size was chosen. */
async function drawn(
  kind: string,
  chart: Chart,
  fields: readonly Field[],
  isCellChosen: boolean,
  signal: AbortSignal,
): Promise<Drawn> {
  const page = await aggregate(kind, queryOf(chart, fields), signal);
  const larger = chart.as === 'map' && page.count > page.items.length && !isCellChosen && largerCell(chart.cell);
  return larger ? drawn(kind, { ...chart, cell: larger }, fields, isCellChosen, signal) : { chart, page };
}

interface ChartOfValuesProps {
  readonly kind: string;
  readonly chart: Chart;
  readonly fields: readonly Field[];
  readonly page: Page<AggregateRow>;
}

function ChartOfValues({ kind, chart, fields, page }: ChartOfValuesProps) {
  const text = useText();
  const byField = fields.find(({ id }) => id === chart.by);
  const splitField = fields.find(({ id }) => id === chart.split);
  const values = useMemo(() => valuesOf(page, chart), [page, chart]);
  const labels = useLabels(byField, splitField, page);
  const by: GroupName = (value) => groupName(byField, chart.step, value, labels, text);
  const split: GroupName = (value) => groupName(splitField, '', value, labels, text);
  const measure = measureName(chart, fields, text);
  const places = chart.as === 'map' ? placeFields(fields) : undefined;
  const withoutPlace = places && <WithoutPlace kind={kind} chart={chart} places={places} />;
  if (page.items.length === 0) {
    return (
      <>
        {withoutPlace}
        <Empty>{text('charts.empty')}</Empty>
      </>
    );
  }
  if (chart.as === 'map') {
    return (
      <>
        <Remark shown={page.items.length} all={page.count} areLargest />
        {withoutPlace}
        <ChartMap places={placesOf(page, chart)} measure={measure} />
      </>
    );
  }
  const names = { measure, by: byField?.label ?? text('charts.all') };
  const table = <ChartTable values={values} by={by} split={split} isSplit={splitField !== undefined} names={names} />;
  return (
    <>
      <Remark shown={values.rows.length} all={values.allRows} areLargest={chart.step === ''} />
      {page.count > page.items.length && <Remark shown={page.items.length} all={page.count} />}
      {splitField && values.allSeries > values.series.length && (
        <Paragraph size="sm" c="dimmed">
          {text('charts.largest_series', {
            shown: values.series.length,
            count: values.allSeries,
            name: splitField.label,
          })}
        </Paragraph>
      )}
      {chart.as === 'table' ? (
        table
      ) : (
        <Suspense fallback={<Waiting />}>
          <Plot
            as={chart.as}
            values={values}
            by={by}
            split={split}
            names={names}
            isSplit={splitField !== undefined}
            isOverTime={chart.step !== ''}
          />
          {chart.as === 'lines' && chart.step !== '' && values.rows.some((row) => row.by === null) && (
            <Paragraph size="sm" c="dimmed">
              {text('charts.without_time')}
            </Paragraph>
          )}
          <details>
            <summary>{text('charts.table')}</summary>
            {table}
          </details>
        </Suspense>
      )}
    </>
  );
}

/** Says how many units are not on the map. */
function WithoutPlace({ kind, chart, places }: { kind: string; chart: Chart; places: PlaceFields }) {
  const text = useText();
  const { data } = useQuery({
    queryKey: ['aggregate', kind, 'placed', chart.filter],
    queryFn: ({ signal }) => aggregate(kind, placedQuery(chart, places), signal),
    retry: false,
  });
  const { all = 0, placed = 0 } = (data?.items[0] ?? {}) as { all?: number; placed?: number };
  if (all === placed) return null;
  return (
    <Paragraph size="sm" c="dimmed">
      {text('charts.without_place', { smart_count: all - placed })}
    </Paragraph>
  );
}

/** Says how many groups are not shown. */
function Remark({ shown, all, areLargest = false }: { shown: number; all: number; areLargest?: boolean }) {
  const text = useText();
  if (shown >= all) return null;
  return (
    <Paragraph size="sm" c="dimmed">
      {text(areLargest ? 'charts.largest' : 'charts.first', { shown, count: all })}
    </Paragraph>
  );
}

/** What the units are called that a chart groups by: rows of the aggregation, seen as units that refer to them. */
function useLabels(by: Field | undefined, split: Field | undefined, page: Page<AggregateRow>) {
  const columns = [by && { ...by, id: 'by' }, split && { ...split, id: 'split' }];
  const shown = columns.filter((field): field is Field => field !== undefined);
  return useReferenceLabels(shown, [page as Page<AggregateRow & Unit>]);
}
