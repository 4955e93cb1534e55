/** Checks the definition of one parameter for contradictions. Pure. */
import type { ErrorCode, Faults } from '../../shared/errors.js';
import { isSystemIdentifier } from '../../shared/identifiers.js';
import { jsonEqual, type Json } from '../../shared/json.js';
import { indexOfDuplicate } from '../../shared/large-json.js';
import { LIMITS } from '../../shared/limits.js';
import { parameterDef, type ParameterDef } from '../parameter-type/parameter-def.js';
import { madeText, withMadeDefault } from '../made-default.js';
import { SETTING_LIST, settingName } from '../parameter-setting/parameter-settings.js';
import type { ReportFieldFault as Report, ParameterType } from '../parameter-type/parameter-type.js';
import { parameterType } from '../parameter-type/type-by-id.js';
import type { PatternChecks } from './pattern-checks.js';
import { RESERVED_PARAMETERS } from '../field.js';

/** Applies the values of a body to a definition; null unsets a property. */
export function patched(base: ParameterDef, values: ReadonlyMap<string, Json>): ParameterDef {
  const changes = SETTING_LIST.flatMap(([id, { key, unset, parse }]) => {
    const given = values.get(settingName(id, base.type));
    if (given === undefined) return [];
    return [[key, parse ? parse(given) : (given ?? unset)] as const];
  });
  const def = { ...base, ...(Object.fromEntries(changes) as Partial<ParameterDef>) };
  return values.has(settingName('default', base.type)) ? withMadeDefault(def) : def;
}

/** The record fields in which two definitions of the same type differ. Where they were defined is not compared. */
export function differences(a: ParameterDef, b: ParameterDef): string[] {
  const keys = SETTING_LIST.map(([id, { key }]) => [settingName(id, a.type), key as keyof ParameterDef] as const);
  const others = [
    ['metadata', 'metadata'],
    [settingName('default', a.type), 'made'],
  ] as const;
  return [...keys, ...others].flatMap(([name, key]) => (jsonEqual(a[key], b[key]) ? [] : [name]));
}

export function emptyDefinition(id: string, type: ParameterDef['type']): ParameterDef {
  return parameterDef({ id, type });
}

/**
 * Adds a fault for each contradiction in a definition, with its field. The checks of its pattern, and of whether the
 * default matches it, are added to `patterns`, for the caller to run.
 * @param index the position of the definition in a bulk body
 */
export function checkParameter(def: ParameterDef, faults: Faults, patterns: PatternChecks, index?: number): void {
  const type = parameterType(def.type);
  const report = reportTo(faults, index);
  checkId(def.id, report);
  let isRuled = true;
  const reportLimit: Report = (...fault) => {
    isRuled = false;
    report(...fault);
  };
  for (const [, { isLimit, check }] of SETTING_LIST) {
    check?.(def as never, {
      type,
      report: isLimit ? reportLimit : report,
      checkPattern: (pattern, reportPattern) => patterns.defined.push({ pattern, report: reportPattern }),
    });
  }
  // If its limits are invalid, only the type of the default is checked.
  checkDefault(isRuled ? def : withoutRules(def), type, patterns, report);
  type.check?.(def, report);
}

/** @param index the position of the definition in a bulk body */
function reportTo(faults: Faults, index: number | undefined): Report {
  return (parameter, text, code = 'parameter.bad_definition') =>
    faults.add(code, `${parameter}: ${text}`, index === undefined ? { parameter } : { parameter, index });
}

function checkId(id: string, report: Report): void {
  if (RESERVED_PARAMETERS.has(id)) report('id', `'${id}' is a field that every unit has`, 'parameter.reserved');
  else if (isSystemIdentifier(id))
    report('id', `ids that begin with 'kind_' belong to the system`, 'parameter.reserved');
}

/** The definition without its limits. */
function withoutRules({ id, type, label, default: value, multiple, unique }: ParameterDef): ParameterDef {
  return parameterDef({ id, type, label, default: value, multiple, unique });
}

