/** In which units of a kind a caller could read or write a parameter, if the parameter had another access. Pure. */
import type { Operation } from '../model/built-in-traits.js';
import { checkParameter } from '../model/check/check-parameter.js';
import { PatternChecks } from '../model/check/pattern-checks.js';
import type { KindDef, Model } from '../model/model.js';
import { fieldAccessType } from '../model/parameter-type/field-access.js';
import { fieldAccessOf } from '../model/parameter-setting/access.setting.js';
import { conditionOf } from '../model/predicate/conditional-field.js';
import { conjunction } from '../model/predicate/predicate.js';
import { Faults } from '../shared/errors.js';
import type { Json } from '../shared/json.js';
import { shortened } from '../shared/shortened.js';
import type { Caller } from '../tenancy/caller.js';
import { checkFieldRules, checkFieldRuleSyntax } from './check-access.js';
import type { Grant } from './grant.js';
import { readableFields, writableFields } from './masks.js';
import { unitsFor } from './preview.js';

/** The operations that `read_access` (the first) and `write_access` (the others) limit. */
const FIELD_OPERATIONS: readonly Operation[] = ['read', 'create', 'update'];

/** @throws KindError 400 if the kind has no such parameter, or no access of a parameter limits the operation */
export function checkPreviewedField(kind: KindDef, id: string, operation: Operation, model: Model): void {
  const faults = new Faults();
  if (!FIELD_OPERATIONS.includes(operation)) {
    const text = `operation: must be one of ${FIELD_OPERATIONS.join(', ')} for a parameter`;
    faults.add('parameter.not_allowed', text, { parameter: 'operation' });
  }
  const own = kind.builtIn ? [] : kind.parameters.filter((each) => model.parameters.has(each));
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
  const definition = model.parameters.get(id);
  if (!field || !definition) return kind;
  const [name, key] =
    operation === 'read' ? (['read_access', 'readAccess'] as const) : (['write_access', 'writeAccess'] as const);
  const faults = new Faults();
  const report = (code: Parameters<Faults['add']>[0], text: string) =>
    faults.add(code, `${name}: ${text}`, { parameter: name });
  const stored = setting === null ? null : fieldAccessType.accept(setting, {}, report);
  faults.throwIfAny();
  const changed = { ...definition, [key]: fieldAccessOf(typeof stored === 'string' ? stored : null) };
  const changedKind = {
    ...kind,
    fields: new Map(kind.fields).set(id, { ...field, def: { ...field.def, [key]: changed[key] } }),
  };
  checkParameter(changed, faults, new PatternChecks());
  checkFieldRuleSyntax(changed, faults);
  if (!faults.any) {
    const after = { ...model, parameters: new Map(model.parameters).set(id, changed) };
    checkFieldRules(changedKind, { before: model, after }, { parameters: new Set([id]) }, faults);
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
