/**
 * Writes units of remote kinds: the input is validated as for a table, then the source is called. Hooks before the
 * source run in a transaction that is committed before the call, hooks after it in another one. Each of the two is
 * retried after conflicts with other transactions.
 */
import { Injectable } from '@nestjs/common';
import { grantOf } from '../../access/access.js';
import { readableFields } from '../../access/masks.js';
import type { Field, KindDef } from '../../model/model.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { Faults, refusal } from '../../shared/errors.js';
import type { MaybePromise } from '../../shared/work-in-pieces.js';
import { scalarText } from '../../shared/json.js';
import { Behaviors, type WrittenBy } from '../draft/behavior.js';
import { BehaviorChanges } from '../table/write/behavior-changes.js';
import { DefaultBytes } from '../draft/default-bytes.js';
import { keyColumn, shownValues, type Body, type Draft } from '../draft/draft.js';
import { changedFields, writeOnceFields, writeOnceRefusal } from '../draft/edit-plan.js';
import { Drafter, type Drafted, type NotObject } from '../draft/drafter.js';
import { readEdit } from '../table/write/edit-body.js';
import { nestedBodies } from '../draft/nested-units.js';
import { addReferenceFaults, unreachableReferences } from '../draft/references.js';
import { requireRecord } from './remote.reader.js';
import { readUnit, rowOf, shownUnit, type RemoteRecord } from './remote-answer.js';
import { RemoteSourceRunner, type SourceAccess } from './remote-sources.js';
import type { Session } from '../../catalog/session/session.js';
import { unknownUnit } from '../store/unit-ids.js';
import type { UnitCreates, UnitDeletions, UnitRow, UnitUpdates, WriteOptions } from '../store/unit-store.js';
import { versionMismatch } from '../table/rights.js';

@Injectable()
export class RemoteWriter implements UnitCreates, UnitUpdates, UnitDeletions {
  constructor(
    private readonly remotes: RemoteSourceRunner,
    private readonly behaviors: Behaviors,
    private readonly drafter: Drafter,
    private readonly changes: BehaviorChanges,
  ) {}

