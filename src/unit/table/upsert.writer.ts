/**
 * Upserts: creates units, or edits or leaves those that have the same values of unique parameters. Runs at REPEATABLE
 * READ: if another transaction creates one of the units meanwhile, PostgreSQL refuses the insert as a conflict of
 * transactions, and all of it is run again, which finds that unit.
 */
import { Injectable } from '@nestjs/common';
import { accessDenied, grantOf } from '../../access/access.js';
import { readableFields } from '../../access/masks.js';
import type { Grant } from '../../access/grant.js';
import type { UpsertQuery } from '../../filter/upsert-query.js';
import { FunctionError } from '../../kit/function-error.js';
import { readJson } from '../../http/body/json-pieces.js';
import type { Parsed } from '../../http/route/parse-list-query.js';
import type { Field, KindDef } from '../../model/model.js';
import { everyField } from '../../model/predicate/predicate.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { Faults, KindError } from '../../shared/errors.js';
import { jsonEqual, type Json } from '../../shared/json.js';
import type { Caller } from '../../tenancy/caller.js';
import { Behaviors } from '../draft/behavior.js';
import { takenValues } from '../draft/conflict-messages.js';
import { countingDefaults, type DefaultBytes } from '../draft/default-bytes.js';
import { shownValues, type Body } from '../draft/draft.js';
import { withoutTimes } from '../draft/draft-reader.js';
import { Drafter, isNotObject, type DraftedEdit, type NotObject } from '../draft/drafter.js';
import { relocateFunctionError, withPosition } from '../draft/refusal-position.js';
import { rewordRefusal } from '../draft/complete-refusal.js';
import { keyRows, upsertKey } from '../draft/upsert-keys.js';
import { planQuery } from '../query/list.plan.js';
import { originalCallerOf, type Session } from '../session/session.js';
import type { UpsertedUnit, UnitRow, WriteOptions } from '../store/unit-store.js';
import { readEdit } from './edit-body.js';
import { UnitRights } from './rights.js';
import { hasNoTransaction, TableInserter } from './table.inserter.js';
import { TableWriter } from './table.writer.js';
import { SelectionRepository, type FoundUnit } from './selection.repository.js';

type UpsertOptions = Pick<WriteOptions, 'bulk' | 'writer'>;

/** What is the same for all units of an upsert. */
interface Upsert {
  readonly session: Session;
  readonly kind: KindDef;
  readonly by: readonly Field[];
  readonly onConflict: UpsertQuery['onConflict'];
  readonly bulk: boolean;
  readonly writer: Caller;
  readonly defaults: DefaultBytes;
}

/** A unit that is there. */
interface Existing {
  readonly index: number;
  readonly body: Body;
  readonly unit: FoundUnit & UnitRow;
}

@Injectable()
export class UpsertWriter {
  constructor(
    private readonly repository: SelectionRepository,
    private readonly behaviors: Behaviors,
    private readonly drafter: Drafter,
    private readonly rights: UnitRights,
    private readonly inserter: TableInserter,
    private readonly writer: TableWriter,
  ) {}

  async upsert(
    session: Session,
    kind: KindDef,
    given: readonly (Body | NotObject)[],
    query: Parsed<UpsertQuery>,
    options: UpsertOptions = {},
  ): Promise<UpsertedUnit[]> {
    if (hasNoTransaction(session)) {
      return this.inserter.inTransaction(session, (within) => this.upsert(within, kind, given, query, options));
    }
    const { bulk = false, writer = session.caller } = options;
    const { by, onConflict } = planQuery(query, (read) => ({
      ...read,
      by: upsertKey(kind, read.by, originalCallerOf(session), session.model),
    }));
    for (const behavior of this.behaviors.of(kind, session)) behavior.ready?.();
    const bodies = objectsOf(given).map((body) => withoutTimes(body, kind));
    return countingDefaults(session, (defaults) =>
      this.#upsert({ session, kind, by, onConflict, bulk, writer, defaults }, bodies),
    );
  }

