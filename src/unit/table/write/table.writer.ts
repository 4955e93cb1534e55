/** Writes units of kinds with a table: edits and deletions. `table.inserter.ts` creates units. */
import { Injectable } from '@nestjs/common';
import { readJson } from '../../../http/body/json-pieces.js';
import { isLinkable, type Field, type KindDef } from '../../../model/model.js';
import { conjunction } from '../../../model/predicate/predicate.js';
import { EventLoopYield } from '../../../shared/event-loop-yield.js';
import { Faults, KindError } from '../../../shared/errors.js';
import type { MaybePromise } from '../../../shared/maybe-promise.js';
import { scalarText, type Json } from '../../../shared/json.js';
import type { DeletePlan } from '../../../sql/write/write.sql.js';
import { Behaviors, type HookedLink } from '../../draft/behavior.js';
import { BehaviorChanges } from './behavior-changes.js';
import { hasNoTransaction, TableInserter } from './table.inserter.js';
import { conflictOf, type WriteContext } from '../violation/constraint-violations.js';
import { Deletions } from '../delete/deletion.js';
import { deletionRunsHooks } from '../delete/deletion-hooks.js';
import { countingDefaults, type DefaultBytes } from '../../draft/default-bytes.js';
import { expressionsOf, type Body } from '../../draft/draft.js';
import { Drafter, type DraftedEdit } from '../../draft/drafter.js';
import { readEdit } from './edit-body.js';
import { planWritten, withFieldRules } from './edit-plan.js';
import { ExpressionResults } from './expression-results.js';
import { UnitQuota } from './unit-quota.js';
import { UnitLinks } from '../links/unit-links.js';
import { createsNestedUnits } from '../../draft/nested-units.js';
import { writeOnceRefusal } from '../../draft/write-once.js';
import { checkLookedUp } from '../../draft/upsert-keys.js';
import { isReferenced, References, type Unreachable } from '../../draft/references.js';
import { asSystem, type Session } from '../../../catalog/session/session.js';
import { unknownUnit, parseKey } from '../../session/unit-ids.js';
import type { UnitRow } from '../../store/unit-store.js';
import { UnitRepository } from '../unit.repository.js';
import { leavesAllowedUnits, withVersion, UnitRights } from '../rights.js';
import type { Conditions, UnitStore, WriteOptions } from '../../store/unit-store.js';
import { writeContextOf, ViolationCompleter } from '../violation/complete-violations.js';

/** The draft of an edit whose references are checked. */
interface CheckedEdit extends Pick<DraftedEdit, 'body' | 'draft' | 'nested' | 'rules'> {
  /** Faults of references, which are thrown at the end of the write. */
  readonly deferred: Faults;
  readonly conditions: Conditions;
}

@Injectable()
export class TableWriter {
  constructor(
    private readonly repository: UnitRepository,
    private readonly behaviors: Behaviors,
    private readonly drafter: Drafter,
    private readonly links: UnitLinks,
    private readonly inserter: TableInserter,
    private readonly references: References,
    private readonly deletions: Deletions,
    private readonly rights: UnitRights,
    private readonly changes: BehaviorChanges,
    private readonly violations: ViolationCompleter,
    private readonly results: ExpressionResults,
    private readonly quota: UnitQuota,
  ) {}

  /**
   * A deletion without hooks reads nothing before it locks the unit. It runs at READ COMMITTED, because it must see
   * references and links that were created until then.
   */
  readonly isolation: UnitStore['isolation'] = (session, kind, operation) => {
    const several = this.behaviors.of(kind, session).length > 0;
    if (operation !== 'delete') return several ? 'repeatable read' : undefined;
    if (deletionRunsHooks(this.behaviors, session, kind)) return 'repeatable read';
    return several || isLinkable(kind) || isReferenced(session.model, kind) ? 'read committed' : undefined;
  };

  readonly insert: UnitStore['insert'] = (...args) => this.inserter.insert(...args);

