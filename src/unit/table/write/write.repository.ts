/** Statements that write units of tables, or find out about a write. Their errors are refusals where the input is the cause. */
import {
  contentionOn,
  noteContention,
  trackContention,
  type ContentionTarget,
} from '../../../database/transaction/contention.js';
import type { Executor } from '../../../database/database.js';
import type { ResolvedCheck } from '../../../model/check/kind-checks.js';
import type { Predicate } from '../../../model/predicate/predicate.js';
import type { FieldExpression } from '../../../model/expression.js';
import type { Field, KindDef } from '../../../model/model.js';
import { EventLoopYield } from '../../../shared/event-loop-yield.js';
import { type MaybePromise, runYielding } from '../../../shared/work-in-pieces.js';
import { keepVersionStatement } from '../../../sql/definition/model.sql.js';
import type { Statement } from '../../../sql/fragment.js';
import { lockUnitsStatement } from '../../../sql/lock.sql.js';
import {
  failingMatchingStatement,
  lockMatchingStatement,
  takenByMatchingStatement,
  updateMatchingStatement,
  type MatchingPlan,
  type UpdateMatchingPlan,
} from '../../../sql/write/matching.sql.js';
import { rowParams, rowsText, type RowsText } from '../../../sql/write/input-rows.sql.js';
import { updateSetStatement, type UpdateSetPlan } from '../../../sql/write/update.sql.js';
import {
  judgedEditStatement,
  nextValuesStatement,
  passedGuardsStatement,
  resultsStatement,
  updateStatement,
} from '../../../sql/write/update.sql.js';
import { lookupStatement, type LookupPlan } from '../../../sql/write/existing-rows.sql.js';
import { insertStatement, insertUnansweredStatement, refusedInsertsStatement } from '../../../sql/write/insert.sql.js';
import { deleteStatement } from '../../../sql/write/delete.sql.js';
import {
  type DeletePlan,
  type GuardedField,
  type UpdatePlan,
  type WritePlan,
} from '../../../sql/write/written-rows.sql.js';
import type { TransitionField } from '../../../sql/condition/next-values.sql.js';
import type { FoundUnit, UnitRow } from '../../store/unit-store.js';
import {
  checkVersion,
  checkVersionNow,
  refuseBeyondRange,
  unitOf,
  type MaybeUnit,
  type Running,
  type Versioned,
} from '../unit.repository.js';
import { conflictOf, type WriteContext } from './violations.js';

/** The values of a unit by column. */
type RowValues = Readonly<Record<string, unknown>>;

interface InSchema {
  readonly schema: string;
}

/** Returns the rows of a statement. @throws KindError if stored units or constraints are in its way */
function runWrite<Row>(
  executor: Executor,
  { schema }: InSchema,
  statement: Statement,
  context: WriteContext,
  contention?: () => ContentionTarget,
): Promise<Row[]> {
  executor.tx?.beforeCommit(keepVersionStatement(schema));
  return executor.run<Row>(statement).catch((error: unknown) => {
    if (contention) noteContention(error, contention);
    throw conflictOf(error, context) ?? error;
  });
}

function jsonTextOf({ schema }: InSchema, rows: readonly RowValues[]): MaybePromise<RowsText> {
  return runYielding(rowsText(rows), new EventLoopYield(schema));
}

/** The positions of the new rows that do not satisfy the access rule of the plan; nothing is inserted. */
export async function refusedInserts(
  session: Running,
  plan: WritePlan,
  rows: readonly RowValues[],
): Promise<readonly number[]> {
  if (!plan.allowed) return [];
  const statement = refusedInsertsStatement(plan, plan.allowed, await jsonTextOf(plan, rows));
  const [row] = await session.executor.run<Versioned & { refused: number[] | null }>(statement);
  checkVersion(row, session.model);
  return row?.refused ?? [];
}

export async function insertUnits(
  session: Running,
  plan: WritePlan,
  rows: readonly RowValues[],
  context: WriteContext,
): Promise<UnitRow[]> {
  const [row] = rows;
  const params = row && rows.length === 1 ? rowParams(plan.written, row) : undefined;
  const statement = insertStatement(plan, params ?? (await jsonTextOf(plan, rows)));
  const written = await runWrite<MaybeUnit>(session.executor, plan, statement, { ...context, rows });
  if (written.length === 0) await checkVersionNow(session);
  return written.map(unitOf).filter((unit) => unit !== undefined);
}