  async #upsert(upsert: Upsert, bodies: readonly Body[]): Promise<UpsertedUnit[]> {
    const { session, kind, by, onConflict, bulk } = upsert;
    const faults = new Faults();
    const rows = keyRows(kind, by, bodies, { faults, indexed: bulk });
    faults.throwIfAny();
    const found = await this.#lookUp(upsert, rows);
    const missing = bodies.flatMap((body, index) => (found.has(index) ? [] : [{ body, index }]));
    const existing = bodies.flatMap((body, index): Existing[] => {
      const unit = found.get(index);
      return unit ? [{ index, body, unit }] : [];
    });
    const create = this.#grant(upsert, 'create', missing.length > 0);
    const update = this.#grant(upsert, 'update', existing.length > 0 && onConflict === 'update');
    const results = new Map<number, UpsertedUnit>();
    const changed: Existing[] = [];
    for (const each of existing) {
      if (onConflict === 'ignore') results.set(each.index, { ...shownUnit(each), result: 'ignored' });
      else changed.push(each);
    }
    const edits = await this.#withoutUnchanged(upsert, changed, missing, results);
    if (create && missing.length > 0) {
      const created = await this.#create(upsert, missing, create);
      for (const [at, { index }] of missing.entries()) {
        const row = created[at];
        if (row) results.set(index, { ...row, result: 'created' });
      }
    }
    // In one order, so that two upserts do not wait for each other.
    for (const { index, body, unit } of edits.toSorted((a, b) => (a.unit.id < b.unit.id ? -1 : 1))) {
      const place = bulk ? { index } : {};
      const options = { access: update?.predicate, writer: upsert.writer, literal: true, by };
      const row = await withPosition(place, () => this.writer.update(session, kind, unit.id, () => body, options));
      results.set(index, { ...row, result: 'updated' });
    }
    return bodies.flatMap((_, index) => results.get(index) ?? []);
  }

  /** The units that exist, by the position of their body. @throws KindError 409 for those that the caller may not read */
  async #lookUp(
    { session, kind, by, bulk }: Upsert,
    rows: readonly Readonly<Record<string, Json>>[],
  ): Promise<ReadonlyMap<number, FoundUnit & UnitRow>> {
    const { project, executor, model, caller } = session;
    const fields = everyField(readableFields(kind, caller, model));
    const plan = { schema: project.schema, kind, by, readable: this.rights.readable(session, kind), fields };
    const found =
      rows.length > 0 ? await this.repository.lookUp(executor, plan, rows, model) : new Map<number, FoundUnit>();
    const faults = new Faults();
    const readable = new Map<number, FoundUnit & UnitRow>();
    for (const [index, { body, ...unit }] of found) {
      if (body !== null) readable.set(index, { ...unit, body });
      else {
        const { code, text, ...place } = takenValues(by.map(({ id }) => id));
        faults.add(code, text, { ...place, ...(bulk && { index }) });
      }
    }
    faults.throwIfAny();
    return readable;
  }

  /** The units that the caller may create or edit; undefined if none have to be. @throws KindError 401, 403 */
  #grant({ session, kind }: Upsert, operation: 'create' | 'update', needed: boolean): Grant | undefined {
    if (!needed) return undefined;
    const grant = grantOf(kind, operation, session.caller, session.model);
    if (grant) return grant;
    throw accessDenied(session.caller, `You may not ${operation} units of '${kind.id}'`);
  }

  /**
   * The edits that change something; the others get their results. Faults of all edits are reported together, with
   * those of the units to create.
   */
  async #withoutUnchanged(
    upsert: Upsert,
    existing: readonly Existing[],
    missing: readonly { readonly body: Body; readonly index: number }[],
    results: Map<number, UpsertedUnit>,
  ): Promise<readonly Existing[]> {
    const { session, kind, bulk, writer, defaults } = upsert;
    const faults = new Faults();
    const changed: Existing[] = [];
    const yielder = new EventLoopYield(session.project.schema);
    for (const each of existing) {
      if (yielder.due) await yielder.pause();
      const { unit, body, index } = each;
      const stored = (await readJson(unit.body, session.project.schema)) as Record<string, unknown>;
      const editing = { model: session.model, reader: session.caller, writer, yielder };
      const read = await readEdit(kind, unit.id, body, editing, () => Promise.resolve(stored));
      const drafted = await this.drafter.edit(session, kind, unit.id, read.body, { writer, defaults, literal: true });
      for (const { code, text, ...place } of drafted.faults.messages) {
        faults.add(code, text, { ...place, ...(bulk && { index }) });
      }
      if (changes(kind, drafted, stored)) changed.push(each);
      else results.set(index, { ...shownUnit(each), result: 'unchanged' });
    }
    if (!faults.any) return changed;
    // Drafts of the new units add their faults.
    const created = new Faults();
    const list = missing.map(({ body }) => body);
    await this.drafter.creates(session, kind, list, { writer, bulk, faults: created, defaults });
    for (const { code, text, index, ...place } of created.messages) {
      faults.add(code, text, { ...place, ...(index !== undefined && { index: missing[index]?.index ?? index }) });
    }
    const [first, ...rest] = faults.messages.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
    throw first ? new KindError([first, ...rest]) : new Error('an upsert has faults');
  }

  async #create(
    { session, kind, by, bulk, writer }: Upsert,
    missing: readonly { readonly body: Body; readonly index: number }[],
    grant: Grant,
  ): Promise<readonly UnitRow[]> {
    const bodies = missing.map(({ body }) => body);
    try {
      return await this.inserter.insert(session, kind, bodies, { bulk, writer, access: grant.predicate, by });
    } catch (error) {
      throw atPositions(
        error,
        missing.map(({ index }) => index),
      );
    }
  }
}

/** @throws KindError 400 with the positions of those that are no objects */
function objectsOf(given: readonly (Body | NotObject)[]): readonly Body[] {
  const faults = new Faults();
  const bodies = given.flatMap((body, index) => {
    if (!isNotObject(body)) return [body];
    faults.add('body.not_object', `[${index}]: must be an object, got ${body.actualType}`, { index });
    return [];
  });
  faults.throwIfAny();
  return bodies;
}

/** Whether an edit would change what the caller sees of the unit. What it does not see counts as changed. */
function changes(kind: KindDef, { draft, nested }: DraftedEdit, stored: Readonly<Record<string, unknown>>): boolean {
  if (nested.any) return true;
  const given = Object.entries(shownValues(draft, kind));
  return given.some(([id, value]) => !Object.hasOwn(stored, id) || !jsonEqual(stored[id], value));
}

function shownUnit({ unit: { tag, body } }: Existing): UnitRow {
  return { tag, body };
}

/** The same error with the positions that the objects have in the whole body. */
function atPositions(error: unknown, positions: readonly number[]): unknown {
  if (error instanceof FunctionError && error.index !== undefined) {
    return relocateFunctionError(error, { index: positions[error.index] ?? error.index });
  }
  if (!(error instanceof KindError)) return error;
  return rewordRefusal(error, (refused) => {
    const [first, ...rest] = refused.messages.map(({ index, ...message }) => {
      return index === undefined ? message : { ...message, index: positions[index] ?? index };
    });
    return first ? refused.withMessages([first, ...rest]) : refused;
  });
}
