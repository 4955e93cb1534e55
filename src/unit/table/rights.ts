/** What of a kind's units a caller sees, and which of them it may write. Every refusal of a write is worded here. */
import { Injectable } from '@nestjs/common';
import { accessDenied, grantOf } from '../../access/access.js';
import { readableFields } from '../../access/masks.js';
import type { Field, KindDef } from '../../model/model.js';
import { conjunction, everyField, type Predicate } from '../../model/predicate/predicate.js';
import { refusal, type KindError } from '../../shared/errors.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Body } from '../draft/draft.js';
import type { Session } from '../session/session.js';
import { TableReader } from './table.reader.js';
import { parseKey, unknownUnit } from '../session/unit-ids.js';
import type { Conditions, UnitRow } from '../store/unit-store.js';
import { UnitRepository } from './unit.repository.js';

@Injectable()
export class UnitRights {
  constructor(
    private readonly repository: UnitRepository,
    private readonly reader: TableReader,
  ) {}

  /** The units that the caller may read: others do not exist for it. */
  readable({ caller, model }: Session, kind: KindDef): Predicate | undefined {
    const grant = grantOf(kind, 'read', caller, model);
    return grant ? grant.predicate : { op: 'constant', value: false };
  }

  /**
   * Refuses what the caller can not write. Where behaviours act on a write it is asked before they do: after a statement
   * of theirs failed, the transaction answers no question any more.
   */
  async mustBeWritable(
    session: Session,
    kind: KindDef,
    id: string,
    options: Conditions,
    operation: string,
  ): Promise<void> {
    const refused = await this.whyNot(session, kind, id, options, operation);
    if (refused) throw refused;
  }

  /** The version of a unit that the caller may read; undefined where it is none of those. */
  async #find(session: Session, kind: KindDef, id: string, narrowed?: Predicate): Promise<UnitRow | undefined> {
    const { executor, project, caller, model } = session;
    const grant = grantOf(kind, 'read', caller, model);
    const key = parseKey(kind, id);
    if (!grant || key === undefined) return undefined;
    const access = conjunction(grant.predicate, narrowed);
    return this.repository.fetch(
      executor,
      { schema: project.schema, kind, access, fields: [kind.keyField] },
      key,
      model,
    );
  }

  /** Refuses a unit that the caller may not read, or whose right for an operation does not reach it. @throws KindError 403, 404 */
  async checkUnit(
    session: Session,
    kind: KindDef,
    id: string,
    access: Predicate | undefined,
    operation: string,
  ): Promise<void> {
    if (access ?? this.readable(session, kind)) await this.mustBeWritable(session, kind, id, { access }, operation);
  }

  /** A unit as the caller sees it, inside the session. @throws KindError 404 */
  async present(session: Session, kind: KindDef, id: string): Promise<UnitRow> {
    const grant = grantOf(kind, 'read', session.caller, session.model);
    const found = grant && (await this.reader.find(session, { kind, grant }, id));
    if (!found) throw unknownUnit(kind, id);
    return found;
  }

  /** Why the caller can not write a unit: it is not there, or changed, or not the caller's to change; undefined where it can. */
  async whyNot(
    session: Session,
    kind: KindDef,
    id: string,
    options: Conditions,
    operation: string,
  ): Promise<KindError | undefined> {
    const found = await this.#find(session, kind, id);
    if (!found) return unknownUnit(kind, id);
    if (options.tags && !options.tags.includes(found.tag)) return versionMismatch(kind, id);
    if (!options.access || (await this.#find(session, kind, id, options.access))) return undefined;
    return accessDenied(session.caller, `You may not ${operation} this unit of '${kind.id}'`);
  }

  /** The common part of plans for creates and edits. `edited`: only these parameters are answered. */
  writePlan(session: Session, kind: KindDef, edited?: Body) {
    const { project, model, caller } = session;
    const shown = this.readable(session, kind);
    return {
      schema: project.schema,
      kind,
      version: model.version,
      fields: answeredFields(kind, caller, edited),
      shown,
    };
  }
}

/** The unit is the caller's to change, but not into that. */
export function leavesAllowedUnits(caller: Caller, kind: KindDef): KindError {
  return accessDenied(caller, `You may not change a unit of '${kind.id}' into one that you may not change`);
}

/** The unit is another version by now. */
export function versionMismatch(kind: KindDef, id: string): KindError {
  const text = `The unit '${id}' of '${kind.id}' is no longer the version that If-Match, or updated_at in the body, names`;
  return refusal('unit.changed', text);
}

/** What a write answers: what the caller may read of the kind, or else the id and the kind alone. */
export function answeredFields(kind: KindDef, caller: Caller, edited?: Body): readonly Field[] {
  const readable = everyField(readableFields(kind, caller));
  const known = (ids: readonly string[]) => readable.filter((field) => ids.includes(field.id));
  if (edited) return known(['id', 'inserted_at', 'updated_at', ...edited.keys()]);
  return readable;
}

/** A record that is sent back is to be of the version that the unit still has, as with `If-Match`. */
export function withVersion(conditions: Conditions, version: string | undefined): Conditions {
  if (version === undefined) return conditions;
  const { access, tags = [version] } = conditions;
  return { access, tags: tags.filter((tag) => tag === version) };
}
