/**
 * The meaning of filters and orders, implemented a second time as simply as possible: over records as the service answers
 * them, in memory. It shares the tree of the filter language with the service and nothing else.
 */
import { passesPair } from './naive-pair.js';
import type { Filter, ParameterTest, Scalar, Test } from '../../src/filter/filter.ast.js';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type UnitRecord = Record<string, Json>;

export interface NaiveParameter {
  readonly type: string;
  readonly multiple?: boolean;
}

export type NaiveKind = ReadonlyMap<string, NaiveParameter>;

export interface NaiveOrder {
  readonly path: readonly string[];
  readonly descending: boolean;
  readonly nulls?: 'first' | 'last' | undefined;
}

/** Whether a unit matches; a test is true or false, and nothing else. */
export function matches(filter: Filter, unit: UnitRecord, kind: NaiveKind): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((part) => matches(part, unit, kind));
    case 'or':
      return filter.filters.some((part) => matches(part, unit, kind));
    case 'not':
      return !matches(filter.filter, unit, kind);
    case 'all':
      return true;
    case 'exists':
      throw new Error('a record alone does not tell which units are related to it');
    default:
      return passes(filter, unit, kind);
  }
}

function passes(test: Test, unit: UnitRecord, kind: NaiveKind): boolean {
  if ('other' in test) return passesPair(test, unit, kind);
  if (test.op === 'similar') throw new Error('trigrams are not made here');
  const [name = '', ...keys] = test.path.segments;
  const parameter = kind.get(name);
  if (!parameter) throw new Error(`no parameter ${name}`);
  const { type, multiple = false } = parameter;
  const stored = at(unit[name] ?? null, keys);
  if (test.op === 'isnull') return (stored === null) === test.value;
  if (test.op === 'ne') return !passes({ ...test, op: 'eq' }, unit, kind);
  if (stored === null) return false;
  const texts = textsOf(test);
  if (multiple) {
    const elements = stored as Json[];
    if (test.op === 'eq')
      return (
        elements.length === texts.length && elements.every((element, i) => isValue(type, element, texts[i] ?? '', true))
      );
    return elements.some((element) => texts.some((text) => isValue(type, element, text, true)));
  }
  const [text = ''] = texts;
  switch (test.op) {
    case 'eq':
    case 'in':
      return texts.some((each) => isValue(type, stored, each, false));
    case 'lt':
      return compare(type, stored, text) < 0;
    case 'lte':
      return compare(type, stored, text) <= 0;
    case 'gt':
      return compare(type, stored, text) > 0;
    case 'gte':
      return compare(type, stored, text) >= 0;
    case 'contains':
      return plain(stored).includes(text);
    case 'icontains':
      return fold(stored).includes(fold(text));
    case 'startswith':
      return plain(stored).startsWith(text);
    case 'istartswith':
      return fold(stored).startsWith(fold(text));
    case 'endswith':
      return plain(stored).endsWith(text);
    case 'iendswith':
      return fold(stored).endsWith(fold(text));
  }
}

function textsOf(test: Exclude<ParameterTest, { op: 'isnull' }>): string[] {
  const { value } = test;
  const scalars = value.type === 'list' ? value.items : [value];
  return scalars.map((scalar) => (scalar as Scalar).text);
}

/** The value at keys in a JSON value; null if there is none. */
export function at(value: Json, keys: readonly string[]): Json {
  return keys.reduce<Json>((inner, key) => {
    if (Array.isArray(inner)) return /^-?\d+$/.test(key) ? (inner.at(Number(key)) ?? null) : null;
    return typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key) ? (inner[key] ?? null) : null;
  }, value);
}

const plain = (value: unknown) => String(value);
const fold = (value: unknown) => plain(value).toLowerCase();

function isValue(type: string, stored: Json, text: string, element: boolean): boolean {
  if (type !== 'json') return compare(type, stored, text) === 0;
  if (element) {
    const spelled = parsed(text);
    return sameJson(stored, spelled === undefined ? text : spelled);
  }
  const structure = /^[[{]/.test(text) ? parsed(text) : undefined;
  return jsonText(stored) === text || (structure !== undefined && sameJson(stored, structure));
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function sameJson(a: Json, b: Json): boolean {
  return canonical(a) === canonical(b);
}

/** The same text for equal JSON values. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join()}}`;
}

/** A JSON scalar as text; structures have no text that a test would ask for. */
export function jsonText(value: Json): string | undefined {
  return typeof value === 'object' ? undefined : String(value);
}

/** Compares a value of a record with a text of a filter, or with another value of a record. */
export function compare(type: string, a: Json, b: Json): number {
  const [x, y] = [rank(type, a), rank(type, b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function rank(type: string, value: Json): number | bigint | string {
  const text = plain(value);
  switch (type) {
    case 'integer':
    case 'float':
      return Number(text);
    case 'boolean':
      return text === 'true' ? 1 : 0;
    case 'decimal':
      return decimal(text);
    case 'date':
      return text.replace(/^(\d\d)-(\d\d)-(\d{4})$/, '$3-$2-$1');
    case 'time':
      return (/^\d\d:\d\d$/.test(text) ? `${text}:00` : text).replace('.', '').padEnd(14, '0');
    case 'datetime':
      return instant(text);
    case 'unit':
      return text.toLowerCase();
    default:
      // By code point: UTF-16 puts what lies beyond U+FFFF before U+E000.
      return [...text].map((character) => (character.codePointAt(0) ?? 0).toString(16).padStart(6, '0')).join('');
  }
}

/** With forty decimals. */
export function decimal(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(whole + fraction.padEnd(40, '0'));
  return text.startsWith('-') ? -magnitude : magnitude;
}

/** Microseconds since 1970. */
function instant(text: string): bigint {
  const [, day, month, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text) ?? [];
  const iso = day ? `${year}-${month}-${day}` : text;
  const fraction = /\.(\d+)/.exec(iso)?.[1] ?? '';
  const seconds = BigInt(Date.parse(/^\d{4}-\d\d-\d\d$/.test(iso) ? `${iso}T00:00:00Z` : iso.replace(/\.\d+/, '')));
  return seconds * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** The units in the asked order, nulls last ascending and first descending, and where all is equal by id. */
export function sorted(units: readonly UnitRecord[], order: readonly NaiveOrder[], kind: NaiveKind): UnitRecord[] {
  return [...units].sort((a, b) => {
    for (const { path, descending, nulls = descending ? 'first' : 'last' } of order) {
      const [x, y] = [a, b].map((unit) => valueAt(unit, path) === null);
      if (x !== y) return x === (nulls === 'first') ? -1 : 1;
      const sign = x ? 0 : before(a, b, path, kind);
      if (sign !== 0) return descending ? -sign : sign;
    }
    return compare('unit', a['id'] ?? '', b['id'] ?? '');
  });
}

function valueAt(unit: UnitRecord, [name = '', ...keys]: readonly string[]): Json {
  return at(unit[name] ?? null, keys) ?? null;
}

function before(a: UnitRecord, b: UnitRecord, path: readonly string[], kind: NaiveKind): number {
  const [x = null, y = null] = [a, b].map((unit) => valueAt(unit, path));
  const type = kind.get(path[0] ?? '')?.type ?? 'string';
  return type === 'json' ? compare('string', jsonText(x) ?? '', jsonText(y) ?? '') : compare(type, x, y);
}
