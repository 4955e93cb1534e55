/** Cursors of keyset pagination. Pure. */
import type { ListQuery } from '../../filter/queries.js';
import type { KindDef } from '../../model/model.js';
import { segmentsOf } from '../../model/predicate/path.js';
import { refusal, type KindError } from '../../shared/errors.js';
import { sha256 } from '../../shared/sha256.js';
import type { OrderedValue, OrderTerm } from '../../sql/list/order.sql.js';
import type { ListPlan } from '../../sql/list/select.sql.js';

/** The content of a cursor: a hash of list and order, and the order values of the last unit. */
interface CursorToken {
  readonly o: string;
  readonly k: readonly (string | null)[];
}

/** A hash of the list and its order. */
function listSignature(list: unknown): string {
  return sha256(JSON.stringify(list)).slice(0, 12);
}

export function encodeCursor(list: unknown, keys: readonly (string | null)[]): string {
  const token: CursorToken = { o: listSignature(list), k: keys };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** @throws KindError 400 if the cursor was not made for this list and order */
export function decodeCursor(text: string, list: unknown, length: number): readonly (string | null)[] {
  const token = readToken(text);
  // The last value is a key, which is never null.
  const fits = token?.k.length === length && token.k.at(-1) !== null && token.o === listSignature(list);
  if (!fits) throw badCursor();
  return token.k;
}

function listOf(kind: KindDef, order: readonly OrderTerm[]): unknown {
  return [kind.id, order.map(({ value, descending, nulls = '' }) => [...signatureOf(value), descending, nulls])];
}

function signatureOf(value: OrderedValue): readonly (string | number | readonly (string | number)[])[] {
  if (value.type === 'field') return segmentsOf(value.target);
  // Positions in another list mean other values.
  if (value.type === 'by_value') return ['by_value()', ...segmentsOf(value.target), value.values];
  if (value.type === 'rank') return ['rank()', value.search.text];
  if (value.type === 'similarity') return ['similarity()', ...segmentsOf(value.target), value.text];
  return ['distance()', ...segmentsOf(value.target), ...segmentsOf(value.other), ...value.point];
}

/** The lists of values in which the orders of several kinds have positions. */
export function positionsOf(parts: readonly { readonly order: readonly (OrderTerm | undefined)[] }[]): string[] {
  const lists = parts.flatMap(({ order }) =>
    order.flatMap((term) => (term?.value.type === 'by_value' ? [JSON.stringify(term.value.values)] : [])),
  );
  return [...new Set(lists)];
}

export function pageCursor(plan: Pick<ListPlan, 'kind' | 'order'>, keys: readonly (string | null)[]): string {
  return encodeCursor(listOf(plan.kind, plan.order), keys);
}

/**
 * The order values in the cursor of a query: undefined without a cursor, empty for the first page. @throws KindError
 * 400
 */
export function planCursor(
  query: ListQuery,
  kind: KindDef,
  order: readonly OrderTerm[],
): readonly (string | null)[] | undefined {
  if (query.cursor === undefined) return undefined;
  return query.cursor === '' ? [] : decodeCursor(query.cursor, listOf(kind, order), order.length);
}

export function badCursor(): KindError {
  return refusal('query.bad_value', 'cursor: not one that this list in this order gave', {
    parameter: 'cursor',
  });
}

function readToken(text: string): CursorToken | undefined {
  try {
    const { o, k } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<CursorToken>;
    const fits = typeof o === 'string' && Array.isArray(k) && k.every((key) => key === null || typeof key === 'string');
    return fits ? { o, k } : undefined;
  } catch {
    return undefined;
  }
}
