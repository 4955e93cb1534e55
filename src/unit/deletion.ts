/**
 * Deletes units and what the rules of the references to them reach, depth first: a unit goes after those that refer to
 * it, each is announced to the behaviours of its kind, and all of it is one transaction. The foreign keys hold the same
 * rules; nothing is left to them. Where no behaviour listens, many units go with one statement.
 */
import { Injectable } from '@nestjs/common';
import type { Field, KindDef } from '../model/model.js';
import { refusal } from '../shared/errors.js';
import {
  clearReferencesStatement,
  deleteUnitsStatement,
  referringStatement,
  untieStatement,
} from '../sql/reference.sql.js';
import { Behaviors, type Behavior } from './behavior.js';
import { deleteLinksOf } from './links.js';
import { References, storedReferences } from './references.js';
import type { Leaving, Session } from './session.js';

/** Units that are read at once: of kinds with behaviours, and of others. */
const FEW = 100;
const MANY = 10_000;

/** What the writer does for a deletion. */
export interface Door {
  /** Deletes the row of the unit that it is about. */
  deleteRow(): Promise<void>;
  /** Empties a reference of another unit. */
  clear(session: Session, kind: KindDef, id: string, field: Field): Promise<void>;
}

@Injectable()
export class Deletions {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly references: References,
  ) {}

  /**
   * Deletes one unit, whose row is locked, so that nothing new refers to it. One that is on its way out already, as when
   * a behaviour deletes what a reference leads to, is left to that.
   */
  async remove(given: Session, kind: KindDef, id: string, door: Door): Promise<void> {
    const session = { ...given, leaving: given.leaving ?? (new Map() as Leaving) };
    if (session.leaving.get(kind.id)?.has(id)) return;
    await this.#leaving(session, kind, [id], async () => {
      const behaviors = this.behaviors.of(kind, session);
      for (const behavior of behaviors) await behavior.beforeDelete?.(kind, id, session);
      await this.#settle(session, kind, [id], door);
      await this.#untie(session, kind, [id]);
      await door.deleteRow();
      for (const behavior of behaviors) await behavior.afterDelete?.(kind, id, session);
    });
  }

  async #leaving(session: Session, { id }: KindDef, keys: readonly string[], work: () => Promise<void>): Promise<void> {
    const known = session.leaving?.get(id) ?? new Set<string>();
    session.leaving?.set(id, known);
    for (const key of keys) known.add(key);
    await work();
    for (const key of keys) known.delete(key);
  }

  #listens(session: Session, kind: KindDef, to: readonly (keyof Behavior)[]): boolean {
    return this.behaviors.of(kind, session).some((behavior) => to.some((event) => event in behavior));
  }

  /** Follows the references to units that go. @throws KindError 409 where one of them restricts */
  async #settle(session: Session, kind: KindDef, keys: readonly string[], door: Door): Promise<void> {
    await this.references.refuseIfReferenced(session, kind, keys);
    for (const { kind: other, field } of storedReferences(session.model, kind.id)) {
      if (field.def.onDelete === 'set_null') await this.#clear(session, other, field, keys, door);
      else if (field.def.onDelete === 'cascade') await this.#cascade(session, other, field, keys, door);
    }
  }

  async #clear(session: Session, kind: KindDef, field: Field, keys: readonly string[], door: Door): Promise<void> {
    if (!this.#listens(session, kind, ['prepare', 'complete', 'change', 'afterWrite'])) {
      const { executor, project } = session;
      await executor.run(clearReferencesStatement(project.schema, kind, field, keys, inWay(session, kind)));
      return;
    }
    const cleared = new Set<string>();
    await this.#eachReferring(session, kind, field, keys, async (id) => {
      if (cleared.has(id)) throw refusal('unit.referenced', `A unit of '${kind.id}' keeps its reference to this one`);
      cleared.add(id);
      await door.clear(session, kind, id, field);
    });
  }

  async #cascade(session: Session, kind: KindDef, field: Field, keys: readonly string[], door: Door): Promise<void> {
    if (this.#listens(session, kind, ['beforeDelete', 'afterDelete'])) {
      return this.#eachReferring(session, kind, field, keys, (id) =>
        this.remove(session, kind, id, { ...door, deleteRow: () => this.#deleteRows(session, kind, [id]) }),
      );
    }
    for (;;) {
      const ids = await this.#referring(session, kind, field, keys, MANY);
      if (ids.length === 0) return;
      await this.#leaving(session, kind, ids, async () => {
        await this.#settle(session, kind, ids, door);
        await this.#untie(session, kind, ids);
        await this.#deleteRows(session, kind, ids);
      });
    }
  }

  /** Works on one after the other of the units that refer to some, as long as they still do when their turn comes. */
  async #eachReferring(
    session: Session,
    kind: KindDef,
    field: Field,
    keys: readonly string[],
    work: (id: string) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const ids = await this.#referring(session, kind, field, keys, FEW);
      if (ids.length === 0) return;
      for (const [at, id] of ids.entries()) {
        const still = at === 0 || (await this.#referring(session, kind, field, keys, 1, id)).length > 0;
        if (still) await work(id);
      }
    }
  }

  async #referring(
    session: Session,
    kind: KindDef,
    field: Field,
    keys: readonly string[],
    limit: number,
    only?: string,
  ): Promise<string[]> {
    const which = { limit, but: inWay(session, kind), ...(only !== undefined && { only }) };
    const statement = referringStatement(session.project.schema, kind, field, keys, which);
    const rows = await session.executor.run<{ id: string }>(statement);
    return rows.map(({ id }) => id);
  }

  /**
   * Where references go round in a circle, a unit whose turn comes later refers to one that goes now: it would go with
   * it, before its other references were followed. (A circle of references that may not be null is left to the keys.)
   */
  async #untie(session: Session, kind: KindDef, keys: readonly string[]): Promise<void> {
    for (const { kind: other, field } of storedReferences(session.model, kind.id)) {
      if (field.def.onDelete !== 'cascade' || !field.def.nullable) continue;
      const own = new Set(other === kind ? keys : []);
      const later = inWay(session, other).filter((id) => !own.has(id));
      if (later.length === 0) continue;
      const { executor, project } = session;
      await executor.run(untieStatement(project.schema, other, field, keys, later));
    }
  }

  async #deleteRows(session: Session, kind: KindDef, keys: readonly string[]): Promise<void> {
    await session.executor.run(deleteUnitsStatement(session.project.schema, kind, keys));
    await deleteLinksOf(session, kind, keys);
  }
}

/** The units of a kind that are on their way out. */
function inWay({ leaving }: Session, { id }: KindDef): string[] {
  return [...(leaving?.get(id) ?? [])];
}
