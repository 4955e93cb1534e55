/**
 * Edits and deletes all units of a kind that match a filter, or none of them. Without behaviors an edit is one
 * statement, and a deletion a few, however many units there are; with behaviors, units are written one by one in a
 * transaction, as single writes are. A refusal names a unit that is the reason for it, which the caller may read.
 */
import { Injectable } from '@nestjs/common';
import { grantOf } from '../../../access/access.js';
import { accessDenied } from '../../../access/level.js';
import { writableFields } from '../../../access/masks.js';
import { PatternMatcher } from '../../../catalog/pattern/pattern-matcher.js';
import { whileLocked } from '../../../catalog/session/executors.js';
import type { Session } from '../../../catalog/session/session.js';
import { Database } from '../../../database/database.js';
import { completeRefusal, ofUnit, withFaults } from '../../../database/transaction/complete-refusal.js';
import { EMPTY_QUERY, type ListQuery, type MatchingQuery } from '../../../filter/queries.js';
import type { Parsed } from '../../../http/route/parse-list-query.js';
import { resolvedChecks } from '../../../model/check/kind-checks.js';
import type { Field, KindDef } from '../../../model/model.js';
import { conjunction, type Predicate } from '../../../model/predicate/predicate.js';
import { KindError, refusal, type Message } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import type { MaybePromise } from '../../../shared/work-in-pieces.js';
import { WriteDeadline } from '../../../shared/write-deadline.js';
import { hasTransitions } from '../../../sql/write/written-rows.sql.js';
import type { MatchingPlan, UpdateMatchingPlan } from '../../../sql/write/matching.sql.js';
import { Behaviors } from '../../draft/behavior.js';
import { countingDefaults, type DefaultBytes } from '../../draft/default-bytes.js';
import { expressionsOf, type Body, type Draft } from '../../draft/draft.js';
import { Drafter } from '../../draft/drafter.js';
import { planWritten, withFieldRules, writeOnceRefusal } from '../../draft/edit-plan.js';
import { nestedBodies } from '../../draft/nested-units.js';
import { checkReferences } from '../../draft/references.js';
import { withUnit, withUnits } from '../../draft/refusal-position.js';
import { withListAccess } from '../../query/list-access.js';
import { planContextOf, planList, planQuery } from '../../query/list.plan.js';
import { parseKey } from '../../store/unit-ids.js';
import type { AffectedUnits, WriteOptions } from '../../store/unit-store.js';
import { TableReader } from '../read/table.reader.js';
import { checkStoredFieldRules, leavesAllowedUnits, writePlan } from '../rights.js';
import { evaluateUnit } from '../unit.repository.js';
import { whyNotTo, type EditConditions } from './behavior-changes.js';
import { withResults } from './expression-results.js';
import { hasNoTransaction, inOwnTransaction, withDeferredFaults } from './own-transaction.js';
import { Deletions } from './delete.js';
import { transitionMessages } from './transitions.js';
import { UnitQuota } from './unit-quota.js';
import { Updates } from './update.js';
import { failedCheck, takenValues, uniqueLists, writeContextOf } from './violations.js';
import {
  failingUnits,
  lockMatching,
  takenBy,
  updateMatching,
  type FoundRows,
  type Verdict,
} from './write.repository.js';

type Operation = 'update' | 'delete';

/** The units to write, and the query that answers some of them. */
interface Selected {
  readonly plan: MatchingPlan;
  readonly shown: ListQuery | undefined;
}

