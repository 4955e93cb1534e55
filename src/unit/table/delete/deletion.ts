/**
 * Deletes a unit and follows the references to it by their rules (restrict, cascade, set null), depth first and in one
 * transaction: a unit is deleted after the units that refer to it. The foreign keys have the same rules, but behaviors
 * must run for every unit that is deleted or changed. Where no behavior runs, one statement deletes many units.
 */
import { Injectable } from '@nestjs/common';
import type { Field, KindDef } from '../../../model/model.js';
import {
  clearReferencesStatement,
  deleteUnitsStatement,
  existingStatement,
  referringStatement,
  clearReferencesBetweenStatement,
} from '../../../sql/write/reference.sql.js';
import { trackContention, type ContentionTarget } from '../../../database/transaction/contention.js';
import { Behaviors, type Behavior, type HookedLink } from '../../draft/behavior.js';
import { UnitLinks } from '../links/unit-links.js';
import { referenceKept } from '../../draft/conflict-messages.js';
import { References, storedReferences } from '../../draft/references.js';
import { withOtherUnit, withUnit } from '../../draft/refusal-position.js';
import { DeletionSet } from '../../../catalog/session/deletion-set.js';
import type { Session } from '../../../catalog/session/session.js';
import { StoredCounts } from '../stored-counts.js';
import type { Project } from '../../../tenancy/project.js';

/** Referring units that are read at once: of kinds with behaviors, and of all other kinds. */
const FEW = 100;
const MANY = 10_000;

/** The writes of a deletion that the writer does. */
interface DeletionActions {
  /** Deletes the row of the unit that is being deleted, and its links. @param hooked links whose hooks run afterwards */
  deleteRow(hooked: readonly HookedLink[]): Promise<void>;
  /** Sets a reference of another unit to null. */
  clear(session: Session, kind: KindDef, id: string, field: Field): Promise<void>;
  /** Whether refusals name the unit whose deletion leads to them, as where a filter selects several. */
  readonly naming?: true;
}

/** A unit that refers to one that is deleted. */
interface ReferringUnit {
  readonly id: string;
  /** The key of the deleted unit. */
  readonly target: string;
}

type Deleting = Session & { readonly deletionSet: DeletionSet };

/** Units whose deletion has begun, and which refer by a field to units deleted now: a cycle of references. */
interface ReferenceCycle {
  readonly kind: KindDef;
  readonly field: Field;
  readonly ids: ReadonlySet<string>;
}

