/** Orders. What lies behind references is joined by its key, so that no row becomes two. */
import type { Target } from '../model/predicate/predicate.js';
import { columnRef, columnType } from './columns.sql.js';
import { ident, join, param, sql, type Fragment } from './fragment.js';
import { Lookups } from './predicate.sql.js';
import { constantOf } from './tests.sql.js';

export interface OrderTerm {
  readonly target: Target;
  readonly descending: boolean;
}

/** A term as SQL: the value that a row has, and what a cursor needs to know of it. */
export interface SortKey {
  readonly value: Fragment;
  readonly type: Fragment;
  readonly descending: boolean;
  readonly nullable: boolean;
}

export interface Sort {
  readonly keys: readonly SortKey[];
  /** What follows the table `t` in FROM, with what was joined to it before; `EMPTY` where nothing does. */
  readonly joins: Fragment;
}

/** @param before what conditions on the same rows have joined: an order by it needs no more */
export function sortSql(schema: string, order: readonly OrderTerm[], before = new Lookups(schema, 't')): Sort {
  const beyond = order.flatMap(({ target }) => (target.through ? [target] : []));
  if (!before.canJoin(beyond)) return sortBySubquery(schema, order, before);
  const lookups = before.more();
  const keys = order.map((term) => sortKey(term, orderValue(term.target, lookups)));
  return { keys, joins: lookups.joins };
}

/** Too many rows to join: each unit has its values looked up by a subquery, which PostgreSQL leaves as it is (`OFFSET 0`). */
function sortBySubquery(schema: string, order: readonly OrderTerm[], before: Lookups): Sort {
  const lookups = new Lookups(schema, 't');
  const values: Fragment[] = [];
  const keys = order.map((term, at) => {
    const value = orderValue(term.target, lookups);
    if (!term.target.through) return sortKey(term, value);
    const name = ident(`k${at}`);
    values.push(sql`${value} AS ${name}`);
    return sortKey(term, sql`_s.${name}`);
  });
  const found = sql`SELECT ${join(values)} FROM (SELECT) AS t_0${lookups.joins} OFFSET 0`;
  return { keys, joins: sql`${before.joins} CROSS JOIN LATERAL (${found}) AS _s` };
}

export function orderBy(keys: readonly SortKey[]): Fragment {
  return join(keys.map(({ value, descending }) => (descending ? sql`${value} DESC` : value)));
}

function sortKey({ target, descending }: OrderTerm, value: Fragment): SortKey {
  const { field, keys, through } = target;
  return {
    value,
    type: keys.length > 0 ? sql`text` : columnType(field.columnType),
    descending,
    // The key, whose parameter may be the last term, never is null.
    nullable: through !== undefined || keys.length > 0 || (field.def.nullable && field.column !== 'id'),
  };
}

function orderValue(target: Target, lookups: Lookups): Fragment {
  const { row } = lookups.scopeOf(target);
  const { field, keys } = target;
  const constant = constantOf(target, row);
  if (constant) return constant;
  return keys.length === 0
    ? columnRef(field, row)
    : sql`(${columnRef(field, row)} #>> ${param(keys)}::text[]) COLLATE "C"`;
}
