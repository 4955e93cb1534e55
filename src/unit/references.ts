/**
 * What a deletion does to the units that refer to the deleted ones, by the rule of each reference. The foreign keys
 * hold these rules too; here they run through the one door, so that versions move and behaviours hear of it.
 */
import { Injectable } from '@nestjs/common';
import { referencesTo, type KindDef, type Model } from '../model/model.js';
import { grantOf } from '../access/access.js';
import type { Predicate } from '../model/predicate.js';
import { KindError, refusal, type Faults } from '../shared/errors.js';
import { scalarText, type Json } from '../shared/json.js';
import {
  clearReferencesStatement,
  countReferencesStatement,
  existingStatement,
  referringStatement,
} from '../sql/reference.sql.js';
import { isAdministrator } from '../tenancy/caller.js';
import { Behaviors } from './behavior.js';
import type { Draft } from './draft.js';
import type { Session } from './session.js';

/** Units by kind that were seen to already: references may lead back. */
type Seen = Map<string, Set<string>>;

/** Whether a deletion reaches other units, and so needs a transaction. */
export function reachesOthers(model: Model, kind: KindDef): boolean {
  return storedReferences(model, kind.id).some(({ field }) => field.def.onDelete !== 'restrict');
}

/** References that tables hold: a remote kind has none. */
function storedReferences(model: Model, kindId: string): ReturnType<typeof referencesTo> {
  return referencesTo(model, kindId).filter(({ kind }) => !kind.remote);
}

/** A draft, and in a bulk write its position. */
export interface Placed {
  readonly draft: Draft;
  readonly index?: number;
}

function placed(value: Json | undefined, index: number | undefined): { id: string; index: number | undefined }[] {
  return value === null || value === undefined ? [] : [{ id: scalarText(value), index }];
}

@Injectable()
export class References {
  constructor(private readonly behaviors: Behaviors) {}

  /** To be called before the units of those keys go. */
  async settle(session: Session, kind: KindDef, keys: readonly string[], seen: Seen = new Map()): Promise<void> {
    const fresh = unseen(seen, kind, keys);
    if (fresh.length === 0) return;
    await this.refuseIfReferenced(session, kind, fresh);
    for (const { kind: other, field } of storedReferences(session.model, kind.id)) {
      const { executor, project } = session;
      if (field.def.onDelete === 'set_null') {
        await executor.run(clearReferencesStatement(project.schema, other, field, fresh));
      } else if (field.def.onDelete === 'cascade') {
        const rows = await executor.run<{ id: string }>(referringStatement(project.schema, other, field, fresh));
        const ids = rows.map(({ id }) => id);
        for (const id of ids) await this.#announce(session, other, id);
        await this.settle(session, other, ids, seen);
      }
    }
  }

  /**
   * Adds a fault for every reference to a unit of a kind that the caller may not read at all: for it there is none. In
   * other kinds the foreign key finds a missing one; where `all` are to be told, they are looked up.
   */
  async checkTargets(
    session: Session,
    kind: KindDef,
    drafts: readonly Placed[],
    faults: Faults,
    all: boolean,
  ): Promise<void> {
    for (const field of kind.fields.values()) {
      const target = field.reference && session.model.kinds.get(field.reference.kind);
      const named = target
        ? drafts.flatMap(({ draft, index }) => placed(draft.row[field.column ?? field.id], index))
        : [];
      if (!target || named.length === 0) continue;
      const grant = grantOf(target, 'read', session.caller, session.model);
      if (grant && !all) continue;
      const there = grant
        ? await this.#there(
            session,
            target,
            named.map(({ id }) => id),
            grant.predicate,
          )
        : new Set();
      for (const { index } of named.filter(({ id }) => !there.has(id))) {
        const place = index === undefined ? { parameter: field.id } : { parameter: field.id, index };
        faults.add('parameter.bad_reference', `${field.id}: no such unit of '${target.id}'`, place);
      }
    }
  }

  async #there(
    session: Session,
    kind: KindDef,
    ids: readonly string[],
    access: Predicate | undefined,
  ): Promise<Set<string>> {
    const statement = existingStatement(session.project.schema, kind, ids, access);
    const rows = await session.executor.run<{ id: string }>(statement);
    return new Set(rows.map(({ id }) => id));
  }

  /** Refuses what `restrict` forbids. How many units refer to it, and of which kind, is for administrators. */
  async refuseIfReferenced(session: Session, kind: KindDef, keys: readonly string[]): Promise<void> {
    const counts: string[] = [];
    for (const { kind: other, field } of storedReferences(session.model, kind.id)) {
      if (field.def.onDelete !== 'restrict') continue;
      const statement = countReferencesStatement(session.project.schema, other, field, keys);
      const [row] = await session.executor.run<{ count: number }>(statement);
      if (row && row.count > 0) counts.push(`${row.count} of '${other.id}' by '${field.id}'`);
    }
    if (counts.length === 0) return;
    const told = isAdministrator(session.caller) ? `: ${counts.join(', ')}` : '';
    throw refusal('unit.referenced', `Units refer to this one${told}`);
  }

  /** The refusal of PostgreSQL with what the caller may know of its reason, where the connection can still tell. */
  async explain(session: Session, kind: KindDef, key: string, refused: KindError): Promise<KindError> {
    try {
      await this.refuseIfReferenced(session, kind, [key]);
    } catch (error) {
      if (error instanceof KindError) return error;
    }
    return refused;
  }

  /** Behaviours of a unit that its reference's rule is about to delete. */
  async #announce(session: Session, kind: KindDef, id: string): Promise<void> {
    for (const behavior of this.behaviors.of(kind)) {
      await behavior.beforeDelete?.(kind, id, session);
      await behavior.afterDelete?.(kind, id, session);
    }
  }
}

function unseen(seen: Seen, kind: KindDef, keys: readonly string[]): string[] {
  const known = seen.get(kind.id) ?? new Set<string>();
  seen.set(kind.id, known);
  return keys.filter((key) => !known.has(key) && known.add(key));
}
