/** Edits one unit of a kind with a table. */
import { Injectable } from '@nestjs/common';
import { PatternMatcher } from '../../../catalog/pattern/pattern-matcher.js';
import type { Session } from '../../../catalog/session/session.js';
import { Database } from '../../../database/database.js';
import { readJson } from '../../../http/body/json-pieces.js';
import type { KindDef } from '../../../model/model.js';
import { conjunction } from '../../../model/predicate/predicate.js';
import { EventLoopYield } from '../../../shared/event-loop-yield.js';
import { KindError, type Faults } from '../../../shared/errors.js';
import { scalarText, type Json } from '../../../shared/json.js';
import type { MaybePromise } from '../../../shared/work-in-pieces.js';
import { hasTransitions, type UpdatePlan } from '../../../sql/write/written-rows.sql.js';
import { Behaviors } from '../../draft/behavior.js';
import { countingDefaults, type DefaultBytes } from '../../draft/default-bytes.js';
import { expressionsOf, type Body, type Draft } from '../../draft/draft.js';
import { Drafter, type DraftedEdit } from '../../draft/drafter.js';
import { planWritten, withFieldRules, writeOnceRefusal } from '../../draft/edit-plan.js';
import { createsNestedUnits } from '../../draft/nested-units.js';
import { checkNewFiles, checkReferencedKeys, checkReferences, type Unreachable } from '../../draft/references.js';
import { parseKey, unknownUnit } from '../../store/unit-ids.js';
import type { Conditions, UnitRow, WriteOptions } from '../../store/unit-store.js';
import {
  checkStoredFieldRules,
  leavesAllowedUnits,
  mustBeWritable,
  presentUnit,
  readableUnits,
  withVersion,
  writePlan,
} from '../rights.js';
import { BehaviorChanges, checkLookedUp, whyNotTo } from './behavior-changes.js';
import { Creates } from './create.js';
import { readEdit } from './edit-body.js';
import { withResults } from './expression-results.js';
import { hasNoTransaction, inOwnTransaction, withDeferredFaults } from './own-transaction.js';
import { UpdateSets } from './update-set.js';
import { UnitQuota } from './unit-quota.js';
import { withAllViolations } from './violations.js';
import { refusedByGuards, updateUnit } from './write.repository.js';

/** The draft of an edit whose references are checked. */
interface CheckedEdit extends Pick<DraftedEdit, 'body' | 'draft' | 'nested' | 'rules'> {
  /** Faults of references, which are thrown at the end of the write. */
  readonly deferred: Faults;
  readonly conditions: Conditions;
}

type EditOptions = WriteOptions & { readonly defaults: DefaultBytes };

/** The unit that is edited. */
interface EditedUnit {
  readonly kind: KindDef;
  readonly id: string;
}