  /**
   * Creates one unit. Bulk creates are refused, because a source cannot guarantee that all units are created or none.
   * @throws KindError with all faults
   */
  create(
    given: Session,
    kind: KindDef,
    bodies: readonly (Body | NotObject)[],
    { bulk = false, writer = given.caller }: WriteOptions = {},
  ): Promise<UnitRow[]> {
    return this.remotes.within(given, kind, 'create', async ({ session, call, transaction, settle }) => {
      if (bulk) throw refusal('kind.not_allowed_here', `Units of the remote kind '${kind.id}' are created one by one`);
      const draft = await transaction(async (inside) => {
        const options = { writer, bulk, faults: new Faults(), defaults: new DefaultBytes() };
        const drafted = await this.drafter.creates(inside, kind, bodies, options);
        return this.#checked(inside, kind, bodies, drafted);
      });
      const record = await readUnit(kind, await call('create', shownValues(draft, kind)), settle);
      const id = record.get('id') ?? null;
      const created = { ...draft, values: draft.values, row: { ...draft.row, [keyColumn(kind)]: id } };
      await transaction((inside) => this.#after(inside, kind, created, record, 'create'));
      return [answered(session, kind, record)];
    });
  }

  /** Changes the parameters in the body. @throws KindError 400, 404, 412 */
  update(
    given: Session,
    kind: KindDef,
    id: string,
    read: () => MaybePromise<Body>,
    { writer = given.caller, tags }: WriteOptions = {},
  ): Promise<UnitRow> {
    return this.remotes.within(given, kind, 'update', async (access) => {
      const { session, call, transaction, settle } = access;
      const stored = await this.#mustBeWritable(access, kind, id, tags);
      const fields = readableFields(kind, session.caller, session.model).values();
      const editing = {
        model: session.model,
        reader: session.caller,
        writer,
        yielder: new EventLoopYield(session.project.schema),
      };
      const shown = () => Promise.resolve(shownUnit(stored, fields));
      const { body } = await readEdit(kind, id, await read(), editing, shown);
      const draft = await transaction(async (inside) => {
        const drafted = await this.drafter.edit(inside, kind, id, body, { writer, defaults: new DefaultBytes() });
        return this.#checked(inside, kind, [body], drafted, id);
      });
      const values = shownValues(draft, kind);
      const given = [...kind.fields.values()].filter((field) => draft.values.has(field.id));
      const refused = writeOnceRefusal(changedFields(writeOnceFields(given, body, kind, session), stored, values));
      if (refused) throw refused;
      const updated = (await call('update', id, values)) ?? undefined;
      if (updated === undefined) throw unknownUnit(kind, id);
      const record = await readUnit(kind, updated, settle, id);
      await transaction((inside) => this.#after(inside, kind, draft, record, 'edit'));
      return answered(session, kind, record);
    });
  }

  /** @throws KindError 404, 412 */
  delete(given: Session, kind: KindDef, id: string, { tags }: WriteOptions = {}): Promise<void> {
    return this.remotes.within(given, kind, 'delete', async (access) => {
      const { session, call, transaction } = access;
      await this.#mustBeWritable(access, kind, id, tags);
      const behaviors = this.behaviors.of(kind, session);
      await transaction(async (inside) => {
        for (const behavior of behaviors) await behavior.beforeDelete?.(kind, id, inside);
      });
      if ((await call('delete', id)) === false) throw unknownUnit(kind, id);
      await transaction(async (inside) => {
        for (const behavior of behaviors) await behavior.afterDelete?.(kind, id, inside);
      });
    });
  }

  /**
   * Returns the stored unit if the caller may read it and it has one of the version tags. @throws KindError 404, 412
   */
  async #mustBeWritable(
    access: SourceAccess,
    kind: KindDef,
    id: string,
    tags: WriteOptions['tags'],
  ): Promise<RemoteRecord> {
    const { caller, model } = access.session;
    if (!grantOf(kind, 'read', caller, model)) throw unknownUnit(kind, id);
    const record = await requireRecord(access, kind, id);
    if (tags && !tags.includes(rowOf(record, [], readableFields(kind, caller, model).values()).tag))
      throw versionMismatch(kind, id);
    return record;
  }

  /** Does the remaining checks of the one draft of a write, and runs the behaviors that change it. */
  async #checked(
    session: Session,
    kind: KindDef,
    bodies: readonly (Body | NotObject)[],
    drafted: Drafted,
    id?: string,
  ): Promise<Draft> {
    const { drafts, faults } = drafted;
    for (const { field } of bodies.flatMap((body) => ('actualType' in body ? [] : nestedBodies(kind, body)))) {
      const text = `${field.id}: must be an id: nothing is created along with a unit of a remote kind`;
      faults.add('parameter.bad_value', text, { parameter: field.id });
    }
    addReferenceFaults(await unreachableReferences(session, kind, drafts, true, drafted.nested), faults);
    faults.throwIfAny();
    const [placed] = drafts;
    if (!placed) throw new Error('a write has a draft');
    const defaults = new DefaultBytes();
    const write = { kind, session, faults, patterns: new PatternChecks(), defaults, ...(id !== undefined && { id }) };
    const draft = await (id === undefined
      ? this.changes.create(placed.draft, write)
      : this.changes.edit(placed.draft, write));
    faults.throwIfAny();
    return draft;
  }

  async #after(session: Session, kind: KindDef, draft: Draft, record: RemoteRecord, written: WrittenBy): Promise<void> {
    const id = scalarText(record.get('id'));
    const behaviors = this.behaviors.of(kind, session);
    for (const behavior of behaviors) await behavior.afterWrite?.(kind, id, draft, session, written);
  }
}

/** The written unit with the fields that the caller may read; if it may not read the kind, only the id and the kind. */
function answered({ caller, model }: Session, kind: KindDef, record: RemoteRecord): UnitRow {
  const readable = [...readableFields(kind, caller, model).values()];
  const may = grantOf(kind, 'read', caller, model) !== undefined;
  const fields = may ? readable : readable.filter(({ id }: Field) => id === 'id' || id === 'kind_id');
  return rowOf(record, fields, fields);
}
