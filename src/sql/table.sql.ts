/** The table of a kind, and a unit in it. */
import type { KindDef } from '../model/model.js';
import { LINK_TABLE } from '../model/names.js';
import { columnRef, columnType } from './columns.sql.js';
import { type Fragment, ident, param, plannedTable, sql } from './fragment.js';

/** The points of a joined table, relative to one that is read alone. */
const POINTS_FACTOR_OF_JOIN = 4;

/** Columns per additional point: PostgreSQL lists all columns for each mention of a table. */
const COLUMNS_PER_POINT = 100;

/** The table of a kind in FROM, alone. */
export function kindTable(schema: string, kind: KindDef): Fragment {
  return plannedTable(tablePoints(kind), schema, kind.table);
}

/** The table of a kind in FROM, joined with others. */
export function joinedKindTable(schema: string, kind: KindDef): Fragment {
  return plannedTable(tablePoints(kind) * POINTS_FACTOR_OF_JOIN, schema, kind.table);
}

function tablePoints({ fields }: KindDef): number {
  return 1 + Math.floor(fields.size / COLUMNS_PER_POINT);
}

/** Whether the row `t` is the unit with an id. */
export function hasId(kind: KindDef, text: Fragment): Fragment {
  return sql`${columnRef(kind.keyField)} = ${text}::${columnType(kind.keyField.columnType)}`;
}

/** Whether the row `t` is one of the units with these keys. */
export function hasKeyIn(kind: KindDef, keys: readonly string[]): Fragment {
  return sql`${columnRef(kind.keyField)} = ANY(${keyArray(kind, keys)})`;
}

/** Keys as an array of their column's type. */
export function keyArray({ keyField }: KindDef, keys: readonly string[]): Fragment {
  return sql`${param(keys)}::${columnType(keyField.columnType, true)}`;
}

export function linkTable(schema: string): Fragment {
  return ident(schema, LINK_TABLE);
}
