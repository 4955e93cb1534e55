/** Pages of a list: which rows they have, and how many rows there are in total. */
import { EMPTY_SQL, integer, param, sql, type Fragment } from './fragment.js';

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  readonly count: 'exact' | 'none' | 'estimated';
}

/**
 * The limits of prepared statements. A limit is part of the text, because the best plan depends on it, so each of them
 * makes a statement of its own.
 */
export const PREPARED_LIMITS: ReadonlySet<number> = new Set([0, 1, 10, 20, 25, 50, 100, 1000]);

/** `LIMIT` and, where there is one, `OFFSET`. */
export function limitOffset(limit: number, offset: number): Fragment {
  return sql`LIMIT ${integer(limit)}${offset > 0 ? sql` OFFSET ${param(offset)}::bigint` : EMPTY_SQL}`;
}

/** The total: what `counted` counts, unless the first page, `_page`, is not full and so has all rows. */
export function totalCount({ limit, offset }: Pick<PageRequest, 'limit' | 'offset'>, counted: Fragment): Fragment {
  if (offset > 0 || limit === 0) return counted;
  const onPage = sql`(SELECT count(*) FROM _page)`;
  return sql`CASE WHEN ${onPage} < ${integer(limit)} THEN ${onPage} ELSE ${counted} END`;
}
