/** Validates the parameters that a function declares, and makes definitions like those of kinds. Pure. */
import { settleTrusted } from '../../catalog/pattern/pattern-definition.js';
import { checkParameter } from '../../model/check/check-parameter.js';
import { parameterDef, type ParameterDef } from '../../model/parameter-type/parameter-def.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import { isReference } from '../../model/parameter-type/parameter-type.js';
import type { ParameterSetting } from '../../model/parameter-setting/parameter-setting.js';
import { SETTING_LIST } from '../../model/parameter-setting/parameter-settings.js';
import { isParameterTypeId, PARAMETER_TYPES, parameterType } from '../../model/parameter-type/type-by-id.js';
import { faultTexts } from '../../shared/collect-faults.js';
import { IDENTIFIER_HINT, isIdentifier } from '../../shared/identifiers.js';
import { isPlainObject, jsonFault, typeName, type Json } from '../../shared/json.js';
import { didYouMean } from '../../shared/did-you-mean.js';
import { RESERVED_PARAMETERS } from '../../model/fields-of-every-unit.js';

export function checkDeclaredParameters(given: unknown, fault: (text: string) => void): readonly ParameterDef[] {
  if (given === undefined) return [];
  if (!isPlainObject(given)) {
    fault(`: must be an object of parameters, got ${typeName(given)}`);
    return [];
  }
  return Object.entries(given).flatMap(([id, declared]) => {
    const def = checkDeclared(id, declared, (text) => fault(`.${id}${text}`));
    return def ? [def] : [];
  });
}

function checkDeclared(id: string, declared: unknown, fault: (text: string) => void): ParameterDef | undefined {
  if (!isIdentifier(id)) return void fault(`: a name is ${IDENTIFIER_HINT}`);
  if (RESERVED_PARAMETERS.has(id)) return void fault(`: '${id}' is a field that every unit has; choose another name`);
  if (!isPlainObject(declared)) return void fault(`: must be an object with a type, got ${typeName(declared)}`);
  const { type: typeId } = declared;
  if (typeof typeId !== 'string' || !isParameterTypeId(typeId)) {
    const known = [...PARAMETER_TYPES.keys()];
    return void fault(`.type: must be one of ${known.join(', ')}${didYouMean(String(typeId), known)}`);
  }
  const type = parameterType(typeId);
  const fields: Partial<Record<keyof ParameterDef, unknown>> = {};
  const settings = new Map<string, ParameterSetting>(
    SETTING_LIST.filter(([key, { declared: wants, isOwn }]) => wants && (!isOwn || type.fields.includes(key))),
  );
  const allowed = ['type', ...settings.keys()];
  for (const [key, value] of Object.entries(declared)) {
    if (key === 'type' || value === undefined) continue;
    const { key: target, declared: wants } = settings.get(key) ?? {};
    if (!target) fault(`: the type ${type.id} has no '${key.slice(0, 60)}'${didYouMean(key, allowed)}`);
    else if (wants !== 'any' && typeof value !== wants) fault(`.${key}: must be a ${wants}, got ${typeName(value)}`);
    else fields[target as keyof ParameterDef] = value;
  }
  if (isReference(type) && typeof fields.referenceKind !== 'string') fault('.reference_kind: must name a kind');
  const fallback = (fields.default ?? null) as Json;
  const unfit = jsonFault(fallback);
  if (unfit !== undefined) return void fault(`.default: ${unfit}`);
  const nullable = fields.nullable ?? !(fields.required === true || fallback !== null);
  const def = parameterDef({
    ...(fields as Partial<ParameterDef>),
    id,
    type: typeId,
    default: fallback,
    nullable: nullable as boolean,
  });
  checkDefinition(def, fault);
  return def;
}

/** Validates the definition like that of a parameter of a kind. */
function checkDefinition(def: ParameterDef, fault: (text: string) => void): void {
  // Values of calls are not stored, so `unique` only means that a list has no element twice.
  const texts = faultTexts((faults) => {
    const patterns = new PatternChecks();
    checkParameter({ ...def, unique: def.unique && def.multiple }, faults, patterns);
    settleTrusted(patterns);
  });
  for (const text of texts) fault(`.${text.replace(`default_${def.type}`, 'default')}`);
}
