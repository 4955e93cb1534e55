/**
 * The one door for writes: whatever is stored of a project, by a request, a behaviour or a function, goes through
 * `insert`, `update` and `remove` here.
 */
import { Injectable } from '@nestjs/common';
import { denied, readableFields, writableFields } from '../access/access.js';
import type { Field, KindDef } from '../model/model.js';
import { both } from '../model/predicate.js';
import { Breather } from '../shared/breather.js';
import { Faults, KindError } from '../shared/errors.js';
import { scalarText, type Json } from '../shared/json.js';
import type { DeletePlan } from '../sql/write.sql.js';
import { SYSTEM, type Caller } from '../tenancy/caller.js';
import { Behaviors, type PendingWrite } from './behavior.js';
import type { WriteContext } from './conflict.js';
import { Deletions } from './deletion.js';
import { draftCreate, draftUpdate, type Body, type Draft } from './draft.js';
import { reachesOthers, References, type Placed } from './references.js';
import type { Session } from './session.js';
import { withAllTaken } from './uniques.js';
import { unknownUnit, parseKey } from './unit.key.js';
import { UnitRepository, type UnitRow } from './unit.repository.js';
import { answeredFields, leaves, UnitRights, type Conditions } from './unit.rights.js';

export interface WriteOptions extends Conditions {
  /** The body is a list: faults tell the position. */
  readonly bulk?: boolean;
  /** Who writes, for the fields that may be written, where it is not the caller. */
  readonly writer?: Caller;
}

/** An element of a bulk body that is no object, and what it is. */
export interface NotObject {
  readonly got: string;
}

@Injectable()
export class UnitWriter {
  constructor(
    private readonly repository: UnitRepository,
    private readonly behaviors: Behaviors,
    private readonly references: References,
    private readonly deletions: Deletions,
    private readonly rights: UnitRights,
  ) {}

