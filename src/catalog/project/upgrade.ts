/**
 * Upgrades the schema of a project to the model of this version. It only adds: unknown objects stay and are reported,
 * and objects that differ from the model block the upgrade; they are never dropped and created again.
 */
import type { Executor, Transaction } from '../../database/database.js';
import { isDatabaseFault } from '../../database/statement/sqlstate.js';
import { BUILT_IN_GROUPS, BUILT_IN_VERSION, grantedFields, listedParameters } from '../../model/built-in/built-in.js';
import { builtInRecords, buildModel } from '../../model/build/build-model.js';
import { diffTables, type SchemaStep } from '../../model/table/diff.js';
import { storedDefault } from '../../model/field.js';
import type { Model } from '../../model/model.js';
import { tableShapes, type ColumnShape, type TableShape } from '../../model/table/required-tables.js';
import { refusal } from '../../shared/errors.js';
import { jsonEqual, type Json } from '../../shared/json.js';
import {
  extendGroupsStatement,
  provisionRowsStatement,
  recordUpgradeStatement,
  updateParametersStatement,
} from '../../sql/model.sql.js';
import { setUnindexedStatement } from '../../sql/registry.sql.js';
import type { Project } from '../../tenancy/project.js';
import { builtInVersion } from '../model/built-in-version.js';
import { MODEL_CHANNEL } from '../definition/definition-change.service.js';
import { runSteps } from '../definition/run-steps.js';
import { readTableShapes } from './introspection.js';
import { LargeIndexes } from '../index/deferred-indexes.js';
import { rekeyMembers } from './refold-member-keys.js';
import { loadModel } from '../model/model-store.js';

/** A table, column or index of the built-in model that a version has removed. */
export interface RetiredPart {
  /** The first version without it. Projects of that version or later keep objects of that name. */
  readonly since: number;
  readonly table: string;
  readonly column?: string;
  readonly index?: string;
}

/** Everything that upgrades drop. */
export const RETIRED: readonly RetiredPart[] = [];

export interface UpgradeResult {
  /** Changes of tables and rows; 0 if nothing was missing. */
  readonly steps: number;
  /** Unknown objects, e.g. `table city_old`, and members whose keys could not be updated. */
  readonly leftAlone: readonly string[];
}

interface UpgradePlan {
  readonly steps: readonly SchemaStep[];
  readonly leftAlone: readonly string[];
}

/** Requires the project's lock. @throws KindError if the project can't be upgraded */
export async function upgradeSchema(tx: Transaction, project: Project): Promise<UpgradeResult> {
  const { id, schema } = project;
  const version = await builtInVersion(tx, schema);
  if (version === undefined) throw upgradeBlocked(project, ['its tables are not there']);
  if (version > BUILT_IN_VERSION) {
    throw upgradeBlocked(project, [
      `its tables are of version ${version}, newer than this service's ${BUILT_IN_VERSION}`,
    ]);
  }
  const retired = RETIRED.filter(({ since }) => version < since);
  // Built-in tables first: writing built-in rows and loading the model need them.
  const builtIn = await upgradeTables(tx, project, buildModel(builtInRecords()), retired);
  const rows = await upgradeRows(tx, schema);
  const keys = await rekeyMembers(tx, schema);
  const model = await loadModel(tx, project, { upgrading: true });
  const lists = await tx.run(updateParametersStatement(schema, grantedParameterLists(model)));
  const all = await upgradeTables(tx, project, model, []);
  const steps = builtIn.steps.length + rows + keys.count + lists.length + all.steps.length;
  if (steps > 0 || version < BUILT_IN_VERSION) {
    await tx.run(recordUpgradeStatement(schema, MODEL_CHANNEL, id, BUILT_IN_VERSION));
  }
  return { steps, leftAlone: [...all.leftAlone, ...keys.leftAlone] };
}

async function upgradeTables(
  tx: Transaction,
  project: Project,
  model: Model,
  retired: readonly RetiredPart[],
): Promise<UpgradePlan> {
  const existing = await readTableShapes(tx, project.schema);
  const desired = tableShapes(model);
  const drift = driftOf(existing, desired);
  if (drift.length > 0) throw upgradeBlocked(project, drift);
  const plan = planUpgrade(existing, desired, defaultsOf(model), retired);
  const large = new LargeIndexes(tx, project.schema, desired);
  try {
    await runSteps(tx, project.schema, plan.steps, large.isDeferred);
  } catch (error) {
    if (isDatabaseFault(error) && DATA_CONFLICT_CODES.has(error.code)) throw upgradeBlocked(project, [error.message]);
    throw error;
  }
  if (large.hasDeferred) await tx.run(setUnindexedStatement(project.id, true));
  return plan;
}

/** The parameter lists of custom kinds that have fields granted by their groups. */
function grantedParameterLists({ kinds }: Model): { id: string; parameters: string[] }[] {
  return [...kinds.values()].flatMap(({ id, builtIn, groups, parameters }) =>
    builtIn || grantedFields(groups).length === 0 ? [] : [{ id, parameters: listedParameters(groups, parameters) }],
  );
}

/** NULL in a NOT NULL column, dangling reference, duplicates, and a view with the name of a table. */
const DATA_CONFLICT_CODES = new Set(['23502', '23503', '23505', '42P07']);

function upgradeBlocked(project: Project, reasons: readonly string[]) {
  return refusal('project.unavailable', `Project '${project.id}' can not be upgraded: ${reasons.join('; ')}`);
}

