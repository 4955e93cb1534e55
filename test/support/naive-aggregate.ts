/** The meaning of aggregations, implemented a second time as simply as possible: over records in memory. */
import type { AggregateTerm, GroupTerm } from '../../src/filter/aggregate.ast.js';
import {
  at,
  canonical,
  compare,
  decimal,
  jsonText,
  matches,
  type Json,
  type NaiveKind,
  type UnitRecord,
} from './naive-filter.js';

export type NaiveGroup = Record<string, Json>;

/** The groups of units, oldest first in `units`, in no particular order. */
export function aggregated(
  units: readonly UnitRecord[],
  group: readonly GroupTerm[],
  select: readonly AggregateTerm[],
  kind: NaiveKind,
): NaiveGroup[] {
  const groups = new Map<string, { keys: Json[]; units: UnitRecord[] }>();
  for (const unit of units) {
    for (const keys of keysOf(unit, group, kind)) {
      const name = JSON.stringify(keys);
      const found = groups.get(name) ?? { keys, units: [] };
      groups.set(name, found);
      found.units.push(unit);
    }
  }
  if (group.length === 0 && groups.size === 0) groups.set('', { keys: [], units: [] });
  return [...groups.values()].map((each) => ({
    ...Object.fromEntries(group.map(({ name }, at) => [name, each.keys[at] ?? null])),
    ...Object.fromEntries(select.map((term) => [term.name, valueOf(each.units, term, kind)])),
  }));
}

/** Every combination of the keys of a unit. */
function keysOf(unit: UnitRecord, group: readonly GroupTerm[], kind: NaiveKind): Json[][] {
  return group.reduce<Json[][]>(
    (rows, term) => {
      const keys = keysOfTerm(unit, term, kind);
      return rows.flatMap((row) => keys.map((key) => [...row, key]));
    },
    [[]],
  );
}

function keysOfTerm(unit: UnitRecord, term: GroupTerm, kind: NaiveKind): Json[] {
  const value = read(unit, term.path.segments);
  const inJson = term.path.segments.length > 1;
  switch (term.function) {
    case undefined:
      return [inJson && value !== null ? (jsonText(value) ?? null) : value];
    case 'each': {
      const elements = [...new Map(((value ?? []) as Json[]).map((item) => [JSON.stringify(item), item])).values()];
      return elements.length > 0 ? elements : [null];
    }
    case 'bucket':
      return [
        value === null ? null : bucket(textOf(value), term.size, kind.get(term.path.segments[0] ?? '')?.type ?? ''),
      ];
    case 'lower':
      return [value === null ? null : textOf(value).toLowerCase()];
    default:
      return [value === null ? null : period(textOf(value), term.function)];
  }
}

function read(unit: UnitRecord, [name = '', ...keys]: readonly string[]): Json {
  return at(unit[name] ?? null, keys) ?? null;
}

/** A scalar as text. */
const textOf = (value: Json): string => jsonText(value) ?? '';

/** Decimals are integers with forty decimals. */
const SCALE = 10n ** 40n;

function decimalText(value: bigint): string {
  const magnitude = value < 0n ? -value : value;
  const fraction = String(magnitude % SCALE)
    .padStart(40, '0')
    .replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${magnitude / SCALE}${fraction ? `.${fraction}` : ''}`;
}

function wholeNumber(value: bigint): Json {
  const number = value / SCALE;
  return number >= Number.MIN_SAFE_INTEGER && number <= Number.MAX_SAFE_INTEGER ? Number(number) : String(number);
}

function bucket(text: string, size: string, type: string): Json {
  const [value, by] = [decimal(text), decimal(size)];
  const rest = ((value % by) + by) % by;
  return type === 'integer' && !size.includes('.') ? wholeNumber(value - rest) : decimalText(value - rest);
}

function period(text: string, unit: string): string {
  const time = new Date(`${text.slice(0, 10)}T${text.length > 10 ? text.slice(11, 13) : '00'}:00:00Z`);
  if (unit !== 'hour') time.setUTCHours(0);
  if (unit === 'week') time.setUTCDate(time.getUTCDate() - ((time.getUTCDay() + 6) % 7));
  if (['month', 'quarter', 'year'].includes(unit)) time.setUTCDate(1);
  if (unit === 'quarter') time.setUTCMonth(time.getUTCMonth() - (time.getUTCMonth() % 3));
  if (unit === 'year') time.setUTCMonth(0);
  const iso = time.toISOString();
  return text.length > 10 ? `${iso.slice(0, 19)}.000000Z` : iso.slice(0, 10);
}

function valueOf(
  units: readonly UnitRecord[],
  { function: called, path, filter }: AggregateTerm,
  kind: NaiveKind,
): Json {
  const taken = filter ? units.filter((unit) => matches(filter, unit, kind)) : units;
  if (!path) return taken.length;
  const inJson = path.segments.length > 1;
  const all = taken.map((unit) => read(unit, path.segments));
  if (called === 'first' || called === 'last') return (called === 'first' ? all[0] : all.at(-1)) ?? null;
  const values = all.flatMap((value) => (value === null ? [] : [inJson ? (jsonText(value) ?? null) : value]));
  const type = inJson ? 'string' : (kind.get(path.segments[0] ?? '')?.type ?? '');
  const sum = () => values.reduce<bigint>((total, value) => total + decimal(textOf(value)), 0n);
  const floats = () => values.reduce<number>((total, value) => total + Number(value), 0);
  switch (called) {
    case 'count':
      return values.length;
    case 'count_distinct':
      return new Set(values.map((value) => canonical(value))).size;
    case 'min':
    case 'max':
      return [...values].sort((a, b) => compare(type, a, b)).at(called === 'min' ? 0 : -1) ?? null;
    case 'sum':
      if (values.length === 0) return null;
      return type === 'float' ? floats() : type === 'integer' ? wholeNumber(sum()) : decimalText(sum());
    case 'avg':
      if (values.length === 0) return null;
      return type === 'float' ? floats() / values.length : decimalText(sum() / BigInt(values.length));
  }
}
