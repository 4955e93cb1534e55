/** The edits of an upsert: of units that are there, and that it changes. */
import { Injectable } from '@nestjs/common';
import type { Grant } from '../../../access/level.js';
import type { Session } from '../../../catalog/session/session.js';
import type { UpsertQuery } from '../../../filter/queries.js';
import { readJson } from '../../../http/body/json-pieces.js';
import { shownValue } from '../../../model/field.js';
import type { Field, KindDef } from '../../../model/model.js';
import { EventLoopYield } from '../../../shared/event-loop-yield.js';
import { ERRORS, Faults, KindError, type ErrorCode, type Message } from '../../../shared/errors.js';
import { jsonEqual, type Json } from '../../../shared/json.js';
import { LIMITS } from '../../../shared/limits.js';
import type { MaybePromise } from '../../../shared/work-in-pieces.js';
import type { Caller } from '../../../tenancy/caller.js';
import { Behaviors } from '../../draft/behavior.js';
import type { DefaultBytes } from '../../draft/default-bytes.js';
import { StoredDraft, type Body } from '../../draft/draft.js';
import { Drafter, type EditDraft } from '../../draft/drafter.js';
import { findExisting, addReferenceFaults, unreachableReferences, type Unreachable } from '../../draft/references.js';
import { withPosition, withPositions } from '../../draft/refusal-position.js';
import type { FoundUnit, UnitRow, UpsertedUnit } from '../../store/unit-store.js';
import { mayNotWriteUnit } from '../rights.js';
import { editReader } from './edit-body.js';
import { Updates } from './update.js';
import { UpdateSets, type DraftedChange } from './update-set.js';
import { lockUnits } from './write.repository.js';

/** What is the same for all units of an upsert. */
export interface Upsert {
  readonly session: Session;
  readonly kind: KindDef;
  readonly by: readonly Field[];
  readonly onConflict: UpsertQuery['onConflict'];
  readonly bulk: boolean;
  readonly writer: Caller;
  /** Whether the units are returned. */
  readonly answers: boolean;
  readonly defaults: DefaultBytes;
}

/** A body, and its position. */
export interface UpsertItem {
  readonly index: number;
  readonly body: Body;
}

/** A unit that is there. */
export interface Existing extends UpsertItem {
  readonly unit: FoundUnit & UnitRow;
}

/** An edit of a unit that is there. */
interface DraftedUpsert extends Existing, Pick<DraftedChange, 'stored'> {
  readonly drafted: EditDraft;
}

