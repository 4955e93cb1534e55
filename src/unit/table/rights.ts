/** Checks which units of a kind a caller may read and write, and makes the refusals of writes. */
import { Injectable } from '@nestjs/common';
import { accessDenied, grantOf } from '../../access/access.js';
import { readableFields } from '../../access/masks.js';
import { isTimeField } from '../../model/fields-of-every-unit.js';
import type { Field, KindDef, Model } from '../../model/model.js';
import type { ConditionalField } from '../../model/predicate/conditional-field.js';
import { conjunction, everyField, type Predicate } from '../../model/predicate/predicate.js';
import { refusal, type KindError } from '../../shared/errors.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Body } from '../draft/draft.js';
import type { Session } from '../../catalog/session/session.js';
import { TableReader } from './read/table.reader.js';
import { parseKey, unknownUnit } from '../session/unit-ids.js';
import type { Conditions, UnitRow } from '../store/unit-store.js';
import { UnitRepository } from './unit.repository.js';

@Injectable()
export class UnitRights {
  constructor(
    private readonly repository: UnitRepository,
    private readonly reader: TableReader,
  ) {}

  /** The units that the caller may read; all others do not exist for the caller. */
  readable({ caller, model }: Session, kind: KindDef): Predicate | undefined {
    const grant = grantOf(kind, 'read', caller, model);
    return grant ? grant.predicate : { op: 'constant', value: false };
  }

  /**
   * Refuses a unit that the caller cannot write. Where behaviors run, it is called before them: after one of their
   * statements failed, the transaction cannot run another.
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

  /** The unit, with its version tag; undefined if the caller may not read it. */
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

  /**
   * Refuses a unit that the caller may not read, or on which it may not do the operation. @throws KindError 403, 404
   */
  async checkUnit(
    session: Session,
    kind: KindDef,
    id: string,
    access: Predicate | undefined,
    operation: string,
  ): Promise<void> {
    if (access ?? this.readable(session, kind)) await this.mustBeWritable(session, kind, id, { access }, operation);
  }

  /** A unit as the caller sees it. @throws KindError 404 */
  async present(session: Session, kind: KindDef, id: string): Promise<UnitRow> {
    const grant = grantOf(kind, 'read', session.caller, session.model);
    const found = grant && (await this.reader.find(session, { kind, grant }, id));
    if (!found) throw unknownUnit(kind, id);
    return found;
  }

  /**
   * Why the caller cannot write a unit: it does not exist, has another version, or may not be changed by the caller.
   * Undefined if the caller can write it.
   */
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
    return mayNotWriteUnit(session.caller, kind, operation);
  }

  /**
   * Refuses an edit of parameters whose rules the stored unit does not satisfy. The caller may change the unit.
   * @throws KindError 401, 403
   */
  async checkFieldRules(
    { project, executor, caller, model }: Session,
    kind: KindDef,
    id: string,
    fields: readonly ConditionalField[],
  ): Promise<void> {
    const plan = { schema: project.schema, kind };
    const conditions = fields.map(({ condition }) => condition);
    const holds = await this.repository.evaluate(executor, plan, parseKey(kind, id), conditions, model);
    const refused = fields.find((_, at) => holds?.[at] === false);
    if (refused) throw mayNotWrite(caller, kind, refused);
  }

  /** The common part of plans for creates and edits. With `edited`, only the parameters in it are returned. */
  writePlan(session: Session, kind: KindDef, edited?: Body) {
    const { project, model, caller } = session;
    const shown = this.readable(session, kind);
    return {
      schema: project.schema,
      kind,
      version: model.version,
      fields: answeredFields(kind, caller, model, edited),
      shown,
    };
  }
}

export function mayNotWriteUnit(caller: Caller, kind: KindDef, operation: string): KindError {
  return accessDenied(caller, `You may not ${operation} this unit of '${kind.id}'`);
}

/** A rule of the parameter does not let the caller write it in this unit. */
export function mayNotWrite(caller: Caller, kind: KindDef, { id }: Field): KindError {
  return accessDenied(caller, `You may not write '${id}' of this unit of '${kind.id}'`);
}

/** The caller may change the unit, but not to these values. */
export function leavesAllowedUnits(caller: Caller, kind: KindDef): KindError {
  return accessDenied(caller, `You may not change a unit of '${kind.id}' into one that you may not change`);
}

/** The unit has another version than the caller expects. */
export function versionMismatch(kind: KindDef, id: string): KindError {
  const text = `The unit '${id}' of '${kind.id}' is no longer the version that If-Match, or updated_at in the body, names`;
  return refusal('unit.changed', text);
}

/**
 * The fields that a write returns: those that the caller may read; with `edited` of these only the edited ones, the id
 * and the times.
 */
function answeredFields(kind: KindDef, caller: Caller, model: Model, edited?: Body): readonly Field[] {
  const readable = everyField(readableFields(kind, caller, model));
  return edited ? readable.filter(({ id }) => id === 'id' || isTimeField(id) || edited.has(id)) : readable;
}

/** Requires the version of a record that was sent back, in addition to `If-Match`. */
export function withVersion(conditions: Conditions, version: string | undefined): Conditions {
  if (version === undefined) return conditions;
  const { access, tags = [version] } = conditions;
  return { access, tags: tags.filter((tag) => tag === version) };
}
