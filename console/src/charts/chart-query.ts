/** What a chart shows, as it is in the address, and as the aggregation that is asked for it. */
import type { AggregateQuery, AggregateRow } from '../api/aggregate.js';
import type { Field, Page } from '../api/types.js';
import type { Period } from '../fields/console-field.js';
import { fieldOfType } from '../fields/fields.js';
import { isNumeric, isTypedAsJson } from '../fields/values.js';

export const MEASURES = ['count', 'sum', 'avg', 'min', 'max', 'count_distinct'] as const;
export const FORMS = ['bars', 'lines', 'table', 'map'] as const;
/** Degrees of a cell of the map. */
export const CELLS = ['0.1', '0.5', '1', '2', '5', '10'] as const;

export type Measure = (typeof MEASURES)[number];
export type Form = (typeof FORMS)[number];

export interface Chart {
  readonly measure: Measure;
  /** The field that is measured; '' for the number of units. */
  readonly of: string;
  /** The field by which units are grouped; '' for all together. */
  readonly by: string;
  /** A period of a date; '' for each value. */
  readonly step: Period | '';
  /** A second field, which makes a series of each of its values; '' for none. */
  readonly split: string;
  readonly filter: string;
  readonly as: Form;
  readonly cell: string;
}

/** The names of the fields of a row. */
const VALUE = 'value';
const BY = 'by';
const SPLIT = 'split';
const LATITUDE = 'latitude';
const LONGITUDE = 'longitude';

/** The most groups of one request. */
export const MOST_ROWS = 1000;

/** The chart of an address; what does not fit the fields of the kind is left out. */
export function chartOf(parameters: URLSearchParams, fields: readonly Field[]): Chart {
  const read = (name: string): string => parameters.get(name) ?? '';
  const known = (name: string, allowed: readonly Field[]): string =>
    allowed.some(({ id }) => id === read(name)) ? read(name) : '';
  const measure = oneOf(MEASURES, read('measure')) ?? 'count';
  const of = known('of', measurable(fields, measure));
  const by = known('by', groupable(fields));
  const type = fields.find(({ id }) => id === by)?.type;
  const time = type && fieldOfType(type).time;
  const steps = time?.periods ?? [];
  const places = placeFields(fields);
  const as = oneOf(FORMS, read('as')) ?? 'bars';
  return {
    measure: measure !== 'count' && of === '' ? 'count' : measure,
    of: measure === 'count' ? '' : of,
    by,
    step: oneOf(steps, read('step')) ?? time?.first ?? '',
    split: known(
      'split',
      groupable(fields).filter(({ id }) => id !== by),
    ),
    filter: read('filter'),
    as: as === 'map' && !places ? 'bars' : as,
    cell: oneOf(CELLS, read('cell')) ?? '1',
  };
}

/** The next size of the cells of a map; undefined for the largest. */
export function largerCell(cell: string): string | undefined {
  return CELLS.find((each) => Number(each) > Number(cell));
}

function oneOf<T extends string>(allowed: readonly T[], value: string): T | undefined {
  return allowed.find((each) => each === value);
}

/** The fields that a function measures. */
export function measurable(fields: readonly Field[], measure: Measure): readonly Field[] {
  if (measure === 'count') return [];
  if (measure === 'count_distinct')
    return fields.filter(({ type, multiple }) => !multiple && !isTypedAsJson({ type, multiple }));
  return fields.filter(isNumeric);
}

export function groupable(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ type, multiple, persistence }) => {
    const { groups } = fieldOfType(type);
    return groups !== undefined && !(multiple && groups === 'single') && persistence !== 'run_time';
  });
}

/** The periods of a field; none if its values are no times. */
export function stepsOf({ type }: Field): readonly Period[] {
  return fieldOfType(type).time?.periods ?? [];
}

const LATITUDES = ['latitude', 'lat'];
const LONGITUDES = ['longitude', 'lng', 'lon', 'long'];

export interface PlaceFields {
  readonly latitude: string;
  readonly longitude: string;
}

/** The fields with which units can be put on a map. */
export function placeFields(fields: readonly Field[]): PlaceFields | undefined {
  const numeric = fields.filter(isNumeric).map(({ id }) => id);
  const find = (names: readonly string[]): string | undefined =>
    numeric.find((id) => names.includes(id.toLowerCase())) ??
    numeric.find((id) => names.some((name) => id.toLowerCase().endsWith(`_${name}`)));
  const [latitude, longitude] = [find(LATITUDES), find(LONGITUDES)];
  return latitude !== undefined && longitude !== undefined ? { latitude, longitude } : undefined;
}

