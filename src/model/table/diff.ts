/**
 * Compares two models: the steps that change the tables of one into those of the other, and guards that prevent the
 * change from deleting or invalidating stored units. Pure: `sql/definition/ddl.sql.ts` renders the steps, `catalog/` runs them.
 */
import { jsonEqual, type Json } from '../../shared/json.js';
import { runSync, type WorkInPieces } from '../../shared/work-in-pieces.js';
import { isUnchanged } from '../build/build-model.js';
import { guardsOf, keepsValues, keySignature, linkGuardsOf, type Guard } from './guards.js';
import { storedDefault } from '../field.js';
import type { KindDef, Model } from '../model.js';
import { ruledFields, type RuledFields } from './required-indexes.js';
import {
  tablesInPieces,
  type CheckShape,
  type ColumnShape,
  type ForeignKeyShape,
  type IndexShape,
  type TableShape,
} from './required-tables.js';

export type { Condition, Guard } from './guards.js';

export type ColumnChange =
  | { readonly type: 'add'; readonly column: ColumnShape; readonly default: Json; readonly replace: boolean }
  | { readonly type: 'drop'; readonly column: string }
  /** The column becomes numeric, and keeps its values. */
  | { readonly type: 'widen'; readonly column: ColumnShape }
  | { readonly type: 'not_null'; readonly column: string; readonly notNull: boolean };

export type SchemaStep =
  | { readonly type: 'drop_check' | 'add_check'; readonly table: string; readonly check: CheckShape }
  | { readonly type: 'drop_foreign_key'; readonly table: string; readonly name: string }
  | { readonly type: 'drop_index'; readonly name: string }
  | { readonly type: 'drop_table'; readonly table: string }
  | { readonly type: 'create_table'; readonly table: TableShape }
  | { readonly type: 'alter_table'; readonly table: string; readonly changes: readonly ColumnChange[] }
  | { readonly type: 'create_sequence'; readonly name: string; readonly numbers?: NumberedRows }
  | { readonly type: 'drop_sequence'; readonly name: string }
  | { readonly type: 'create_index'; readonly table: string; readonly index: IndexShape }
  | { readonly type: 'add_foreign_key'; readonly table: string; readonly key: ForeignKeyShape };

/** A column whose rows get numbers, where they have none, before the sequence goes on; it has no nulls then. */
export interface NumberedRows {
  readonly table: string;
  readonly column: string;
}

interface ModelChange {
  readonly guards: readonly Guard[];
  readonly steps: readonly SchemaStep[];
  /** The new shapes of the compared tables; unchanged tables may be left out. */
  readonly tables: ReadonlyMap<string, TableShape>;
}

/** @param before undefined for a project that is being created */
export function diffModels(before: Model | undefined, after: Model): Pick<ModelChange, 'guards' | 'steps'> {
  const { guards, steps } = runSync(diffInPieces(before, after));
  return { guards, steps };
}

/** Takes almost no time for unchanged kinds, if `after` was built with `before` as the known model. */
export function* diffInPieces(before: Model | undefined, after: Model): WorkInPieces<ModelChange> {
  if (!before) {
    const tables = yield* tablesInPieces(after);
    return { guards: [], tables, steps: diffTables(new Map(), tables) };
  }
  const recreated = recreatedTables(before, after);
  const [ruledBefore, ruledAfter] = [yield* ruledFields(before), yield* ruledFields(after)];
  // Foreign keys to a recreated table are dropped and added again, also in unchanged tables, so all are compared.
  const only = recreated.size > 0 ? undefined : changedTables({ before, ruledBefore, after, ruledAfter });
  const old = yield* tablesInPieces(before, ruledBefore, only);
  const tables = yield* tablesInPieces(after, ruledAfter, only);
  const guards: Guard[] = [];
  for (const kind of before.kinds.values()) {
    const next = after.kinds.get(kind.id);
    if (!isUnchanged(kind, next)) guards.push(...guardsOf(kind, next));
    yield;
  }
  for (const type of before.linkTypes.values()) {
    const next = after.linkTypes.get(type.id);
    // The links of a deleted type are deleted before.
    if (next && !isUnchanged(type.values, next.values)) guards.push(...linkGuardsOf(type, next));
    yield;
  }
  return { guards, tables, steps: diffTables(old, tables, recreated, yield* valuesOf(before, after)) };
}

interface Compared {
  readonly before: Model;
  readonly after: Model;
  readonly ruledBefore: RuledFields;
  readonly ruledAfter: RuledFields;
}

