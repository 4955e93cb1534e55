/** Creates units of kinds with a table, and the units nested in them. */
import { Injectable } from '@nestjs/common';
import { accessDenied } from '../../../access/access.js';
import { Database } from '../../../database/database.js';
import { uniqueColumns } from '../../../model/field.js';
import type { Field, KindDef } from '../../../model/model.js';
import type { Predicate } from '../../../model/predicate/predicate.js';
import { Faults, KindError, refusal } from '../../../shared/errors.js';
import type { Caller } from '../../../tenancy/caller.js';
import { Behaviors } from '../../draft/behavior.js';
import { rewordRefusal, withFaults } from '../../../database/transaction/complete-refusal.js';
import { DefaultBytes } from '../../draft/default-bytes.js';
import type { WritePlan } from '../../../sql/write/write.sql.js';
import { takenValues } from '../../draft/conflict-messages.js';
import type { Body, Draft } from '../../draft/draft.js';
import { Drafter, isNotObject, type NotObject } from '../../draft/drafter.js';
import { asSeparateWrite, nestedBodies, relocateRefusal, type NestedUnits } from '../../draft/nested-units.js';
import { checkLookedUp } from '../../draft/upsert-keys.js';
import { References, type LocatedDraft } from '../../draft/references.js';
import { ReplacedKeys } from '../../draft/replaced-ids.js';
import { usedBy } from '../../../catalog/session/caller-executor.js';
import { originalCallerOf, type Session } from '../../../catalog/session/session.js';
import type { UnitRow, WriteOptions } from '../../store/unit-store.js';
import { BehaviorChanges } from './behavior-changes.js';
import type { WriteContext } from '../violation/constraint-violations.js';
import { UnitRights } from '../rights.js';
import { UnitQuota } from './unit-quota.js';
import { UnitRepository } from '../unit.repository.js';
import { ViolationCompleter } from '../violation/complete-violations.js';

/** How new units of one kind are inserted. */
interface InsertOptions {
  /** The access rule that each new unit must satisfy. */
  readonly allowed: Predicate | undefined;
  /** Faults of references, which are thrown at the end of the write. */
  readonly deferred: Faults;
  readonly keys: ReplacedKeys;
  readonly defaults: DefaultBytes;
  /** The caller whose rights decide which fields a refusal may name. */
  readonly writer: Caller;
  /** Whether the new units are returned. */
  readonly answers?: boolean;
  /** The parameters by which the units of an upsert were looked up. */
  readonly by?: readonly Field[] | undefined;
}

@Injectable()
export class TableInserter {
  constructor(
    private readonly repository: UnitRepository,
    private readonly behaviors: Behaviors,
    private readonly drafter: Drafter,
    private readonly database: Database,
    private readonly references: References,
    private readonly rights: UnitRights,
    private readonly changes: BehaviorChanges,
    private readonly violations: ViolationCompleter,
    private readonly quota: UnitQuota,
  ) {}

