/** Writes units into tables. */
import { Injectable } from '@nestjs/common';
import { accessDenied } from '../../access/access.js';
import { Database } from '../../database/database.js';
import { uniqueColumns } from '../../model/field.js';
import { readJson } from '../../http/body/json-pieces.js';
import { isLinkable, type Field, type KindDef } from '../../model/model.js';
import { both, type Predicate } from '../../model/predicate/predicate.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { Faults, KindError } from '../../shared/errors.js';
import type { MaybePromise } from '../../shared/maybe-promise.js';
import { scalarText, type Json } from '../../shared/json.js';
import type { DeletePlan } from '../../sql/write.sql.js';
import type { Caller } from '../../tenancy/caller.js';
import { Behaviors } from '../draft/behavior.js';
import { BehaviorChanges } from './changes.js';
import type { WriteContext } from './conflict.js';
import { deletionRunsHooks, Deletions } from './deletion.js';
import { countingDefaults, type DefaultBytes } from '../draft/default-bytes.js';
import type { Body } from '../draft/draft.js';
import { Drafter, type DraftedEdit, type NotObject } from '../draft/drafter.js';
import { readEdit } from './edit-body.js';
import { deleteLinksOf } from './link-deletion.js';
import {
  asSeparateWrite,
  createsNestedUnits,
  relocateRefusal,
  nestedBodies,
  type NestedUnits,
} from '../draft/nested-units.js';
import { ReplacedKeys } from '../draft/replaced-ids.js';
import { isReferenced, References, type LocatedDraft, type Unreachable } from '../draft/references.js';
import { timesOf } from '../session/caller-executor.js';
import { originalCallerOf, asSystem, type Session } from '../session/session.js';
import { unknownUnit, parseKey } from '../session/unit-ids.js';
import type { UnitRow } from '../store/unit-store.js';
import { UnitRepository } from './unit.repository.js';
import { answeredFields, leavesAllowedUnits, withVersion, UnitRights } from './rights.js';
import type { Conditions, UnitStore, WriteOptions } from '../store/unit-store.js';
import { rewordRefusal, withCompleteRefusal, withFaults } from '../draft/complete-refusal.js';
import { writeContextOf, WriteRefusals } from './write-refusals.js';

/** How new units of one kind are inserted. */
interface InsertOptions {
  /** What each of them must satisfy. */
  readonly allowed: Predicate | undefined;
  readonly late: Faults;
  readonly keys: ReplacedKeys;
  readonly defaults: DefaultBytes;
  /** The caller whose rights decide which fields a refusal may name. */
  readonly writer: Caller;
}

@Injectable()
export class TableWriter {
  constructor(
    private readonly repository: UnitRepository,
    private readonly behaviors: Behaviors,
    private readonly drafter: Drafter,
    private readonly database: Database,
    private readonly references: References,
    private readonly deletions: Deletions,
    private readonly rights: UnitRights,
    private readonly changes: BehaviorChanges,
    private readonly refusals: WriteRefusals,
  ) {}

  /**
   * A deletion in which no code of authors runs reads nothing before it holds the unit, and has to see the references and
   * links that were made until then.
   */
  readonly isolation: UnitStore['isolation'] = (session, kind, operation) => {
    const several = this.behaviors.of(kind, session).length > 0;
    if (operation !== 'delete') return several ? 'repeatable read' : undefined;
    if (deletionRunsHooks(this.behaviors, session, kind)) return 'repeatable read';
    return several || isLinkable(kind) || isReferenced(session.model, kind) ? 'read committed' : undefined;
  };