/** The tables of kinds that are changed, new or deleted, or of which rules test other fields than before. */
function changedTables({ before, after, ruledBefore, ruledAfter }: Compared): Set<string> {
  const changed = [...after.kinds.values()].filter((kind) => {
    const old = before.kinds.get(kind.id);
    return !old || !isUnchanged(kind, old) || !haveSameIds(ruledBefore.get(old), ruledAfter.get(kind));
  });
  const gone = [...before.kinds.values()].filter(({ id }) => !after.kinds.has(id));
  return new Set([...changed, ...gone].map(({ table }) => table));
}

function haveSameIds(one: ReadonlySet<string> = new Set(), other: ReadonlySet<string> = new Set()): boolean {
  return one.size === other.size && [...one].every((id) => other.has(id));
}

/**
 * The tables of kinds whose key changes, and of built-in kinds that a kind of the project takes the place of: they are
 * dropped and created again. A guard, or who makes such a change, ensures that they are empty.
 */
function recreatedTables(before: Model, after: Model): Set<string> {
  return new Set(
    [...before.kinds.values()]
      .filter((kind) => {
        const next = after.kinds.get(kind.id);
        return next && !next.builtIn && (kind.builtIn || keySignature(kind) !== keySignature(next));
      })
      .map((kind) => kind.table),
  );
}

/** The values of new columns in existing rows: the defaults of their parameters. */
function* valuesOf(before: Model, after: Model): WorkInPieces<Map<string, Json>> {
  const values = new Map<string, Json>();
  const add = (kind: KindDef, old: KindDef | undefined) => {
    if (isUnchanged(kind, old)) return;
    for (const field of kind.fields.values()) {
      const known = old?.fields.get(field.id)?.column !== undefined;
      if (field.column !== undefined && !known) values.set(`${kind.table}.${field.column}`, storedDefault(field));
    }
  };
  for (const kind of after.kinds.values()) {
    add(kind, before.kinds.get(kind.id));
    yield;
  }
  for (const type of after.linkTypes.values()) {
    // A new type has no links. The other types' rows have the value too, where nothing reads it.
    const old = before.linkTypes.get(type.id);
    if (old) add(type.values, old.values);
    yield;
  }
  return values;
}

export function diffTables(
  before: ReadonlyMap<string, TableShape>,
  after: ReadonlyMap<string, TableShape>,
  recreated: ReadonlySet<string> = new Set(),
  defaults: ReadonlyMap<string, Json> = new Map(),
): SchemaStep[] {
  const steps: SchemaStep[] = [];
  const kept = [...after.values()].filter((table) => before.has(table.name) && !recreated.has(table.name));
  const gone = [...before.values()].filter((table) => !after.has(table.name) || recreated.has(table.name));
  const fresh = [...after.values()].filter((table) => !before.has(table.name) || recreated.has(table.name));
  const pairs = kept.map((table): [TableShape, TableShape] => [before.get(table.name) ?? table, table]);

  for (const table of gone) for (const name of table.foreignKeys.keys()) pushDropForeignKey(steps, table.name, name);
  for (const [old, table] of pairs) {
    for (const [name, key] of old.foreignKeys) {
      if (!sameForeignKey(key, table.foreignKeys.get(name), old, table, recreated))
        pushDropForeignKey(steps, table.name, name);
    }
  }
  for (const [old, table] of pairs) {
    const replaced = replacedColumns(old, table);
    for (const [name, index] of old.indexes) {
      const lost = index.columns.some((column) => replaced.has(column) || !table.columns.has(column));
      if (lost || !jsonEqual(index, table.indexes.get(name))) steps.push({ type: 'drop_index', name: index.name });
    }
  }
  for (const [old, table] of pairs) {
    for (const check of changedChecks(old, table)) steps.push({ type: 'drop_check', table: table.name, check });
  }
  for (const table of gone) {
    steps.push({ type: 'drop_table', table: table.name });
    for (const name of sequencesOf(table).values()) steps.push({ type: 'drop_sequence', name });
  }
  for (const [old, table] of pairs) pushColumnSteps(steps, old, table, defaults);
  for (const [old, table] of pairs) {
    for (const check of changedChecks(table, old)) steps.push({ type: 'add_check', table: table.name, check });
  }
  for (const table of fresh) {
    steps.push({ type: 'create_table', table });
    for (const name of sequencesOf(table).values()) steps.push({ type: 'create_sequence', name });
    for (const index of table.indexes.values()) steps.push({ type: 'create_index', table: table.name, index });
  }
  for (const [old, table] of pairs) {
    const replaced = replacedColumns(old, table);
    for (const [name, index] of table.indexes) {
      const remade = index.columns.some((column) => replaced.has(column));
      if (remade || !jsonEqual(index, old.indexes.get(name))) {
        steps.push({ type: 'create_index', table: table.name, index });
      }
    }
  }
  for (const table of fresh) for (const key of table.foreignKeys.values()) pushAddForeignKey(steps, table.name, key);
  for (const [old, table] of pairs) {
    for (const [name, key] of table.foreignKeys) {
      const known = old.foreignKeys.get(name);
      if (!known || !sameForeignKey(known, key, old, table, recreated)) pushAddForeignKey(steps, table.name, key);
    }
  }
  return steps;
}