@Injectable()
export class MatchingWrites {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly drafter: Drafter,
    private readonly database: Database,
    private readonly reader: TableReader,
    private readonly updates: Updates,
    private readonly deletions: Deletions,
    private readonly quota: UnitQuota,
    private readonly patterns: PatternMatcher,
  ) {}

  updateAll(
    session: Session,
    kind: KindDef,
    query: Parsed<MatchingQuery>,
    read: () => MaybePromise<Body>,
    options: WriteOptions = {},
  ): Promise<AffectedUnits> {
    const selected = this.#select(session, kind, query, options);
    this.behaviors.checkReady(kind, session);
    const each = this.behaviors.runsOnEdits(kind, session);
    return this.#within(session, each || selected.shown !== undefined, async (within) => {
      if (each) return this.#updateEach(within, kind, selected, read, options);
      if (!selected.shown) return { count: await this.#updateAtOnce(within, kind, selected.plan, read, options) };
      // The units are locked, so that those that are edited are those that are answered.
      const keys = await this.#lock(within, selected.plan, 'update');
      const count = await this.#updateAtOnce(within, kind, ofKeys(selected.plan, keys), read, options);
      return { count, ...(await this.#items(within, kind, selected, keys)) };
    });
  }

  removeAll(
    session: Session,
    kind: KindDef,
    query: Parsed<MatchingQuery>,
    options: WriteOptions = {},
  ): Promise<AffectedUnits> {
    const selected = this.#select(session, kind, query, options);
    this.behaviors.checkReady(kind, session);
    return this.#within(session, true, async (within) => {
      const keys = await this.#lock(within, selected.plan, 'delete');
      const shown = await this.#items(within, kind, selected, keys);
      if (keys.length > 0) await this.deletions.deleteLocked(within, kind, keys);
      return { count: keys.length, ...shown };
    });
  }

  #within<T>(session: Session, several: boolean, work: (session: Session) => Promise<T>): Promise<T> {
    return several && hasNoTransaction(session) ? inOwnTransaction(this.database, session, work) : work(session);
  }

  /** @throws KindError 400 with all faults of the query; 401, 403 if the caller may not read units */
  #select(session: Session, kind: KindDef, parsed: Parsed<MatchingQuery>, { access }: WriteOptions): Selected {
    const { caller, model, project } = session;
    const grant = grantOf(kind, 'read', caller, model);
    if (!grant) throw accessDenied(caller, `You may not read units of '${kind.id}'`);
    const context = planContextOf(session, { kind, access: grant.predicate });
    return planQuery(parsed, ({ filter, most, include, nest }) => {
      const query: ListQuery = { ...EMPTY_QUERY, filter, include, nest, count: 'none', limit: LIMITS.bulk };
      const list = withListAccess(planList(query, context));
      const plan = {
        schema: project.schema,
        kind,
        version: model.version,
        filter: list.filter,
        readable: list.access,
        access,
        most,
      };
      return { plan, shown: include && { ...query, filter: undefined } };
    });
  }

  /** Locks the units and returns their keys. @throws KindError 403, 409 */
  async #lock(session: Session, plan: MatchingPlan, operation: Operation): Promise<readonly string[]> {
    const found = await lockMatching(session, plan, operation === 'delete');
    checkFound(session, plan, found, operation);
    return found.keys ?? [];
  }

  /** The first of the units, with the fields that the query includes. */
  async #items(
    session: Session,
    kind: KindDef,
    { shown }: Selected,
    keys: readonly string[],
  ): Promise<Pick<AffectedUnits, 'items'>> {
    if (!shown) return {};
    const grant = grantOf(kind, 'read', session.caller, session.model);
    if (!grant || keys.length === 0) return { items: '[]' };
    const parsed = { query: shown, faults: [] };
    const answered = hasKeyOf(kind, keys.slice(0, LIMITS.bulk));
    const { items } = await whileLocked(session, () => this.reader.list(session, { kind, grant }, parsed, answered));
    return { items };
  }

  async #updateEach(
    session: Session,
    kind: KindDef,
    selected: Selected,
    read: () => MaybePromise<Body>,
    { access, writer }: WriteOptions,
  ): Promise<AffectedUnits> {
    const keys = await this.#lock(session, selected.plan, 'update');
    const limit = new WriteDeadline(LIMITS.affectedSeconds, 'The edit', ': write fewer units at once');
    const [first] = keys;
    // Faults of the body are found before those of single units, and where there is no unit.
    const inPortions = !this.behaviors.editsOneByOne(kind, session);
    await countingDefaults(session, async (defaults) => {
      const drafting = { access, defaults, ...(writer && { writer }), ...(first !== undefined && { id: first }) };
      const { deferred, ...edit } = await this.#draft(session, kind, selected.plan, read, drafting);
      if (first === undefined) deferred.throwIfAny();
      const options = { access, writer: writer ?? session.caller, answers: false, fresh: unchanged } as const;
      for (let at = 0; inPortions && at < keys.length; at += LIMITS.bulk) {
        limit.check();
        const portion = keys.slice(at, at + LIMITS.bulk);
        const edits = portion.map((id) => ({ id, ...edit }));
        await withUnits(portion, () => this.updates.updateMany(session, kind, edits, options));
      }
    });
    for (const key of inPortions ? [] : keys) {
      limit.check();
      await withUnit(key, () => this.updates.update(session, kind, key, read, { access, ...(writer && { writer }) }));
    }
    return { count: keys.length, ...(await this.#items(session, kind, selected, keys)) };
  }

  /** Changes the units with one statement. Returns how many there were. */
  #updateAtOnce(
    session: Session,
    kind: KindDef,
    plan: MatchingPlan,
    read: () => MaybePromise<Body>,
    options: WriteOptions,
  ): Promise<number> {
    return countingDefaults(session, (defaults) => this.#update(session, kind, plan, read, { ...options, defaults }));
  }

  async #update(
    session: Session,
    kind: KindDef,
    plan: MatchingPlan,
    read: () => MaybePromise<Body>,
    options: WriteOptions & { readonly defaults: DefaultBytes },
  ): Promise<number> {
    const { body, draft, deferred, rules } = await this.#draft(session, kind, plan, read, options);
    const allowed = withFieldRules(options.access, rules);
    const update: UpdateMatchingPlan = {
      ...plan,
      ...writePlan(session, kind),
      ...planWritten(session, kind, draft, body),
      access: allowed,
      allowed,
    };
    await this.quota.checkStorage(session);
    return withDeferredFaults(this.database, session, deferred, async (within) => {
      const context = writeContextOf(within, kind);
      const verdict = await updateMatching(within, update, draft.row, context).catch(async (error: unknown) => {
        throw await withViolators(within, update, draft, error);
      });
      const conditions = { access: options.access, rules };
      if (verdict.denied !== null) await checkFieldRules(within, kind, verdict.denied, conditions);
      checkFound(within, plan, verdict, 'update');
      await this.#checkVerdict(within, update, draft, verdict, conditions);
      deferred.throwIfAny();
      return verdict.affected;
    });
  }

  /** @throws KindError 403, 409 if the edit is not allowed for one of the units */
  async #checkVerdict(
    session: Session,
    plan: UpdateMatchingPlan,
    draft: Draft,
    { guarded: failed, unfit, leaving }: Verdict,
    conditions: EditConditions,
  ): Promise<void> {
    const { schema, kind, guarded } = plan;
    const refused = guarded.flatMap((each, at) => {
      const unit = failed[at] ?? undefined;
      return unit === undefined ? [] : [{ each, unit }];
    });
    const once = refused.flatMap(({ each, unit }): readonly Message[] => {
      if (hasTransitions(each)) return [];
      return (writeOnceRefusal([each.field])?.messages ?? []).map((message) => ({ ...message, unit }));
    });
    throwMessages(once);
    if (unfit !== null) {
      const target = { schema, kind, id: parseKey(kind, unfit) };
      await withUnit(unfit, () => withResults(session, this.patterns, target, draft));
      // The unit was changed in between.
      const text = 'The result of an expression does not fit in one of the units';
      throw ofUnit(refusal('parameter.bad_expression', text), unfit);
    }
    if (leaving !== null) {
      const edit = { ...plan, id: parseKey(kind, leaving), tags: undefined };
      const why = await whyNotTo(session, edit, draft, conditions);
      throw ofUnit(why ?? leavesAllowedUnits(session.caller, kind), leaving);
    }
    for (const { each, unit } of refused) {
      const target = { schema, kind, id: parseKey(kind, unit) };
      throwMessages((await transitionMessages(session, target, [each])).map((message) => ({ ...message, unit })));
    }
  }

  async #draft(
    session: Session,
    kind: KindDef,
    plan: MatchingPlan,
    read: () => MaybePromise<Body>,
    {
      defaults,
      access,
      writer = session.caller,
      id = NO_ID,
    }: WriteOptions & { readonly defaults: DefaultBytes; readonly id?: string },
  ) {
    try {
      const { body, nested } = withoutNested(kind, await read(), writableFields(kind, writer, session.model));
      const drafted = await this.drafter.edit(session, kind, id, body, { writer, defaults, plain: id === NO_ID });
      for (const parameter of nested) {
        const text = `${parameter}: must be an id: an edit by filter creates no units`;
        drafted.faults.add('parameter.bad_value', text, { parameter });
      }
      const deferred = await checkReferences(session, kind, drafted, { writer, access });
      return { body: drafted.body, draft: drafted.draft, rules: drafted.rules, deferred };
    } catch (error) {
      // Whether the units may be changed is reported before faults of the body.
      if (error instanceof KindError && error.status === 400 && !session.executor.tx && plan.access) {
        const found = await lockMatching(session, plan, false);
        checkFound(session, plan, found, 'update');
      }
      throw error;
    }
  }
}

