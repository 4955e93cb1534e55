/** Orders. What lies behind references is joined by its key, so that no row becomes two. */
import type { Target } from '../model/predicate.js';
import { scalarText } from '../shared/json.js';
import { column, columnType } from './columns.sql.js';
import { all, EMPTY, ident, join, literal, param, sql, type Fragment } from './fragment.js';
import { rowsOf, tableOf } from './predicate.sql.js';

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
  /** What follows the table `t` in FROM; `EMPTY` where nothing does. */
  readonly joins: Fragment;
}

export function sortOf(schema: string, order: readonly OrderTerm[]): Sort {
  const joins = new Joins(schema);
  const keys = order.map((term) => sortKey(term, joins.rowOf(term.target)));
  return { keys, joins: joins.sql };
}

export function orderBy(keys: readonly SortKey[]): Fragment {
  return join(keys.map(({ value, descending }) => (descending ? sql`${value} DESC` : value)));
}

/** The rows that references lead to, each way joined once. A unit that does not count is not joined. */
class Joins {
  readonly #rows = new Map<string, string>();
  readonly #made: Fragment[] = [];

  constructor(private readonly schema: string) {}

  get sql(): Fragment {
    return this.#made.length > 0 ? join(this.#made, '') : EMPTY;
  }

  rowOf({ through = [] }: Target): string {
    let row = 't';
    let way = '';
    for (const { reference, kind, access } of through) {
      way += `.${reference.id}`;
      const known = this.#rows.get(way);
      row = known ?? this.#join(row, { reference, kind, access });
      this.#rows.set(way, row);
    }
    return row;
  }

  #join(from: string, { reference, kind, access }: NonNullable<Target['through']>[number]): string {
    const row = `r${this.#made.length + 1}`;
    const key = sql`${column(kind.keyField, row)} = ${column(reference, from)}`;
    const on = all([key, ...rowsOf(this.schema, kind, [access], row)]);
    this.#made.push(sql` LEFT JOIN ${tableOf(this.schema, kind)} AS ${ident(row)} ON ${on}`);
    return row;
  }
}

function sortKey({ target, descending }: OrderTerm, row: string): SortKey {
  const { field, keys, through } = target;
  return {
    value: valueOf(target, row),
    type: keys.length > 0 ? sql`text` : columnType(field.columnType),
    descending,
    // The key, whose parameter may be the last term, never is null.
    nullable: through !== undefined || keys.length > 0 || (field.def.nullable && field.column !== 'id'),
  };
}

function valueOf({ field, keys, through }: Target, row: string): Fragment {
  const last = through?.at(-1);
  if (last && field.constant !== undefined) {
    const there = column(last.kind.keyField, row);
    return sql`CASE WHEN ${there} IS NOT NULL THEN ${literal(scalarText(field.constant))}::text END`;
  }
  return keys.length === 0 ? column(field, row) : sql`(${column(field, row)} #>> ${param(keys)}::text[]) COLLATE "C"`;
}