  /** Removes references that the unit has already: they may stay, if the caller can see them. */
  #fresh(session: Session, kind: KindDef, id: string) {
    return async (found: readonly Unreachable[]): Promise<Unreachable[]> => {
      const stored = await this.#stored(session, kind, id);
      return found.filter(({ field, id: referenced }) => stored[field.id] !== referenced);
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
    if (hasNoTransaction(session) && (await createsNestedUnits(kind, read))) {
      return this.inserter.inTransaction(session, (within) => this.update(within, kind, id, read, options));
    }
    if (behaviors.length > 0) await this.rights.mustBeWritable(session, kind, id, options, 'update');
    for (const behavior of behaviors) behavior.ready?.();
    const edit = await this.#draftEdit(session, kind, id, read, options);
    const { body, nested, deferred, conditions, rules } = edit;
    let drafted = edit.draft;
    if (rules.length > 0) {
      await this.rights.mustBeWritable(session, kind, id, conditions, 'update');
      await this.rights.checkFieldRules(session, kind, id, rules);
    }
    if (nested.any) {
      if (behaviors.length === 0) await this.rights.mustBeWritable(session, kind, id, conditions, 'update');
      const keys = await this.inserter.insertNested(
        session,
        nested,
        options.writer ?? session.caller,
        options.defaults,
      );
      drafted = keys.into(kind, edit).draft;
      await this.references.checkKeys(session, kind, [{ draft: drafted }], keys, this.#fresh(session, kind, id));
    }
    const allowed = withFieldRules(options.access, rules);
    const base = {
      ...this.rights.writePlan(session, kind, behaviors.some((behavior) => behavior.answersEdited) ? body : undefined),
      ...planWritten(session, kind, drafted, body),
      id: key,
      access: conjunction(this.rights.readable(session, kind), allowed),
      allowed,
      tags: conditions.tags,
    };
    this.quota.checkStorageFor(session, kind);
    return this.inserter.withDeferredFaults(session, deferred, async (within) => {
      const gives = behaviors.length > 0 && expressionsOf(drafted).length > 0;
      const changes = !deferred.any && (gives || this.behaviors.changesUpdates(kind, within));
      const draft = changes
        ? await this.changes.ofEdit(within, { ...base, allowed: undefined }, id, drafted, conditions)
        : drafted;
      // Changes by behaviors give the locked unit a new version, so that the tags are not checked again.
      const { by } = options;
      if (by && changes) checkLookedUp(by, [{ draft: drafted }], [{ draft }]);
      const plan = changes ? { ...base, ...planWritten(within, kind, draft, body), tags: undefined } : base;
      const write = (context: WriteContext) => this.repository.update(within.executor, plan, draft.row, context);
      const row = await this.violations.runWrite(within, kind, [{ draft }], write, {
        ids: [scalarText(key)],
        fresh: this.#fresh(within, kind, id),
      });
      if (!row) {
        const refused =
          (await this.rights.whyNot(within, kind, id, conditions, 'update')) ??
          writeOnceRefusal(await this.repository.keptFields(within.executor, plan, draft.row));
        if (refused) throw refused;
        await this.results.refuse(within, plan, draft);
        throw leavesAllowedUnits(session.caller, kind);
      }
      deferred.throwIfAny();
      await this.behaviors.afterWrite(within, kind, [{ draft }], id);
      return row;
    });
  }

  async #draftEdit(
    session: Session,
    kind: KindDef,
    id: string,
    read: () => MaybePromise<Body>,
    options: WriteOptions & { readonly defaults: DefaultBytes },
  ): Promise<CheckedEdit> {
    const behaviors = this.behaviors.of(kind, session);
    const writer = options.writer ?? session.caller;
    try {
      const editing = {
        model: session.model,
        reader: session.caller,
        writer,
        yielder: new EventLoopYield(session.project.schema),
      };
      const stored = () => this.#stored(session, kind, id);
      const { body, version } = await readEdit(kind, id, await read(), editing, stored);
      const drafted = await this.drafter.edit(session, kind, id, body, {
        writer,
        defaults: options.defaults,
        literal: options.literal,
      });
      const writing = { writer, access: options.access, fresh: this.#fresh(session, kind, id) };
      const deferred = await this.references.check(session, kind, drafted, writing);
      const { nested, draft, rules } = drafted;
      return { body: drafted.body, draft, nested, rules, deferred, conditions: withVersion(options, version) };
    } catch (error) {
      // Whether the unit exists and may be changed is reported before faults of the body.
      if (behaviors.length === 0 && error instanceof KindError) {
        await this.rights.mustBeWritable(session, kind, id, options, 'update');
      }
      throw error;
    }
  }

  async remove(session: Session, kind: KindDef, id: string, options: WriteOptions = {}): Promise<void> {
    const key = parseKey(kind, id);
    if (key === undefined) throw unknownUnit(kind, id);
    const access = conjunction(this.rights.readable(session, kind), options.access);
    const plan = { schema: session.project.schema, kind, version: session.model.version, id: key, access };
    if (!this.#deletesMore(session, kind)) {
      if (await this.#deleteRow(session, { ...plan, tags: options.tags }, [])) {
        return session.deletions?.deleted(kind, 1, session.caller);
      }
    } else if (await this.repository.lock(session.executor, { ...plan, tags: options.tags }, session.model, true)) {
      // The lock checked access and tags. They are not checked again, because `beforeDelete` may have changed the unit.
      const row = { ...plan, access: undefined, tags: undefined };
      return this.deletions.remove(session, kind, scalarText(key), {
        deleteRow: async (hooked) => void (await this.#deleteRow(session, row, hooked)),
        clear: (at, other, otherId, field) => this.#clear(at, other, otherId, field),
      });
    }
    throw (await this.rights.whyNot(session, kind, id, options, 'delete')) ?? unknownUnit(kind, id);
  }

  /** Deletes units that the caller may delete, and that are locked. @throws KindError 409 */
  async removeLocked(session: Session, kind: KindDef, ids: readonly string[]): Promise<void> {
    try {
      await this.deletions.removeAll(session, kind, ids, {
        clear: (at, other, otherId, field) => this.#clear(at, other, otherId, field),
      });
    } catch (error) {
      throw conflictOf(error, writeContextOf(session, kind)) ?? error;
    }
  }

  /** Whether the deletion of a unit may run behaviors, or change other units. */
  #deletesMore(session: Session, kind: KindDef): boolean {
    if (this.behaviors.of(kind, session).length > 0 || this.links.mayRunHooks(kind, session)) return true;
    return isReferenced(session.model, kind);
  }

  async #deleteRow(session: Session, plan: DeletePlan, hooked: readonly HookedLink[]): Promise<boolean> {
    const { kind } = plan;
    try {
      if (!(await this.repository.delete(session.executor, plan, writeContextOf(session, kind)))) return false;
    } catch (error) {
      const referenced = error instanceof KindError && error.code === 'unit.referenced';
      throw referenced ? await this.references.explain(session, kind, scalarText(plan.id as Json), error) : error;
    }
    await this.links.remove(session, kind, [scalarText(plan.id as Json)], hooked);
    return true;
  }

  /**
   * Sets a reference to a deleted unit to null. The rule of the reference demands it, so that the caller needs no
   * right.
   */
  async #clear(session: Session, kind: KindDef, id: string, field: Field): Promise<void> {
    await this.update(asSystem(session), kind, id, () => new Map([[field.id, null]]));
  }
}
