/** Orders. Values behind references are joined by the key of the referenced unit, so that no row is duplicated. */
import type { Target } from '../model/predicate/predicate.js';
import { columnRef, columnType } from './columns.sql.js';
import { ident, join, param, sql, type Fragment } from './fragment.js';
import { Lookups } from './predicate.sql.js';
import { constantOf } from './operator.sql.js';

export interface OrderTerm {
  readonly target: Target;
  readonly descending: boolean;
}

/** A term of an order as SQL: the value of a row, and what a cursor needs to compare with it. */
export interface SortKey {
  readonly value: Fragment;
  readonly type: Fragment;
  readonly descending: boolean;
  readonly nullable: boolean;
}

export interface Sort {
  readonly keys: readonly SortKey[];
  /** The joins that follow the table `t` in FROM. */
  readonly joins: Fragment;
}

/** @param before the joins of the conditions on the same rows, which the order can use */
export function sortSql(schema: string, order: readonly OrderTerm[], before = new Lookups(schema, 't')): Sort {
  const beyond = order.flatMap(({ target }) => (target.through ? [target] : []));
  if (!before.canJoin(beyond)) return sortBySubquery(schema, order, before);
  const lookups = before.more();
  const keys = order.map((term) => sortKey(term, orderValue(term.target, lookups)));
  return { keys, joins: lookups.joins };
}

/**
 * Where there are too many joins, a subquery looks the values up for each unit. `OFFSET 0` keeps PostgreSQL from
 * merging it into the query.
 */
function sortBySubquery(schema: string, order: readonly OrderTerm[], before: Lookups): Sort {
  const lookups = new Lookups(schema, 't');
  const values: Fragment[] = [];
  const keys = order.map((term, at) => {
    const value = orderValue(term.target, lookups);
    if (!term.target.through) return sortKey(term, value);
    const name = keyName(at);
    values.push(sql`${value} AS ${name}`);
    return sortKey(term, sql`_s.${name}`);
  });
  const found = sql`SELECT ${join(values)} FROM (SELECT) AS t_0${lookups.joins} OFFSET 0`;
  return { keys, joins: sql`${before.joins} CROSS JOIN LATERAL (${found}) AS _s` };
}

/** The column in which a subquery returns the value of a term. */
export function keyName(at: number): Fragment {
  return ident(`k${at}`);
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
    // The last term may be the parameter that is the primary key, which is never null.
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