  async insert(
    session: Session,
    kind: KindDef,
    bodies: readonly (Body | NotObject)[],
    options: WriteOptions = {},
  ): Promise<UnitRow[]> {
    for (const behavior of this.behaviors.of(kind, session)) behavior.ready?.();
    if (this.#isAlone(session) && bodies.some((body) => !('got' in body) && nestedBodies(kind, body).length > 0)) {
      return this.#together(session, (within) => this.insert(within, kind, bodies, options));
    }
    const { bulk = false, writer = session.caller, faults = new Faults() } = options;
    return countingDefaults(session, async (defaults) => {
      const drafted = await this.drafter.creates(session, kind, bodies, { writer, bulk, faults, defaults });
      const late = await this.references.check(session, kind, drafted, { writer, access: options.access });
      if (drafted.drafts.length === 0) return [];
      return this.#undoable(session, late, async (within) => {
        const keys = await this.#insertNested(within, drafted.nested, writer, defaults);
        return this.#insertAll(within, kind, drafted.drafts, { allowed: options.access, late, keys, defaults, writer });
      });
    });
  }

  /** A write of which it is known that it will be refused: only rights are a better reason. Where it succeeds it is undone. */
  async #undoable<T>(session: Session, late: Faults, work: (session: Session) => Promise<T>): Promise<T> {
    if (!late.any) return work(session);
    try {
      return await (this.#isAlone(session) ? this.#together(session, work) : work(session));
    } catch (error) {
      if (!(error instanceof KindError) || ![400, 409].includes(error.status)) throw error;
      throw rewordRefusal(error, (refused) => withFaults(refused, late.messages));
    }
  }

  /** Inserts the units that others refer to, a statement for each kind and depth. */
  async #insertNested(
    session: Session,
    nested: NestedUnits,
    writer: Caller,
    defaults: DefaultBytes,
  ): Promise<ReplacedKeys> {
    const inner = { ...session, caller: writer };
    const keys = new ReplacedKeys();
    for (const { kind, allowed, units } of nested.groups) {
      try {
        await this.#insertAll(inner, kind, units, { allowed, late: new Faults(), keys, defaults, writer });
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
    { allowed, late, keys, defaults, writer }: InsertOptions,
  ): Promise<UnitRow[]> {
    const given = asSeparateWrite(drafted.map((unit) => keys.into(kind, unit)));
    const base = { ...this.#plan(session, kind), written: uniqueColumns(given[0]?.draft.written ?? []), allowed };
    const units = await this.changes.ofCreate(session, base, given, { late, defaults });
    keys.note(kind, drafted, units);
    await this.references.checkKeys(session, kind, units, keys);
    const rows = units.map(({ draft }) => draft.row);
    const plan = units === given ? base : { ...base, written: uniqueColumns(units[0]?.draft.written ?? []) };
    const telling = (context: WriteContext) => this.repository.insert(session.executor, plan, rows, context);
    const made = await this.refusals.completing({ ...session, caller: writer }, kind, units, telling);
    if (made.length === 0) throw accessDenied(session.caller, `You may not create such a unit of '${kind.id}'`);
    late.throwIfAny();
    await this.behaviors.afterWrite(session, kind, units);
    return made;
  }

  /** Whether what is written in several statements would not be one transaction. */
  #isAlone({ executor }: Session): boolean {
    return !executor.tx;
  }

  #together<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
    return withCompleteRefusal(session.executor, () =>
      this.database.transaction((executor) => work({ ...session, executor }), timesOf(originalCallerOf(session))),
    );
  }

  /** What a unit refers to already stays as it is, where the caller sees that it does. */
  #fresh(session: Session, kind: KindDef, id: string) {
    return async (found: readonly Unreachable[]): Promise<Unreachable[]> => {
      const stored = await this.#stored(session, kind, id);
      return found.filter(({ field, id: asked }) => stored[field.id] !== asked);
    };
  }

  async #stored(session: Session, kind: KindDef, id: string): Promise<Readonly<Record<string, Json>>> {
    const { body } = await this.rights.present(session, kind, id);
    return (await readJson(body, session.project.schema)) as Record<string, Json>;
  }

  update(
    session: Session,
    kind: KindDef,
    id: string,
    read: () => MaybePromise<Body>,
    options: WriteOptions = {},
  ): Promise<UnitRow> {
    return countingDefaults(session, (defaults) => this.#update(session, kind, id, read, { ...options, defaults }));
  }

  async #update(
    session: Session,
    kind: KindDef,
    id: string,
    read: () => MaybePromise<Body>,
    options: WriteOptions & { readonly defaults: DefaultBytes },
  ): Promise<UnitRow> {
    const behaviors = this.behaviors.of(kind, session);
    const key = parseKey(kind, id);
    if (key === undefined) throw unknownUnit(kind, id);
    if (this.#isAlone(session) && (await createsNestedUnits(kind, read))) {
      return this.#together(session, (within) => this.update(within, kind, id, read, options));
    }
    if (behaviors.length > 0) await this.rights.mustBeWritable(session, kind, id, options, 'update');
    for (const behavior of behaviors) behavior.ready?.();
    const { body, nested, late, conditions, ...edit } = await this.#draftEdit(session, kind, id, read, options);
    let drafted = edit.draft;
    if (nested.any) {
      if (behaviors.length === 0) await this.rights.mustBeWritable(session, kind, id, conditions, 'update');
      const keys = await this.#insertNested(session, nested, options.writer ?? session.caller, options.defaults);
      drafted = keys.into(kind, edit).draft;
      await this.references.checkKeys(session, kind, [{ draft: drafted }], keys, this.#fresh(session, kind, id));
    }
    const base = {
      ...this.#plan(session, kind, behaviors.some((behavior) => behavior.answersEdited) ? body : undefined),
      id: key,
      access: both(this.rights.readable(session, kind), options.access),
      allowed: options.access,
      tags: conditions.tags,
    };
    return this.#undoable(session, late, async (within) => {
      const changes = !late.any && this.behaviors.changesUpdates(kind, within);
      const draft = changes
        ? await this.changes.ofEdit(within, { ...base, allowed: undefined }, id, drafted, conditions)
        : drafted;
      // What behaviours change of a unit that is held makes another version of it.
      const plan = { ...base, written: uniqueColumns(draft.written), ...(changes && { tags: undefined }) };
      const telling = (context: WriteContext) => this.repository.update(within.executor, plan, draft.row, context);
      const made = await this.refusals.completing(within, kind, [{ draft }], telling, {
        id,
        fresh: this.#fresh(within, kind, id),
      });
      if (!made)
        throw (
          (await this.rights.whyNot(within, kind, id, conditions, 'update')) ?? leavesAllowedUnits(session.caller, kind)
        );
      late.throwIfAny();
      await this.behaviors.afterWrite(within, kind, [{ draft }], id);
      return made;
    });
  }

  async #draftEdit(
    session: Session,
    kind: KindDef,
    id: string,
    read: () => MaybePromise<Body>,
    options: WriteOptions & { readonly defaults: DefaultBytes },
  ): Promise<DraftedEdit & { readonly late: Faults; readonly conditions: Conditions }> {
    const behaviors = this.behaviors.of(kind, session);
    const writer = options.writer ?? session.caller;
    try {
      const editing = { reader: session.caller, writer, yielder: new EventLoopYield(session.project.schema) };
      const stored = () => this.#stored(session, kind, id);
      const { body, version } = await readEdit(kind, id, await read(), editing, stored);
      const drafted = await this.drafter.edit(session, kind, id, body, { writer, defaults: options.defaults });
      const writing = { writer, access: options.access, fresh: this.#fresh(session, kind, id) };
      const late = await this.references.check(session, kind, drafted, writing);
      return { ...drafted, late, conditions: withVersion(options, version) };
    } catch (error) {
      // Whether the unit is there, and may be changed, is answered before what is wrong with the body.
      if (behaviors.length === 0 && error instanceof KindError) {
        await this.rights.mustBeWritable(session, kind, id, options, 'update');
      }
      throw error;
    }
  }

  async remove(session: Session, kind: KindDef, id: string, options: WriteOptions = {}): Promise<void> {
    const key = parseKey(kind, id);
    if (key === undefined) throw unknownUnit(kind, id);
    const access = both(this.rights.readable(session, kind), options.access);
    const plan = { schema: session.project.schema, kind, version: session.model.version, id: key, access };
    if (this.behaviors.of(kind, session).length === 0 && !isReferenced(session.model, kind)) {
      if (await this.#deleteRow(session, { ...plan, tags: options.tags })) return;
    } else if (await this.repository.lock(session.executor, { ...plan, tags: options.tags }, session.model, true)) {
      // What a behaviour changes of the unit before it goes makes another version of it.
      const row = { ...plan, access: undefined, tags: undefined };
      return this.deletions.remove(session, kind, scalarText(key), {
        deleteRow: async () => void (await this.#deleteRow(session, row)),
        clear: (at, other, otherId, field) => this.#clear(at, other, otherId, field),
      });
    }
    throw (await this.rights.whyNot(session, kind, id, options, 'delete')) ?? unknownUnit(kind, id);
  }

  async #deleteRow(session: Session, plan: DeletePlan): Promise<boolean> {
    const { kind } = plan;
    try {
      if (!(await this.repository.delete(session.executor, plan, writeContextOf(session, kind)))) return false;
    } catch (error) {
      const referenced = error instanceof KindError && error.code === 'unit.referenced';
      throw referenced ? await this.references.explain(session, kind, scalarText(plan.id as Json), error) : error;
    }
    await deleteLinksOf(session, kind, [scalarText(plan.id as Json)], this.database);
    return true;
  }

  /** Empties a reference to a unit that goes: the owner's rule, which needs no right. */
  async #clear(session: Session, kind: KindDef, id: string, field: Field): Promise<void> {
    await this.update(asSystem(session), kind, id, () => new Map([[field.id, null]]));
  }

  #plan(session: Session, kind: KindDef, edited?: Body) {
    const { project, model, caller } = session;
    const shown = this.rights.readable(session, kind);
    return {
      schema: project.schema,
      kind,
      version: model.version,
      fields: answeredFields(kind, caller, edited),
      shown,
    };
  }
}
