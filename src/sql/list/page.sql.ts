/** Pages of a list: which rows they have, and how many rows there are in total. */
import { hasNullsFirst } from '../../filter/order.js';
import { all, EMPTY_SQL, type Fragment, integer, join, param, sql } from '../fragment.js';
import type { SortKey } from './order.sql.js';

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  readonly count: 'exact' | 'none' | 'estimated';
}

/**
 * The limits that are part of the text of statements, because the best plan depends on them: each makes a text of its own.
 * Other limits are values, for which a statement has to be planned each time.
 */
export const COMMON_LIMITS: ReadonlySet<number> = new Set([0, 1, 10, 20, 25, 50, 100, 1000]);

/** The limit of a page, and so many rows `more`. */
export function limitSql(limit: number, more = 0): Fragment {
  return COMMON_LIMITS.has(limit) ? integer(limit + more) : sql`${param(limit + more)}::bigint`;
}

/** `LIMIT` with so many rows `more` and, where there is one, `OFFSET`. */
export function limitOffset(limit: number, offset: number, more = 0): Fragment {
  return sql`LIMIT ${limitSql(limit, more)}${offset > 0 ? sql` OFFSET ${param(offset)}::bigint` : EMPTY_SQL}`;
}

/** The total: what `counted` counts, unless the first page, `_page`, is not full and so has all rows. */
export function totalCount({ limit, offset }: Pick<PageRequest, 'limit' | 'offset'>, counted: Fragment): Fragment {
  if (offset > 0 || limit === 0) return counted;
  const onPage = sql`(SELECT count(*) FROM _page)`;
  return sql`CASE WHEN ${onPage} < ${limitSql(limit)} THEN ${onPage} ELSE ${counted} END`;
}

/** Some of the rows that follow a cursor, and their order. */
export interface KeysetRange {
  readonly where: Fragment | undefined;
  readonly order: readonly SortKey[];
}

/**
 * The rows after a cursor. Rows whose first order value is null are a range of their own, because one index scan cannot
 * cover both; the further terms order them. So an index also serves an order with nulls where it does not have them.
 */
export function keysetRanges(
  order: readonly SortKey[],
  values: readonly (string | null)[],
): [KeysetRange, KeysetRange?] {
  const [first, ...rest] = order;
  if (!first || (values.length === 0 && !(first.nulls && first.nullable))) return [{ where: undefined, order }];
  const { value, nullable } = first;
  const [isNull, isPresent] = [sql`${value} IS NULL`, sql`${value} IS NOT NULL`];
  const presentOrder = [{ ...first, nulls: undefined }, ...rest];
  if (values.length === 0) {
    const [nulls, present] = [
      { where: isNull, order: rest },
      { where: isPresent, order: presentOrder },
    ];
    return hasNullsFirst(first) ? [nulls, present] : [present, nulls];
  }
  if (values[0] === null) {
    const nulls = { where: all([isNull, afterKeys(rest, values.slice(1))]), order: rest };
    return hasNullsFirst(first) ? [nulls, { where: isPresent, order: presentOrder }] : [nulls];
  }
  const present = { where: afterKeys(order, values, true), order: presentOrder };
  return hasNullsFirst(first) || !nullable ? [present] : [present, { where: isNull, order: rest }];
}

/**
 * The rows that come after order values; with `present` only those whose first one is not null. The bound of the first
 * term is a condition of its own, so that an index scan starts there.
 */
function afterKeys(order: readonly SortKey[], values: readonly (string | null)[], present = false): Fragment {
  const row = afterRow(order, values, present);
  if (row) return row;
  const steps = order.map((term, at) => {
    const equal = order.slice(0, at).map((before, i) => sameValue(before, values[i] ?? null));
    return sql`(${all([...equal, isAfter(term, values[at] ?? null, present && at === 0)])})`;
  });
  const bound = order[0] && leadingBound(order[0], values[0] ?? null, present);
  return all([bound, sql`(${join(steps, ' OR ')})`]);
}

/**
 * The same as one comparison of rows, with which an index scan starts at the cursor, not at the first row with the same
 * first value; undefined if the terms have different directions, or may be null.
 */
function afterRow(
  order: readonly SortKey[],
  values: readonly (string | null)[],
  present: boolean,
): Fragment | undefined {
  const comparable = order.every(({ descending, nullable }, at) => {
    return (
      descending === order[0]?.descending && (!nullable || (present && at === 0)) && typeof values[at] === 'string'
    );
  });
  if (order.length < 2 || !comparable) return undefined;
  const own = join(order.map(({ value }) => value));
  const bounds = join(order.map((key, at) => cursorValue(key, values[at] ?? '')));
  return sql`(${own}) ${order[0]?.descending ? sql`<` : sql`>`} (${bounds})`;
}

function cursorValue({ type }: SortKey, value: string): Fragment {
  return sql`${param(value)}::${type}`;
}

function sameValue(key: SortKey, value: string | null): Fragment {
  return value === null ? sql`${key.value} IS NULL` : sql`${key.value} = ${cursorValue(key, value)}`;
}

function isAfter(key: SortKey, value: string | null, present: boolean): Fragment {
  const { value: own, descending } = key;
  if (value === null) return hasNullsFirst(key) ? sql`${own} IS NOT NULL` : sql`false`;
  const next = sql`${own} ${descending ? sql`<` : sql`>`} ${cursorValue(key, value)}`;
  return nullsFollow(key, present) ? sql`(${next} OR ${own} IS NULL)` : next;
}

function leadingBound(key: SortKey, value: string | null, present: boolean): Fragment | undefined {
  const { value: own, descending } = key;
  if (value === null) return hasNullsFirst(key) ? undefined : sql`${own} IS NULL`;
  if (nullsFollow(key, present)) return undefined;
  return sql`${own} ${descending ? sql`<=` : sql`>=`} ${cursorValue(key, value)}`;
}

/** Whether rows with null come after those with a value. */
function nullsFollow(key: SortKey, present: boolean): boolean {
  return key.nullable && !present && !hasNullsFirst(key);
}