/**
 * Adds a fault if the JSON of the allowed values or of the default is too long, unless it is no longer than the stored
 * one. Returns whether there was no fault.
 */
export function checkDefinitionBytes(
  given: ReadonlyMap<string, Json>,
  stored: ParameterDef,
  faults: Faults,
  index?: number,
): boolean {
  const lists: [string, Json | undefined][] = [
    ['values', stored.values],
    [settingName('default', stored.type), stored.default],
  ];
  const tooLong = lists.flatMap(([name, before]) => {
    const bytes = bytesOf(given.get(name));
    return bytes > LIMITS.valuesBytes && bytes > bytesOf(before) ? [{ name, bytes }] : [];
  });
  const report = reportTo(faults, index);
  for (const { name, bytes } of tooLong) {
    report(name, `at most ${LIMITS.valuesBytes} bytes of JSON, got ${bytes}`, 'parameter.too_long');
  }
  return tooLong.length === 0;
}

function bytesOf(values: Json | undefined): number {
  return values === undefined ? 0 : Buffer.byteLength(JSON.stringify(values));
}

function checkDefault(def: ParameterDef, type: ParameterType, patterns: PatternChecks, report: Report): void {
  const name = settingName('default', def.type);
  const value = def.default;
  if (def.made) return checkMadeDefault(def, (text) => report(name, text));
  if (value === null) return;
  if (type.makes === 'caller') return report(name, "may be '@member.id' alone: the member that creates the unit");
  if (type.makes === 'member' && typeof value === 'string' && value.startsWith('@member.')) {
    return report(name, "'@member.' is followed by the id of one parameter of members");
  }
  if (type.makes === 'now' && typeof value === 'string' && /^@?now/i.test(value)) {
    const text = "may be a fixed time, or '@now' alone: the time at which the unit is created";
    return report(name, text, 'parameter.bad_value');
  }
  if (!def.multiple) {
    checkElement(def, type, { value, patterns }, (code, text) => report(name, text, code));
    return;
  }
  if (!Array.isArray(value))
    return report(name, 'must be a list, because the parameter is multiple', 'parameter.bad_type');
  let accepted = true;
  value.forEach((item: Json, at) =>
    checkElement(
      def,
      type,
      { value: item, patterns },
      (code, text) => ((accepted = false), report(name, `[${at}]: ${text}`, code)),
    ),
  );
  if (!def.unique || !accepted) return;
  if (indexOfDuplicate(value.map((item: Json) => (item === null ? null : (type.canonical?.(item) ?? item)))) >= 0) {
    report(name, 'has the same element twice', 'parameter.duplicate');
  }
}

function checkMadeDefault({ multiple, runTime }: ParameterDef, report: (text: string) => void): void {
  if (multiple) report('a list has no default that is made');
  if (runTime) report('a value that is not stored has no default that is made');
}

function checkElement(
  { pattern, ...rules }: ParameterDef,
  type: ParameterType,
  { value, patterns }: { readonly value: unknown; readonly patterns: PatternChecks },
  report: (code: ErrorCode, text: string) => void,
): void {
  const accepted = type.accept(value, rules, report);
  if (pattern !== undefined && typeof accepted === 'string') patterns.texts.push({ pattern, text: accepted, report });
}

/** The default and limits of a definition in canonical form, by record field; they are stored in this form. */
export function canonicalValues(def: ParameterDef): ReadonlyMap<string, Json> {
  const type = parameterType(def.type);
  const form = (value: Json): Json => {
    if (def.strip && typeof value === 'string') return value.trim();
    return value === null ? null : (type.canonical?.(value) ?? value);
  };
  const shown = new Map<string, Json>();
  const value = def.default;
  shown.set(
    settingName('default', def.type),
    def.made ? madeText(def.made) : def.multiple && Array.isArray(value) ? (value as Json[]).map(form) : form(value),
  );
  if (def.minValue !== undefined) shown.set('min_value', form(def.minValue));
  if (def.maxValue !== undefined) shown.set('max_value', form(def.maxValue));
  return shown;
}
