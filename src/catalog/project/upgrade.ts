/**
 * Upgrades the schema of a project to the model of this version. It only adds: unknown
 * objects stay and are reported, and objects that differ from the model block the upgrade; they are never dropped and
 * created again.
 */
import type { Executor, Transaction } from '../../database/database.js';
import { isDataConflict } from '../../database/statement/sqlstate.js';
import { BUILT_IN_VERSION, grantedFields, listedParameters } from '../../model/built-in/built-in.js';
import { builtInRecords, buildModel } from '../../model/build/build-model.js';
import type { ModelRecords } from '../../model/build/definition-records.js';
import { storedDefault } from '../../model/field.js';
import type { Model } from '../../model/model.js';
import { tableShapes } from '../../model/table/required-tables.js';
import { refusal } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import {
  extendGroupsStatement,
  ownKindsStatement,
  recordUpgradeStatement,
  updateParametersStatement,
} from '../../sql/definition/model.sql.js';
import { setUnindexedStatement } from '../../sql/server/registry.sql.js';
import type { Project } from '../../tenancy/project.js';
import { needsTrigrams, runSteps } from '../definition/run-steps.js';
import { insertBuiltInRows } from './built-in-rows.js';
import { readTableShapes } from './introspection.js';
import { DeferredIndexes } from '../indexes/deferred-indexes.js';
import { trigramSchema } from '../indexes/trigrams.js';
import { loadModel, findModelSummary } from '../model/model-store.js';
import { raiseVersion } from '../model/raise-version.js';
import { driftOf, planUpgrade, type UpgradePlan } from './upgrade-plan.js';

export interface UpgradeResult {
  /** Changes of tables and rows; 0 if nothing was missing. */
  readonly steps: number;
  /** Unknown objects, e.g. `table city_old`. */
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
  const records = builtInRecords();
  const taken = await tx.run<{ id: string }>(
    ownKindsStatement(
      schema,
      records.kinds.map(({ id }) => id),
    ),
  );
  if (taken.length > 0)
    throw upgradeBlocked(
      project,
      taken.map(({ id }) => `it has a kind '${id}' of its own`),
    );
  // Built-in tables first: writing built-in rows and loading the model need them.
  const builtIn = await upgradeTables(tx, project, buildModel(records));
  const rows = await upgradeRows(tx, schema, records);
  const model = await loadModel(tx, project, { upgrading: true });
  const lists = await tx.run(updateParametersStatement(schema, grantedParameterLists(model)));
  const all = await upgradeTables(tx, project, model);
  const steps = builtIn.steps.length + rows + lists.length + all.steps.length;
  if (steps > 0 || version < BUILT_IN_VERSION) {
    await raiseVersion(tx, project, recordUpgradeStatement(schema, BUILT_IN_VERSION));
  }
  return { steps, leftAlone: all.leftAlone };
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
