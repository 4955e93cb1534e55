/**
 * Deletes units and follows the references to them by their rules (restrict, cascade, set null), depth first and in one
 * transaction: a unit is deleted after the units that refer to it. The foreign keys have the same rules, but behaviors
 * must run for every unit that is deleted or changed. Where no behavior runs, one statement deletes many units.
 */
import { Injectable } from '@nestjs/common';
import { DeletionProgress } from '../../../catalog/session/deletion-progress.js';
import { recordingOf } from '../../../catalog/session/recording.js';
import { asSystem, type Session } from '../../../catalog/session/session.js';
import { contentionOn, trackContention } from '../../../database/transaction/contention.js';
import { isCheckViolation } from '../../../database/statement/sqlstate.js';
import { resolvedChecks } from '../../../model/check/kind-checks.js';
import { type Field, getBuiltInKind, type KindDef, referencesOf } from '../../../model/model.js';
import { conjunction } from '../../../model/predicate/predicate.js';
import { KindError } from '../../../shared/errors.js';
import { scalarText } from '../../../shared/json.js';
import { deleteUnitsStatement } from '../../../sql/write/delete.sql.js';
import { clearReferencesStatement, referringStatement } from '../../../sql/write/reference.sql.js';
import type { DeletePlan } from '../../../sql/write/written-rows.sql.js';
import { Behaviors, type HookedLink } from '../../draft/behavior.js';
import {
  findExisting,
  explainReferenced,
  isReferenced,
  referenceKept,
  refuseIfReferenced,
  storedReferences,
} from '../../draft/references.js';
import { withOtherUnit, withUnit } from '../../draft/refusal-position.js';
import { parseKey, unknownUnit } from '../../store/unit-ids.js';
import type { WriteOptions } from '../../store/unit-store.js';
import { LinksOfDeletedUnits } from '../links/links-of-deleted-units.js';
import { readableUnits, whyNotWritable } from '../rights.js';
import { StoredCounts } from '../stored-counts.js';
import { lockUnit } from '../unit.repository.js';
import { Updates } from './update.js';
import { conflictOf, writeContextOf } from './violations.js';
import { deleteUnit } from './write.repository.js';

/** Referring units that are read at once: of kinds with behaviors, and of all other kinds. */
const FEW = 100;
const MANY = 10_000;

/** References by a field to units that are deleted. */
interface Reference {
  readonly kind: KindDef;
  readonly field: Field;
  readonly to: readonly string[];
}

/** A unit that refers to one that is deleted. */
interface ReferringUnit {
  readonly id: string;
  /** The key of the deleted unit. */
  readonly target: string;
}

type Deleting = Session & {
  readonly deletionProgress: DeletionProgress;
  /** Whether refusals name the unit whose deletion leads to them, as where a filter selects several. */
  readonly naming: boolean;
};

/** Units whose deletion has begun, and which refer by a field to units deleted now: a cycle of references. */
interface ReferenceCycle {
  readonly kind: KindDef;
  readonly field: Field;
  readonly ids: ReadonlySet<string>;
}

/** Units of one kind that are deleted, by their keys. */
interface Deleted {
  readonly kind: KindDef;
  readonly keys: readonly string[];
}

