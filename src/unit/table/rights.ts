/** Checks which units of a kind a caller may read and write, and makes the refusals of writes. */
import { grantOf } from '../../access/access.js';
import { accessDenied } from '../../access/level.js';
import { readableFields } from '../../access/masks.js';
import { recordingOf } from '../../catalog/session/recording.js';
import type { Session } from '../../catalog/session/session.js';
import { EMPTY_QUERY } from '../../filter/queries.js';
import { isTimeField } from '../../model/field.js';
import type { Field, KindDef } from '../../model/model.js';
import type { ConditionalField } from '../../model/predicate/conditional-field.js';
import { conjunction, everyField, type Predicate } from '../../model/predicate/predicate.js';
import { refusal, type KindError } from '../../shared/errors.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Body } from '../draft/draft.js';
import { planContextOf, planGet } from '../query/list.plan.js';
import { parseKey, unknownUnit } from '../store/unit-ids.js';
import type { Conditions, Readable, UnitRow } from '../store/unit-store.js';
import { evaluateUnit, fetchUnit } from './unit.repository.js';

/** The units that the caller may read; all others do not exist for the caller. */
export function readableUnits(
  { caller, model }: Pick<Session, 'caller' | 'model'>,
  kind: KindDef,
): Predicate | undefined {
  const grant = grantOf(kind, 'read', caller, model);
  return grant ? grant.predicate : { op: 'constant', value: false };
}

/** Units whose contents have to be uploaded are made one by one. @throws KindError 400 */
export function refuseContents({ id, traits }: KindDef, done: 'imported' | 'upserted'): void {
  if (traits.contents) throw refusal('file.not_here', `Units of '${id}' are not ${done}: each is uploaded`);
}

/** The whole unit; undefined if it does not exist or the caller may not read it. */
export function findUnit(session: Session, { kind, grant }: Readable, id: string): Promise<UnitRow | undefined> {
  const key = parseKey(kind, id);
  if (key === undefined) return Promise.resolve(undefined);
  const context = planContextOf(session, { kind, access: grant.predicate });
  return fetchUnit(session, planGet(EMPTY_QUERY, context), key);
}

/** A unit as the caller sees it. @throws KindError 404 */
export async function presentUnit(session: Session, kind: KindDef, id: string): Promise<UnitRow> {
  const grant = grantOf(kind, 'read', session.caller, session.model);
  const found = grant && (await findUnit(session, { kind, grant }, id));
  if (!found) throw unknownUnit(kind, id);
  return found;
}

/**
 * Refuses a unit that the caller may not read, or on which it may not do the operation. @throws KindError 403, 404
 */
export async function checkUnit(
  session: Session,
  kind: KindDef,
  id: string,
  access: Predicate | undefined,
  operation: string,
): Promise<void> {
  if (access ?? readableUnits(session, kind)) await mustBeWritable(session, kind, id, { access }, operation);
}

/**
 * Refuses a unit that the caller cannot write. Where behaviors run, it is called before them: after one of their
 * statements failed, the transaction cannot run another.
 */
export async function mustBeWritable(
  session: Session,
  kind: KindDef,
  id: string,
  options: Conditions,
  operation: string,
): Promise<void> {
  const refused = await whyNotWritable(session, kind, id, options, operation);
  if (refused) throw refused;
}

/**
 * Why the caller cannot write a unit: it does not exist, has another version, or may not be changed by the caller.
 * Undefined if the caller can write it.
 */
export async function whyNotWritable(
  session: Session,
  kind: KindDef,
  id: string,
  options: Conditions,
  operation: string,
): Promise<KindError | undefined> {
  const found = await fetchTag(session, kind, id);
  if (!found) return unknownUnit(kind, id);
  if (options.tags && !options.tags.includes(found.tag)) return versionMismatch(kind, id);
  if (!options.access || (await fetchTag(session, kind, id, options.access))) return undefined;
  return mayNotWriteUnit(session.caller, kind, operation);
}

/** The unit, with its version tag and no values; undefined if the caller may not read it. */
async function fetchTag(
  session: Session,
  kind: KindDef,
  id: string,
  narrowed?: Predicate,
): Promise<UnitRow | undefined> {
  const grant = grantOf(kind, 'read', session.caller, session.model);
  const key = parseKey(kind, id);
  if (!grant || key === undefined) return undefined;
  const access = conjunction(grant.predicate, narrowed);
  return fetchUnit(session, { schema: session.project.schema, kind, access, fields: [kind.keyField] }, key);
}

/**
 * Refuses an edit of parameters whose rules the stored unit does not satisfy. The caller may change the unit.
 * @throws KindError 401, 403
 */
export async function checkStoredFieldRules(
  session: Session,
  kind: KindDef,
  id: string,
  fields: readonly ConditionalField[],
): Promise<void> {
  const conditions = fields.map(({ condition }) => condition);
  const holds = await evaluateUnit(session, kind, parseKey(kind, id), conditions);
  const refused = fields.find((_, at) => holds?.[at] === false);
  if (refused) throw mayNotWrite(session.caller, kind, refused);
}

/**
 * The common part of plans for creates and edits. They answer the fields that the caller may read; with `edited` of
 * these only the edited ones, the id and the times.
 */
export function writePlan(session: Session, kind: KindDef, edited?: Body) {
  const { project, model, caller } = session;
  const readable = everyField(readableFields(kind, caller, model));
  const isAnswered = ({ id }: Field) => id === 'id' || isTimeField(id) || edited?.has(id) === true;
  return {
    schema: project.schema,
    kind,
    version: model.version,
    fields: edited ? readable.filter(isAnswered) : readable,
    shown: readableUnits(session, kind),
    recording: recordingOf(session, kind),
  };
}

export function mayNotWriteUnit(caller: Caller, kind: KindDef, operation: string): KindError {
  return accessDenied(caller, `You may not ${operation} this unit of '${kind.id}'`);
}

export function mayNotCreateUnit(caller: Caller, kind: KindDef): KindError {
  return accessDenied(caller, `You may not create such a unit of '${kind.id}'`);
}

/** A rule of the parameter does not let the caller write it in this unit. */
export function mayNotWrite(caller: Caller, kind: KindDef, { id }: Field): KindError {
  return accessDenied(caller, `You may not write '${id}' of this unit of '${kind.id}'`, { parameter: id });
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

/** Requires the version of a record that was sent back, in addition to `If-Match`. */
export function withVersion(conditions: Conditions, version: string | undefined): Conditions {
  if (version === undefined) return conditions;
  const { access, tags = [version] } = conditions;
  return { access, tags: tags.filter((tag) => tag === version) };
}
