/**
 * Brings what stands of a project to the model of this version. It only adds: what somebody else put into the schema
 * stays and is named, and what stands in another form than the model's is refused, never dropped and made again.
 */
import type { Executor, Transaction } from '../../database/database.js';
import { isDatabaseFault } from '../../database/statement/sqlstate.js';
import { BUILT_IN_GROUPS, BUILT_IN_VERSION, grantedFields, listedParameters } from '../../model/built-in/built-in.js';
import { builtInRecords, buildModel } from '../../model/check/build-model.js';
import { diffTables, type Step } from '../../model/table/diff.js';
import { storedDefault } from '../../model/field.js';
import type { Model } from '../../model/model.js';
import { tableShapes, type ColumnShape, type TableShape } from '../../model/table/table-shape.js';
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
import { MODEL_CHANNEL, runSteps } from '../definition/definition-change.service.js';
import { readTableShapes } from './introspection.js';
import { LargeIndexes } from '../index/large-indexes.js';
import { rekeyMembers } from './member-keys.js';
import { loadModel } from '../model/model-store.js';

/** A table of the built-in model, or one of its columns or indexes, that a version of it gave up. */
export interface RetiredPart {
  /** The first version without it; projects of that version and later keep what has its name. */
  readonly since: number;
  readonly table: string;
  readonly column?: string;
  readonly index?: string;
}

/** All that an upgrade ever drops. */
export const RETIRED: readonly RetiredPart[] = [];

export interface UpgradeResult {
  /** Changes of tables and rows; 0 where all was there. */
  readonly steps: number;
  /** What stands in the schema and is none of the model's, e.g. `table city_old`, and names that could not be brought up. */
  readonly leftAlone: readonly string[];
}

interface UpgradePlan {
  readonly steps: readonly Step[];
  readonly leftAlone: readonly string[];
}

/** To be called with the project's lock held. @throws KindError where the project can not be upgraded as it is */
export async function upgradeSchema(tx: Transaction, project: Project): Promise<UpgradeResult> {
  const { id, schema } = project;
  const version = await builtInVersion(tx, schema);
  if (version === undefined) throw blocked(project, ['its tables are not there']);
  if (version > BUILT_IN_VERSION) {
    throw blocked(project, [`its tables are of version ${version}, newer than this service's ${BUILT_IN_VERSION}`]);
  }
  const retired = RETIRED.filter(({ since }) => version < since);
  // The built-in tables first: without them, neither can the built-in rows be written nor the model be read.
  const builtIn = await bringUp(tx, project, buildModel(builtInRecords()), retired);
  const rows = await bringRowsUp(tx, schema);
  const keys = await rekeyMembers(tx, schema);
  const model = await loadModel(tx, project, { upgrading: true });
  const lists = await tx.run(updateParametersStatement(schema, listsOf(model)));
  const all = await bringUp(tx, project, model, []);
  const steps = builtIn.steps.length + rows + keys.count + lists.length + all.steps.length;
  if (steps > 0 || version < BUILT_IN_VERSION) {
    await tx.run(recordUpgradeStatement(schema, MODEL_CHANNEL, id, BUILT_IN_VERSION));
  }
  return { steps, leftAlone: [...all.leftAlone, ...keys.leftAlone] };
}

async function bringUp(
  tx: Transaction,
  project: Project,
  model: Model,
  retired: readonly RetiredPart[],
): Promise<UpgradePlan> {
  const standing = await readTableShapes(tx, project.schema);
  const desired = tableShapes(model);
  const drift = driftOf(standing, desired);
  if (drift.length > 0) throw blocked(project, drift);
  const plan = planUpgrade(standing, desired, defaultsOf(model), retired);
  const large = new LargeIndexes(tx, project.schema, desired);
  try {
    await runSteps(tx, project.schema, plan.steps, large.leaves);
  } catch (error) {
    if (isDatabaseFault(error) && STORED_DATA_REFUSES.has(error.code)) throw blocked(project, [error.message]);
    throw error;
  }
  if (large.any) await tx.run(setUnindexedStatement(project.id, true));
  return plan;
}

/** The lists of the kinds of users that have fields of their groups. */
function listsOf({ kinds }: Model): { id: string; parameters: string[] }[] {
  return [...kinds.values()].flatMap(({ id, builtIn, groups, parameters }) =>
    builtIn || grantedFields(groups).length === 0 ? [] : [{ id, parameters: listedParameters(groups, parameters) }],
  );
}

