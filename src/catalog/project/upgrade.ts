/**
 * Upgrades the schema of a project to the model of this version. It adds, and replaces indexes of older versions: unknown
 * objects stay and are reported, and objects that differ from the model block the upgrade; they are never dropped and
 * created again.
 */
import type { Executor, Transaction } from '../../database/database.js';
import { isDataConflict } from '../../database/statement/sqlstate.js';
import { ADDED_KINDS, BUILT_IN_VERSION, grantedFields, listedParameters } from '../../model/built-in/built-in.js';
import { builtInRecords, buildModel } from '../../model/build/build-model.js';
import type { ModelRecords } from '../../model/build/definition-records.js';
import { storedDefault } from '../../model/field.js';
import type { Model } from '../../model/model.js';
import { COUNT_TABLE } from '../../model/table/internal-tables.js';
import { formerIndexes } from '../../model/table/required-indexes.js';
import { tableShapes } from '../../model/table/required-tables.js';
import { refusal } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { repairCountStatement } from '../../sql/count.sql.js';
import {
  identifyByRowStatement,
  lockForDefinitionChangeStatement,
  stepStatements,
} from '../../sql/definition/ddl.sql.js';
import {
  extendGroupsStatement,
  ownKindsStatement,
  recordUpgradeStatement,
  updateParametersStatement,
} from '../../sql/definition/model.sql.js';
import { upgradeModelTableStatements } from '../../sql/definition/schema.sql.js';
import { setUnindexedStatement } from '../../sql/server/registry.sql.js';
import type { Project } from '../../tenancy/project.js';
import { needsTrigrams, runSteps } from '../definition/run-steps.js';
import { insertBuiltInRows } from './built-in-rows.js';
import { readTableShapes } from './introspection.js';
import { DeferredIndexes } from '../indexes/deferred-indexes.js';
import { trigramSchema } from '../indexes/trigrams.js';
import { refoldMemberKeys } from './refold-member-keys.js';
import { loadModel } from '../model/model-store.js';
import { findModelSummary } from '../model/model-summaries.js';
import { raiseVersion } from '../model/raise-version.js';
import { driftOf, planUpgrade, type RetiredPart, type UpgradePlan } from './upgrade-plan.js';

/** Everything that upgrades drop. */
const RETIRED: readonly RetiredPart[] = [];

export interface UpgradeResult {
  /** Changes of tables and rows; 0 if nothing was missing. */
  readonly steps: number;
  /** Unknown objects, e.g. `table city_old`, and members whose keys could not be updated. */
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
  const retired = RETIRED.filter(({ since }) => version < since);
  if (version < BUILT_IN_VERSION) for (const each of upgradeModelTableStatements(schema)) await tx.run(each);
  // Built-in tables first: writing built-in rows and loading the model need them.
  const own = await keptKinds(tx, schema);
  const records = builtInRecords(new Set(own));
  const builtIn = await upgradeTables(tx, project, buildModel(records), retired);
  const rows = await upgradeRows(tx, schema, records);
  const keys = await refoldMemberKeys(tx, schema);
  const model = await loadModel(tx, project, { upgrading: true });
  const lists = await tx.run(updateParametersStatement(schema, grantedParameterLists(model)));
  const all = await upgradeTables(tx, project, model, []);
  if (version < COUNTS_SINCE) await storeCounts(tx, schema, model);
  if (version < IDENTIFIED_SINCE) await tx.run(identifyByRowStatement(schema, COUNT_TABLE));
  const steps = builtIn.steps.length + rows + keys.count + lists.length + all.steps.length;
  if (steps > 0 || version < BUILT_IN_VERSION) {
    await raiseVersion(tx, project, recordUpgradeStatement(schema, BUILT_IN_VERSION));
  }
  const leftKinds = own.map((kind) => `kind ${kind}, which is the project's own and not the built-in one`);
  return { steps, leftAlone: [...all.leftAlone, ...keys.leftAlone, ...leftKinds] };
}

/** The kinds that the project made before their ids became those of built-in kinds. */
async function keptKinds(executor: Executor, schema: string): Promise<string[]> {
  const rows = await executor.run<{ id: string }>(ownKindsStatement(schema, ADDED_KINDS));
  return rows.map(({ id }) => id);
}

/** The first version that stores the numbers of units. */
const COUNTS_SINCE = 8;
/** The first version in which logical replication can identify rows of the stored numbers. */
const IDENTIFIED_SINCE = 21;

/** Stores the numbers of units of a project that had none. Writes wait until the upgrade is committed. */
async function storeCounts(tx: Transaction, schema: string, model: Model): Promise<void> {
  const counted = [...model.kinds.values()].filter(({ storage }) => storage.counted);
  if (counted.length === 0) return;
  const tables = counted.map(({ table }) => table).sort();
  await tx.run(lockForDefinitionChangeStatement(schema, tables));
  for (const kind of counted) await tx.run(repairCountStatement(schema, kind));
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
  const found = planUpgrade(existing, desired, defaultsOf(model), retired);
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
  const former = [...existing.values()].flatMap(({ name, indexes }) => formerIndexes(desired.get(name), indexes));
  // The builder drops the others after it has built their replacements.
  for (const { name } of former.filter(({ replacement }) => !deferredIndexes.has(replacement.name))) {
    for (const each of stepStatements({ type: 'drop_index', name }, project.schema)) await tx.run(each);
  }
  if (deferredIndexes.any) await tx.run(setUnindexedStatement(project.id, true));
  return plan;
}

/** The parameter lists of custom kinds that have fields granted by their groups. */
function grantedParameterLists({ kinds }: Model): { id: string; parameters: string[] }[] {
  return [...kinds.values()].flatMap(({ id, builtIn, groups, parameters }) =>
    builtIn || grantedFields(groups).length === 0 ? [] : [{ id, parameters: listedParameters(groups, parameters) }],
  );
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
async function upgradeRows(executor: Executor, schema: string, records: ModelRecords): Promise<number> {
  const added = await insertBuiltInRows(executor, schema, records);
  const { kinds, groups } = records;
  const lists = await executor.run(updateParametersStatement(schema, kinds));
  const members = await executor.run(extendGroupsStatement(schema, groups));
  return added + lists.length + members.length;
}