/** The steps that add what `existing` lacks of `desired`, and drop retired parts. */
export function planUpgrade(
  existing: ReadonlyMap<string, TableShape>,
  desired: ReadonlyMap<string, TableShape>,
  defaults: ReadonlyMap<string, Json>,
  retired: readonly RetiredPart[],
): UpgradePlan {
  const drops = retired.flatMap((each) => dropOf(each, existing));
  const gone = new Set(drops.map(({ name }) => name));
  const leftAlone = [...existing.values()]
    .flatMap((table) => unknownParts(table, desired.get(table.name)))
    .filter((name) => !gone.has(name));
  const known = [...existing.values()].flatMap((table): [string, TableShape][] => {
    const wanted = desired.get(table.name);
    return wanted ? [[table.name, knownPart(table, wanted)]] : [];
  });
  const steps = [...drops.map(({ step }) => step), ...diffTables(new Map(known), desired, new Set(), defaults)];
  return { steps, leftAlone };
}

function dropOf(
  { table, column, index }: RetiredPart,
  existing: ReadonlyMap<string, TableShape>,
): { name: string; step: SchemaStep }[] {
  const shape = existing.get(table);
  if (index !== undefined) {
    return shape?.indexes.has(index)
      ? [{ name: `index ${index} of ${table}`, step: { type: 'drop_index', name: index } }]
      : [];
  }
  if (column !== undefined) {
    const changes = [{ type: 'drop', column }] as const;
    return shape?.columns.has(column)
      ? [{ name: `column ${column} of ${table}`, step: { type: 'alter_table', table, changes } }]
      : [];
  }
  return shape ? [{ name: `table ${table}`, step: { type: 'drop_table', table } }] : [];
}

/** The parts of an existing table that are not in the model. */
function unknownParts(table: TableShape, wanted: TableShape | undefined): string[] {
  if (!wanted) return [`table ${table.name}`];
  const of = (sort: string, existing: ReadonlyMap<string, unknown>, known: ReadonlyMap<string, unknown>) =>
    [...existing.keys()].filter((name) => !known.has(name)).map((name) => `${sort} ${name} of ${table.name}`);
  return [
    ...of('column', table.columns, wanted.columns),
    ...of('index', table.indexes, wanted.indexes),
    ...of('foreign key', table.foreignKeys, wanted.foreignKeys),
  ];
}

function knownPart(table: TableShape, wanted: TableShape): TableShape {
  const part = <T>(existing: ReadonlyMap<string, T>, known: ReadonlyMap<string, T>) =>
    new Map([...existing].filter(([name]) => known.has(name)));
  return {
    name: table.name,
    key: table.key,
    columns: part(table.columns, wanted.columns),
    indexes: part(table.indexes, wanted.indexes),
    foreignKeys: part(table.foreignKeys, wanted.foreignKeys),
  };
}

/** Objects that have the name of one in the model but differ from it. */
export function driftOf(existing: ReadonlyMap<string, TableShape>, desired: ReadonlyMap<string, TableShape>): string[] {
  return [...desired.values()].flatMap((wanted) => {
    const table = existing.get(wanted.name);
    if (!table) return [];
    const columns = [...wanted.columns.values()].flatMap((column) => {
      const known = table.columns.get(column.name);
      if (!known || columnTypeText(known) === columnTypeText(column)) return [];
      return [`column ${column.name} of ${table.name} is ${columnTypeText(known)}, not ${columnTypeText(column)}`];
    });
    const others = (sort: string, known: ReadonlyMap<string, object>, all: ReadonlyMap<string, object>) =>
      [...all]
        .filter(([name, shape]) => known.has(name) && !jsonEqual(known.get(name), shape))
        .map(([name]) => `${sort} ${name} of ${table.name} is another than the model's`);
    return [
      ...columns,
      ...others('index', table.indexes, wanted.indexes),
      ...others('foreign key', table.foreignKeys, wanted.foreignKeys),
    ];
  });
}

function columnTypeText({ type, array }: ColumnShape): string {
  return array ? `${type}[]` : type;
}

/** The values of new columns in existing rows. */
function defaultsOf(model: Model): Map<string, Json> {
  return new Map(
    [...model.kinds.values()].flatMap((kind) =>
      [...kind.fields.values()].flatMap((field): [string, Json][] =>
        field.column === undefined ? [] : [[`${kind.table}.${field.column}`, storedDefault(field)]],
      ),
    ),
  );
}

/** Inserts missing built-in rows. Existing rows keep changes by users, except the lists that belong to the model. */
async function upgradeRows(executor: Executor, schema: string): Promise<number> {
  const added = await insertBuiltInRows(executor, schema);
  const { kinds, groups } = builtInRecords();
  const lists = await executor.run(updateParametersStatement(schema, kinds));
  const members = await executor.run(extendGroupsStatement(schema, groups));
  return added + lists.length + members.length;
}

/** Inserts missing rows of built-in kinds, groups and link types. Returns how many were missing. */
export async function insertBuiltInRows(executor: Executor, schema: string): Promise<number> {
  const records = builtInRecords();
  const model = buildModel(records);
  const descriptions = new Map(BUILT_IN_GROUPS.map((group) => [group.id, group.description]));
  const rows: [string, readonly object[]][] = [
    ['kind', records.kinds],
    ['group', records.groups.map((group) => ({ ...group, description: descriptions.get(group.id) ?? '' }))],
    ['link', records.links],
  ];
  let added = 0;
  for (const [id, given] of rows) {
    const kind = model.kinds.get(id);
    if (!kind) throw new Error(`the built-in model has no kind '${id}'`);
    const made = await executor.run(
      provisionRowsStatement(
        schema,
        kind,
        given.map((row) => ({ ...row })),
      ),
    );
    added += made.length;
  }
  return added;
}