/** The same, but returns only the number of new units. */
export async function insertUnanswered(
  session: Running,
  plan: WritePlan,
  rows: readonly RowValues[],
  context: WriteContext,
): Promise<number> {
  const statement = insertUnansweredStatement(plan, await jsonTextOf(plan, rows));
  const [row] = await runWrite<{ created: number }>(session.executor, plan, statement, { ...context, rows });
  if (!row?.created) await checkVersionNow(session);
  return row?.created ?? 0;
}

export async function updateUnit(
  session: Running,
  plan: UpdatePlan,
  row: RowValues,
  context: WriteContext,
): Promise<UnitRow | undefined> {
  const contention = () => contentionOn(plan, [plan.id]);
  const rows = rowParams(plan.written, row) ?? (await jsonTextOf(plan, [row]));
  const run = async (locked?: true): Promise<MaybeUnit | undefined> => {
    const statement = updateStatement(plan, rows, locked);
    const writeContext = { ...context, rows: [row] };
    return (await runWrite<MaybeUnit>(session.executor, plan, statement, writeContext, contention))[0];
  };
  // Without a row, the unit may have been changed between the snapshot of the statement and its write.
  const written = (await run()) ?? (plan.recording && (await run(true)));
  return written ? unitOf(written) : checkVersionNow(session);
}

/** The results of expressions for a unit, and whether each may be stored; undefined if there is no such unit. */
export async function fetchResults(
  { executor }: Running,
  plan: Pick<UpdatePlan, 'schema' | 'kind' | 'id'>,
  expressions: readonly FieldExpression[],
): Promise<{ readonly body: string; readonly fits: readonly boolean[] } | undefined> {
  const [row] = await executor.run<{ body: string; fits: boolean[] }>(resultsStatement(plan, expressions));
  return row;
}

/** For each condition, whether the unit satisfies it after an edit; undefined if there is no such unit. */
export async function judgedEdit(
  { executor }: Running,
  plan: UpdatePlan,
  conditions: readonly Predicate[],
  row: RowValues,
): Promise<readonly boolean[] | undefined> {
  const statement = judgedEditStatement(plan, conditions, await jsonTextOf(plan, [row]));
  const [found] = await executor.run<{ holds: readonly boolean[] }>(statement);
  return found?.holds;
}

/** The fields whose new value in an edit may not follow the stored one. */
export async function refusedByGuards(
  { executor }: Running,
  plan: UpdatePlan,
  row: RowValues,
): Promise<readonly GuardedField[]> {
  if (plan.guarded.length === 0) return [];
  const statement = passedGuardsStatement(plan, await jsonTextOf(plan, [row]));
  const [found] = await executor.run<{ passed: readonly boolean[] }>(statement);
  return plan.guarded.filter((_, at) => found?.passed[at] === false);
}

/**
 * The stored value of a field with transitions, and those that may follow it; undefined if there is no such unit.
 * @param shown the units that show the value; undefined for all
 */
export async function nextValues(
  { executor }: Running,
  plan: Pick<UpdatePlan, 'schema' | 'kind' | 'id'>,
  transitions: TransitionField,
  shown: Predicate | undefined,
): Promise<{ readonly value: string | null; readonly next: readonly string[] } | undefined> {
  const statement = nextValuesStatement(plan, transitions, shown);
  const [row] = await executor.run<{ value: string | null; next: string[] }>(statement);
  return row;
}

/** Returns whether a unit was deleted. */
export async function deleteUnit(session: Running, plan: DeletePlan, context: WriteContext): Promise<boolean> {
  const contention = () => contentionOn(plan, [plan.id], true);
  const [row] = await runWrite(session.executor, plan, deleteStatement(plan), context, contention);
  if (!row) await checkVersionNow(session);
  return row !== undefined;
}

/** The positions of the rows that fail each check; null for none. */
export interface FailedRows {
  /** Of all units that are there, and that the caller may read. */
  readonly seen: readonly number[] | null;
  readonly denied: readonly number[] | null;
  /** For each rule. */
  readonly ruled: readonly (readonly number[] | null)[];
  /** For each field that may be written once. */
  readonly guarded: readonly (readonly number[] | null)[];
  readonly leaving: readonly number[] | null;
  /** For each rule, by the new values. */
  readonly unruled: readonly (readonly number[] | null)[];
}

type SetRow = Versioned & MaybeUnit & { failed: FailedRows | null; n: number | null };

/** Locks units in the order of their keys until the transaction ends. */
export async function lockUnits(session: Running, kind: KindDef, keys: readonly string[]): Promise<void> {
  const units = { schema: session.project.schema, kind, keys, forDelete: false };
  await trackContention(
    () => contentionOn(units, keys),
    () => session.executor.run(lockUnitsStatement(units)),
  );
}

