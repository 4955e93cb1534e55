/** Creates units of kinds with a table, and the units nested in them. */
import { Injectable } from '@nestjs/common';
import type { Session } from '../../../catalog/session/session.js';
import { Database } from '../../../database/database.js';
import { uniqueColumns } from '../../../model/field.js';
import type { Field, KindDef } from '../../../model/model.js';
import type { Predicate } from '../../../model/predicate/predicate.js';
import { Faults, refusal, type KindError } from '../../../shared/errors.js';
import type { WritePlan } from '../../../sql/write/written-rows.sql.js';
import type { Caller } from '../../../tenancy/caller.js';
import { Behaviors } from '../../draft/behavior.js';
import { DefaultBytes } from '../../draft/default-bytes.js';
import type { Body, Draft } from '../../draft/draft.js';
import { Drafter, isNotObject, type NotObject } from '../../draft/drafter.js';
import {
  asSeparateWrite,
  nestedBodies,
  type NestedUnits,
  relocateRefusal,
  ReplacedKeys,
} from '../../draft/nested-units.js';
import { checkNewFiles, checkReferencedKeys, checkReferences, type LocatedDraft } from '../../draft/references.js';
import type { UnitRow, WriteOptions } from '../../store/unit-store.js';
import { mayNotCreateUnit, writePlan } from '../rights.js';
import { StoredCounts } from '../stored-counts.js';
import { BehaviorChanges, checkLookedUp, refusedUnits } from './behavior-changes.js';
import { hasNoTransaction, inOwnTransaction, withDeferredFaults } from './own-transaction.js';
import { whyNoBeginning } from './transitions.js';
import { UnitQuota } from './unit-quota.js';
import { withNumbers } from './numbers.js';
import { takenValues, withAllViolations } from './violations.js';
import { insertUnanswered, insertUnits, refusedInserts } from './write.repository.js';

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
  /** Whether the units are brought back, and so begin as they were. */
  readonly keepIds?: boolean;
  readonly insertedAt?: string | undefined;
  /** The parameters by which the units of an upsert were looked up. */
  readonly by?: readonly Field[] | undefined;
}

/** New units that were written, if they are returned. */
interface Inserted {
  readonly count: number;
  readonly created: UnitRow[];
}

