/** Keyset pagination: which rows follow the one that a cursor names. */
import { all, join, param, sql, type Fragment } from './fragment.js';
import type { SortKey } from './order.sql.js';

/** Some of the rows that follow a cursor, and the order that they have among themselves. */
export interface KeysetRange {
  readonly where: Fragment | undefined;
  readonly order: readonly SortKey[];
}

/**
 * The rows after a cursor, nulls last ascending and first descending. Those whose first order value is null and those
 * that have one are read apart, because no index is entered by both; among the first, the further terms decide.
 */
export function keysetRanges(
  order: readonly SortKey[],
  values: readonly (string | null)[],
): [KeysetRange, KeysetRange?] {
  const [first, ...rest] = order;
  if (!first || values.length === 0) return [{ where: undefined, order }];
  const own = first.value;
  if (values[0] === null) {
    const nulls = { where: all([sql`${own} IS NULL`, afterKeys(rest, values.slice(1))]), order: rest };
    return first.descending ? [nulls, { where: sql`${own} IS NOT NULL`, order }] : [nulls];
  }
  const present = { where: afterKeys(order, values, true), order };
  if (first.descending || !first.nullable) return [present];
  return [present, { where: sql`${own} IS NULL`, order: rest }];
}

/**
 * The rows that come after given order values; with `present` only those that have a first one. The first term's bound
 * stands alone in front, so that an index on it is entered at the right place.
 */
function afterKeys(order: readonly SortKey[], values: readonly (string | null)[], present = false): Fragment {
  const steps = order.map((term, at) => {
    const equal = order.slice(0, at).map((before, i) => sameValue(before, values[i] ?? null));
    return sql`(${all([...equal, isAfter(term, values[at] ?? null, present && at === 0)])})`;
  });
  const bound = order[0] && leadingBound(order[0], values[0] ?? null, present);
  return all([bound, sql`(${join(steps, ' OR ')})`]);
}

function cursorValue({ type }: SortKey, value: string): Fragment {
  return sql`${param(value)}::${type}`;
}

function sameValue(key: SortKey, value: string | null): Fragment {
  return value === null ? sql`${key.value} IS NULL` : sql`${key.value} = ${cursorValue(key, value)}`;
}

function isAfter(key: SortKey, value: string | null, present: boolean): Fragment {
  const { value: own, descending, nullable } = key;
  if (value === null) return descending ? sql`${own} IS NOT NULL` : sql`false`;
  if (descending) return sql`${own} < ${cursorValue(key, value)}`;
  const next = sql`${own} > ${cursorValue(key, value)}`;
  return nullable && !present ? sql`(${next} OR ${own} IS NULL)` : next;
}

function leadingBound(key: SortKey, value: string | null, present: boolean): Fragment | undefined {
  const { value: own, descending, nullable } = key;
  if (value === null) return descending ? undefined : sql`${own} IS NULL`;
  if (descending) return sql`${own} <= ${cursorValue(key, value)}`;
  return nullable && !present ? undefined : sql`${own} >= ${cursorValue(key, value)}`;
}
