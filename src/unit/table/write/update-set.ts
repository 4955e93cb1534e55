/**
 * Edits several units of a kind whose behaviors, if any, take several at once, each with values of its own: one statement for all that name the same
 * parameters. Checks and refusals are those of single edits; positions in refusals are those of the list.
 */
import { Injectable } from '@nestjs/common';
import type { Session } from '../../../catalog/session/session.js';
import { Database } from '../../../database/database.js';
import type { Field, KindDef } from '../../../model/model.js';
import type { ConditionalField } from '../../../model/predicate/conditional-field.js';
import type { Predicate } from '../../../model/predicate/predicate.js';
import { Faults, KindError, type Message } from '../../../shared/errors.js';
import { getOrInsert } from '../../../shared/maps.js';
import { LIMITS } from '../../../shared/limits.js';
import { hasTransitions } from '../../../sql/write/written-rows.sql.js';
import type { UpdateSetPlan } from '../../../sql/write/update.sql.js';
import type { Caller } from '../../../tenancy/caller.js';
import { Behaviors } from '../../draft/behavior.js';
import type { Body, Draft } from '../../draft/draft.js';
import { planWritten, writeOnceRefusal } from '../../draft/edit-plan.js';
import { NestedUnits } from '../../draft/nested-units.js';
import { checkReferences, type LocatedDraft, type Unreachable } from '../../draft/references.js';
import { withPositions } from '../../draft/refusal-position.js';
import { parseKey, unknownUnit } from '../../store/unit-ids.js';
import type { UnitRow } from '../../store/unit-store.js';
import { leavesAllowedUnits, mayNotWrite, mayNotWriteUnit, readableUnits, writePlan } from '../rights.js';
import { BehaviorChanges, portionsOf } from './behavior-changes.js';
import { withDeferredFaults } from './own-transaction.js';
import { transitionMessages } from './transitions.js';
import { UnitQuota } from './unit-quota.js';
import { withAllViolations, type WriteContext } from './violations.js';
import { lockUnits, updateSet, type FailedRows } from './write.repository.js';

/** An edit that is validated. */
export interface DraftedChange {
  readonly id: string;
  readonly body: Body;
  readonly draft: Draft;
  /** The parameters with rules that the body names. */
  readonly rules: readonly ConditionalField[];
  /** The values by column of the unit's compound unique parameters, if there are any. */
  readonly stored?: Readonly<Record<string, unknown>> | undefined;
}

interface EditSetOptions {
  /** The units that the caller may change. */
  readonly access: Predicate | undefined;
  readonly writer: Caller;
  /** Whether the units are returned. */
  readonly answers: boolean;
  /** Of an upsert, what units are looked up by. */
  readonly by?: readonly Field[];
  /** Removes references that the stored units have already. */
  readonly fresh: (found: readonly Unreachable[]) => Promise<readonly Unreachable[]>;
}

@Injectable()
export class UpdateSets {
  constructor(
    private readonly database: Database,
    private readonly quota: UnitQuota,
    private readonly changes: BehaviorChanges,
    private readonly behaviors: Behaviors,
  ) {}

  /**
   * Changes all units, or none. Needs a transaction. Returns them in the order of the list, if they are answered.
   * @throws KindError 400, 403, 404, 409
   */
  async update(
    session: Session,
    kind: KindDef,
    given: readonly DraftedChange[],
    options: EditSetOptions,
  ): Promise<readonly UnitRow[]> {
    const drafts = given.map(({ draft, rules }, index): LocatedDraft => ({ draft, rules, index }));
    const drafted = { drafts, nested: new NestedUnits(), faults: new Faults() };
    const deferred = await checkReferences(session, kind, drafted, options);
    await this.quota.checkStorage(session);
    return withDeferredFaults(this.database, session, deferred, async (within) => {
      const keys = given.map(({ id }) => id);
      const many = this.behaviors.manyEdits(kind, within);
      if (many.length > 0) await lockUnits(within, kind, keys);
      const changes = deferred.any ? given : await this.changes.ofEdits(within, kind, given, options);
      const sets = setsOf(changes);
      if (sets.length > 1 && many.length === 0) await lockUnits(within, kind, keys);
      const rows: UnitRow[] = [];
      for (const positions of sets) {
        const set = positions.flatMap((at) => changes[at] ?? []);
        const written = await withPositions(positions, () => updateAlike(within, kind, set, options));
        for (const [at, row] of written.entries()) rows[positions[at] ?? at] = row;
      }
      deferred.throwIfAny();
      for (const portion of portionsOf(changes)) for (const each of many) await each.after?.(portion, kind, within);
      return rows;
    });
  }
}