@Injectable()
export class Creates {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly drafter: Drafter,
    private readonly database: Database,
    private readonly changes: BehaviorChanges,
    private readonly quota: UnitQuota,
    private readonly counts: StoredCounts,
  ) {}

  /**
   * Creates a unit per body, in these stages: validate the bodies, check their references, insert the units nested in
   * them, and then the units (`#insert`). All or none, and usually with one statement.
   */
  async create(
    session: Session,
    kind: KindDef,
    bodies: readonly (Body | NotObject)[],
    options: WriteOptions = {},
  ): Promise<UnitRow[]> {
    this.behaviors.checkReady(kind, session);
    if (hasNoTransaction(session) && bodies.some((body) => !isNotObject(body) && nestedBodies(kind, body).length > 0)) {
      return inOwnTransaction(this.database, session, (within) => this.create(within, kind, bodies, options));
    }
    const { bulk = false, writer = session.caller, faults = new Faults(), access, answers = true, by } = options;
    const { keepIds = false, lookUpAll = false, insertedAt } = options;
    const defaults = new DefaultBytes(session);
    try {
      const drafted = await this.drafter.creates(session, kind, bodies, { writer, bulk, faults, defaults, keepIds });
      const deferred = await checkReferences(session, kind, drafted, { writer, access, lookUpAll });
      const { drafts, nested } = drafted;
      if (drafts.length === 0) return [];
      return await withDeferredFaults(this.database, session, deferred, async (within) => {
        const keys = nested.any ? await this.insertNested(within, nested, writer, defaults) : new ReplacedKeys();
        if (nested.any) await checkNewFiles(within, kind, drafts, nested);
        const inserting = { allowed: access, deferred, keys, defaults, writer, answers, by, keepIds, insertedAt };
        return this.#insert(within, kind, drafts, inserting);
      });
    } finally {
      defaults.end();
    }
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
      await checkNewFiles(inner, kind, units, nested);
      try {
        await this.#insert(inner, kind, units, { allowed, deferred: new Faults(), keys, defaults, writer });
      } catch (error) {
        throw relocateRefusal(error, units);
      }
    }
    return keys;
  }

  /** Lets the behaviors change the drafts, checks rights and quota, runs the statement, and calls the behaviors again. */
  async #insert(
    session: Session,
    kind: KindDef,
    drafted: readonly LocatedDraft[],
    options: InsertOptions,
  ): Promise<UnitRow[]> {
    const { allowed, deferred, keys, defaults, writer, by, keepIds, insertedAt } = options;
    const separate = asSeparateWrite(keys.any ? drafted.map((unit) => keys.into(kind, unit)) : drafted);
    const given = await withNumbers(session, kind, separate);
    const base = { ...writePlan(session, kind), written: writtenBy(given), allowed, by, insertedAt };
    if (!keepIds) await checkBeginnings(session, base, given);
    const units = await this.changes.ofCreate(session, base, given, { deferred, defaults });
    if (!keepIds && units !== given) await checkBeginnings(session, base, units);
    if (by && units !== given) checkLookedUp(by, given, units);
    // Without behaviors all keys are as drafted.
    if (units !== given) keys.note(kind, drafted, units);
    if (keys.any) await checkReferencedKeys(session, kind, units, keys);
    if (units.some(({ rules = [] }) => rules.length > 0)) await this.changes.checkFieldRules(session, base, units);
    await this.quota.check(session, kind, units.length);
    const rows = units.map(({ draft }) => draft.row);
    const plan = units === given ? base : { ...base, written: writtenBy(units) };
    const { count, created } = await this.#run({ ...session, caller: writer }, plan, units, rows, options);
    if (count < units.length && (by || count === 0)) throw await whyLeftOut(session, plan, units, by);
    deferred.throwIfAny();
    await this.behaviors.afterWrite(session, kind, units);
    return kind.traits.secret === undefined ? created : this.#withSecrets(session, kind, units, created);
  }

  /** Runs the statement. */
  #run(
    session: Session,
    plan: WritePlan,
    units: readonly LocatedDraft[],
    rows: readonly Draft['row'][],
    { answers = true }: InsertOptions,
  ): Promise<Inserted> {
    const { schema, kind } = plan;
    return withAllViolations(session, kind, units, async (context): Promise<Inserted> => {
      if (answers) {
        const created = await insertUnits(session, plan, rows, context);
        if (created.length > 0) this.counts.noteWrite(schema, kind);
        return { count: created.length, created };
      }
      const count = await insertUnanswered(session, plan, rows, context);
      if (count > 0) this.#noteLater(session, schema, kind);
      return { count, created: [] };
    });
  }

  /** An import keeps one of these notes for each statement: they refer to as little as possible. */
  #noteLater({ executor: { tx } }: Session, schema: string, kind: KindDef): void {
    const note = (): void => this.counts.noteWrite(schema, kind);
    if (tx) tx.afterCommit(note);
    else note();
  }

  #withSecrets(session: Session, kind: KindDef, units: readonly LocatedDraft[], rows: readonly UnitRow[]): UnitRow[] {
    return rows.map((row, at) => {
      const draft = units[at]?.draft;
      return draft ? { ...row, body: this.behaviors.completeAnswer(row.body, draft, kind, session) } : row;
    });
  }
}

function writtenBy([first]: readonly LocatedDraft[]): readonly Field[] {
  return uniqueColumns(first?.draft.written ?? []);
}

/** @throws KindError 409 if a new unit may not begin as it is; before that, 403 if the caller may not create it at all */
async function checkBeginnings(session: Session, plan: WritePlan, units: readonly LocatedDraft[]): Promise<void> {
  const refused = whyNoBeginning(session, plan.kind, units);
  if (!refused) return;
  const written = writtenBy(units);
  const rows = units.map(({ draft }) => draft.row);
  const denied = await refusedInserts(session, { ...plan, written }, rows);
  throw denied.length > 0 ? refusedUnits(units, denied, mayNotCreateUnit(session.caller, plan.kind)) : refused;
}

/**
 * Why new units were left out. At REPEATABLE READ, PostgreSQL reports a conflict with a unit of another transaction as
 * one of the transactions; a hook may have created a unit with the values of an upsert in this one.
 */
async function whyLeftOut(
  session: Session,
  plan: WritePlan,
  units: readonly LocatedDraft[],
  by: readonly Field[] | undefined,
): Promise<KindError> {
  const refused = await refusedInserts(
    session,
    plan,
    units.map(({ draft }) => draft.row),
  );
  if (refused.length > 0 || !by) return refusedUnits(units, refused, mayNotCreateUnit(session.caller, plan.kind));
  const { code, text, ...place } = takenValues(by);
  return refusal(code, text, place);
}
