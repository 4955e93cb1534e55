/** Orders. Values behind references are joined by the key of the referenced unit, so that no row is duplicated. */
import type { Target } from '../model/predicate/predicate.js';
import { columnRef, columnType } from './columns.sql.js';
import { join, param, sql, type Fragment } from './fragment.js';
import { constantOf } from './operator.sql.js';
import { Lookups } from './predicate.sql.js';
import { rowValues } from './row-values.sql.js';

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
  const { values, joins } = rowValues(schema, order, (term, row) => orderValue(term.target, row), before);
  return { keys: order.map((term, at) => sortKey(term, values[at] ?? sql`NULL`)), joins };
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

/** The value of a target that has an order: of a JSON value its text. */
export function orderValue(target: Target, row: string): Fragment {
  const { field, keys } = target;
  const constant = constantOf(target, row);
  if (constant) return constant;
  return keys.length === 0
    ? columnRef(field, row)
    : sql`(${columnRef(field, row)} #>> ${param(keys)}::text[]) COLLATE "C"`;
}