/** Changes units by edits that name the same parameters. */
async function updateAlike(
  session: Session,
  kind: KindDef,
  set: readonly DraftedChange[],
  { access, answers }: Pick<EditSetOptions, 'access' | 'answers'>,
): Promise<readonly UnitRow[]> {
  const [first] = set;
  if (!first) return [];
  const { draft, body, rules } = first;
  const keys = set.map(({ id }) => id);
  const plan: UpdateSetPlan = {
    ...writePlan(session, kind),
    ...planWritten(session, kind, draft, body),
    readable: readableUnits(session, kind),
    access,
    rules: rules.map(({ condition }) => condition),
    keys,
    answers,
    allowed: access,
  };
  const rows = set.map((change) => change.draft.row);
  const known = first.stored ? set.map(({ stored }, at) => ({ ...stored, ...rows[at] })) : rows;
  const write = (context: WriteContext) => updateSet(session, plan, rows, { ...context, rows: known });
  const drafts = set.map((change, index): LocatedDraft => ({ draft: change.draft, index }));
  const result = await withAllViolations(session, kind, drafts, write, { ids: keys });
  if ('seen' in result) throw await refusalOf(session, plan, rules, result);
  return result;
}

/** The positions of the edits that name the same parameters, in an order that does not depend on that of the list. */
function setsOf(changes: readonly DraftedChange[]): readonly (readonly number[])[] {
  const sets = new Map<string, number[]>();
  for (const [at, { draft, rules }] of changes.entries()) {
    const named = [draft.written, rules].map((fields: readonly Field[]) => fields.map(({ id }) => id).join());
    getOrInsert(sets, named.join(' '), () => []).push(at);
  }
  return [...sets].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, positions]) => positions);
}

/** What an edit of one of the units would be refused with. Of several reasons the first one, for all units. */
async function refusalOf(
  session: Session,
  { schema, kind, guarded, keys }: UpdateSetPlan,
  rules: readonly ConditionalField[],
  { seen, denied, ruled, guarded: failed, leaving, unruled }: FailedRows,
): Promise<KindError> {
  const { caller } = session;
  const present = new Set(seen);
  const missing = keys.flatMap((_, at) => (present.has(at) ? [] : [at]));
  const reasons: readonly (readonly Message[])[] = [
    located(missing, (at) => unknownUnit(kind, keys[at] ?? '')),
    located(denied, () => mayNotWriteUnit(caller, kind, 'update')),
    rules.flatMap((field, at) => located(ruled[at], () => mayNotWrite(caller, kind, field))),
    guarded.flatMap((each, at) => {
      return hasTransitions(each) ? [] : located(failed[at], () => writeOnceRefusal([each.field]));
    }),
    located(leaving, () => leavesAllowedUnits(caller, kind)),
    rules.flatMap((field, at) => located(unruled[at], () => mayNotWrite(caller, kind, field))),
  ];
  const reason = reasons.find((messages) => messages.length > 0);
  const [first, ...rest] = reason ?? (await refusedTransitions(session, { schema, kind, guarded, keys }, failed));
  if (!first) throw new Error('an edit of several units failed for no reason');
  return new KindError([first, ...rest.slice(0, LIMITS.faults - 1)]);
}

/** Of the units that have no transition to the new values, the first are told where they may go. */
async function refusedTransitions(
  session: Session,
  { schema, kind, guarded, keys }: Pick<UpdateSetPlan, 'schema' | 'kind' | 'guarded' | 'keys'>,
  failed: FailedRows['guarded'],
): Promise<Message[]> {
  const messages: Message[] = [];
  for (const [at, each] of guarded.entries()) {
    for (const index of (failed[at] ?? []).slice(0, LIMITS.faults)) {
      const target = { schema, kind, id: parseKey(kind, keys[index] ?? '') };
      const told = await transitionMessages(session, target, [each], messages.length < LIMITS.toldTransitions);
      messages.push(...told.map((message) => ({ ...message, index })));
    }
  }
  return messages;
}

function located(
  positions: readonly number[] | null | undefined,
  refused: (at: number) => KindError | undefined,
): Message[] {
  return (positions ?? []).flatMap((index) => (refused(index)?.messages ?? []).map((each) => ({ ...each, index })));
}
