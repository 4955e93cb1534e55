/** Orders. Values behind references are joined by the key of the referenced unit, so that no row is duplicated. */
import type { Direction } from '../../filter/order.js';
import type { PlaceTargets, ResemblingTexts, Target } from '../../model/predicate/predicate.js';
import type { Search } from '../../model/search-document.js';
import type { ColumnType } from '../../model/parameter-type/parameter-type.js';
import { columnRef, columnType } from '../columns.sql.js';
import { EMPTY_SQL, join, param, sql, type Fragment } from '../fragment.js';
import { constantOf, similaritySql } from '../condition/operator.sql.js';
import { countSql, distanceSql, Lookups } from '../condition/predicate.sql.js';
import { searchRank } from '../condition/search.sql.js';
import { rowValues, type RowOf } from '../condition/row-values.sql.js';

export interface OrderTerm extends Direction {
  readonly value: OrderedValue;
}

/** What rows are ordered by: a field, or the value of a function. */
export type OrderedValue =
  | { readonly type: 'field'; readonly target: Target }
  /** The position of the value among `values`. */
  | { readonly type: 'by_value'; readonly target: Target; readonly values: readonly (string | number)[] }
  | ({ readonly type: 'distance' } & PlaceTargets)
  | ({ readonly type: 'similarity' } & ResemblingTexts)
  | { readonly type: 'rank'; readonly search: Search };

/** The targets that a value reads. */
export function targetsOfOrder(value: OrderedValue): readonly Target[] {
  switch (value.type) {
    case 'field':
    case 'by_value':
    case 'similarity':
      return [value.target];
    case 'distance':
      return [value.target, value.other];
    case 'rank':
      return [];
  }
}

/** The field that a term is by; undefined for a function. */
export function orderedField({ value }: OrderTerm): Target | undefined {
  return value.type === 'field' ? value.target : undefined;
}

/** A term of an order as SQL: the value of a row, and what a cursor needs to compare with it. */
export interface SortKey extends Direction {
  readonly value: Fragment;
  readonly type: Fragment;
  readonly nullable: boolean;
}

export interface Sort {
  readonly keys: readonly SortKey[];
  /** The joins that follow the table `t` in FROM. */
  readonly joins: Fragment;
}

/** @param before the joins of the conditions on the same rows, which the order can use */
export function sortSql(schema: string, order: readonly OrderTerm[], before = new Lookups(schema, 't')): Sort {
  const { values, joins } = rowValues(
    schema,
    order,
    ({ value }) => targetsOfOrder(value),
    ({ value }, rowOf) => orderedSql(schema, value, rowOf),
    before,
  );
  return { keys: order.map((term, at) => sortKey(term, values[at] ?? sql`NULL`)), joins };
}

export function orderBy(keys: readonly SortKey[]): Fragment {
  return join(keys.map((key) => sql`${key.value}${directionSql(key)}`));
}

/** No index serves an order with nulls elsewhere, so they are named only where there may be some. */
function directionSql({ descending, nulls, nullable }: SortKey): Fragment {
  if (!nulls || !nullable) return descending ? sql` DESC` : EMPTY_SQL;
  return nulls === 'first' ? sql` NULLS FIRST` : sql` DESC NULLS LAST`;
}

function orderedSql(schema: string, value: OrderedValue, rowOf: RowOf): Fragment {
  const valueOf = (target: Target) => orderValue(schema, target, rowOf(target));
  switch (value.type) {
    case 'field':
      return valueOf(value.target);
    case 'by_value': {
      const values = sql`${param(value.values)}::${columnType(value.target.field.columnType, true)}`;
      return sql`array_position(${values}, ${valueOf(value.target)})::bigint`;
    }
    case 'distance':
      return distanceSql(value, valueOf);
    case 'similarity':
      return similaritySql(valueOf(value.target), value, schema);
    case 'rank':
      return searchRank(value.search, schema, 't');
  }
}

function sortKey(term: OrderTerm, value: Fragment): SortKey {
  const { value: ordered, descending, nulls } = term;
  const target = orderedField(term);
  // The last term may be the parameter that is the primary key, which is never null.
  const nullable =
    !target ||
    target.through !== undefined ||
    target.keys.length > 0 ||
    (target.field.def.nullable && target.field.column !== 'id');
  return { value, type: columnType(orderedType(ordered)), descending, nulls, nullable };
}

/** The type of the values: of JSON values, which are ordered by their texts, `text`. */
export function orderedType(value: OrderedValue): ColumnType {
  if (value.type === 'distance') return 'double precision';
  if (value.type === 'rank' || value.type === 'similarity') return 'real';
  if (value.type === 'by_value') return 'bigint';
  const { field, keys } = value.target;
  return keys.length > 0 ? 'text' : field.columnType;
}

/** The value of a target that has an order: of a JSON value its text. */
export function orderValue(schema: string, target: Target, row: string): Fragment {
  if (target.counted) return countSql(schema, target.counted, row);
  const { field, keys } = target;
  const constant = constantOf(target, row);
  if (constant) return constant;
  return keys.length === 0
    ? columnRef(field, row)
    : sql`(${columnRef(field, row)} #>> ${param(keys)}::text[]) COLLATE "C"`;
}