@Injectable()
export class Deletions {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly links: LinksOfDeletedUnits,
    private readonly counts: StoredCounts,
    private readonly updates: Updates,
  ) {}

  async delete(session: Session, kind: KindDef, id: string, options: WriteOptions = {}): Promise<void> {
    const key = parseKey(kind, id);
    if (key === undefined) throw unknownUnit(kind, id);
    const { project, model } = session;
    const access = conjunction(readableUnits(session, kind), options.access);
    const recording = recordingOf(session, kind);
    const plan = {
      schema: project.schema,
      kind,
      version: model.version,
      id: key,
      access,
      tags: options.tags,
      recording,
    };
    if (!this.#deletesMore(session, kind)) {
      if (await this.#deleteRow(session, plan, scalarText(key), [])) {
        return session.deletions?.deleted(kind, 1, session.caller);
      }
    } else if (await lockUnit(session, plan, true)) {
      // The lock checked access and tags. They are not checked again, because `beforeDelete` may have changed the unit.
      const row = { ...plan, access: undefined, tags: undefined };
      return this.#deleteOne(deleting(session, false), kind, scalarText(key), async (hooked) => {
        await this.#deleteRow(session, row, scalarText(key), hooked);
      });
    }
    throw (await whyNotWritable(session, kind, id, options, 'delete')) ?? unknownUnit(kind, id);
  }

  /**
   * Deletes units that the caller may delete, and that are locked: at once if no behavior runs for them, otherwise one by
   * one. @throws KindError 409
   */
  async deleteLocked(given: Session, kind: KindDef, ids: readonly string[]): Promise<void> {
    const session = deleting(given, true);
    try {
      if (!this.#runsOnDeletion(session, kind)) {
        const others = ids.filter((id) => !session.deletionProgress.of(kind.id).has(id));
        return await this.#deleteAll(session, { kind, keys: others });
      }
      for (const id of ids) {
        session.deletionProgress.checkTime();
        // The deletion of an earlier one may have deleted it too.
        if (await exists(session, kind, id)) await withUnit(id, () => this.#deleteOne(session, kind, id));
      }
    } catch (error) {
      throw conflictOf(error, writeContextOf(session, kind)) ?? error;
    }
  }

  /** Whether the deletion of a unit may run behaviors, or change other units. */
  #deletesMore(session: Session, kind: KindDef): boolean {
    if (this.behaviors.of(kind, session).length > 0 || this.links.mayRunHooks(kind, session)) return true;
    return isReferenced(session.model, kind);
  }

  /** Whether hooks may run when a unit of the kind is deleted: its own, those of its links, of files that go with it, or of units that refer to it. */
  runsHooks(session: Omit<Session, 'executor'>, kind: KindDef, seen = new Set<KindDef>()): boolean {
    if (seen.has(kind)) return false;
    seen.add(kind);
    if (this.behaviors.haveHooks(kind, session) || this.links.mayRunHooks(kind, session)) return true;
    const owned = referencesOf(kind).flatMap(({ def, reference }) => (def.owned && reference ? [reference.kind] : []));
    const isHooked = (id: string) => this.runsHooks(session, getBuiltInKind(session.model, id), seen);
    if (owned.some(isHooked)) return true;
    return storedReferences(session.model, kind.id).some(({ kind: other, field: { def } }) => {
      if (def.onDelete === 'cascade') return this.runsHooks(session, other, seen);
      return def.onDelete === 'set_null' && this.behaviors.haveHooks(other, session);
    });
  }

  #runsOnDeletion(session: Session, kind: KindDef): boolean {
    return this.behaviors.of(kind, session).some((behavior) => 'beforeDelete' in behavior || 'afterDelete' in behavior);
  }

  /** Deletes the row of a unit, and its links. @param hooked links whose hooks run afterwards */
  async #deleteRow(session: Session, plan: DeletePlan, id: string, hooked: readonly HookedLink[]): Promise<boolean> {
    const { kind } = plan;
    try {
      if (!(await deleteUnit(session, plan, writeContextOf(session, kind)))) return false;
    } catch (error) {
      const referenced = error instanceof KindError && error.code === 'unit.referenced';
      throw referenced ? await explainReferenced(session, kind, id, error) : error;
    }
    this.counts.noteWrite(plan.schema, kind);
    await this.links.remove(session, kind, [id], hooked);
    return true;
  }

  /**
   * Deletes one unit. Its row is locked, so that no new reference to it can be made. Does nothing if this deletion
   * deletes the unit already, as when a behavior deletes a unit that the cascade has reached.
   */
  async #deleteOne(
    session: Deleting,
    kind: KindDef,
    id: string,
    deleteRow = (hooked: readonly HookedLink[]) => this.#deleteRows(session, { kind, keys: [id] }, hooked),
  ): Promise<void> {
    if (session.deletionProgress.of(kind.id).has(id)) return;
    const one = { kind, keys: [id] };
    await tracked(session, one, async () => {
      const behaviors = this.behaviors.of(kind, session);
      for (const behavior of behaviors) await behavior.beforeDelete?.(kind, id, session);
      await this.#applyReferenceRules(session, one);
      await deleteRow(await this.links.beforeRemove(session, kind, [id]));
      for (const behavior of behaviors) await behavior.afterDelete?.(kind, id, session);
    });
  }

  /** Deletes units for which no behavior runs. */
  #deleteAll(session: Deleting, units: Deleted): Promise<void> {
    const { kind, keys } = units;
    return tracked(session, units, async () => {
      await this.#applyReferenceRules(session, units);
      await this.#deleteRows(session, units, await this.links.beforeRemove(session, kind, keys, session.naming));
    });
  }

  /** Applies the rules of the references to units that are deleted. @throws KindError 409 if one of them restricts */
  async #applyReferenceRules(session: Deleting, deleted: Deleted): Promise<void> {
    const { kind, keys } = deleted;
    await refuseIfReferenced(session, kind, keys, session.naming);
    const cycles: ReferenceCycle[] = [];
    for (const { kind: other, field } of storedReferences(session.model, kind.id)) {
      const { onDelete } = field.def;
      if (onDelete !== 'set_null' && onDelete !== 'cascade') continue;
      const within = { ...session, cascade: true as const, deletions: session.deletions?.through(other, field) };
      const reference = { kind: other, field, to: keys };
      if (onDelete === 'set_null') await this.#clear(within, reference);
      else cycles.push({ kind: other, field, ids: await this.#cascade(within, reference) });
    }
    await clearCycles(session, deleted, cycles);
  }

  async #clear(session: Deleting, reference: Reference): Promise<void> {
    try {
      await this.#clearReferences(session, reference);
    } catch (error) {
      // The caller need not be able to read the units that refer.
      throw isFailedCheck(error) ? referenceKept(reference.kind, session.caller) : error;
    }
  }

  async #clearReferences(session: Deleting, reference: Reference): Promise<void> {
    const { kind, field } = reference;
    if (!this.behaviors.runsOnEdits(kind, session)) return clearAll(session, reference);
    const cleared = new Set<string>();
    await eachReferring(session, reference, async (id) => {
      if (cleared.has(id)) throw referenceKept(kind, session.caller);
      cleared.add(id);
      // The rule of the reference demands it, so that the caller needs no right.
      await this.updates.update(asSystem(session), kind, id, () => new Map([[field.id, null]]));
    });
    session.deletions?.cleared(kind, field, cleared.size);
  }

  /** Deletes the units that refer to these. Returns those whose deletion has begun already. */
  async #cascade(session: Deleting, reference: Reference): Promise<ReadonlySet<string>> {
    const { kind } = reference;
    if (this.#runsOnDeletion(session, kind)) {
      return eachReferring(session, reference, (id) => this.#deleteOne(session, kind, id));
    }
    const inDeletion = new Set<string>();
    for (;;) {
      const found = await referring(session, reference, inDeletion, { limit: MANY });
      if (found.length === 0) return inDeletion;
      const deleteFound = () => this.#deleteAll(session, { kind, keys: found.map(({ id }) => id) });
      const targets = new Map(found.map(({ id, target }) => [id, target]));
      await (session.naming ? withOtherUnit(targets, deleteFound) : deleteFound());
    }
  }

  async #deleteRows(session: Session, { kind, keys }: Deleted, hooked: readonly HookedLink[]): Promise<void> {
    const { executor, project } = session;
    const plan = { schema: project.schema, kind, recording: recordingOf(session, kind) };
    await trackContention(
      () => contentionOn(plan, keys, true),
      () => executor.run(deleteUnitsStatement(plan, keys)),
    );
    this.counts.noteWrite(project.schema, kind);
    await this.links.remove(session, kind, keys, hooked);
  }
}

