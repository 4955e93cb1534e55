/** Pieces of texts for people: counts, sizes, hints, and texts of requests and errors. */
import { closest, distance } from 'fastest-levenshtein';
import { LIMITS } from './limits.js';

/** A count with its noun, for messages: `1 unit`, `12,000 units`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

const LONGEST = 80;

/** A text of the request as error messages show it: its first 80 characters. */
export function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** What an error says, whatever was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const UNITS = ['b', 'kb', 'mb', 'gb', 'tb'] as const;
const STEP = 1024;

/** A number of bytes as text for people, in the form in which sizes are set, with at most one decimal: `500mb`, `1.5gb`. */
export function byteSizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  return `${Math.round(value * 10) / 10}${UNITS[unit]}`;
}

/** ` (did you mean 'title'?)` if a known name is similar enough to the unknown one, else the empty string. */
export function didYouMean(unknown: string, known: Iterable<string>): string {
  const nearest = nearestTo(unknown, known);
  return nearest === undefined ? '' : ` (did you mean '${nearest}'?)`;
}

/**
 * What other products call operators, functions, operations, fields, settings and query parameters, after the names that
 * they have here, in lower case and without separators. A name that ends with `_` stands for all that begin with it.
 */
const SYNONYMS: readonly (readonly [meant: string, ...called: string[]])[] = [
  ['ne', 'neq', 'notequal'],
  ['ne_field', 'neqfield'],
  ['eq', 'equals'],
  ['contains', 'like', 'includes'],
  ['icontains', 'ilike'],
  ['isnull', 'null'],
  ['gte', 'between'],
  ['avg', 'mean', 'average'],
  ['read', 'list', 'view', 'select', 'find', 'get'],
  ['create', 'insert', 'add'],
  ['update', 'edit', 'write'],
  ['delete', 'remove'],
  ['function', 'execute', 'call'],
  ['inserted_at', 'created', 'createdat', 'createdon', 'datecreated'],
  ['updated_at', 'updated', 'modified', 'modifiedat', 'dateupdated'],
  ['order', 'sort', 'sortby', 'orderby', 'ordering'],
  ['include', 'fields', 'select', 'columns', 'expand', 'embed', 'populate'],
  ['filter', 'where'],
  ['search', 'q', 'query'],
  ['offset', 'page', 'skip'],
  ['limit', 'perpage', 'pagesize', 'take'],
  ['group', 'groupby'],
  ['default_', 'default', 'defaultvalue'],
  ['values', 'enum', 'options', 'choices'],
  ['label', 'name', 'title'],
  ['kind_id', 'type'],
  ['min_value', 'min', 'minimum'],
  ['max_value', 'max', 'maximum'],
  ['pattern', 'regex', 'regexp'],
  ['helper_text', 'description', 'comment'],
  ['is_primary', 'primary', 'primarykey'],
  ['reference_kind', 'references', 'foreignkey'],
  ['multiple', 'array'],
  ['nullable', 'null', 'optional'],
  ['string', 'varchar', 'str'],
  ['integer', 'int', 'number', 'bigint'],
  ['decimal', 'numeric', 'money'],
  ['float', 'double', 'real'],
  ['boolean', 'bool'],
  ['datetime', 'timestamp', 'timestamptz'],
  ['json', 'object', 'jsonb'],
  ['binary', 'bytes', 'blob'],
  ['unit', 'reference', 'ref', 'relation'],
];

const MEANT = new Map<string, string[]>();
for (const [meant, ...called] of SYNONYMS) {
  for (const name of called) MEANT.set(name, [...(MEANT.get(name) ?? []), meant]);
}

/** The name that another product's stands for, or the most similar of these names, if it is similar enough. */
export function nearestTo(name: string, others: Iterable<string>): string | undefined {
  if (name.length > 100) return undefined;
  const meant = MEANT.get(name.toLowerCase().replace(/[_\-$]/g, ''));
  if (meant === undefined) return mostSimilar(name, others);
  const all = [...others];
  const found = meant.flatMap((each) => all.find((other) => isMeant(other, each)) ?? []);
  return found[0] ?? mostSimilar(name, all);
}

function isMeant(name: string, meant: string): boolean {
  return meant.endsWith('_') ? name.startsWith(meant) : name === meant;
}

function mostSimilar(name: string, others: Iterable<string>): string | undefined {
  // Two swapped letters count as two edits.
  const near = Math.max(name.length < 4 ? 1 : 2, Math.floor(name.length / 3));
  const names: string[] = [];
  for (const other of others) {
    if (Math.abs(other.length - name.length) <= near && names.push(other) >= LIMITS.hintNames) break;
  }
  if (names.length === 0) return undefined;
  const nearest = closest(name, names);
  return distance(name, nearest) <= near ? nearest : undefined;
}
