/** References between units: whether what they lead to is there, and what they forbid. `deletion.ts` follows them. */
import { Injectable } from '@nestjs/common';
import { referencesTo, type KindDef, type Model } from '../model/model.js';
import { grantOf } from '../access/access.js';
import type { Predicate } from '../model/predicate.js';
import { KindError, refusal, type Faults } from '../shared/errors.js';
import { scalarText, type Json } from '../shared/json.js';
import { countReferencesStatement, existingStatement } from '../sql/reference.sql.js';
import { isAdministrator } from '../tenancy/caller.js';
import type { Draft } from './draft.js';
import type { Session } from './session.js';

/** Whether others may refer to units of the kind: what that means is asked before one is deleted. */
export function isReferenced(model: Model, kind: KindDef): boolean {
  return storedReferences(model, kind.id).length > 0;
}

/** References that tables hold: a remote kind has none. */
export function storedReferences(model: Model, kindId: string): ReturnType<typeof referencesTo> {
  return referencesTo(model, kindId).filter(({ kind }) => !kind.remote);
}

/** A draft, in a bulk write its position, and where it stands inside another one the way to it. */
export interface Placed {
  readonly draft: Draft;
  readonly index?: number;
  readonly way?: string;
}

/** The unit that a draft refers to. */
function named(value: Json | undefined, { index, way }: Placed) {
  return value === null || value === undefined ? [] : [{ id: scalarText(value), index, way }];
}

/** Units that a write makes along, which are not there yet. */
export interface Made {
  has(kind: KindDef, id: string): boolean;
}

@Injectable()
export class References {
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
    made?: Made,
  ): Promise<void> {
    for (const field of kind.fields.values()) {
      const target = field.reference && session.model.kinds.get(field.reference.kind);
      const asked = target ? drafts.flatMap((placed) => named(placed.draft.row[field.column ?? field.id], placed)) : [];
      const others = target ? asked.filter(({ id }) => !made?.has(target, id)) : [];
      if (!target || others.length === 0) continue;
      const grant = grantOf(target, 'read', session.caller, session.model);
      if (grant && !all) continue;
      const there = grant
        ? await this.#there(
            session,
            target,
            others.map(({ id }) => id),
            grant.predicate,
          )
        : new Set();
      for (const { index, way } of others.filter(({ id }) => !there.has(id))) {
        const place = index === undefined ? { parameter: field.id } : { parameter: field.id, index };
        (way === undefined ? faults : faults.within(way)).add(
          'parameter.bad_reference',
          `${field.id}: no such unit of '${target.id}'`,
          place,
        );
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
}