@Injectable()
export class Deletions {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly references: References,
    private readonly counts: StoredCounts,
    private readonly links: UnitLinks,
  ) {}

  /**
   * Deletes one unit. Its row is locked, so that no new reference to it can be made. Does nothing if this deletion
   * deletes the unit already, as when a behavior deletes a unit that the cascade has reached.
   */
  async remove(given: Session, kind: KindDef, id: string, actions: DeletionActions): Promise<void> {
    const session = { ...given, deletionSet: given.deletionSet ?? new DeletionSet() };
    if (session.deletionSet.of(kind.id).has(id)) return;
    await this.#tracked(session, kind, [id], async () => {
      const behaviors = this.behaviors.of(kind, session);
      for (const behavior of behaviors) await behavior.beforeDelete?.(kind, id, session);
      await this.#applyReferenceRules(session, kind, [id], actions);
      await actions.deleteRow(await this.links.beforeRemove(session, kind, [id]));
      for (const behavior of behaviors) await behavior.afterDelete?.(kind, id, session);
    });
  }

  /** Deletes units that are locked: at once if no behavior runs for them, otherwise one by one. */
  async removeAll(
    given: Session,
    kind: KindDef,
    ids: readonly string[],
    actions: Pick<DeletionActions, 'clear'>,
  ): Promise<void> {
    const session = { ...given, deletionSet: given.deletionSet ?? new DeletionSet() };
    const rows = (keys: readonly string[]): DeletionActions => ({
      ...actions,
      naming: true,
      deleteRow: (hooked) => this.#deleteRows(session, kind, keys, hooked),
    });
    if (this.#runsAny(session, kind, ['beforeDelete', 'afterDelete'])) {
      for (const id of ids) {
        session.deletionSet.checkTime();
        // The deletion of an earlier one may have deleted it too.
        if (await this.#exists(session, kind, id)) await withUnit(id, () => this.remove(session, kind, id, rows([id])));
      }
      return;
    }
    const others = ids.filter((id) => !session.deletionSet.of(kind.id).has(id));
    await this.#tracked(session, kind, others, async () => {
      await this.#applyReferenceRules(session, kind, others, rows(others));
      await this.#deleteRows(session, kind, others, await this.links.beforeRemove(session, kind, others, true));
    });
  }

  async #exists({ executor, project }: Session, kind: KindDef, id: string): Promise<boolean> {
    return (await executor.run(existingStatement(project.schema, kind, [id], undefined))).length > 0;
  }

  async #tracked(
    { deletionSet, deletions, caller }: Deleting,
    kind: KindDef,
    keys: readonly string[],
    work: () => Promise<void>,
  ): Promise<void> {
    deletions?.deleted(kind, keys.length, caller);
    deletionSet.add(kind.id, keys);
    await work();
    deletionSet.remove(kind.id, keys);
  }

  #runsAny(session: Session, kind: KindDef, to: readonly (keyof Behavior)[]): boolean {
    return this.behaviors.of(kind, session).some((behavior) => to.some((event) => event in behavior));
  }

  /** Applies the rules of the references to units that are deleted. @throws KindError 409 if one of them restricts */
  async #applyReferenceRules(
    session: Deleting,
    kind: KindDef,
    keys: readonly string[],
    actions: DeletionActions,
  ): Promise<void> {
    await this.references.refuseIfReferenced(session, kind, keys, actions.naming);
    const cycles: ReferenceCycle[] = [];
    for (const { kind: other, field } of storedReferences(session.model, kind.id)) {
      const { onDelete } = field.def;
      if (onDelete !== 'set_null' && onDelete !== 'cascade') continue;
      const within = { ...session, deletions: session.deletions?.through(other, field) };
      if (onDelete === 'set_null') await this.#clear(within, other, field, keys, actions);
      else cycles.push({ kind: other, field, ids: await this.#cascade(within, other, field, keys, actions) });
    }
    await this.#clearCycles(session, kind, keys, cycles);
  }

  async #clear(
    session: Deleting,
    kind: KindDef,
    field: Field,
    keys: readonly string[],
    actions: DeletionActions,
  ): Promise<void> {
    if (!this.behaviors.runsOnEdits(kind, session)) {
      return this.#clearAll(session, kind, field, keys);
    }
    const cleared = new Set<string>();
    await this.#eachReferring(session, kind, field, keys, actions, async (id) => {
      if (cleared.has(id)) throw referenceKept(kind, session.caller);
      cleared.add(id);
      await actions.clear(session, kind, id, field);
    });
    session.deletions?.cleared(kind, field, cleared.size);
  }

  /** Clears the references of all units with one statement, unless units of the kind are being deleted already. */
  async #clearAll(session: Deleting, kind: KindDef, field: Field, keys: readonly string[]): Promise<void> {
    const { executor, project, deletionSet, deletions } = session;
    const clear = async (ids?: readonly string[]): Promise<void> => {
      const which = { ...(ids && { units: ids }), ...(deletions && { tells: true as const }) };
      const rows = await trackContention(contentionOn(project, kind), () =>
        executor.run(clearReferencesStatement(project.schema, kind, field, keys, which)),
      );
      deletions?.cleared(kind, field, rows.length);
    };
    if (deletionSet.of(kind.id).size === 0) return clear();
    const inDeletion = new Set<string>();
    for (;;) {
      const found = await this.#referring(session, kind, field, keys, MANY, inDeletion);
      if (found.length === 0) return;
      await clear(found.map(({ id }) => id));
    }
  }

  /** Deletes the units that refer to these. Returns those whose deletion has begun already. */
  async #cascade(
    session: Deleting,
    kind: KindDef,
    field: Field,
    keys: readonly string[],
    actions: DeletionActions,
  ): Promise<ReadonlySet<string>> {
    if (this.#runsAny(session, kind, ['beforeDelete', 'afterDelete'])) {
      return this.#eachReferring(session, kind, field, keys, actions, (id) =>
        this.remove(session, kind, id, {
          ...actions,
          deleteRow: (hooked) => this.#deleteRows(session, kind, [id], hooked),
        }),
      );
    }
    const inDeletion = new Set<string>();
    for (;;) {
      const found = await this.#referring(session, kind, field, keys, MANY, inDeletion);
      if (found.length === 0) return inDeletion;
      const ids = found.map(({ id }) => id);
      const remove = async (): Promise<void> => {
        await this.#applyReferenceRules(session, kind, ids, actions);
        await this.#deleteRows(session, kind, ids, await this.links.beforeRemove(session, kind, ids, actions.naming));
      };
      const targets = new Map(found.map(({ id, target }) => [id, target]));
      await this.#tracked(session, kind, ids, () => (actions.naming ? withOtherUnit(targets, remove) : remove()));
    }
  }

  /**
   * Runs `work` on each unit that refers to one of these, and checks before each that it still does. Returns those whose
   * deletion has begun already.
   */
  async #eachReferring(
    session: Deleting,
    kind: KindDef,
    field: Field,
    keys: readonly string[],
    { naming }: Pick<DeletionActions, 'naming'>,
    work: (id: string) => Promise<void>,
  ): Promise<ReadonlySet<string>> {
    const inDeletion = new Set<string>();
    for (;;) {
      const found = await this.#referring(session, kind, field, keys, FEW, inDeletion);
      if (found.length === 0) return inDeletion;
      for (const [at, { id, target }] of found.entries()) {
        const still = at === 0 || (await this.#referring(session, kind, field, keys, 1, inDeletion, id)).length > 0;
        if (still) await (naming ? withUnit(target, () => work(id)) : work(id));
      }
    }
  }

  /**
   * Finds units that refer to these. Those whose deletion has begun are added to `inDeletion` instead. They are
   * filtered here, because a statement that lists all of them would grow with the depth of the deletion.
   */
  async #referring(
    { executor, project, deletionSet }: Deleting,
    kind: KindDef,
    field: Field,
    keys: readonly string[],
    limit: number,
    inDeletion: Set<string>,
    only?: string,
  ): Promise<readonly ReferringUnit[]> {
    for (;;) {
      deletionSet.checkTime();
      const which = { limit, except: [...inDeletion], ...(only !== undefined && { only }) };
      const rows = await executor.run<ReferringUnit>(referringStatement(project.schema, kind, field, keys, which));
      const others = rows.filter(({ id }) => !deletionSet.of(kind.id).has(id));
      for (const { id } of rows) if (deletionSet.of(kind.id).has(id)) inDeletion.add(id);
      if (others.length > 0 || rows.length < limit) return others;
    }
  }

  /**
   * In a cycle of references, a unit that is deleted later still refers to one that is deleted now. Its foreign key would
   * delete it together with that one, before the other references to it were followed. So its reference is set to null
   * first. A cycle of references that are not nullable is left to the foreign keys.
   */
  async #clearCycles(
    { executor, project }: Session,
    kind: KindDef,
    keys: readonly string[],
    cycles: readonly ReferenceCycle[],
  ): Promise<void> {
    for (const { kind: other, field, ids } of cycles) {
      const own = new Set(other === kind ? keys : []);
      const later = [...ids].filter((id) => !own.has(id));
      if (later.length === 0 || !field.def.nullable) continue;
      await trackContention(contentionOn(project, other), () =>
        executor.run(clearReferencesBetweenStatement(project.schema, other, field, keys, later)),
      );
    }
  }

  async #deleteRows(
    session: Session,
    kind: KindDef,
    keys: readonly string[],
    hooked: readonly HookedLink[],
  ): Promise<void> {
    const { executor, project } = session;
    const contention = contentionOn(project, kind, keys);
    await trackContention(contention, () => executor.run(deleteUnitsStatement(project.schema, kind, keys)));
    this.counts.noteWrite(project.schema, kind);
    await this.links.remove(session, kind, keys, hooked);
  }
}

/** The table and units on which a statement of the deletion may conflict with another transaction. */
function contentionOn({ schema }: Project, kind: KindDef, keys?: readonly string[]): () => ContentionTarget {
  return () => ({ schema, table: kind.table, ...(keys && { units: { schema, kind, keys, forDelete: true } }) });
}
