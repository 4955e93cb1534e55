/** Statements that read and lock units of tables. Each tells the version of the model, and is refused with an older one. */
import { StaleModelError } from '../../catalog/catalog.service.js';
import type { Session } from '../../catalog/session/session.js';
import { beyondRange } from '../../database/statement/sqlstate.js';
import { contentionOn, trackContention } from '../../database/transaction/contention.js';
import type { KindDef, Model } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { explainLinkStatement, explainStatement } from '../../sql/access/explain.sql.js';
import type { Statement } from '../../sql/fragment.js';
import { getByStatement, getManyStatement, getStatement, type ReadPlan } from '../../sql/list/select.sql.js';
import { getAnyStatement, type AnyKindPlan } from '../../sql/list/union.sql.js';
import { modelVersionStatement } from '../../sql/model-version.sql.js';
import { lockAsEditStatement, lockStatement } from '../../sql/write/delete.sql.js';
import { type DeletePlan } from '../../sql/write/written-rows.sql.js';
import type { KeyValue } from '../store/unit-ids.js';
import type { UnitRow } from '../store/unit-store.js';

/** A row of a statement that returns the version of the model. */
export interface Versioned {
  readonly v: string;
}

/** A unit as rows have it, where there may be none. */
export type MaybeUnit = { tag: string | null; body: string | null };

/** What statements are run with. */
export type Running = Pick<Session, 'project' | 'executor' | 'model'>;

/** @throws StaleModelError if the statement was planned with an outdated model */
export function checkVersion(row: Versioned | undefined, model: Model): void {
  if (Number(row?.v) !== model.version) throw new StaleModelError();
}

/**
 * After a statement that returned no row, and so no version. The version only grows: if it is that of the model now, it
 * was when that statement ran.
 */
export async function checkVersionNow({ project, executor, model }: Running): Promise<undefined> {
  const [row] = await executor.run<Versioned>(modelVersionStatement(project.schema));
  checkVersion(row, model);
}

export function fetchUnit(session: Running, plan: ReadPlan, id: unknown): Promise<UnitRow | undefined> {
  return fetchOne(session, getStatement(plan, id));
}

/** The units that there are, by their ids as they are answered. */
export async function fetchUnits(
  session: Running,
  plan: ReadPlan,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UnitRow>> {
  const rows = await session.executor
    .run<Versioned & UnitRow & { id: string }>(getManyStatement(plan, ids))
    .then(undefined, refuseBeyondRange);
  if (rows.length === 0) await checkVersionNow(session);
  else checkVersion(rows[0], session.model);
  return new Map(rows.map(({ id, tag, body }) => [id, { tag, body }]));
}

export function fetchUnitBy(
  session: Running,
  plan: ReadPlan,
  { field, value }: Pick<KeyValue, 'field' | 'value'>,
): Promise<UnitRow | undefined> {
  return fetchOne(session, getByStatement(plan, field, value));
}

function fetchOne(session: Running, statement: Statement): Promise<UnitRow | undefined> {
  return session.executor.run<Versioned & MaybeUnit>(statement).then(([row]) => {
    if (!row) return checkVersionNow(session);
    checkVersion(row, session.model);
    return unitOf(row);
  }, refuseBeyondRange);
}

/** A sum of related units may not fit its type. */
export function refuseBeyondRange(error: unknown): never {
  throw beyondRange(error) ?? error;
}

/** The unit of the first plan that finds one, and the position of that plan. */
export async function fetchAnyUnit(
  { project, executor, model }: Running,
  plans: readonly AnyKindPlan[],
): Promise<(UnitRow & { readonly at: number }) | undefined> {
  if (plans.length === 0) return undefined;
  const statement = getAnyStatement(project.schema, plans);
  const [row] = await executor
    .run<Versioned & MaybeUnit & { n: number | null }>(statement)
    .then(undefined, refuseBeyondRange);
  checkVersion(row, model);
  const unit = unitOf(row);
  return unit && { ...unit, at: row?.n ?? 0 };
}

/** Which of the predicates hold for a unit; undefined if it does not exist. */
export async function evaluateUnit(
  { project, executor, model }: Running,
  kind: KindDef,
  id: unknown,
  predicates: readonly Predicate[],
): Promise<readonly boolean[] | undefined> {
  const statement = explainStatement(project.schema, kind, id, predicates);
  const [row] = await executor.run<Versioned & { holds: boolean[] | null }>(statement);
  checkVersion(row, model);
  return row?.holds ?? undefined;
}

/** The same for predicates over the two units of a link. */
export async function evaluateLink(
  { project, executor, model }: Running,
  ends: Parameters<typeof explainLinkStatement>[1],
  predicates: readonly Predicate[],
): Promise<readonly boolean[]> {
  const statement = explainLinkStatement(project.schema, ends, predicates);
  const [row] = await executor.run<Versioned & { holds: boolean[] | null }>(statement);
  checkVersion(row, model);
  return row?.holds ?? [];
}

/**
 * Locks a unit until the transaction ends, so that no other transaction changes it; with `forDelete`, none can create
 * a reference to it either. Returns whether the unit exists and fits the plan.
 */
export function lockUnit(session: Running, plan: DeletePlan, forDelete: boolean): Promise<boolean> {
  return lock(session, plan, lockStatement(plan, forDelete), forDelete);
}

/**
 * Locks a unit until the transaction ends: of several transactions that do so, each reads what those before it stored.
 * Returns whether the unit exists and fits the plan.
 */
export function lockUnitAsEdit(session: Running, plan: DeletePlan): Promise<boolean> {
  return lock(session, plan, lockAsEditStatement(plan), false);
}

async function lock(session: Running, plan: DeletePlan, statement: Statement, forDelete: boolean): Promise<boolean> {
  const [row] = await trackContention(
    () => contentionOn(plan, [plan.id], forDelete),
    () => session.executor.run(statement),
  );
  if (!row) await checkVersionNow(session);
  return row !== undefined;
}

export function unitOf(row: MaybeUnit | undefined): UnitRow | undefined {
  return typeof row?.tag === 'string' && typeof row.body === 'string' ? { tag: row.tag, body: row.body } : undefined;
}
