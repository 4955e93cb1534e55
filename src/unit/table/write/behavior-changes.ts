/**
 * Runs the behaviors that change units before they are written, after the input was validated and the access rules were
 * checked. For new units the rules are tested on the input with defaults, and missing values are added after the
 * behaviors. An edited unit is locked first, so that no other transaction changes it.
 */
import { Injectable } from '@nestjs/common';
import { PatternMatcher } from '../../../catalog/pattern/pattern-matcher.js';
import { uniqueColumns } from '../../../model/field.js';
import type { Field, KindDef } from '../../../model/model.js';
import type { Predicate } from '../../../model/predicate/predicate.js';
import type { ConditionalField } from '../../../model/predicate/conditional-field.js';
import { PatternChecks } from '../../../model/check/pattern-checks.js';
import { Faults, refusal, type KindError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { jsonEqual } from '../../../shared/json.js';
import type { MaybePromise } from '../../../shared/work-in-pieces.js';
import type { UpdatePlan, WritePlan } from '../../../sql/write/written-rows.sql.js';
import { Behaviors, type Behavior, type PendingWrite, type UnitEdit } from '../../draft/behavior.js';
import { countingDefaults, DefaultBytes } from '../../draft/default-bytes.js';
import type { Body, Draft } from '../../draft/draft.js';
import { planWritten, withFieldRules } from '../../draft/edit-plan.js';
import { draftForRules, completeDraft } from '../../draft/draft-reader.js';
import { withPosition } from '../../draft/refusal-position.js';
import type { LocatedDraft } from '../../draft/references.js';
import type { Session } from '../../../catalog/session/session.js';
import { parseKey, unknownUnit } from '../../store/unit-ids.js';
import { leavesAllowedUnits, mayNotCreateUnit, mayNotWrite, whyNotWritable, writePlan } from '../rights.js';
import { lockUnit } from '../unit.repository.js';
import type { Conditions } from '../../store/unit-store.js';
import { withResults } from './expression-results.js';
import { whyNoTransition } from './transitions.js';
import { judgedEdit, refusedInserts } from './write.repository.js';

/** Of a create so far. */
interface CreateState {
  /** Faults of references, which are thrown at the end of the write. */
  readonly deferred: Faults;
  readonly defaults: DefaultBytes;
}

/** What must hold of an edited unit. */
export interface EditConditions extends Conditions {
  /** The parameters in the body whose rules it must satisfy. */
  readonly rules: readonly ConditionalField[];
}

@Injectable()
export class BehaviorChanges {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly patterns: PatternMatcher,
  ) {}

  /** Runs the behaviors of a create. @throws KindError 401, 403 if the caller may not create the units as given */
  ofCreate(
    session: Session,
    plan: WritePlan,
    units: readonly LocatedDraft[],
    state: CreateState,
  ): MaybePromise<readonly LocatedDraft[]> {
    if (units.length === 0 || !this.behaviors.changesCreates(plan.kind, session)) return units;
    return this.#changeCreates(session, plan, units, state);
  }

  async #changeCreates(
    session: Session,
    plan: WritePlan,
    units: readonly LocatedDraft[],
    { deferred, defaults }: CreateState,
  ): Promise<readonly LocatedDraft[]> {
    const { kind } = plan;
    await this.checkInput(session, plan, units, defaults);
    deferred.throwIfAny();
    const faults = new Faults();
    const patterns = new PatternChecks();
    const changed: LocatedDraft[] = [];
    for (const { draft, ...place } of units) {
      const { index, path } = place;
      const unitFaults = path === undefined ? faults : faults.within(path);
      const write = { kind, session, faults: unitFaults, patterns, defaults, ...(index !== undefined && { index }) };
      changed.push({ ...place, draft: await withPosition(place, () => this.create(draft, write)) });
    }
    faults.throwIfAny();
    return changed;
  }

  /**
   * Tests the rule on the input with defaults; values that only a hook would set count as null. @throws KindError 401,
   * 403
   */
  async checkInput(
    session: Session,
    plan: WritePlan,
    units: readonly LocatedDraft[],
    { made }: DefaultBytes,
  ): Promise<void> {
    const { kind } = plan;
    if (!plan.allowed && !units.some(({ rules = [] }) => rules.length > 0)) return;
    const check = async (defaults: DefaultBytes): Promise<void> => {
      const presumed = units.map((unit) => ({ ...unit, draft: draftForRules(unit.draft, kind, defaults) }));
      await checkRule(session, plan, presumed, () => mayNotCreateUnit(session.caller, kind));
      await this.checkFieldRules(session, plan, presumed);
    };
    await countingDefaults(session, check, made);
  }

  /**
   * Tests the rules of the parameters that the bodies of new units name. @throws KindError 401, 403 if a unit does not
   * satisfy the rule of one
   */
  async checkFieldRules(session: Session, plan: WritePlan, units: readonly LocatedDraft[]): Promise<void> {
    const named = new Map(units.flatMap(({ rules = [] }) => rules.map((field) => [field.id, field])));
    for (const field of named.values()) {
      const those = units.filter(({ rules = [] }) => rules.some(({ id }) => id === field.id));
      const ruled = { ...plan, allowed: field.condition };
      await checkRule(session, ruled, those, () => mayNotWrite(session.caller, plan.kind, field));
    }
  }

  /**
   * Locks the unit, tests the rules on it with the body applied, and runs the behaviors of an edit, which get the results
   * of expressions. @throws KindError 403, 404; 412 if the unit has another version now
   */
  async ofEdit(
    session: Session,
    plan: UpdatePlan,
    id: string,
    draft: Draft,
    { rules, ...conditions }: EditConditions,
  ): Promise<Draft> {
    const { kind } = plan;
    if (!(await lockUnit(session, plan, false))) {
      throw (await whyNotWritable(session, kind, id, conditions, 'update')) ?? unknownUnit(kind, id);
    }
    const refused = await whyNotTo(session, plan, draft, { rules, ...conditions });
    if (refused) throw refused;
    const faults = new Faults();
    const given = await withResults(session, this.patterns, plan, draft);
    const changed = await this.edit(given, {
      kind,
      session,
      faults,
      patterns: new PatternChecks(),
      defaults: new DefaultBytes(),
      id,
    });
    faults.throwIfAny();
    return changed;
  }

  /**
   * The same for several edits of locked units, in portions. @throws KindError 400, 401, 403; positions are those of the
   * list
   */
  async ofEdits<C extends ManyEdit>(
    session: Session,
    kind: KindDef,
    given: readonly C[],
    { access, by }: { readonly access: Predicate | undefined; readonly by?: readonly Field[] },
  ): Promise<readonly C[]> {
    const behaviors = this.behaviors.manyEdits(kind, session);
    if (!behaviors.some(({ before }) => before)) return given;
    const results: C[] = [];
    for (const [index, change] of given.entries()) {
      const { id, body, draft, rules } = change;
      const allowed = withFieldRules(access, rules);
      const writing = { ...writePlan(session, kind), ...planWritten(session, kind, draft, body) };
      const plan = { ...writing, id: parseKey(kind, id), access, allowed, tags: undefined };
      const result = await withPosition({ index }, async () => {
        const refused = await whyNotTo(session, plan, draft, { access, rules });
        if (refused) throw refused;
        return withResults(session, this.patterns, plan, draft);
      });
      results.push({ ...change, draft: result });
    }
    const changed: C[] = [];
    for (const portion of portionsOf(results)) {
      const faults = new Faults();
      const patterns = new PatternChecks();
      const write = { kind, session, faults, patterns, defaults: new DefaultBytes() };
      let edits = portion;
      for (const { before } of behaviors) {
        const drafts = await before?.(edits, write);
        edits = edits.map((edit, at) => ({ ...edit, draft: drafts?.[at] ?? edit.draft }));
        await this.patterns.settle(session.project.id, patterns);
      }
      faults.throwIfAny();
      changed.push(...edits);
    }
    if (by) checkLookedUp(by, located(results), located(changed));
    return changed;
  }

  /**
   * Runs the behaviors of a create on one draft and completes it with defaults. Returns it unchanged if no behavior may
   * change it. Faults are added to those of the write.
   */
  async create(given: Draft, write: PendingWrite): Promise<Draft> {
    const { kind, session } = write;
    if (!this.behaviors.changesCreates(kind, session)) return given;
    const faults = new Faults();
    const own = { ...write, faults };
    const changed = await this.#runEach(given, own, async (behavior, draft) => behavior.beforeCreate?.(draft, own));
    for (const { code, text, ...place } of faults.messages) write.faults.add(code, text, place);
    // A parameter that a behavior set to a bad value is not reported as missing too.
    const faulty = faults.messages.flatMap(({ parameter }) => parameter ?? []);
    const completed = completeDraft(changed, { ...write, faults: write.faults.except(faulty) });
    return this.#runEach(completed, write, async (behavior, draft) => behavior.complete?.(draft, write));
  }

  /** Runs the behaviors of an edit on a draft. Faults of their changes are added to those of the write. */
  edit(given: Draft, write: PendingWrite): Promise<Draft> {
    return this.#runEach(given, write, async (behavior, draft) => behavior.beforeUpdate?.(draft, write));
  }

  async #runEach(
    given: Draft,
    { kind, session, patterns }: PendingWrite,
    step: (behavior: Behavior, draft: Draft) => Promise<Draft | undefined>,
  ): Promise<Draft> {
    let draft = given;
    for (const behavior of this.behaviors.of(kind, session)) {
      draft = (await step(behavior, draft)) ?? draft;
      await this.patterns.settle(session.project.id, patterns);
    }
    return draft;
  }
}