/** Refuses an edit of parameters whose rules a stored unit does not satisfy, if the caller may change it. */
async function checkFieldRules(
  session: Session,
  kind: KindDef,
  id: string,
  { access, rules }: EditConditions,
): Promise<void> {
  const [may] = access ? ((await evaluateUnit(session, kind, parseKey(kind, id), [access])) ?? []) : [true];
  if (may && rules.length > 0) await withUnit(id, () => checkStoredFieldRules(session, kind, id, rules));
}

const unchanged = <T>(found: T): Promise<T> => Promise.resolve(found);

/** No unit has it, so that a body with an id is refused. */
const NO_ID = '';

/** The body without objects in place of ids, and the names of their parameters. */
function withoutNested(kind: KindDef, given: Body, writable: ReadonlyMap<string, Field>) {
  const nested = nestedBodies(kind, given).flatMap(({ field }) => (writable.has(field.id) ? field.id : []));
  if (nested.length === 0) return { body: given, nested };
  const body: Body = new Map([...given].filter(([name]) => !nested.includes(name)));
  return { body, nested };
}

function hasKeyOf(kind: KindDef, keys: readonly string[]): Predicate {
  return { op: 'in', target: { field: kind.keyField, keys: [] }, values: keys };
}

/** The plan for locked units. */
function ofKeys(plan: MatchingPlan, keys: readonly string[]): MatchingPlan {
  return { ...plan, filter: conjunction(plan.filter, hasKeyOf(plan.kind, keys)) };
}