@Injectable()
export class UpsertEdits {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly drafter: Drafter,
    private readonly updates: Updates,
    private readonly sets: UpdateSets,
  ) {}

  /**
   * The edits that change something; the others get their results. Faults of all bodies are reported together, also of
   * those of which nothing is written.
   * @param unknown bodies of which it is not known whether they are creates or edits: those with faults of their own
   * @param faults those that were found before
   */
  async draft(
    upsert: Upsert,
    given: {
      readonly changed: readonly Existing[];
      readonly ignored: readonly UpsertItem[];
      readonly missing: readonly UpsertItem[];
      readonly unknown: readonly UpsertItem[];
    },
    { results, faults }: { readonly results: Map<number, UpsertedUnit>; readonly faults: Faults },
  ): Promise<readonly DraftedUpsert[]> {
    const { session, kind, bulk, writer, defaults } = upsert;
    for (const { code, text, ...place } of await this.#faultsOfCreates(upsert, given.ignored, true)) {
      if (!OF_CREATES.has(code)) faults.add(code, text, place);
    }
    const changed: DraftedUpsert[] = [];
    const yielder = new EventLoopYield(session.project.schema);
    const editing = { model: session.model, reader: session.caller, writer, yielder };
    const read = editReader(kind, editing);
    const draft = this.drafter.edits(session, kind, { writer, defaults, faults, literal: true });
    const compound = compoundFields(kind);
    for (const each of given.changed) {
      if (yielder.due) await yielder.pause();
      const { unit, index } = each;
      const parsed = readJson(unit.body, session.project.schema) as MaybePromise<StoredValues>;
      const stored = parsed instanceof Promise ? await parsed : parsed;
      const reading = read(unit.id, each.body, () => stored);
      const { body } = reading instanceof Promise ? await withPosition(bulk ? { index } : {}, () => reading) : reading;
      const drafting = draft(unit.id, body, bulk ? index : undefined);
      const drafted = drafting instanceof Promise ? await drafting : drafting;
      if (changes(kind, drafted, stored)) {
        changed.push({ index, body: each.body, unit, drafted, stored: compound && valuesOf(compound, stored) });
      } else results.set(index, { ...unchangedRow(each), result: 'unchanged' });
    }
    if (!faults.any) return changed;
    const found = [...faults.messages];
    const isReported = ({ parameter, index }: Message) =>
      found.some((other) => other.parameter === parameter && other.index === index);
    const unknown = await this.#faultsOfCreates(upsert, given.unknown);
    found.push(
      ...(await this.#faultsOfCreates(upsert, given.missing)),
      ...unknown.filter((message) => !OF_CREATES.has(message.code) && !isReported(message)),
    );
    const [first, ...rest] = found.sort(byStatusAndPosition).slice(0, LIMITS.faults);
    throw first ? new KindError([first, ...rest]) : new Error('an upsert has faults');
  }

  async #faultsOfCreates(
    { session, kind, bulk, writer, defaults }: Upsert,
    units: readonly UpsertItem[],
    withReferences = false,
  ): Promise<readonly Message[]> {
    if (units.length === 0) return [];
    const faults = new Faults();
    const bodies = units.map(({ body }) => body);
    const { drafts, nested } = await this.drafter.creates(session, kind, bodies, { writer, bulk, faults, defaults });
    if (withReferences) {
      addReferenceFaults(await unreachableReferences(session, kind, drafts, true, nested), faults);
    }
    return faults.messages.map((message) => {
      const { index } = message;
      return index === undefined ? message : { ...message, index: units[index]?.index ?? index };
    });
  }

  /** Refuses units that the caller may not change, before a write of another one can be a conflict. @throws KindError 403 */
  async checkAccess(
    { session, kind }: Upsert,
    edits: readonly DraftedUpsert[],
    grant: Grant | undefined,
  ): Promise<void> {
    if (!grant?.predicate || edits.length === 0) return;
    const ids = edits.map(({ unit }) => unit.id);
    const allowed = await findExisting(session, kind, ids, grant.predicate);
    const refused = edits.filter(({ unit }) => !allowed.has(unit.id));
    const [first, ...rest] = refused.flatMap(({ index }) =>
      mayNotWriteUnit(session.caller, kind, 'update').messages.map((message) => ({ ...message, index })),
    );
    if (first) throw new KindError([first, ...rest.slice(0, LIMITS.faults - 1)]);
  }

  /**
   * Edits the units: all at once, but for those for which other code runs or that create units inside, which are edited
   * one by one. Units are locked in one order, so that two upserts do not wait for each other.
   */
  async write(
    upsert: Upsert,
    edits: readonly DraftedUpsert[],
    grant: Grant | undefined,
  ): Promise<ReadonlyMap<number, UnitRow>> {
    const { session, kind } = upsert;
    const sorted = edits.toSorted((a, b) => (a.unit.id < b.unit.id ? -1 : 1));
    const oneByOne = edits.length === 1 || this.behaviors.editsOneByOne(kind, session);
    const apart = sorted.filter(({ drafted }) => oneByOne || drafted.nested.any);
    const together = sorted.filter(({ drafted }) => !oneByOne && !drafted.nested.any);
    if (apart.length > 0 && together.length > 0) {
      await lockUnits(
        session,
        kind,
        sorted.map(({ unit }) => unit.id),
      );
    }
    const rows = new Map<number, UnitRow>();
    for (const each of apart) rows.set(each.index, await this.#editOne(upsert, each, grant));
    const changed = await this.#editTogether(upsert, together, grant);
    for (const [at, { index }] of together.entries()) {
      const row = changed[at];
      if (row) rows.set(index, row);
    }
    return rows;
  }

  #editOne({ session, kind, by, bulk, writer }: Upsert, edit: DraftedUpsert, grant: Grant | undefined) {
    const { index, body, unit } = edit;
    const options = { access: grant?.predicate, writer, literal: true, by };
    return withPosition(bulk ? { index } : {}, () => this.updates.update(session, kind, unit.id, () => body, options));
  }

  async #editTogether(
    { session, kind, by, writer, answers }: Upsert,
    edits: readonly DraftedUpsert[],
    grant: Grant | undefined,
  ): Promise<readonly UnitRow[]> {
    if (edits.length === 0) return [];
    const list = edits.map(({ unit: { id }, drafted: { body, draft, rules }, stored }): DraftedChange => {
      return { id, body, draft, rules, stored };
    });
    const fresh = async (found: readonly Unreachable[]): Promise<Unreachable[]> => {
      const others: Unreachable[] = [];
      for (const each of found) {
        const { body = '{}' } = edits[each.index ?? -1]?.unit ?? {};
        const stored = (await readJson(body, session.project.schema)) as Record<string, Json>;
        if (stored[each.field.id] !== each.id) others.push(each);
      }
      return others;
    };
    const positions = edits.map(({ index }) => index);
    return withPositions(positions, () =>
      this.sets.update(session, kind, list, { access: grant?.predicate, writer, answers, fresh, by }),
    );
  }
}

/** Faults that an edit with the same body would not have. */
const OF_CREATES: ReadonlySet<ErrorCode> = new Set(['parameter.required', 'parameter.read_only']);

function byStatusAndPosition(a: Message, b: Message): number {
  return ERRORS[a.code].status - ERRORS[b.code].status || (a.index ?? 0) - (b.index ?? 0);
}

type StoredValues = Readonly<Record<string, Json>>;

/** Whether an edit would change what the caller sees of the unit. What it does not see counts as changed. */
function changes({ keyField }: KindDef, { draft, nested }: EditDraft, stored: StoredValues): boolean {
  // Run-time parameters are not stored.
  const hasRunTime = !(draft instanceof StoredDraft) && draft.written.length < draft.values.size;
  if (nested.any || hasRunTime) return true;
  return draft.written.some((field) => {
    const { id, column = id } = field;
    if (field === keyField) return false;
    return !Object.hasOwn(stored, id) || !jsonEqual(stored[id], shownValue(field, draft.row[column] ?? null));
  });
}

export function unchangedRow({ unit: { tag, body } }: Existing): UnitRow {
  return { tag, body };
}

/** The parameters in lists that are unique together; undefined where the kind has none. */
function compoundFields({ unique, fields }: KindDef): readonly Field[] | undefined {
  return unique.length > 0 ? unique.flat().flatMap((id) => fields.get(id) ?? []) : undefined;
}

/** Stored values by column. */
function valuesOf(fields: readonly Field[], stored: StoredValues): StoredValues {
  return Object.fromEntries(fields.map(({ id, column = id }) => [column, stored[id] ?? null]));
}