/** The checks of a table that another state of it lacks, or whose columns it has with another type. */
function changedChecks(table: TableShape, other: TableShape): CheckShape[] {
  const replaced = replacedColumns(other, table);
  const names = ({ check }: CheckShape) => check?.fields.map(({ id, column = id }) => column) ?? [];
  return [...table.checks.values()].filter(
    (check) => !other.checks.has(check.name) || names(check).some((name) => replaced.has(name)),
  );
}

/** Names of sequences by column. */
function sequencesOf({ columns }: TableShape): Map<string, string> {
  return new Map(
    [...columns.values()].flatMap(({ name, sequence }): [string, string][] => (sequence ? [[name, sequence]] : [])),
  );
}

function pushColumnSteps(
  steps: SchemaStep[],
  old: TableShape,
  table: TableShape,
  defaults: ReadonlyMap<string, Json>,
): void {
  const [before, after] = [sequencesOf(old), sequencesOf(table)];
  for (const [column, name] of before) if (!after.has(column)) steps.push({ type: 'drop_sequence', name });
  const changes = columnChanges(old, table, defaults);
  if (changes.length > 0) steps.push({ type: 'alter_table', table: table.name, changes });
  for (const [column, name] of after) {
    if (!before.has(column)) steps.push({ type: 'create_sequence', name, numbers: { table: table.name, column } });
  }
}

function pushDropForeignKey(steps: SchemaStep[], table: string, name: string): void {
  steps.push({ type: 'drop_foreign_key', table, name });
}

function pushAddForeignKey(steps: SchemaStep[], table: string, key: ForeignKeyShape): void {
  steps.push({ type: 'add_foreign_key', table, key });
}

function sameForeignKey(
  key: ForeignKeyShape,
  other: ForeignKeyShape | undefined,
  old: TableShape,
  table: TableShape,
  recreated: ReadonlySet<string>,
): boolean {
  return jsonEqual(key, other) && !recreated.has(key.target) && !replacedColumns(old, table).has(key.column);
}

function sameType(a: ColumnShape, b: ColumnShape): boolean {
  return a.type === b.type && a.array === b.array;
}

function isWidened(known: ColumnShape, column: ColumnShape): boolean {
  return known.array === column.array && keepsValues(known.type, column.type);
}

/**
 * Columns whose type changes, of which indexes and checks are made anew. But for widened ones they are dropped and added
 * again: a guard ensures that they hold no values.
 */
function replacedColumns(old: TableShape, table: TableShape): Set<string> {
  return new Set(
    [...table.columns.values()]
      .filter((column) => {
        const known = old.columns.get(column.name);
        return known && !sameType(known, column);
      })
      .map((column) => column.name),
  );
}

function columnChanges(old: TableShape, table: TableShape, defaults: ReadonlyMap<string, Json>): ColumnChange[] {
  const changes: ColumnChange[] = [];
  for (const name of old.columns.keys()) if (!table.columns.has(name)) changes.push({ type: 'drop', column: name });
  for (const needed of table.columns.values()) {
    const known = old.columns.get(needed.name);
    // Rows without a number are null until they are numbered.
    const isNumbered = needed.sequence !== undefined && known?.sequence === undefined;
    const column = isNumbered ? { ...needed, notNull: known?.notNull ?? false } : needed;
    const value = defaults.get(`${table.name}.${column.name}`) ?? null;
    if (!known) changes.push({ type: 'add', column, default: value, replace: false });
    else if (!sameType(known, column) && !isWidened(known, column)) {
      changes.push({ type: 'add', column, default: value, replace: true });
    } else {
      if (!sameType(known, column)) changes.push({ type: 'widen', column });
      if (known.notNull !== column.notNull) {
        changes.push({ type: 'not_null', column: column.name, notNull: column.notNull });
      }
    }
  }
  return changes;
}