/** Changes all units, or none. Returns them in the order of the rows; none if the plan has no answers. */
export async function updateSet(
  { executor, model }: Running,
  plan: UpdateSetPlan,
  rows: readonly RowValues[],
  context: WriteContext,
): Promise<UnitRow[] | FailedRows> {
  const statement = updateSetStatement(plan, await jsonTextOf(plan, rows));
  const contention = () => contentionOn(plan, plan.keys);
  const found = await runWrite<SetRow>(executor, plan, statement, context, contention);
  const [first] = found;
  // Units are changed only if the version was that of the plan. Citus may read the one of the row later.
  if (typeof first?.tag !== 'string') checkVersion(first, model);
  if (first?.failed) return first.failed;
  const units: UnitRow[] = [];
  for (const { n, tag, body } of found)
    if (n !== null && typeof tag === 'string' && typeof body === 'string') units[n] = { tag, body };
  return units;
}

/** The units that have the values of rows, by the number of the row from 0. */
export async function lookUpUnits(
  { executor, model }: Running,
  plan: LookupPlan,
  rows: readonly RowValues[],
): Promise<ReadonlyMap<number, FoundUnit>> {
  const found = await executor.run<Versioned & FoundUnit & { readonly n: number | null }>(
    lookupStatement(plan, await jsonTextOf(plan, rows)),
  );
  checkVersion(found[0], model);
  const units = new Map<number, FoundUnit>();
  for (const { n, id, tag, body } of found) if (n !== null) units.set(n - 1, { id, tag, body });
  return units;
}

/** Units that were found for a write by filter. */
export interface FoundRows {
  /** How many match, one more than allowed at most. */
  readonly matched: number;
  /** The id of one that the caller may not write; null if it may write all. */
  readonly denied: string | null;
}

interface LockedRows extends FoundRows {
  /** In order; null if there are too many, or the caller may not write all of them. */
  readonly keys: readonly string[] | null;
}

/** What an edit by filter found: ids of units that are in its way. It changed all units if there are none. */
export interface Verdict extends FoundRows {
  /** For each guarded field, a unit in which the new value may not follow the stored one. */
  readonly guarded: readonly (string | null)[];
  /** A unit in which the result of an expression may not be stored. */
  readonly unfit: string | null;
  /** A unit that would no longer satisfy the access rule. */
  readonly leaving: string | null;
  readonly affected: number;
}

/** Locks the units that match until the transaction ends. */
export async function lockMatching(session: Running, plan: MatchingPlan, forDelete: boolean): Promise<LockedRows> {
  const [row] = await trackContention(
    () => contentionOn(plan),
    () =>
      session.executor
        .run<Versioned & LockedRows>(lockMatchingStatement(plan, forDelete))
        .then(undefined, refuseBeyondRange),
  );
  checkVersion(row, session.model);
  if (!row) throw new Error('a lock of units answers one row');
  return row;
}

/** Changes all units that match, or none. */
export async function updateMatching(
  { executor, model }: Running,
  plan: UpdateMatchingPlan,
  row: RowValues,
  context: WriteContext,
): Promise<Verdict> {
  const contention = () => contentionOn(plan);
  const statement = updateMatchingStatement(plan, rowParams(plan.written, row) ?? (await jsonTextOf(plan, [row])));
  const writeContext = { ...context, rows: [row] };
  const [verdict] = await runWrite<Versioned & Verdict>(executor, plan, statement, writeContext, contention);
  // Units are changed only if the version was that of the plan. Citus may read the one of the row later.
  if (!verdict?.affected) checkVersion(verdict, model);
  if (!verdict) throw new Error('an edit of units answers one row');
  return verdict;
}

/** For each list of fields, the id of a unit that the edit would give the values of another unit; null if there is none. */
export async function takenBy(
  executor: Executor,
  plan: UpdateMatchingPlan,
  row: RowValues,
  lists: readonly (readonly Field[])[],
): Promise<readonly (string | null)[]> {
  const rows = rowParams(plan.written, row) ?? (await jsonTextOf(plan, [row]));
  const [found] = await executor.run<{ units: (string | null)[] }>(takenByMatchingStatement(plan, rows, lists));
  return found?.units ?? [];
}

/** For each check, the id of a unit that the edit would make fail it; null if there is none. */
export async function failingUnits(
  executor: Executor,
  plan: UpdateMatchingPlan,
  row: RowValues,
  checks: readonly ResolvedCheck[],
): Promise<readonly (string | null)[]> {
  const rows = rowParams(plan.written, row) ?? (await jsonTextOf(plan, [row]));
  const [found] = await executor.run<{ units: (string | null)[] }>(failingMatchingStatement(plan, rows, checks));
  return found?.units ?? [];
}
