/** Reads the tables of a schema as `TableShape`s, to compare them with those of a model. */
import type { Executor } from '../../database/database.js';
import type { DeleteRule } from '../../model/parameter-type/parameter-settings.js';
import type { ColumnType } from '../../model/parameter-type/parameter-type.js';
import type { ColumnShape, ForeignKeyShape, IndexShape, TableShape } from '../../model/table/table-shape.js';
import { introspectStatement } from '../../sql/introspect.sql.js';
import { MODEL_TABLE } from '../../sql/model-version.sql.js';

interface TableRow {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly { name: string; type: string; array: boolean; notNull: boolean }[];
  readonly indexes: readonly IndexShape[];
  readonly foreignKeys: readonly { name: string; column: string; target: string; action: string }[];
}

const COLUMN_TYPES: Readonly<Record<string, ColumnType>> = {
  'time without time zone': 'time',
  'timestamp with time zone': 'timestamptz',
};

const DELETE_RULES: Readonly<Record<string, DeleteRule>> = { n: 'set_null', c: 'cascade' };

export async function readTableShapes(executor: Executor, schema: string): Promise<Map<string, TableShape>> {
  const rows = await executor.run<{ body: TableRow }>(introspectStatement(schema));
  const tables = rows.map(({ body }) => body).filter(({ name }) => name !== MODEL_TABLE);
  return new Map(tables.map((row) => [row.name, toTableShape(row)]));
}

function toTableShape(row: TableRow): TableShape {
  const columns = row.columns.map((column): ColumnShape => ({
    ...column,
    type: COLUMN_TYPES[column.type] ?? column.type,
  }));
  const keys = row.foreignKeys.map(({ action, ...key }): ForeignKeyShape => ({
    ...key,
    onDelete: DELETE_RULES[action] ?? 'restrict',
  }));
  return {
    name: row.name,
    key: row.key,
    columns: indexByName(columns),
    indexes: indexByName(row.indexes),
    foreignKeys: indexByName(keys),
  };
}

function indexByName<T extends { readonly name: string }>(shapes: readonly T[]): Map<string, T> {
  return new Map(shapes.map((shape) => [shape.name, shape]));
}