  async insert(
    session: Session,
    kind: KindDef,
    bodies: readonly (Body | NotObject)[],
    options: WriteOptions = {},
  ): Promise<UnitRow[]> {
    for (const behavior of this.behaviors.of(kind, session)) behavior.ready?.();
    if (hasNoTransaction(session) && bodies.some((body) => !isNotObject(body) && nestedBodies(kind, body).length > 0)) {
      return this.inTransaction(session, (within) => this.insert(within, kind, bodies, options));
    }
    const { bulk = false, writer = session.caller, faults = new Faults(), access, keepIds, lookUpAll, by } = options;
    const { answers = true } = options;
    const defaults = new DefaultBytes(session);
    try {
      const drafting = { writer, bulk, faults, defaults, ...(keepIds && { keepIds }) };
      const drafted = await this.drafter.creates(session, kind, bodies, drafting);
      const { drafts, nested } = drafted;
      const deferred = await this.references.check(session, kind, drafted, {
        writer,
        access,
        ...(lookUpAll && { lookUpAll }),
      });
      if (drafts.length === 0) return [];
      return await this.withDeferredFaults(session, deferred, async (within) => {
        const keys = nested.any ? await this.insertNested(within, nested, writer, defaults) : new ReplacedKeys();
        return this.#insertAll(within, kind, drafts, {
          allowed: access,
          deferred,
          keys,
          defaults,
          writer,
          answers,
          by,
        });
      });
    } finally {
      defaults.end();
    }
  }

  /**
   * Runs a write. If `deferred` has faults, it fails at the end and is undone, unless it is refused for missing rights
   * before: that refusal takes precedence.
   */
  withDeferredFaults<T>(session: Session, deferred: Faults, work: (session: Session) => Promise<T>): Promise<T> {
    if (!deferred.any) return work(session);
    const working = hasNoTransaction(session) ? this.inTransaction(session, work) : work(session);
    return working.catch((error: unknown) => {
      if (!(error instanceof KindError) || ![400, 409].includes(error.status)) throw error;
      throw rewordRefusal(error, (refused) => withFaults(refused, deferred.messages));
    });
  }

  /** Inserts nested units, one statement per kind and depth. Returns the keys that behaviors replaced. */
  async insertNested(
    session: Session,
    nested: NestedUnits,
    writer: Caller,
    defaults: DefaultBytes,
  ): Promise<ReplacedKeys> {
    const inner = { ...session, caller: writer };
    const keys = new ReplacedKeys();
    for (const { kind, allowed, units } of nested.groups) {
      try {
        await this.#insertAll(inner, kind, units, { allowed, deferred: new Faults(), keys, defaults, writer });
      } catch (error) {
        throw relocateRefusal(error, units);
      }
    }
    return keys;
  }

  async #insertAll(
    session: Session,
    kind: KindDef,
    drafted: readonly LocatedDraft[],
    { allowed, deferred, keys, defaults, writer, answers = true, by }: InsertOptions,
  ): Promise<UnitRow[]> {
    const given = asSeparateWrite(keys.any ? drafted.map((unit) => keys.into(kind, unit)) : drafted);
    const base = {
      ...this.rights.writePlan(session, kind),
      written: uniqueColumns(given[0]?.draft.written ?? []),
      allowed,
      by,
    };
    const units = await this.changes.ofCreate(session, base, given, { deferred, defaults });
    if (by && units !== given) checkLookedUp(by, given, units);
    // Without behaviors all keys are as drafted.
    if (units !== given) keys.note(kind, drafted, units);
    if (keys.any) await this.references.checkKeys(session, kind, units, keys);
    if (units.some(({ rules = [] }) => rules.length > 0)) await this.changes.checkFieldRules(session, base, units);
    await this.quota.check(session, kind, units.length);
    const rows = units.map(({ draft }) => draft.row);
    const plan = units === given ? base : { ...base, written: uniqueColumns(units[0]?.draft.written ?? []) };
    const write = async (context: WriteContext): Promise<{ readonly count: number; readonly created: UnitRow[] }> => {
      if (!answers) {
        return { count: await this.repository.insertUnanswered(session.executor, plan, rows, context), created: [] };
      }
      const created = await this.repository.insert(session.executor, plan, rows, context);
      return { count: created.length, created };
    };
    const { count, created } = await this.violations.runWrite({ ...session, caller: writer }, kind, units, write);
    if (count < units.length && by) throw await this.#whyLeftOut(session, plan, rows, by);
    if (count === 0) throw accessDenied(session.caller, `You may not create such a unit of '${kind.id}'`);
    deferred.throwIfAny();
    await this.behaviors.afterWrite(session, kind, units);
    return kind.traits.secret === undefined ? created : this.#withSecrets(session, kind, units, created);
  }

  #withSecrets(session: Session, kind: KindDef, units: readonly LocatedDraft[], rows: readonly UnitRow[]): UnitRow[] {
    return rows.map((row, at) => {
      const draft = units[at]?.draft;
      return draft ? { ...row, body: this.behaviors.completeAnswer(row.body, draft, kind, session) } : row;
    });
  }

  /**
   * Why an upsert left out new units. At REPEATABLE READ, PostgreSQL reports a conflict with a unit of another
   * transaction as one of the transactions; a hook may have created a unit with the same values in this one.
   */
  async #whyLeftOut(
    session: Session,
    plan: WritePlan,
    rows: readonly Draft['row'][],
    by: readonly Field[],
  ): Promise<KindError> {
    if (await this.repository.mayInsert(session.executor, plan, rows, session.model)) {
      const { code, text, ...place } = takenValues(by.map(({ id }) => id));
      return refusal(code, text, place);
    }
    return accessDenied(session.caller, `You may not create such a unit of '${plan.kind.id}'`);
  }

  /** Runs the work in a new transaction. */
  inTransaction<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
    return this.database.transaction(
      (executor) => work({ ...session, executor }),
      usedBy({ ...session, caller: originalCallerOf(session) }),
    );
  }
}

/** Whether the session has no transaction, so that several statements would not be atomic. */
export function hasNoTransaction({ executor }: Session): boolean {
  return !executor.tx;
}