/** The error of an edit that a constraint forbids, with a unit for each that does; other errors as they are. */
async function withViolators(
  session: Session,
  plan: UpdateMatchingPlan,
  draft: Draft,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof KindError)) return error;
  if (error.code === 'unit.check') return withFailing(session, plan, draft, error);
  return error.code.endsWith('.not_unique') ? withTakenBy(session, plan, draft, error) : error;
}

/** All checks that the edit makes units fail, each with one of the units. */
function withFailing(
  session: Session,
  plan: UpdateMatchingPlan,
  draft: Draft,
  error: KindError,
): Promise<KindError> | KindError {
  const { visibleFields } = writeContextOf(session, plan.kind);
  const checks = resolvedChecks(plan.kind);
  return completeRefusal(session.executor, error, async (executor, soFar) => {
    const units = await failingUnits(executor, plan, draft.row, checks);
    const [first, ...rest] = checks.flatMap((check, at): Message[] => {
      const unit = units[at] ?? undefined;
      return unit === undefined ? [] : [{ ...failedCheck(check, visibleFields), unit }];
    });
    return first ? soFar.withMessages([first, ...rest]) : soFar;
  });
}

/** The unique values that the edit would give a unit although another one has them, with the unit. */
async function withTakenBy(
  session: Session,
  plan: UpdateMatchingPlan,
  draft: Draft,
  error: KindError,
): Promise<KindError> {
  const { visibleFields } = writeContextOf(session, plan.kind);
  const written = [...plan.written, ...expressionsOf(draft).map(({ field }) => field)];
  const lists = uniqueLists(plan.kind).filter(
    (fields) => fields.some((field) => written.includes(field)) && fields.every(({ id }) => visibleFields.has(id)),
  );
  const most = Math.min(plan.most, Math.ceil(LIMITS.uniqueLookups / Math.max(1, lists.length)));
  return completeRefusal(session.executor, error, async (executor, soFar) => {
    const units = await takenBy(executor, { ...plan, most }, draft.row, lists);
    const found = lists.flatMap((fields, at): Message[] => {
      const unit = units[at] ?? undefined;
      return unit === undefined ? [] : [{ ...takenValues(fields), unit }];
    });
    return withFaults(soFar, found);
  });
}

/** @throws KindError 403 if the caller may not write one of the units, 409 if there are too many */
function checkFound(
  { caller }: Session,
  { kind, most }: MatchingPlan,
  { denied, matched }: FoundRows,
  operation: Operation,
): void {
  if (denied !== null) {
    throw ofUnit(accessDenied(caller, `You may not ${operation} some of these units of '${kind.id}'`), denied);
  }
  if (matched <= most) return;
  const text = `More than ${most} units of '${kind.id}' match; max_affected is the most that may, up to ${LIMITS.affectedMax}`;
  throw refusal('unit.too_many', text);
}

function throwMessages([first, ...rest]: readonly Message[]): void {
  if (first) throw new KindError([first, ...rest]);
}
