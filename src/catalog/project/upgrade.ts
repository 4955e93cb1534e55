/**
 * Upgrades the schema of a project to the model of this version. It only adds, but for tables of former releases with
 * what lasts minutes: unknown objects stay and are reported, and objects that differ from the model block the upgrade.
 */
import { randomUUID } from 'node:crypto';
import type { Executor, Transaction } from '../../database/database.js';
import { isDataConflict } from '../../database/statement/sqlstate.js';
import {
  BUILT_IN_GROUPS,
  BUILT_IN_VERSION,
  FIXED_KINDS,
  grantedNames,
  listedParameters,
} from '../../model/built-in/built-in.js';
import { builtInRecords, buildModel } from '../../model/build/build-model.js';
import type { ModelRecords } from '../../model/build/definition-records.js';
import { storedDefault } from '../../model/field.js';
import { CHANGES } from '../../model/changes.js';
import { EMAIL_VERIFIED_AT } from '../../model/built-in/member-fields.js';
import { getBuiltInKind, hasFiles, isMemberKind, MEMBER_GROUP, type Model } from '../../model/model.js';
import { columnTypeText } from '../../model/table/shape.js';
import { tableShapes, type TableShape } from '../../model/table/required-tables.js';
import { refusal } from '../../shared/errors.js';
import { type Json, jsonEqual } from '../../shared/json.js';
import {
  extendGroupsStatement,
  ownKindsStatement,
  ownParameterStatement,
  recordChangesStatement,
  recordUpgradeStatement,
  updateParametersStatement,
  provisionRowsStatement,
} from '../../sql/definition/model.sql.js';
import { dropTablesStatement } from '../../sql/definition/schema.sql.js';
import { RETIRED_TABLES } from '../../model/table/internal-tables.js';
import { beginFeedStatement } from '../../sql/changes/number.sql.js';
import { beginFilesStatement } from '../../sql/file/files.sql.js';
import { beginMembersStatement } from '../../sql/member/verified.sql.js';
import type { RecordedPlan } from '../../sql/write/recording.sql.js';
import { setUnindexedStatement } from '../../sql/server/registry.sql.js';
import type { Project } from '../../tenancy/project.js';
import { needsTrigrams, runSteps } from '../definition/run-steps.js';
import { readTableShapes } from './introspection.js';
import { DeferredIndexes, trigramSchema } from '../indexes/deferred-indexes.js';
import { loadModel, findModelSummary } from '../model/model-store.js';
import { raiseVersion } from '../model/raise-version.js';
import { diffTables, type SchemaStep } from '../../model/table/diff.js';
import { FILE_KIND, GROUP_KIND, KIND_KIND, LINK_KIND } from '../../model/built-in-traits.js';

export interface UpgradeResult {
  /** Changes of tables and rows; 0 if nothing was missing. */
  readonly steps: number;
  /** What the service did not make, e.g. `table city_old`, and a kind of the project in place of a built-in one. */
  readonly leftAlone: readonly string[];
}

/** Requires the project's lock. @throws KindError if the project can't be upgraded */
export async function upgradeSchema(tx: Transaction, project: Project): Promise<UpgradeResult> {
  const { schema } = project;
  const summary = await findModelSummary(tx, schema);
  if (!summary) throw upgradeBlocked(project, ['its tables are not there']);
  const version = summary.built_in;
  if (version > BUILT_IN_VERSION) {
    throw upgradeBlocked(project, [
      `its tables are of version ${version}, newer than this service's ${BUILT_IN_VERSION}`,
    ]);
  }
  if (version < VERIFIED_SINCE) await refuseOwnParameter(tx, project);
  await tx.run(dropTablesStatement(schema, RETIRED_TABLES));
  const records = await neededRecords(tx, project);
  // Built-in tables first: writing built-in rows and loading the model need them.
  const builtInModel = buildModel(records);
  const builtIn = await upgradeTables(tx, project, builtInModel);
  const rows = await upgradeRows(tx, schema, records, builtInModel);
  const recorded = await recordBuiltInKinds(tx, { schema, kind: getBuiltInKind(builtInModel, KIND_KIND) }, records);
  const loaded = await loadModel(tx, project, { upgrading: true });
  const model = await recordMemberKinds(tx, project, loaded);
  const lists = await tx.run(updateParametersStatement(schema, grantedParameterLists(model)));
  const all = await upgradeTables(tx, project, model);
  const steps = builtIn.steps.length + rows + recorded + lists.length + all.steps.length;
  if (steps > 0 || version < BUILT_IN_VERSION) {
    await raiseVersion(tx, project, recordUpgradeStatement(schema, BUILT_IN_VERSION));
  }
  return { steps, leftAlone: hasFiles(model) ? all.leftAlone : [...all.leftAlone, OWN_FILE_KIND] };
}