/** Whether a write would make a unit fail a check of its kind. */
function isFailedCheck(error: unknown): boolean {
  return isCheckViolation(error) || (error instanceof KindError && error.code === 'unit.check');
}

/** The session of a deletion, also of one within another. */
function deleting(session: Session, naming: boolean): Deleting {
  return { ...session, deletionProgress: session.deletionProgress ?? new DeletionProgress(), naming };
}

async function tracked(session: Deleting, { kind, keys }: Deleted, work: () => Promise<void>): Promise<void> {
  const { deletionProgress, deletions, caller } = session;
  deletions?.deleted(kind, keys.length, caller);
  deletionProgress.add(kind.id, keys);
  await work();
  deletionProgress.remove(kind.id, keys);
}

async function exists(session: Session, kind: KindDef, id: string): Promise<boolean> {
  return (await findExisting(session, kind, [id], undefined)).size > 0;
}

/** Clears the references of all units with one statement, unless units of the kind are being deleted already. */
async function clearAll(session: Deleting, reference: Reference): Promise<void> {
  const { executor, deletionProgress, deletions } = session;
  const { kind, field, to } = reference;
  const plan = { schema: session.project.schema, kind, recording: recordingOf(session, kind) };
  const clear = async (ids?: readonly string[]): Promise<void> => {
    const [row] = await trackContention(
      () => contentionOn(plan),
      () => executor.run<{ edited: number }>(clearReferencesStatement(plan, field, to, ids)),
    );
    deletions?.cleared(kind, field, row?.edited ?? 0);
  };
  if (deletionProgress.of(kind.id).size === 0) return clear();
  const inDeletion = new Set<string>();
  for (;;) {
    const found = await referring(session, reference, inDeletion, { limit: MANY });
    if (found.length === 0) return;
    await clear(found.map(({ id }) => id));
  }
}

