/**
 * The one door for writes: whatever is stored of a project, by a request, a behaviour or a function, goes through
 * `insert`, `update` and `remove` here.
 */
import { Injectable } from '@nestjs/common';
import { grantOf, readableFields, writableFields } from '../access/access.js';
import type { Field, KindDef } from '../model/model.js';
import { both, type Predicate } from '../model/predicate.js';
import { Faults, KindError, refusal } from '../shared/errors.js';
import { scalarText } from '../shared/json.js';
import { SYSTEM, type Caller } from '../tenancy/caller.js';
import { Behaviors, type PendingWrite } from './behavior.js';
import type { WriteContext } from './conflict.js';
import { draftCreate, draftUpdate, type Body, type Draft } from './draft.js';
import { reachesOthers, References } from './references.js';
import type { Session } from './session.js';
import { unknownUnit, parseKey } from './unit.key.js';
import { UnitRepository, type UnitRow } from './unit.repository.js';

export interface WriteOptions {
  /** The body is a list: faults tell the position. */
  readonly bulk?: boolean;
  /** The units that the caller may make, or change (before and after). */
  readonly access?: Predicate | undefined;
  /** From `If-Match`: the version tags of which the unit must still have one. */
  readonly tags?: readonly string[] | undefined;
  /** Who writes, for the fields that may be written, where it is not the caller. */
  readonly writer?: Caller;
}

@Injectable()
export class UnitWriter {
  constructor(
    private readonly repository: UnitRepository,
    private readonly behaviors: Behaviors,
    private readonly references: References,
  ) {}

  /** Makes units of the bodies, all or none. @throws KindError with every fault of every body */
  async insert(
    session: Session,
    kind: KindDef,
    bodies: readonly Body[],
    options: WriteOptions = {},
  ): Promise<UnitRow[]> {
    const behaviors = this.behaviors.of(kind);
    const faults = new Faults();
    const drafts: Draft[] = [];
    const writable = writableFields(kind, options.writer ?? session.caller);
    for (const [at, given] of bodies.entries()) {
      const write: PendingWrite = { kind, session, faults, ...(options.bulk && { index: at }) };
      let body = given;
      for (const behavior of behaviors) body = (await behavior.prepare?.(body, write)) ?? body;
      let draft = draftCreate(body, { kind, writable, faults, ...(options.bulk && { index: at }) });
      for (const behavior of behaviors) draft = (await behavior.complete?.(draft, write)) ?? draft;
      drafts.push(draft);
    }
    faults.throwIfAny();
    const [first] = drafts;
    if (!first) return [];
    const rows = drafts.map(({ row }) => row);
    const plan = { ...this.#plan(session, kind), written: uniqueColumns(first.written), allowed: options.access };
    const made = await this.repository.insert(session.executor, plan, rows, this.#context(session, kind, options));
    if (made.length === 0) throw refusal('access.denied', `You may not create such a unit of '${kind.id}'`);
    await this.#after(session, kind, drafts);
    return made;
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
    await this.#mustBeReadable(session, kind, id, options);
    const { body, draft } = await this.#draftEdit(session, kind, id, read, options);
    const plan = {
      ...this.#plan(session, kind, behaviors.some((behavior) => behavior.answersEdited) ? body : undefined),
      written: uniqueColumns(draft.written),
      id: key,
      access: both(this.#readable(session, kind), options.access),
      allowed: options.access,
      tags: options.tags,
    };
    const made = await this.repository.update(session.executor, plan, draft.row, this.#context(session, kind, options));
    if (!made) throw (await this.#whyNot(session, kind, id, options, 'update')) ?? leaves(kind);
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
        faults,
      });
      for (const behavior of behaviors) draft = (await behavior.complete?.(draft, write)) ?? draft;
      faults.throwIfAny();
      return { body, draft };
    } catch (error) {
      // Whether the unit is there, and may be changed, is answered before what is wrong with the body.
      if (!session.change && error instanceof KindError)
        throw (await this.#whyNot(session, kind, id, options, 'update')) ?? error;
      throw error;
    }
  }

  /** A unit of definitions is looked at first: bodies are judged only where the unit is there. */
  async #mustBeReadable(session: Session, kind: KindDef, id: string, options: WriteOptions): Promise<void> {
    if (!session.change) return;
    const found = await this.#find(session, kind, id);
    if (!found) throw unknownUnit(kind, id);
    if (options.tags && !options.tags.includes(found.tag)) throw changed(kind, id);
  }

  async remove(session: Session, kind: KindDef, id: string, options: WriteOptions = {}): Promise<void> {
    const key = parseKey(kind, id);
    if (key === undefined) throw unknownUnit(kind, id);
    await this.#mustBeReadable(session, kind, id, options);
    const behaviors = this.behaviors.of(kind);
    for (const behavior of behaviors) await behavior.beforeDelete?.(kind, id, session);
    if (behaviors.length > 0 || reachesOthers(session.model, kind)) await this.#settle(session, kind, id, options);
    const { tags } = options;
    const access = both(this.#readable(session, kind), options.access);
    const plan = { schema: session.project.schema, kind, version: session.model.version, id: key, access, tags };
    let gone: boolean;
    try {
      gone = await this.repository.delete(session.executor, plan, this.#context(session, kind, options));
    } catch (error) {
      const referenced = error instanceof KindError && error.code === 'unit.referenced';
      throw referenced ? await this.references.explain(session, kind, id, error) : error;
    }
    if (!gone) throw (await this.#whyNot(session, kind, id, options, 'delete')) ?? unknownUnit(kind, id);
    for (const behavior of behaviors) await behavior.afterDelete?.(kind, id, session);
  }

  /** Only a deletion that the caller may do reaches other units. */
  async #settle(session: Session, kind: KindDef, id: string, options: WriteOptions): Promise<void> {
    const refused = await this.#whyNot(session, kind, id, options, 'delete');
    if (refused) throw refused;
    await this.references.settle(session, kind, [id]);
  }

  #plan(session: Session, kind: KindDef, edited?: Body) {
    const { project, model, caller } = session;
    const shown = this.#readable(session, kind);
    return {
      schema: project.schema,
      kind,
      version: model.version,
      fields: answeredFields(kind, caller, edited),
      shown,
    };
  }

  /** The units that the caller may read: others do not exist for it. */
  #readable({ caller, model }: Session, kind: KindDef): Predicate | undefined {
    const grant = grantOf(kind, 'read', caller, model);
    return grant ? grant.predicate : { op: 'constant', value: false };
  }

  #context(session: Session, kind: KindDef, { bulk }: WriteOptions): WriteContext {
    return { model: session.model, kind, ...(bulk && { bulk }) };
  }

  async #find(session: Session, kind: KindDef, id: string, narrowed?: Predicate): Promise<UnitRow | undefined> {
    const grant = grantOf(kind, 'read', session.caller, session.model);
    if (!grant) return undefined;
    const parts = [grant.predicate, narrowed].filter((part) => part !== undefined);
    return this.#fetch(session, kind, id, [kind.keyField], parts.length > 1 ? { op: 'and', parts } : parts[0]);
  }

