/** Which units of a kind a caller could do something with, if the kind had another access. Pure. */
import { type Operation, OPERATIONS } from '../model/built-in-traits.js';
import { checkParameter } from '../model/check/check-parameter.js';
import { PatternChecks } from '../model/check/pattern-checks.js';
import { recordOfParameter, type KindDef, type Model } from '../model/model.js';
import { fieldAccessOf } from '../model/parameter-setting/access.setting.js';
import { fieldAccessType } from '../model/parameter-type/field-access.js';
import { conditionOf } from '../model/predicate/conditional-field.js';
import { conjunction } from '../model/predicate/predicate.js';
import { Faults } from '../shared/errors.js';
import { isPlainObject, type Json } from '../shared/json.js';
import { shortened } from '../shared/texts.js';
import type { Caller } from '../tenancy/caller.js';
import { grantOf, REQUIRE_READ } from './access.js';
import { checkAccess, checkAccessRules, checkFieldRules, checkFieldRuleSyntax } from './check-access.js';
import type { Grant } from './level.js';
import { readableFields, writableFields } from './masks.js';

/** The operations on units that exist, and `create`, as if they were new. */
export const PREVIEWED_OPERATIONS = OPERATIONS.filter((operation) => operation !== 'signup');

/**
 * The kind with another access for an operation; null for the default. @throws KindError 400 with all faults, as when it
 * is stored
 */
export function kindWithAccess(kind: KindDef, operation: Operation, setting: Json, model: Model): KindDef {
  const changed = { [operation]: setting };
  if (setting !== null) {
    const faults = new Faults();
    checkAccess(kind.traits, changed, faults);
    if (!faults.any) checkAccessRules({ ...kind, access: changed }, model, faults);
    faults.throwIfAny();
  }
  return { ...kind, access: { ...(isPlainObject(kind.access) && kind.access), ...changed } };
}

/** The units with which a caller may do the operation; undefined if there are none. */
export function unitsFor(kind: KindDef, operation: Operation, caller: Caller, model: Model): Grant | undefined {
  const grant = grantOf(kind, operation, caller, model);
  if (!grant || !REQUIRE_READ.has(operation)) return grant;
  const read = grantOf(kind, 'read', caller, model);
  return read && { predicate: conjunction(read.predicate, grant.predicate) };
}

/** The operations that `read_access` (the first) and `write_access` (the others) limit. */
const FIELD_OPERATIONS: readonly Operation[] = ['read', 'create', 'update'];

/** @throws KindError 400 if the kind has no such parameter, or no access of a parameter limits the operation */
export function checkPreviewedField(kind: KindDef, id: string, operation: Operation): void {
  const faults = new Faults();
  if (!FIELD_OPERATIONS.includes(operation)) {
    const text = `operation: must be one of ${FIELD_OPERATIONS.join(', ')} for a parameter`;
    faults.add('parameter.not_allowed', text, { parameter: 'operation' });
  }
  const own = kind.builtIn ? [] : kind.parameters.filter((each) => kind.fields.has(each));
  if (!own.includes(id)) {
    const text = `parameter: '${kind.id}' has no parameter '${shortened(id)}'${faults.hint(id, own)}`;
    faults.add('parameter.bad_reference', text, { parameter: 'parameter' });
  }
  faults.throwIfAny();
}

/**
 * The kind with another access of one of its parameters; null for that of the kind. @throws KindError 400 with all
 * faults, as when it is stored
 */
export function kindWithFieldAccess(
  kind: KindDef,
  id: string,
  operation: Operation,
  setting: Json,
  model: Model,
): KindDef {
  const field = kind.fields.get(id);
  if (!field) return kind;
  const [name, key] =
    operation === 'read' ? (['read_access', 'readAccess'] as const) : (['write_access', 'writeAccess'] as const);
  const faults = new Faults();
  const report = (code: Parameters<Faults['add']>[0], text: string) =>
    faults.add(code, `${name}: ${text}`, { parameter: name });
  const stored = setting === null ? null : fieldAccessType.accept(setting, {}, report);
  faults.throwIfAny();
  const changed = { ...field.def, [key]: fieldAccessOf(typeof stored === 'string' ? stored : null) };
  const changedKind = {
    ...kind,
    fields: new Map(kind.fields).set(id, { ...field, def: changed }),
  };
  checkParameter(changed, faults, new PatternChecks());
  checkFieldRuleSyntax(changed, faults);
  if (!faults.any) {
    const touched = { parameters: new Set([recordOfParameter(kind, id)]) };
    checkFieldRules(changedKind, { before: model, after: model }, touched, faults);
  }
  faults.throwIfAny();
  return changedKind;
}

/** The units in which a caller may read or write the parameter; undefined if there are none. */
export function unitsForField(
  kind: KindDef,
  id: string,
  operation: Operation,
  caller: Caller,
  model: Model,
): Grant | undefined {
  const grant = unitsFor(kind, operation, caller, model);
  const fields = operation === 'read' ? readableFields : writableFields;
  const field = fields(kind, caller, model).get(id);
  return grant && field && { predicate: conjunction(grant.predicate, conditionOf(field)) };
}
