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

/** What other products call operators, operations and fields, in lower case and without separators. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['neq', 'ne'],
  ['neq_field', 'ne_field'],
  ['notequal', 'ne'],
  ['equals', 'eq'],
  ['like', 'contains'],
  ['ilike', 'icontains'],
  ['includes', 'contains'],
  ['null', 'isnull'],
  ['between', 'gte'],
  ['list', 'read'],
  ['view', 'read'],
  ['select', 'read'],
  ['find', 'read'],
  ['get', 'read'],
  ['insert', 'create'],
  ['add', 'create'],
  ['edit', 'update'],
  ['write', 'update'],
  ['remove', 'delete'],
  ['execute', 'function'],
  ['call', 'function'],
  ['created', 'inserted_at'],
  ['createdat', 'inserted_at'],
  ['createdon', 'inserted_at'],
  ['datecreated', 'inserted_at'],
  ['updated', 'updated_at'],
  ['modified', 'updated_at'],
  ['modifiedat', 'updated_at'],
  ['dateupdated', 'updated_at'],
]);

/** The name that another product's stands for, or the most similar of these names, if it is similar enough. */
export function nearestTo(name: string, others: Iterable<string>): string | undefined {
  if (name.length > 100) return undefined;
  const meant = SYNONYMS.get(name.toLowerCase().replace(/[_\-$]/g, ''));
  if (meant === undefined) return mostSimilar(name, others);
  const all = [...others];
  return all.includes(meant) ? meant : mostSimilar(name, all);
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