/** NULLs where none may be, a reference that leads nowhere, duplicates, and a view in the place of a table. */
const STORED_DATA_REFUSES = new Set(['23502', '23503', '23505', '42P07']);

function blocked(project: Project, reasons: readonly string[]) {
  return refusal('project.unavailable', `Project '${project.id}' can not be upgraded: ${reasons.join('; ')}`);
}

/** What has to be added for `standing` to have all of `desired`; what is retired goes. */
export function planUpgrade(
  standing: ReadonlyMap<string, TableShape>,
  desired: ReadonlyMap<string, TableShape>,
  defaults: ReadonlyMap<string, Json>,
  retired: readonly RetiredPart[],
): UpgradePlan {
  const drops = retired.flatMap((each) => dropOf(each, standing));
  const gone = new Set(drops.map(({ name }) => name));
  const leftAlone = [...standing.values()]
    .flatMap((table) => strangersOf(table, desired.get(table.name)))
    .filter((name) => !gone.has(name));
  const known = [...standing.values()].flatMap((table): [string, TableShape][] => {
    const wanted = desired.get(table.name);
    return wanted ? [[table.name, knownPart(table, wanted)]] : [];
  });
  const steps = [...drops.map(({ step }) => step), ...diffTables(new Map(known), desired, new Set(), defaults)];
  return { steps, leftAlone };
}

function dropOf(
  { table, column, index }: RetiredPart,
  standing: ReadonlyMap<string, TableShape>,
): { name: string; step: Step }[] {
  const shape = standing.get(table);
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

/** What the model does not know of a table that stands. */
function strangersOf(table: TableShape, wanted: TableShape | undefined): string[] {
  if (!wanted) return [`table ${table.name}`];
  const of = (sort: string, standing: ReadonlyMap<string, unknown>, known: ReadonlyMap<string, unknown>) =>
    [...standing.keys()].filter((name) => !known.has(name)).map((name) => `${sort} ${name} of ${table.name}`);
  return [
    ...of('column', table.columns, wanted.columns),
    ...of('index', table.indexes, wanted.indexes),
    ...of('foreign key', table.foreignKeys, wanted.foreignKeys),
  ];
}

function knownPart(table: TableShape, wanted: TableShape): TableShape {
  const part = <T>(standing: ReadonlyMap<string, T>, known: ReadonlyMap<string, T>) =>
    new Map([...standing].filter(([name]) => known.has(name)));
  return {
    name: table.name,
    key: table.key,
    columns: part(table.columns, wanted.columns),
    indexes: part(table.indexes, wanted.indexes),
    foreignKeys: part(table.foreignKeys, wanted.foreignKeys),
  };
}

/** What has the name of something of the model, and another form. */
export function driftOf(standing: ReadonlyMap<string, TableShape>, desired: ReadonlyMap<string, TableShape>): string[] {
  return [...desired.values()].flatMap((wanted) => {
    const table = standing.get(wanted.name);
    if (!table) return [];
    const columns = [...wanted.columns.values()].flatMap((column) => {
      const known = table.columns.get(column.name);
      if (!known || typeOf(known) === typeOf(column)) return [];
      return [`column ${column.name} of ${table.name} is ${typeOf(known)}, not ${typeOf(column)}`];
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

function typeOf({ type, array }: ColumnShape): string {
  return array ? `${type}[]` : type;
}

/** What a column that is added holds in the rows that are there. */
function defaultsOf(model: Model): Map<string, Json> {
  return new Map(
    [...model.kinds.values()].flatMap((kind) =>
      [...kind.fields.values()].flatMap((field): [string, Json][] =>
        field.column === undefined ? [] : [[`${kind.table}.${field.column}`, storedDefault(field)]],
      ),
    ),
  );
}

/** Rows that are there keep what their owner made of them, but for the lists that belong to the model. */
async function bringRowsUp(executor: Executor, schema: string): Promise<number> {
  const added = await insertBuiltInRows(executor, schema);
  const { kinds, groups } = builtInRecords();
  const lists = await executor.run(updateParametersStatement(schema, kinds));
  const members = await executor.run(extendGroupsStatement(schema, groups));
  return added + lists.length + members.length;
}

/** The built-in kinds, groups and link types as rows, where they are not there yet. Answers how many were not. */
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