  /** Makes units of the bodies, all or none. @throws KindError with every fault of every body */
  async insert(
    session: Session,
    kind: KindDef,
    bodies: readonly (Body | NotObject)[],
    options: WriteOptions = {},
  ): Promise<UnitRow[]> {
    const behaviors = this.behaviors.of(kind);
    const faults = new Faults();
    const drafts: Placed[] = [];
    const writer = options.writer ?? session.caller;
    const masks = { writable: writableFields(kind, writer), readable: readableFields(kind, writer) };
    const breather = new Breather();
    for (const [at, given] of bodies.entries()) {
      if (breather.due) await breather.pause();
      const write: PendingWrite = { kind, session, faults, ...(options.bulk && { index: at }) };
      if ('got' in given) {
        faults.add('body.not_object', `[${at}]: must be an object, got ${given.got}`, { index: at });
        continue;
      }
      let body = given;
      for (const behavior of behaviors) body = (await behavior.prepare?.(body, write)) ?? body;
      let draft = draftCreate(body, { kind, ...masks, faults, ...(options.bulk && { index: at }) });
      for (const behavior of behaviors) draft = (await behavior.complete?.(draft, write)) ?? draft;
      drafts.push({ draft, ...(options.bulk && { index: at }) });
    }
    await this.references.checkTargets(session, kind, drafts, faults, faults.any);
    faults.throwIfAny();
    const [first] = drafts;
    if (!first) return [];
    const rows = drafts.map(({ draft }) => draft.row);
    const plan = { ...this.#plan(session, kind), written: uniqueColumns(first.draft.written), allowed: options.access };
    const made = await this.#tellingAll(session, kind, drafts, (context) =>
      this.repository.insert(session.executor, plan, rows, context),
    );
    if (made.length === 0) throw denied(session.caller, `You may not create such a unit of '${kind.id}'`);
    await this.#after(
      session,
      kind,
      drafts.map(({ draft }) => draft),
    );
    return made;
  }

  /**
   * PostgreSQL tells of a missing unit, or of a value that another one has, at the first: all of them are told, where
   * the connection can still be asked.
   */
  async #tellingAll<T>(
    session: Session,
    kind: KindDef,
    drafts: readonly Placed[],
    work: (context: WriteContext) => Promise<T>,
    id?: string,
  ): Promise<T> {
    const context = this.#context(session, kind, drafts[0]?.index !== undefined);
    try {
      return await work(context);
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      const [only, ...others] = drafts;
      if (error.code.endsWith('.not_unique') && only?.index === undefined && only && others.length === 0) {
        throw await withAllTaken(session, kind, only.draft, id, context.told, error);
      }
      if (error.code !== 'parameter.bad_reference') throw error;
      const faults = new Faults();
      await this.references.checkTargets(session, kind, drafts, faults, true).catch(() => undefined);
      faults.throwIfAny();
      throw error;
    }
  }

  async #after(session: Session, kind: KindDef, drafts: readonly Draft[], id?: string): Promise<void> {
    for (const behavior of this.behaviors.of(kind)) {
      if (!behavior.afterWrite) continue;
      for (const draft of drafts) await behavior.afterWrite(kind, id ?? idOf(draft, kind), draft, session);
    }
  }

  /** Writes what the body has; `read` is asked for it when its turn comes. @throws KindError 400, 403, 404, 409, 412 */
  async update(
    session: Session,
    kind: KindDef,
    id: string,
    read: () => Body,
    options: WriteOptions = {},
  ): Promise<UnitRow> {
    const behaviors = this.behaviors.of(kind);
    const key = parseKey(kind, id);
    if (key === undefined) throw unknownUnit(kind, id);
    if (behaviors.length > 0) await this.rights.mustBeWritable(session, kind, id, options, 'update');
    const { body, draft } = await this.#draftEdit(session, kind, id, read, options);
    const plan = {
      ...this.#plan(session, kind, behaviors.some((behavior) => behavior.answersEdited) ? body : undefined),
      written: uniqueColumns(draft.written),
      id: key,
      access: both(this.rights.readable(session, kind), options.access),
      allowed: options.access,
      tags: options.tags,
    };
    const telling = (context: WriteContext) => this.repository.update(session.executor, plan, draft.row, context);
    const made = await this.#tellingAll(session, kind, [{ draft }], telling, id);
    if (!made) throw (await this.rights.whyNot(session, kind, id, options, 'update')) ?? leaves(session.caller, kind);
    await this.#after(session, kind, [draft], id);
    return made;
  }

  async #draftEdit(
    session: Session,
    kind: KindDef,
    id: string,
    read: () => Body,
    options: WriteOptions,
  ): Promise<{ body: Body; draft: Draft }> {
    const behaviors = this.behaviors.of(kind);
    const faults = new Faults();
    const write: PendingWrite = { kind, session, faults, id };
    try {
      let body = read();
      for (const behavior of behaviors) body = (await behavior.prepare?.(body, write)) ?? body;
      let draft = draftUpdate(body, id, {
        kind,
        writable: writableFields(kind, options.writer ?? session.caller),
        readable: readableFields(kind, options.writer ?? session.caller),
        faults,
      });
      for (const behavior of behaviors) draft = (await behavior.complete?.(draft, write)) ?? draft;
      await this.references.checkTargets(session, kind, [{ draft }], faults, faults.any);
      faults.throwIfAny();
      return { body, draft };
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
    if (this.behaviors.of(kind).length === 0 && !reachesOthers(session.model, kind)) {
      if (await this.#deleteRow(session, { ...plan, tags: options.tags })) return;
    } else if (await this.repository.lock(session.executor, { ...plan, tags: options.tags }, session.model)) {
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
      return await this.repository.delete(session.executor, plan, this.#context(session, kind));
    } catch (error) {
      const referenced = error instanceof KindError && error.code === 'unit.referenced';
      throw referenced ? await this.references.explain(session, kind, scalarText(plan.id as Json), error) : error;
    }
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

  #context(session: Session, kind: KindDef, bulk = false): WriteContext {
    const { caller, model } = session;
    const told = caller.type === 'system' ? kind.fields : readableFields(kind, caller);
    return { model, kind, told, ...(bulk && { bulk }) };
  }
}

/** Two fields never write one column: the key of a kind and its primary parameter share theirs. */
function uniqueColumns(fields: readonly Field[]): Field[] {
  const columns = new Set<string | undefined>();
  return fields.filter(({ column }) => !columns.has(column) && columns.add(column));
}

function idOf(draft: Draft, kind: KindDef): string {
  return scalarText(draft.row[kind.keyField.column ?? 'id']);
}

/** Sessions of behaviours write what no client may. */
export function asSystem(session: Session): Session {
  return { ...session, caller: SYSTEM };
}
