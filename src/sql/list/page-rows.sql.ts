/**
 * The rows of a page, as the row `t`. PostgreSQL evaluates the select list before it sorts. Without an index for the
 * order that would build the JSON, and load the links, of all matching rows, so a subquery of plain columns selects the
 * page first (135,000 units by a parameter without an index: 14 ms instead of 111).
 */
import { isDeepStrictEqual } from 'node:util';
import type { KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { relatedIn } from '../../model/predicate/related.js';
import { areOfSets } from '../condition/predicate.sql.js';
import { columnRef } from '../columns.sql.js';
import { all, EMPTY_SQL, ident, join, sql, type Fragment } from '../fragment.js';
import { orderBy, orderedField, orderedType, type OrderTerm, type Sort } from './order.sql.js';
import { storedColumns, type ShownRelated } from './related-record.sql.js';
import { kindTable } from '../table.sql.js';

interface SelectedRows {
  readonly schema: string;
  readonly kind: KindDef;
  readonly where: readonly Fragment[];
  readonly order: readonly OrderTerm[];
  readonly sort: Sort;
  /** `LIMIT` and `OFFSET`. */
  readonly limits: Fragment;
  readonly related?: readonly ShownRelated[];
}

interface PageRows {
  /** A CTE that precedes the page, with a comma. */
  readonly before: Fragment;
  /** The rows in FROM, as `t`. */
  readonly from: Fragment;
  /** The related units of the record: numbers by which the rows are ordered are columns of `t`. */
  readonly related: readonly ShownRelated[];
}

/**
 * Whether the total is best counted with the page: to test related units twice would cost more than to keep what the
 * order needs of all rows. That is only so if it is small: texts of many rows would fill PostgreSQL's temporary files. What
 * `referred` looks at is counted as a set of keys.
 */
export function isCountedWithPage(
  kind: KindDef,
  predicates: readonly (Predicate | undefined)[],
  order: readonly OrderTerm[],
): boolean {
  const isSmall = (term: OrderTerm): boolean =>
    orderedType(term.value) !== 'text' || orderedField(term)?.field === kind.keyField;
  if (areOfSets(predicates)) return false;
  return predicates.some((predicate) => predicate && relatedIn(predicate).length > 0) && order.every(isSmall);
}

/** The total where `countedPageRows` selects the rows. */
export const COUNTED_ROWS = sql`(SELECT count(*) FROM _found)`;

/** The rows of a page. */
export function pageRows({ schema, kind, where, order, sort, limits, related = [] }: SelectedRows): PageRows {
  const kept = keptNumbers(order, related);
  const columns = kept.map((at) => sql`, ${sort.keys[at]?.value ?? EMPTY_SQL} AS ${numberName(at)}`);
  const keys = sort.keys.map((key, at) => (kept.includes(at) ? { ...key, value: numberName(at) } : key));
  const from = sql`
    (
      SELECT ${storedColumns(kind, 't')}${join(columns, '')}
      FROM ${kindTable(schema, kind)} AS t${sort.joins}
      WHERE ${all(where)}
      ORDER BY ${orderBy(keys)}
      ${limits}
    ) AS t
  `;
  return { before: EMPTY_SQL, from, related: withNumbers(order, related, kept) };
}

/**
 * The same, where the CTE `_found` has all matching rows, so that they are counted too. It has only what the order needs
 * of them, as there may be many. `OFFSET 0` keeps the rows of the page in their order. A page of few matches among many
 * rows is far faster so, as PostgreSQL can't mistake them for many and walk the index of the order (135,000 rows: 1
 * instead of 87 ms); where nearly all rows match, keeping them takes longer than testing them twice (65 instead of 21).
 */
export function countedPageRows({ schema, kind, where, order, sort, limits, related = [] }: SelectedRows): PageRows {
  const table = kindTable(schema, kind);
  const kept = keptNumbers(order, related);
  const key = columnRef(kind.keyField, 't');
  const isKey = (at: number): boolean => {
    const target = order[at] && orderedField(order[at]);
    return target?.field === kind.keyField && !target.through;
  };
  const values = sort.keys.map(({ value }, at) => (isKey(at) ? EMPTY_SQL : sql`, ${value} AS ${numberName(at)}`));
  const keys = sort.keys.map((each, at) => ({ ...each, value: isKey(at) ? sql`"_key"` : numberName(at) }));
  const before = sql`
    _found AS MATERIALIZED (
      SELECT ${key} AS "_key"${join(values, '')}
      FROM ${table} AS t${sort.joins}
      WHERE ${all(where)}
    ),
  `;
  const numbers = kept.map((at) => sql`, _f.${numberName(at)}`);
  const from = sql`
    (SELECT * FROM _found ORDER BY ${orderBy(keys)} ${limits}) AS _f
    CROSS JOIN LATERAL (
      SELECT ${storedColumns(kind, 't')}${join(numbers, '')}
      FROM ${table} AS t
      WHERE ${key} = _f."_key"
      OFFSET 0
    ) AS t
  `;
  return { before: sql`${before} `, from, related: withNumbers(order, related, kept) };
}

/** The positions of the terms of an order by a number that the record shows too, so that it is counted once. */
function keptNumbers(order: readonly OrderTerm[], related: readonly ShownRelated[]): number[] {
  return order.flatMap((term, at) => (related.some((each) => isNumberOf(each, term)) ? [at] : []));
}

function isNumberOf({ related, list }: ShownRelated, term: OrderTerm): boolean {
  const counted = orderedField(term)?.counted;
  return !list && counted !== undefined && isDeepStrictEqual(counted, related);
}

function withNumbers(
  order: readonly OrderTerm[],
  related: readonly ShownRelated[],
  kept: readonly number[],
): ShownRelated[] {
  return related.map((each) => {
    const at = kept.find((one) => order[one] && isNumberOf(each, order[one]));
    return at === undefined ? each : { ...each, column: numberName(at) };
  });
}

/** No id of a field begins with `_`. */
function numberName(at: number): Fragment {
  return ident(`_k${at}`);
}
