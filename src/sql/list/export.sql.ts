/**
 * Exports: a cursor that returns the file line by line, so that neither PostgreSQL nor this process needs memory for all
 * of it. It selects what a list selects, without a limit; all its lines are of one snapshot.
 */
import type { Field } from '../../model/model.js';
import {
  EMPTY_SQL,
  ident,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Fragment,
  type Statement,
} from '../fragment.js';
import { readableValue } from './hidden-fields.sql.js';
import { isModelVersion } from '../model-version.sql.js';
import { sortSql } from './order.sql.js';
import { pageRows } from './page-rows.sql.js';
import { allMatchingRows } from '../condition/predicate.sql.js';
import {
  columnAlias,
  CROSS_JOIN_LATERAL,
  hidesNames,
  recordColumns,
  recordJson,
  referencedValues,
} from './record.sql.js';
import type { ListPlan } from './select.sql.js';

export interface ExportPlan extends Omit<ListPlan, 'limit' | 'offset' | 'count' | 'cursor'> {
  /** The version that the model must have; with another one there are no lines. */
  readonly version: number;
  readonly format: 'csv' | 'ndjson';
  /** Whether texts that a spreadsheet would take as a formula begin with `'`. */
  readonly safe: boolean;
}

export const EXPORT_CURSOR = ident('export');

/** Sorting and planning for all rows, not for the first ones. */
export const PLAN_FOR_ALL_ROWS: Statement = render(sql`SET LOCAL cursor_tuple_fraction = 1`);

/** Opens the cursor of the lines. Those of CSV are in parentheses, and have two backslashes for one. */
export function openExportStatement(plan: ExportPlan): Statement {
  const found = allMatchingRows(plan.schema, plan.kind, [plan.access, plan.filter]);
  const sort = sortSql(plan.schema, plan.order, found.lookups);
  const where = [...found.where, isModelVersion(plan.schema, param(plan.version))];
  const rows = pageRows({ ...plan, where, sort, limits: EMPTY_SQL });
  const record = sql`
    SELECT ${recordColumns({ ...plan, related: rows.related })}
    FROM ${rows.from}${referencedValues(plan, CROSS_JOIN_LATERAL)}
  `;
  const line = plan.format === 'csv' ? csvLine(plan) : sql`${recordJson(plan, sql`row_to_json(_r)`)}::text`;
  return render(sql`DECLARE ${EXPORT_CURSOR} NO SCROLL CURSOR FOR SELECT ${line} AS line FROM (${record}) AS _r`);
}

/** The next lines; none at the end. */
export function nextLinesStatement(count: number): Statement {
  return render(sql`FETCH FORWARD ${integer(count)} FROM ${EXPORT_CURSOR}`);
}

/** The columns of a CSV file, in order. */
export function csvColumns({ fields, paths = [], related = [], snippets = [], can }: ExportPlan): readonly string[] {
  const terms = [...paths, ...related, ...snippets, ...(can ? [can] : [])];
  return [...fields.map(({ id }) => id), ...terms.map(({ name }) => name)];
}

/**
 * PostgreSQL's text of a row has the quotes of CSV: around a value with a quote, a comma or white space, and around the
 * empty text; quotes inside are doubled, and null is nothing. Backslashes are doubled too, which the reader takes back:
 * `replace` would take PostgreSQL a tenth of the time. What a unit does not show is nothing too.
 */
function csvLine(plan: ExportPlan): Fragment {
  const { fields, paths = [], related = [], snippets = [], can, safe } = plan;
  const hides = hidesNames(plan);
  const column = (name: string) => (hides ? readableValue('_r', name) : ident('_r', name));
  const values = [
    ...fields.map((field) => csvValue(column(field.id), cellOf(field), safe)),
    ...paths.map(({ name, target }, at) => {
      return csvValue(column(columnAlias(name, at)), target.keys.length > 0 ? 'json' : cellOf(target.field), safe);
    }),
    ...related.map(({ name, list }) => csvValue(column(name), list ? 'json' : 'other', safe)),
    ...snippets.map(({ name }) => csvValue(column(name), 'text', safe)),
    ...(can ? [csvValue(column(can.name), 'json', safe)] : []),
  ];
  return sql`ROW(${join(values)})::text`;
}

type Cell = 'text' | 'boolean' | 'json' | 'other';

function cellOf(field: Field): Cell {
  if (field.constant !== undefined) return typeof field.constant === 'string' ? 'text' : 'json';
  if (field.def.multiple || field.columnType === 'jsonb') return 'json';
  if (field.columnType === 'boolean') return 'boolean';
  return field.columnType === 'text' ? 'text' : 'other';
}

/** Full-width characters begin formulas too, where such are written. */
const FORMULA_STARTS = join([...'=+-@＝＋－＠'].map(literal));
const BREAKS = join(['\t', '\r', '\n'].map(literal));
/** What a spreadsheet may take away from the beginning: controls, white space, and what is not seen. */
const UNSEEN = literal(
  [
    ...[[0x01, 0x20], [0x7f, 0xa0], [0xad], [0x1680], [0x180e], [0x2000, 0x200f]],
    ...[[0x2028, 0x202f], [0x205f, 0x206f], [0x3000], [0xfeff]],
  ]
    .flatMap(([first = 0, last = first]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))
    .map((code) => String.fromCharCode(code))
    .join(''),
);

function csvValue(value: Fragment, cell: Cell, safe: boolean): Fragment {
  switch (cell) {
    case 'json':
      return sql`to_json(${value})::text`;
    case 'boolean':
      return sql`${value}::text`;
    case 'text':
      if (!safe) return value;
      return sql`
        CASE
          WHEN left(${value}, 1) IN (${BREAKS}) OR left(ltrim(${value}, ${UNSEEN}), 1) IN (${FORMULA_STARTS})
            THEN '''' || ${value}
          ELSE ${value}
        END
      `;
    case 'other':
      return value;
  }
}