const OWN_FILE_KIND = `the kind '${FILE_KIND}' of its own, until whose renaming the project has no files`;

/** The records of the built-in model. A kind that can be extended is left out where the project has one of that id of its own. */
async function neededRecords(tx: Transaction, project: Project): Promise<ModelRecords> {
  const records = builtInRecords();
  const ids = records.kinds.map(({ id }) => id);
  const rows = await tx.run<{ id: string }>(ownKindsStatement(project.schema, ids));
  const taken = new Set(rows.map(({ id }) => id));
  const blocking = FIXED_KINDS.filter((id) => taken.has(id));
  if (blocking.length > 0) {
    throw upgradeBlocked(
      project,
      blocking.map((id) => `it has a kind '${id}' of its own`),
    );
  }
  return { ...records, kinds: records.kinds.filter(({ id }) => !taken.has(id)) };
}

/** The version of the built-in kinds since which member kinds have `email_verified_at`. */
const VERIFIED_SINCE = 10;

/** Whatever its type: what the project has stored there would be read as proofs of addresses. */
async function refuseOwnParameter(tx: Transaction, project: Project): Promise<void> {
  const statement = ownParameterStatement(project.schema, MEMBER_GROUP, EMAIL_VERIFIED_AT);
  const kinds = (await tx.run<{ id: string }>(statement)).map(({ id }) => id);
  if (kinds.length === 0) return;
  throw upgradeBlocked(
    project,
    kinds.map(
      (id) =>
        `its member kind '${id}' has a parameter '${EMAIL_VERIFIED_AT}' of its own: with the release before, copy its values to a parameter of another name and take it from the kind`,
    ),
  );
}

async function upgradeTables(tx: Transaction, project: Project, model: Model): Promise<UpgradePlan> {
  const existing = await readTableShapes(tx, project.schema);
  const desired = tableShapes(model);
  const drift = driftOf(existing, desired);
  if (drift.length > 0) throw upgradeBlocked(project, drift);
  const found = planUpgrade(existing, desired, defaultsOf(model));
  const plan =
    (await trigramSchema(tx)) === undefined
      ? { ...found, steps: found.steps.filter((step) => !needsTrigrams(step)) }
      : found;
  const deferredIndexes = new DeferredIndexes(tx, project.schema, desired, 'leave_out');
  try {
    await runSteps(tx, project.schema, plan.steps, deferredIndexes);
  } catch (error) {
    if (isDataConflict(error)) throw upgradeBlocked(project, [error.message]);
    throw error;
  }
  if (deferredIndexes.any) await tx.run(setUnindexedStatement(project.id, true));
  return plan;
}

/** The parameter lists of custom kinds that have fields granted by their groups. */
function grantedParameterLists({ kinds }: Model): { id: string; parameters: string[] }[] {
  return [...kinds.values()].flatMap((kind) => {
    const { id, builtIn, groups, parameters } = kind;
    if (builtIn || grantedNames(kind, groups).length === 0) return [];
    return [{ id, parameters: listedParameters(kind, groups, parameters) }];
  });
}