/**
 * Runs `work` on each unit that refers to one of these, and checks before each that it still does. Returns those whose
 * deletion has begun already.
 */
async function eachReferring(
  session: Deleting,
  reference: Reference,
  work: (id: string) => Promise<void>,
): Promise<ReadonlySet<string>> {
  const inDeletion = new Set<string>();
  for (;;) {
    const found = await referring(session, reference, inDeletion, { limit: FEW });
    if (found.length === 0) return inDeletion;
    for (const [at, { id, target }] of found.entries()) {
      const still = at === 0 || (await referring(session, reference, inDeletion, { limit: 1, only: id })).length > 0;
      if (still) await (session.naming ? withUnit(target, () => work(id)) : work(id));
    }
  }
}

/**
 * Finds units that refer to these. Those whose deletion has begun are added to `inDeletion` instead. They are
 * filtered here, because a statement that lists all of them would grow with the depth of the deletion.
 */
async function referring(
  { executor, project, deletionProgress }: Deleting,
  { kind, field, to }: Reference,
  inDeletion: Set<string>,
  which: { readonly limit: number; readonly only?: string },
): Promise<readonly ReferringUnit[]> {
  for (;;) {
    deletionProgress.checkTime();
    const statement = referringStatement(project.schema, kind, field, to, { ...which, except: [...inDeletion] });
    const rows = await executor.run<ReferringUnit>(statement);
    const others = rows.filter(({ id }) => !deletionProgress.of(kind.id).has(id));
    for (const { id } of rows) if (deletionProgress.of(kind.id).has(id)) inDeletion.add(id);
    if (others.length > 0 || rows.length < which.limit) return others;
  }
}

/**
 * In a cycle of references, a unit that is deleted later still refers to one that is deleted now. Its foreign key would
 * delete it together with that one, before the other references to it were followed. So its reference is set to null
 * first. A cycle of references that are not nullable, or that a check tests, is left to the foreign keys.
 */
async function clearCycles(
  session: Session,
  { kind, keys }: Deleted,
  cycles: readonly ReferenceCycle[],
): Promise<void> {
  const { executor, project } = session;
  for (const { kind: other, field, ids } of cycles) {
    const own = new Set(other === kind ? keys : []);
    const later = [...ids].filter((id) => !own.has(id));
    const mayBeNull = field.def.nullable && !resolvedChecks(other).some(({ fields }) => fields.includes(field));
    if (later.length === 0 || !mayBeNull) continue;
    const recording = recordingOf({ ...session, cascade: true }, other);
    const plan = { schema: project.schema, kind: other, recording };
    await trackContention(
      () => contentionOn(plan),
      () => executor.run(clearReferencesStatement(plan, field, keys, later)),
    );
  }
}
