/** Pages of a list: which rows they have, and how many rows there are in total. */
import { EMPTY_SQL, integer, param, sql, type Fragment } from '../fragment.js';

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
