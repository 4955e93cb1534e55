/** The table of a kind, and a unit in it. */
import type { KindDef } from '../model/model.js';
import { columnRef, columnType } from './columns.sql.js';
import { plannedTable, sql, type Fragment } from './fragment.js';

/** What a table among others of one FROM takes, beside one that is read alone. */
const POINTS_FACTOR_OF_JOIN = 4;

/** Columns that take as much as a table: PostgreSQL lists them wherever the table stands. */
const COLUMNS_PER_POINT = 100;

/** In FROM, alone. */
export function kindTable(schema: string, kind: KindDef): Fragment {
  return plannedTable(tablePoints(kind), schema, kind.table);
}

/** In FROM, among others. */
export function joinedKindTable(schema: string, kind: KindDef): Fragment {
  return plannedTable(tablePoints(kind) * POINTS_FACTOR_OF_JOIN, schema, kind.table);
}

function tablePoints({ fields }: KindDef): number {
  return 1 + Math.floor(fields.size / COLUMNS_PER_POINT);
}

/** Whether the row `t` is the unit whose id is given. */
export function hasId(kind: KindDef, text: Fragment): Fragment {
  return sql`${columnRef(kind.keyField)} = ${text}::${columnType(kind.keyField.columnType)}`;
}
