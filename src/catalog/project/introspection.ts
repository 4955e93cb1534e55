/** Reads the tables of a schema as `TableShape`s, to compare them with those of a model. */
import type { Executor } from '../../database/database.js';
import type { DeleteRule } from '../../model/parameter-setting/reference.setting.js';
import type { ColumnType } from '../../model/parameter-type/parameter-type.js';
import type { SearchConfiguration } from '../../model/parameter-setting/search.setting.js';
import {
  byName,
  sequenceName,
  type ColumnShape,
  type ForeignKeyShape,
  type IndexShape,
  type TableShape,
} from '../../model/table/required-tables.js';
import { introspectStatement } from '../../sql/definition/introspect.sql.js';
import { MODEL_TABLE } from '../../sql/model-version.sql.js';

interface TableRow {
  readonly name: string;
  readonly key: readonly string[];
  readonly sequences: readonly string[];
  readonly columns: readonly { name: string; type: string; array: boolean; notNull: boolean; identity: boolean }[];
  readonly indexes: readonly (Omit<IndexShape, 'configuration'> & {
    readonly configuration: SearchConfiguration | null;
  })[];
  readonly foreignKeys: readonly { name: string; column: string; target: string; action: string }[];
  readonly checks: readonly string[];
}

const SHORT_TYPE_NAMES: Readonly<Record<string, ColumnType>> = {
  'time without time zone': 'time',
  'timestamp with time zone': 'timestamptz',
};

const DELETE_RULE_OF_CODE: Readonly<Record<string, DeleteRule>> = { n: 'set_null', c: 'cascade' };

export async function readTableShapes(executor: Executor, schema: string): Promise<Map<string, TableShape>> {
  const rows = await executor.run<{ body: TableRow }>(introspectStatement(schema));
  const tables = rows.map(({ body }) => body).filter(({ name }) => name !== MODEL_TABLE);
  return new Map(tables.map((row) => [row.name, toTableShape(row)]));
}

function toTableShape(row: TableRow): TableShape {
  const columns = row.columns.map(({ identity, ...column }): ColumnShape => {
    const sequence = sequenceName(row.name, column.name);
    return {
      ...column,
      type: SHORT_TYPE_NAMES[column.type] ?? column.type,
      ...(row.sequences.includes(sequence) && !identity && { sequence }),
      ...(identity && { identity }),
    };
  });
  const keys = row.foreignKeys.map(({ action, ...key }): ForeignKeyShape => ({
    ...key,
    onDelete: DELETE_RULE_OF_CODE[action] ?? 'restrict',
  }));
  const indexes = row.indexes.map(({ configuration, ...index }): IndexShape => ({
    ...index,
    ...(configuration !== null && { configuration }),
  }));
  return {
    name: row.name,
    key: row.key,
    columns: byName(columns),
    indexes: byName(indexes),
    foreignKeys: byName(keys),
    checks: byName(row.checks.map((name) => ({ name }))),
  };
}