/** One of several edits. */
interface ManyEdit extends Pick<UnitEdit, 'id' | 'draft'> {
  readonly body: Body;
  readonly rules: readonly ConditionalField[];
}

/** The edits with their positions, as many at once as behaviors get. */
export function portionsOf<C extends object>(edits: readonly C[]): (C & { readonly index: number })[][] {
  const placed = edits.map((edit, index) => ({ ...edit, index }));
  const starts = Array.from({ length: Math.ceil(placed.length / LIMITS.bulk) }, (_, at) => at * LIMITS.bulk);
  return starts.map((start) => placed.slice(start, start + LIMITS.bulk));
}

function located(edits: readonly ManyEdit[]): LocatedDraft[] {
  return edits.map(({ draft }, index) => ({ draft, index }));
}

/** Why the caller may not give a unit these values; undefined if it may. */
export async function whyNotTo(
  session: Session,
  plan: UpdatePlan,
  draft: Draft,
  { access, rules }: EditConditions,
): Promise<KindError | undefined> {
  const tests = [...(access ? [access] : []), ...rules.map(({ condition }) => condition)];
  const holds = tests.length > 0 ? await judgedEdit(session, plan, tests, draft.row) : undefined;
  const failed = holds?.indexOf(false) ?? -1;
  if (failed === -1) return whyNoTransition(session, plan, draft.row);
  const field = rules[access ? failed - 1 : failed];
  return field ? mayNotWrite(session.caller, plan.kind, field) : leavesAllowedUnits(session.caller, plan.kind);
}

