/** The tables that a model needs, as values: columns, indexes, foreign keys and checks. */
import { INTERNAL_COLUMNS, INTERNAL_TABLES } from './internal-tables.js';
import type { Field, KindDef, Model } from '../model.js';
import { checkName, constraintName, LINK_TABLE } from '../names.js';
import { resolvedChecks } from '../check/kind-checks.js';
import { storedLinkFields } from '../build/link-types.js';
import { requiredIndexes, ruledFields, type RuledFields } from './required-indexes.js';
import type { CheckShape, ColumnShape, ForeignKeyShape, IndexShape, TableShape } from './shape.js';
import { runSync, type WorkInPieces } from '../../shared/work-in-pieces.js';

export type { CheckShape, ColumnShape, ForeignKeyShape, IndexShape, TableShape };

/** The internal tables, and those of all kinds that have one; kinds that share a table each add their columns to it. */
export function tableShapes(model: Model): Map<string, TableShape> {
  return runSync(tablesInPieces(model));
}

/**
 * @param ruled the fields that rules test; found in the model if left out
 * @param only the names of the kinds' tables to return; all if left out
 */
export function* tablesInPieces(
  model: Model,
  ruled?: RuledFields,
  only?: ReadonlySet<string>,
): WorkInPieces<Map<string, TableShape>> {
  const tables = new Map(INTERNAL_TABLES.map((table) => [table.name, table]));
  yield* addLinkColumns(tables, model);
  const tested = ruled ?? (yield* ruledFields(model));
  for (const kind of model.kinds.values()) {
    if (!kind.storage.hasTable || (only && !only.has(kind.table))) continue;
    const shape = tableOf(kind, model, tested.get(kind));
    const shared = tables.get(kind.table);
    tables.set(kind.table, shared ? merge(shared, shape) : shape);
    yield;
  }
  for (const [name, columns] of INTERNAL_COLUMNS) {
    const table = tables.get(name);
    if (table) tables.set(name, { ...table, columns: new Map([...table.columns, ...byName(columns)]) });
  }
  return tables;
}

/** Adds the parameters of link types to the table of links. They are nullable, because the types share the table. */
function* addLinkColumns(tables: Map<string, TableShape>, { linkTypes }: Model): WorkInPieces<void> {
  const table = tables.get(LINK_TABLE);
  if (!table) return;
  const [columns, indexes] = [new Map(table.columns), new Map(table.indexes)];
  for (const type of linkTypes.values()) {
    for (const field of storedLinkFields(type)) {
      const column = { ...columnOf(field, LINK_TABLE), notNull: false };
      columns.set(column.name, column);
      if (!field.def.indexed) continue;
      const name = constraintName(LINK_TABLE, [column.name], 'idx');
      indexes.set(name, { name, columns: [column.name], unique: false, method: column.array ? 'gin' : 'btree' });
    }
    yield;
  }
  tables.set(LINK_TABLE, { ...table, columns, indexes });
}

function tableOf(kind: KindDef, model: Model, ruled: ReadonlySet<string> | undefined): TableShape {
  const stored = [...kind.fields.values()].filter((field) => field.column !== undefined && field !== kind.primary);
  const columns = stored.map((field) => columnOf(field, kind.table));
  const indexes = requiredIndexes(kind, stored, ruled);
  const foreignKeys = stored.flatMap((field) => foreignKeysOf(field, kind, model));
  return {
    name: kind.table,
    key: ['id'],
    columns: byName(columns),
    indexes: byName(indexes),
    foreignKeys: byName(foreignKeys),
    checks: byName(resolvedChecks(kind).map((check) => ({ name: checkName(check.id, check.filter), check }))),
  };
}

function columnOf(field: Field, table: string): ColumnShape {
  const name = field.column ?? field.id;
  return {
    name,
    type: field.columnType,
    array: field.def.multiple,
    notNull: !field.def.nullable,
    ...(field.def.sequence && { sequence: sequenceName(table, name) }),
  };
}

export function sequenceName(table: string, column: string): string {
  return constraintName(table, [column], 'seq');
}

function foreignKeysOf(field: Field, kind: KindDef, model: Model): ForeignKeyShape[] {
  const target = field.reference && model.kinds.get(field.reference.kind);
  if (!target || field.column === undefined) return [];
  const name = constraintName(kind.table, [field.column], 'fkey');
  return [{ name, column: field.column, target: target.table, onDelete: field.def.onDelete }];
}

/** Shapes by name. */
export function byName<T extends { readonly name: string }>(shapes: readonly T[]): Map<string, T> {
  return new Map(shapes.map((shape) => [shape.name, shape]));
}

/** The table that two kinds share: a column is nullable if one of the kinds lacks it or allows null. */
function merge(a: TableShape, b: TableShape): TableShape {
  const columns = new Map<string, ColumnShape>();
  for (const name of new Set([...a.columns.keys(), ...b.columns.keys()])) {
    const [left, right] = [a.columns.get(name), b.columns.get(name)];
    const column = right ?? left;
    if (column) columns.set(name, { ...column, notNull: (left?.notNull ?? false) && (right?.notNull ?? false) });
  }
  return {
    name: a.name,
    key: a.key,
    columns,
    indexes: new Map([...a.indexes, ...b.indexes]),
    foreignKeys: new Map([...a.foreignKeys, ...b.foreignKeys]),
    checks: new Map([...a.checks, ...b.checks]),
  };
}