function upgradeBlocked(project: Project, reasons: readonly string[]) {
  return refusal('project.unavailable', `Project '${project.id}' cannot be upgraded: ${reasons.join('; ')}`);
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
async function upgradeRows(executor: Executor, schema: string, records: ModelRecords, model: Model): Promise<number> {
  const added = await insertBuiltInRows(executor, schema, records, model);
  const { kinds, groups } = records;
  const fixed = kinds.filter(({ id }) => FIXED_KINDS.includes(id));
  const lists = await executor.run(updateParametersStatement(schema, fixed));
  const members = await executor.run(extendGroupsStatement(schema, groups));
  return added + lists.length + members.length;
}

/** Changes of definitions are recorded, and those of administrators. Returns how many kinds were changed. */
async function recordBuiltInKinds(executor: Executor, plan: RecordedPlan, { kinds }: ModelRecords): Promise<number> {
  let count = 0;
  for (const changes of CHANGES) {
    const ids = kinds.filter((kind) => kind.changes === changes).map(({ id }) => id);
    if (changes === 'none') continue;
    const [row] = await executor.run<{ edited: number }>(recordChangesStatement(plan, ids, changes));
    count += row?.edited ?? 0;
  }
  return count;
}

async function recordMemberKinds(tx: Transaction, project: Project, model: Model): Promise<Model> {
  const kinds = [...model.kinds.values()].filter((kind) => isMemberKind(kind) && kind.changes === 'none');
  const ids = kinds.map(({ id }) => id);
  if (ids.length === 0) return model;
  const plan = { schema: project.schema, kind: getBuiltInKind(model, KIND_KIND) };
  await tx.run(recordChangesStatement(plan, ids, 'feed'));
  return loadModel(tx, project, { upgrading: true });
}

interface UpgradePlan {
  readonly steps: readonly SchemaStep[];
  readonly leftAlone: readonly string[];
}

/** Compares the tables of a schema with those that the model needs: the steps that add what is missing, and what blocks them. */
function planUpgrade(
  existing: ReadonlyMap<string, TableShape>,
  desired: ReadonlyMap<string, TableShape>,
  defaults: ReadonlyMap<string, Json>,
): UpgradePlan {
  const leftAlone = [...existing.values()].flatMap((table) => unknownParts(table, desired.get(table.name)));
  const known = [...existing.values()].flatMap((table): [string, TableShape][] => {
    const wanted = desired.get(table.name);
    return wanted ? [[table.name, knownPart(table, wanted)]] : [];
  });
  return { steps: diffTables(new Map(known), desired, new Set(), defaults), leftAlone };
}

function partName(sort: string, name: string, table: Pick<TableShape, 'name'>): string {
  return `${sort} ${name} of ${table.name}`;
}

/** The parts of an existing table that are not in the model. */
function unknownParts(table: TableShape, wanted: TableShape | undefined): string[] {
  if (!wanted) return [`table ${table.name}`];
  const of = (sort: string, existing: ReadonlyMap<string, unknown>, known: ReadonlyMap<string, unknown>) =>
    [...existing.keys()].filter((name) => !known.has(name)).map((name) => partName(sort, name, table));
  return [
    ...of('column', table.columns, wanted.columns),
    ...of('index', table.indexes, wanted.indexes),
    ...of('foreign key', table.foreignKeys, wanted.foreignKeys),
    ...of('check', table.checks, wanted.checks),
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
    checks: part(table.checks, wanted.checks),
  };
}

/** Objects that have the name of one in the model but differ from it. */
function driftOf(existing: ReadonlyMap<string, TableShape>, desired: ReadonlyMap<string, TableShape>): string[] {
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

/** Inserts missing rows of built-in kinds, groups and link types. Returns how many were missing. @param model of the records */
export async function insertBuiltInRows(
  executor: Executor,
  schema: string,
  records: ModelRecords,
  model: Model,
): Promise<number> {
  const descriptions = new Map(BUILT_IN_GROUPS.map((group) => [group.id, group.description]));
  const rows: [string, readonly object[]][] = [
    [KIND_KIND, records.kinds],
    [GROUP_KIND, records.groups.map((group) => ({ ...group, description: descriptions.get(group.id) ?? '' }))],
    [LINK_KIND, records.links],
  ];
  let added = 0;
  for (const [id, definitions] of rows) {
    const kind = model.kinds.get(id);
    if (!kind) throw new Error(`the built-in model has no kind '${id}'`);
    const inserted = await executor.run(
      provisionRowsStatement(
        schema,
        kind,
        definitions.map((row) => ({ ...row })),
      ),
    );
    added += inserted.length;
  }
  await executor.run(beginFeedStatement(schema, randomUUID()));
  await executor.run(beginFilesStatement(schema));
  await executor.run(beginMembersStatement(schema));
  return added;
}