/** Units with a place on the Earth; numbers outside of it have none. */
function placedFilter({ latitude, longitude }: PlaceFields): string {
  return `and(gte(${latitude},-90),lte(${latitude},90),gte(${longitude},-180),lte(${longitude},180))`;
}

/** The aggregation that counts all units of a chart, and those that have a place. */
export function placedQuery({ filter }: Chart, places: PlaceFields): AggregateQuery {
  return { select: `[all:count(),placed:count(${placedFilter(places)})]`, filter, limit: 1 };
}

/** The aggregation for a chart. */
export function queryOf(chart: Chart, fields: readonly Field[]): AggregateQuery {
  const { measure, of, filter, step } = chart;
  const select = `${VALUE}:${measure}(${of})`;
  const limit = MOST_ROWS;
  const places = placeFields(fields);
  if (chart.as === 'map' && places) {
    const { latitude, longitude } = places;
    const cells = `${LATITUDE}:bucket(${latitude},${chart.cell}),${LONGITUDE}:bucket(${longitude},${chart.cell})`;
    const onMap = filter === '' ? placedFilter(places) : `and(${placedFilter(places)},${filter})`;
    return { select, group: `[${cells}]`, filter: onMap, order: `${VALUE};desc`, limit };
  }
  const groups = [
    ...(chart.by === '' ? [] : [`${BY}:${termOf(chart.by, fields, step)}`]),
    ...(chart.split === '' ? [] : [`${SPLIT}:${termOf(chart.split, fields, '')}`]),
  ];
  if (groups.length === 0) return { select, filter, limit };
  const order = step === '' ? `${VALUE};desc` : undefined;
  return { select, group: `[${groups.join(',')}]`, filter, order, limit };
}

function termOf(id: string, fields: readonly Field[], step: string): string {
  if (step !== '') return `${step}(${id})`;
  return fields.find((field) => field.id === id)?.multiple ? `each(${id})` : id;
}

/** The values of a chart: a row for each group, a column for each series. */
export interface ChartValues {
  readonly rows: readonly ChartRow[];
  readonly series: readonly unknown[];
  /** The rows and series that there are, shown or not. */
  readonly allRows: number;
  readonly allSeries: number;
}

export interface ChartRow {
  readonly by: unknown;
  /** In the order of the series; undefined where there is no unit. */
  readonly values: readonly (string | number | null | undefined)[];
}

type Value = string | number | null;

/** The most rows and series of a picture; a table has more. */
const MOST = { bars: 40, lines: 1000, table: 1000, map: 1000 } as const;
const MOST_SERIES = 8;

export function valuesOf({ items }: Page<AggregateRow>, { as, split, step }: Chart): ChartValues {
  const rows = new Map<unknown, Map<unknown, Value>>();
  const totals = new Map<unknown, number>();
  for (const item of items) {
    const [by, series, value] = [item[BY] ?? null, item[SPLIT] ?? null, item[VALUE] as Value];
    const row = rows.get(by) ?? new Map<unknown, Value>();
    rows.set(by, row.set(series, value));
    totals.set(series, (totals.get(series) ?? 0) + Math.abs(Number(value ?? 0)));
  }
  const series = [...totals].sort(([, one], [, other]) => other - one).map(([name]) => name);
  const shownSeries = split === '' ? series.slice(0, 1) : series.slice(0, MOST_SERIES);
  const all = [...rows].map(([by, row]) => ({ by, values: shownSeries.map((name) => row.get(name)) }));
  // The newest periods are those that one looks for.
  const shown = step === '' ? all.slice(0, MOST[as]) : all.slice(-MOST[as]);
  return { rows: shown, series: shownSeries, allRows: all.length, allSeries: series.length };
}

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly value: Value;
}

/** The middles of the cells of a map. */
export function placesOf({ items }: Page<AggregateRow>, { cell }: Chart): readonly Place[] {
  const half = Number(cell) / 2;
  return items.map((item) => ({
    latitude: Math.min(90, Number(item[LATITUDE]) + half),
    longitude: Math.min(180, Number(item[LONGITUDE]) + half),
    value: item[VALUE] as Value,
  }));
}
