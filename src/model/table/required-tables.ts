/** The tables that a model needs, as values: columns, indexes and foreign keys. */
import { INTERNAL_COLUMNS, INTERNAL_TABLES } from './internal-tables.js';
import type { Field, KindDef, Model } from '../model.js';
import { constraintName } from '../names.js';
import type { ColumnShape, ForeignKeyShape, IndexShape, TableShape } from './shape.js';
import { fieldsAlong } from '../predicate/path.js';
import { pathsOfRules } from '../check/stored-rules.js';
import { getOrInsert } from '../../shared/get-or-insert.js';
import { runSync, type WorkInPieces } from '../../shared/work-in-pieces.js';

export type { ColumnShape, ForeignKeyShape, IndexShape, TableShape };

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

/** The ids of the fields that rules test, by kind. */
export type RuledFields = ReadonlyMap<KindDef, ReadonlySet<string>>;

/** The fields that rules test: of the kinds that have the rules, and of referenced kinds. */
export function* ruledFields(model: Model): WorkInPieces<RuledFields> {
  const found = new Map<KindDef, Set<string>>();
  for (const kind of model.kinds.values()) {
    for (const path of pathsOfRules(kind.access)) {
      for (const step of fieldsAlong(path, kind, model)) {
        getOrInsert(found, step.kind, () => new Set()).add(step.field.id);
      }
    }
    yield;
  }
  return found;
}

function tableOf(kind: KindDef, model: Model, ruled: ReadonlySet<string> | undefined): TableShape {
  const stored = [...kind.fields.values()].filter((field) => field.column !== undefined && field !== kind.primary);
  const columns = stored.map(columnOf);
  const indexes = indexesOf(kind, stored, ruled);
  const foreignKeys = stored.flatMap((field) => foreignKeysOf(field, kind, model));
  return {
    name: kind.table,
    key: ['id'],
    columns: byName(columns),
    indexes: byName(indexes),
    foreignKeys: byName(foreignKeys),
  };
}

function columnOf(field: Field): ColumnShape {
  return {
    name: field.column ?? field.id,
    type: field.columnType,
    array: field.def.multiple && field.describedAs === undefined,
    notNull: !field.def.nullable,
  };
}

function indexesOf(kind: KindDef, stored: readonly Field[], ruled: ReadonlySet<string> | undefined): IndexShape[] {
  const columns = (ids: readonly string[]) => ids.map((id) => kind.fields.get(id)?.column ?? id);
  const indexes = stored.flatMap((field) => fieldIndex(field, kind, ruled?.has(field.id) ?? false));
  for (const ids of kind.unique) indexes.push(index(kind, columns(ids), true));
  for (const ids of kind.indexes) indexes.push(index(kind, columns(ids), false));
  // Lists of units with such keys are ordered by time of insertion.
  if (kind.key !== 'uuid' && !kind.builtIn) indexes.push(index(kind, ['inserted_at', 'id'], false));
  return indexes;
}

/** A field has an index if it is unique, `indexed`, a reference, or tested by an access rule. */
function fieldIndex(field: Field, kind: KindDef, ruled: boolean): IndexShape[] {
  if (field === kind.keyField || field.column === undefined) return [];
  const { unique, indexed, multiple } = field.def;
  if (unique && !multiple) return [index(kind, [field.column], true)];
  const useful = indexed || field.reference !== undefined || (ruled && field.type.sortable);
  if (!useful) return [];
  return [index(kind, [field.column], false, multiple ? 'gin' : 'btree')];
}

function index(
  kind: KindDef,
  columns: readonly string[],
  unique: boolean,
  method: IndexShape['method'] = 'btree',
): IndexShape {
  return { name: constraintName(kind.table, columns, unique ? 'key' : 'idx'), columns, unique, method };
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
  };
}
