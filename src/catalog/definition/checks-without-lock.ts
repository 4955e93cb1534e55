/**
 * Checks that are added to kinds with many units. To count the units that contradict them takes long, so it happens
 * without a lock: before the check holds for new writes, and again after the commit, when no older write is in progress.
 * Where one came in between, the check is taken back.
 */
import { KIND_KIND } from '../../model/built-in-traits.js';
import type { Model } from '../../model/model.js';
import type { Guard, SchemaStep } from '../../model/table/diff.js';
import { jsonEqual, type Json } from '../../shared/json.js';
import type { Renames } from '../../model/rename/renames.js';
import { LIMITS } from '../../shared/limits.js';
import { hasMoreRowsStatement } from '../../sql/definition/index.sql.js';
import { setJsonStatement } from '../../sql/definition/model.sql.js';
import type { Project } from '../../tenancy/project.js';
import { changedDefinitions } from './change-report.js';
import type { GuardContext } from './change-guards.js';
import type { DefinitionChange } from './definition-change.js';

interface ChangedModel {
  readonly before: Model;
  readonly after: Model;
  readonly renames: Renames;
  readonly guards: readonly Guard[];
  readonly steps: readonly SchemaStep[];
}

/** Whether a change does nothing but add checks, of which one is of a table with many units: such a change can be taken back. */
export async function addsChecksToMany({ executor, project }: GuardContext, change: ChangedModel): Promise<boolean> {
  if (!onlyAddsChecks(change)) return false;
  const tables = new Set(change.guards.map(({ table }) => table));
  for (const table of tables) {
    const many = hasMoreRowsStatement(project.schema, [table], LIMITS.indexedInTransaction);
    const [row] = await executor.run<{ more: boolean }>(many);
    if (row?.more) return true;
  }
  return false;
}

function onlyAddsChecks({ before, after, renames, guards, steps }: ChangedModel): boolean {
  const areNew = guards.every(({ condition }) => {
    return condition.type === 'fails' && !condition.columns.some((column) => 'value' in column);
  });
  if (steps.length === 0 || !areNew || steps.some(({ type }) => type !== 'add_check')) return false;
  const { changes } = changedDefinitions(before, after, renames);
  return (changes as Readonly<Record<string, Json>>[]).every(({ definition, id, settings }) => {
    if (definition !== 'kind' || !jsonEqual(settings, ['checks'])) return false;
    const [was, is] = [before, after].map(({ kinds }) => kinds.get(id as string)?.checks ?? []);
    return jsonEqual(
      was,
      is?.filter((check) => was?.some((known) => known.id === check.id)),
    );
  });
}

/** Takes the checks that guards are about from the kinds that still have them. */
export async function takeChecksBack(
  change: DefinitionChange,
  project: Project,
  guards: readonly Guard[],
): Promise<void> {
  for (const { id, checks } of change.before.kinds.values()) {
    const added = guards.flatMap(({ kind, condition }) =>
      kind === id && condition.type === 'fails' ? [condition.check] : [],
    );
    const left = checks.filter((check) => !added.some((each) => each.id === check.id && each.filter === check.filter));
    if (left.length === checks.length) continue;
    await change.tx.run(setJsonStatement(change.planOf(project, KIND_KIND), 'checks', id, left));
  }
}
