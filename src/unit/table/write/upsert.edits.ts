/** The edits of an upsert: of units that are there, and that it changes. */
import { Injectable } from '@nestjs/common';
import type { Grant } from '../../../access/grant.js';
import type { UpsertQuery } from '../../../filter/upsert-query.js';
import { readJson } from '../../../http/body/json-pieces.js';
import { shownValue } from '../../../model/field.js';
import type { Field, KindDef } from '../../../model/model.js';
import { EventLoopYield } from '../../../shared/event-loop-yield.js';
import { Faults, KindError } from '../../../shared/errors.js';
import { jsonEqual, type Json } from '../../../shared/json.js';
import type { MaybePromise } from '../../../shared/maybe-promise.js';
import type { Caller } from '../../../tenancy/caller.js';
import { Behaviors } from '../../draft/behavior.js';
import type { DefaultBytes } from '../../draft/default-bytes.js';
import { StoredDraft, type Body } from '../../draft/draft.js';
import { Drafter, type EditDraft } from '../../draft/drafter.js';
import type { Unreachable } from '../../draft/references.js';
import { withPosition, withPositions } from '../../draft/refusal-position.js';
import type { Session } from '../../session/session.js';
import type { UpsertedUnit, UnitRow } from '../../store/unit-store.js';
import { editReader } from './edit-body.js';
import { EditSetWriter, type DraftedChange } from './edit-set.writer.js';
import { TableWriter } from './table.writer.js';
import type { FoundUnit } from './selection.repository.js';

/** What is the same for all units of an upsert. */
export interface Upsert {
  readonly session: Session;
  readonly kind: KindDef;
  readonly by: readonly Field[];
  readonly onConflict: UpsertQuery['onConflict'];
  readonly bulk: boolean;
  readonly writer: Caller;
  readonly defaults: DefaultBytes;
}

/** A unit that is there. */
export interface Existing {
  readonly index: number;
  readonly body: Body;
  readonly unit: FoundUnit & UnitRow;
}

/** An edit of a unit that is there. */
export interface DraftedUpsert extends Existing, Pick<DraftedChange, 'stored'> {
  readonly drafted: EditDraft;
}

@Injectable()
export class UpsertEdits {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly drafter: Drafter,
    private readonly writer: TableWriter,
    private readonly sets: EditSetWriter,
  ) {}

  /**
   * The edits that change something; the others get their results. Faults of all edits are reported together, with
   * those of the units to create.
   */
  async draft(
    upsert: Upsert,
    existing: readonly Existing[],
    missing: readonly { readonly body: Body; readonly index: number }[],
    results: Map<number, UpsertedUnit>,
  ): Promise<readonly DraftedUpsert[]> {
    const { session, kind, bulk, writer, defaults } = upsert;
    const faults = new Faults();
    const changed: DraftedUpsert[] = [];
    const yielder = new EventLoopYield(session.project.schema);
    const editing = { model: session.model, reader: session.caller, writer, yielder };
    const read = editReader(kind, editing);
    const draft = this.drafter.edits(session, kind, { writer, defaults, faults, literal: true });
    const compound = compoundFields(kind);
    for (const each of existing) {
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
      } else results.set(index, { ...shownUnit(each), result: 'unchanged' });
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
    const oneByOne = edits.length === 1 || this.behaviors.runsOnEdits(kind, session);
    const apart = sorted.filter(({ drafted }) => oneByOne || drafted.nested.any);
    const together = sorted.filter(({ drafted }) => !oneByOne && !drafted.nested.any);
    if (apart.length > 0 && together.length > 0) {
      await this.sets.lock(
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
    return withPosition(bulk ? { index } : {}, () => this.writer.update(session, kind, unit.id, () => body, options));
  }

  async #editTogether(
    { session, kind, writer }: Upsert,
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
      this.sets.update(session, kind, list, { access: grant?.predicate, writer, fresh }),
    );
  }
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

export function shownUnit({ unit: { tag, body } }: Existing): UnitRow {
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