/** Tests the condition of the plan on new units. @throws KindError `refused`, for each that does not satisfy it */
async function checkRule(
  session: Session,
  plan: WritePlan,
  units: readonly LocatedDraft[],
  refused: () => KindError,
): Promise<void> {
  const written = uniqueColumns(units[0]?.draft.written ?? []);
  const rows = units.map(({ draft }) => draft.row);
  const those = await refusedInserts(session, { ...plan, written }, rows);
  if (those.length > 0) throw refusedUnits(units, those, refused());
}

/** A refusal of some units of a create. @param positions in `units`; none if it is not known which */
export function refusedUnits(
  units: readonly LocatedDraft[],
  positions: readonly number[],
  refused: KindError,
): KindError {
  const messages = positions.slice(0, LIMITS.faults).flatMap((at) => {
    const index = units[at]?.index;
    return refused.messages.map((message) => (index === undefined ? message : { ...message, index }));
  });
  const [first, ...rest] = messages;
  return first ? refused.withMessages([first, ...rest]) : refused;
}

/** @throws KindError 409 if a behavior changed a value by which a unit was looked up */
export function checkLookedUp(
  by: readonly Field[],
  before: readonly LocatedDraft[],
  after: readonly LocatedDraft[],
): void {
  for (const [at, { draft, index }] of after.entries()) {
    const given = before[at]?.draft.row ?? {};
    const changed = by.filter(
      ({ id, column = id }) => column in draft.row && !jsonEqual(draft.row[column], given[column]),
    );
    const [field] = changed;
    if (!field) continue;
    const text = `${changed.map(({ id }) => id).join(', ')}: a hook changed it after the unit was looked up by it`;
    throw refusal('unit.conflict', text, { parameter: field.id, ...(index !== undefined && { index }) });
  }
}
