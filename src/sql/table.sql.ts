/** The table of a kind, and a unit in it. */
import type { KindDef } from '../model/model.js';
import { column, columnType } from './columns.sql.js';
import { source, sql, type Fragment } from './fragment.js';

/** What a table among others of one FROM takes, beside one that is read alone. */
const JOINED = 4;

/** Columns that take as much as a table: PostgreSQL lists them wherever the table stands. */
const COLUMNS = 100;

/** In FROM, alone. */
export function tableOf(schema: string, kind: KindDef): Fragment {
  return source(pointsOf(kind), schema, kind.table);
}

/** In FROM, among others. */
export function joinedTable(schema: string, kind: KindDef): Fragment {
  return source(pointsOf(kind) * JOINED, schema, kind.table);
}

function pointsOf({ fields }: KindDef): number {
  return 1 + Math.floor(fields.size / COLUMNS);
}

/** Whether the row `t` is the unit whose id is given. */
export function hasId(kind: KindDef, text: Fragment): Fragment {
  return sql`${column(kind.keyField)} = ${text}::${columnType(kind.keyField.columnType)}`;
}