  async #fetch(
    session: Session,
    kind: KindDef,
    id: string,
    fields: readonly Field[],
    access?: Predicate,
  ): Promise<UnitRow | undefined> {
    const key = parseKey(kind, id);
    if (key === undefined) return undefined;
    return this.repository.fetch(
      session.executor,
      { schema: session.project.schema, kind, access, fields },
      key,
      session.model,
    );
  }

  /** A unit as the caller sees it, inside the session. @throws KindError 404 */
  async present(session: Session, kind: KindDef, id: string): Promise<UnitRow> {
    const grant = grantOf(kind, 'read', session.caller, session.model);
    const found =
      grant && (await this.#fetch(session, kind, id, answeredFields(kind, session.caller), grant.predicate));
    if (!found) throw unknownUnit(kind, id);
    return found;
  }

  /** Why the caller can not write a unit: it is not there, or changed, or not the caller's to change; undefined where it can. */
  async #whyNot(
    session: Session,
    kind: KindDef,
    id: string,
    options: WriteOptions,
    operation: string,
  ): Promise<KindError | undefined> {
    const found = await this.#find(session, kind, id);
    if (!found) return unknownUnit(kind, id);
    if (options.tags && !options.tags.includes(found.tag)) return changed(kind, id);
    if (!options.access || (await this.#find(session, kind, id, options.access))) return undefined;
    return refusal('access.denied', `You may not ${operation} this unit of '${kind.id}'`);
  }
}

/** The unit is the caller's to change, but not into that. */
function leaves(kind: KindDef): KindError {
  return refusal('access.denied', `You may not change a unit of '${kind.id}' into one that you may not change`);
}

function changed(kind: KindDef, id: string): KindError {
  return refusal('unit.changed', `The unit '${id}' of '${kind.id}' is no longer the version that If-Match names`);
}

/** What a write answers: what the caller may read of the kind, or else the id and the kind alone. */
function answeredFields(kind: KindDef, caller: Caller, edited?: Body): Field[] {
  const readable = [...readableFields(kind, caller).values()];
  const known = (ids: readonly string[]) => readable.filter((field) => ids.includes(field.id));
  if (edited) return known(['id', 'inserted_at', 'updated_at', ...edited.keys()]);
  return readable;
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