@Injectable()
export class Updates {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly drafter: Drafter,
    private readonly database: Database,
    private readonly creates: Creates,
    private readonly changes: BehaviorChanges,
    private readonly quota: UnitQuota,
    private readonly patterns: PatternMatcher,
    private readonly sets: UpdateSets,
  ) {}

  /**
   * Changes the parameters in the body, in these stages: read and validate the body, check its references and the rules
   * of its parameters, create the units nested in it, let the behaviors change the draft, and run the statement.
   */
  async update(
    session: Session,
    kind: KindDef,
    id: string,
    read: () => MaybePromise<Body>,
    options: WriteOptions = {},
  ): Promise<UnitRow> {
    if (parseKey(kind, id) === undefined) throw unknownUnit(kind, id);
    if (hasNoTransaction(session) && (await createsNestedUnits(kind, read))) {
      return inOwnTransaction(this.database, session, (within) => this.update(within, kind, id, read, options));
    }
    return countingDefaults(session, (defaults) => this.#update(session, { kind, id }, read, { ...options, defaults }));
  }

  async #update(
    session: Session,
    { kind, id }: EditedUnit,
    read: () => MaybePromise<Body>,
    options: EditOptions,
  ): Promise<UnitRow> {
    const behaviors = this.behaviors.of(kind, session);
    if (behaviors.length > 0) await mustBeWritable(session, kind, id, options, 'update');
    for (const behavior of behaviors) behavior.ready?.();
    const edit = await this.#draft(session, { kind, id }, read, options);
    const { body, nested, deferred, conditions, rules } = edit;
    const mayBeMissing = behaviors.length === 0 && nested.any;
    if (rules.length > 0 || mayBeMissing) await mustBeWritable(session, kind, id, conditions, 'update');
    if (rules.length > 0) await checkStoredFieldRules(session, kind, id, rules);
    const drafted = nested.any ? await this.#createNested(session, { kind, id }, edit, options) : edit.draft;
    const allowed = withFieldRules(options.access, rules);
    const plan: UpdatePlan = {
      ...writePlan(session, kind, behaviors.some((behavior) => behavior.answersEdited) ? body : undefined),
      ...planWritten(session, kind, drafted, body),
      id: parseKey(kind, id),
      access: conjunction(readableUnits(session, kind), allowed),
      allowed,
      tags: conditions.tags,
    };
    await this.quota.checkStorageFor(session, kind);
    return withDeferredFaults(this.database, session, deferred, async (within) => {
      const gives = behaviors.length > 0 && expressionsOf(drafted).length > 0;
      if (deferred.any || !(gives || this.behaviors.changesUpdates(kind, within))) {
        return this.#run(within, { kind, id }, { ...edit, draft: drafted }, plan);
      }
      const draft = await this.changes.ofEdit(within, plan, id, drafted, { ...conditions, rules });
      if (options.by) checkLookedUp(options.by, [{ draft: drafted }], [{ draft }]);
      // Changes by behaviors give the locked unit a new version, so that the tags are not checked again.
      const changed = { ...plan, ...planWritten(within, kind, draft, body), tags: undefined };
      return this.#run(within, { kind, id }, { ...edit, draft }, changed);
    });
  }

  /** Changes several units in portions. See `UpdateSets`; there must be no behavior that takes them one by one. */
  updateMany(...edits: Parameters<UpdateSets['update']>): ReturnType<UpdateSets['update']> {
    return this.sets.update(...edits);
  }

  /** Runs the statement, and tells why it changed nothing. */
  async #run(session: Session, { kind, id }: EditedUnit, edit: CheckedEdit, plan: UpdatePlan): Promise<UnitRow> {
    const { draft, conditions, deferred } = edit;
    const drafts = [{ draft }];
    const row = await withAllViolations(
      session,
      kind,
      drafts,
      (context) => updateUnit(session, plan, draft.row, context),
      { ids: [scalarText(plan.id as Json)], fresh: freshReferences(session, kind, id) },
    );
    if (!row) {
      await mustBeWritable(session, kind, id, conditions, 'update');
      const once = { ...plan, guarded: plan.guarded.filter((each) => !hasTransitions(each)) };
      const kept = writeOnceRefusal((await refusedByGuards(session, once, draft.row)).map(({ field }) => field));
      if (kept) throw kept;
      await withResults(session, this.patterns, plan, draft);
      const { rules } = edit;
      throw (
        (await whyNotTo(session, plan, draft, { ...conditions, rules })) ?? leavesAllowedUnits(session.caller, kind)
      );
    }
    deferred.throwIfAny();
    await this.behaviors.afterWrite(session, kind, drafts, id);
    return row;
  }

  async #draft(
    session: Session,
    { kind, id }: EditedUnit,
    read: () => MaybePromise<Body>,
    options: EditOptions,
  ): Promise<CheckedEdit> {
    const { writer = session.caller, defaults, literal, access } = options;
    try {
      const yielder = new EventLoopYield(session.project.schema);
      const editing = { model: session.model, reader: session.caller, writer, yielder };
      const stored = () => storedValues(session, kind, id);
      const { body, version } = await readEdit(kind, id, await read(), editing, stored);
      const drafted = await this.drafter.edit(session, kind, id, body, { writer, defaults, literal });
      const writing = { writer, access, fresh: freshReferences(session, kind, id) };
      const deferred = await checkReferences(session, kind, drafted, writing);
      const { nested, draft, rules } = drafted;
      return { body: drafted.body, draft, nested, rules, deferred, conditions: withVersion(options, version) };
    } catch (error) {
      // Whether the unit exists and may be changed is reported before faults of the body.
      if (error instanceof KindError && this.behaviors.of(kind, session).length === 0) {
        await mustBeWritable(session, kind, id, options, 'update');
      }
      throw error;
    }
  }

  /** Creates the units nested in an edit. Returns its draft with the keys that behaviors gave them. */
  async #createNested(
    session: Session,
    { kind, id }: EditedUnit,
    edit: CheckedEdit,
    { writer = session.caller, defaults }: EditOptions,
  ): Promise<Draft> {
    const keys = await this.creates.insertNested(session, edit.nested, writer, defaults);
    await checkNewFiles(session, kind, [edit], edit.nested);
    const { draft } = keys.into(kind, edit);
    await checkReferencedKeys(session, kind, [{ draft }], keys, freshReferences(session, kind, id));
    return draft;
  }
}

/** Removes references that the unit has already: they may stay, if the caller can see them. */
function freshReferences(session: Session, kind: KindDef, id: string) {
  return async (found: readonly Unreachable[]): Promise<Unreachable[]> => {
    const stored = await storedValues(session, kind, id);
    return found.filter(({ field, id: referenced }) => stored[field.id] !== referenced);
  };
}

async function storedValues(session: Session, kind: KindDef, id: string): Promise<Readonly<Record<string, Json>>> {
  const { body } = await presentUnit(session, kind, id);
  return (await readJson(body, session.project.schema)) as Record<string, Json>;
}
