/** Checks the definition of one parameter for contradictions. Pure. */
import type { ErrorCode, Faults } from '../../shared/errors.js';
import { isSystemIdentifier } from '../../shared/identifiers.js';
import { jsonEqual, type Json } from '../../shared/json.js';
import { indexOfDuplicate } from '../../shared/large-json.js';
import { LIMITS } from '../../shared/limits.js';
import { fieldAccessOf, isRules } from '../parameter-type/field-access.js';
import { parameterDef, type ParameterDef } from '../parameter-type/parameter-def.js';
import type { ValueRules } from '../parameter-type/parameter-settings.js';
import type { ReportFieldFault as Report, ParameterType } from '../parameter-type/parameter-type.js';
import { parameterType } from '../parameter-type/type-by-id.js';
import { codePoints } from '../parameter-type/text-rules.js';
import type { PatternChecks } from './pattern-checks.js';
import { RESERVED_PARAMETERS } from '../fields-of-every-unit.js';

/** The property of a definition for each field of a record. The default (`default_<type>`) is handled separately. */
const KEYS: Readonly<Record<string, keyof ParameterDef>> = {
  label: 'label',
  helper_text: 'helperText',
  min_length: 'minLength',
  max_length: 'maxLength',
  min_value: 'minValue',
  max_value: 'maxValue',
  scale: 'scale',
  values: 'values',
  pattern: 'pattern',
  strip: 'strip',
  multiple: 'multiple',
  nullable: 'nullable',
  required: 'required',
  only_run_time: 'runTime',
  is_primary: 'primary',
  unique: 'unique',
  indexed: 'indexed',
  hidden: 'hidden',
  write_once: 'writeOnce',
  search: 'search',
  reference_kind: 'referenceKind',
  on_delete: 'onDelete',
};

type AccessKey = 'readAccess' | 'writeAccess';

/** The settings that may be rules, which are stored as texts. */
const ACCESS_KEYS: ReadonlyMap<string, AccessKey> = new Map<string, AccessKey>([
  ['read_access', 'readAccess'],
  ['write_access', 'writeAccess'],
]);

/** Applies the values of a body to a definition; null unsets a property. */
export function patched(base: ParameterDef, values: ReadonlyMap<string, Json>): ParameterDef {
  const changes: Partial<Record<keyof ParameterDef, Json | readonly string[] | undefined>> = {};
  for (const [key, value] of values) {
    const target = KEYS[key];
    if (target) changes[target] = value ?? undefined;
    if (key === `default_${base.type}`) changes.default = value;
    const access = ACCESS_KEYS.get(key);
    if (access && (value === null || typeof value === 'string')) changes[access] = fieldAccessOf(value);
  }
  return { ...base, ...(changes as Partial<ParameterDef>) };
}

/** The record fields in which two definitions of the same type differ. Where they were defined is not compared. */
export function differences(a: ParameterDef, b: ParameterDef): string[] {
  const keys = { ...KEYS, [`default_${a.type}`]: 'default', ...COMPARED } as Readonly<
    Record<string, keyof ParameterDef>
  >;
  return Object.entries(keys).flatMap(([name, key]) => (jsonEqual(a[key], b[key]) ? [] : [name]));
}

const COMPARED = { read_access: 'readAccess', write_access: 'writeAccess', metadata: 'metadata' } as const;

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
  const ruled = checkRules(def, type, patterns, report);
  checkFlags(def, type, report);
  checkDefault(ruled ? def : withoutRules(def), type, patterns, report);
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

/** The definition without its limits: if they are invalid, only the type of the default is checked. */
function withoutRules({ id, type, label, default: value, multiple, unique }: ParameterDef): ParameterDef {
  return parameterDef({ id, type, label, default: value, multiple, unique });
}

/** Reports invalid limits. Returns whether all are valid, so that the default can be checked against them. */
function checkRules(def: ParameterDef, type: ParameterType, patterns: PatternChecks, report: Report): boolean {
  let valid = true;
  const bad: Report = (...fault) => {
    valid = false;
    report(...fault);
  };
  if (def.minLength !== undefined && def.maxLength !== undefined && def.minLength > def.maxLength) {
    bad('min_length', `must not be above max_length, got ${def.minLength} and ${def.maxLength}`);
  }
  checkBounds(def, type, bad);
  checkValues(def, type, bad);
  checkPattern(def, patterns, bad);
  return valid;
}

function checkBounds(def: ParameterDef, type: ParameterType, bad: Report): void {
  const bounds = [['min_value', def.minValue] as const, ['max_value', def.maxValue] as const];
  const scale: ValueRules = def.scale === undefined ? {} : { scale: def.scale };
  let comparable = true;
  for (const [name, value] of bounds) {
    if (value === undefined) comparable = false;
    else type.accept(value, scale, (code, text) => ((comparable = false), bad(name, text, code)));
  }
  if (!comparable) return;
  const [min = '', max = ''] = bounds.map(([, value]) => value);
  const above = type.compare ? type.compare(min, max) > 0 : min > max;
  if (above) bad('min_value', `must not be above max_value, got ${min} and ${max}`);
}

function checkValues(def: ParameterDef, type: ParameterType, bad: Report): void {
  const values: unknown = def.values;
  if (values === undefined) return;
  if (!Array.isArray(values) || values.length === 0) return bad('values', 'must be a list of at least one value');
  if (values.length > LIMITS.allowedValues)
    return bad('values', `at most ${LIMITS.allowedValues}, got ${values.length}`);
  values.forEach((value, at) => {
    type.accept(value, { ...def, values: undefined, pattern: undefined }, (code, text) =>
      bad('values', `[${at}]: ${text}`, code),
    );
  });
  if (new Set(values).size !== values.length) bad('values', 'the same value is there twice', 'parameter.duplicate');
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
    [`default_${stored.type}`, stored.default],
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

function checkPattern({ pattern }: ParameterDef, patterns: PatternChecks, bad: Report): void {
  if (pattern === undefined) return;
  if (codePoints(pattern) > LIMITS.patternLength)
    return bad('pattern', `at most ${LIMITS.patternLength} characters`, 'parameter.too_long');
  patterns.defined.push({ pattern, report: (code, text) => bad('pattern', text, code) });
}

function checkFlags(def: ParameterDef, type: ParameterType, report: Report): void {
  if (def.primary) {
    if (!type.keyable) report('is_primary', `a ${def.type} cannot be the key of a unit`);
    if (def.multiple) report('is_primary', 'a list cannot be the key of a unit');
    if (def.hidden) report('is_primary', 'the key of a unit cannot be hidden');
    if (isRules(def.readAccess)) report('read_access', 'the key of a unit is its id, which no rule can hide');
    if (def.runTime) report('is_primary', 'the key of a unit must be stored');
  }
  for (const [name, on] of [
    ['unique', def.unique && !def.multiple],
    ['indexed', def.indexed],
  ] as const) {
    if (!on) continue;
    if (!type.sortable) report(name, `a ${def.type} cannot be ${name}`);
    if (def.runTime) report(name, 'what is not stored has no index');
  }
  if (def.writeOnce && def.runTime) report('write_once', 'a value that is not stored cannot stay as it is');
  if (def.writeOnce && def.onDelete === 'set_null') {
    report('write_once', `'on_delete' would set the reference to null; it may be restrict or cascade here`);
  }
  if (def.search === undefined) return;
  if (def.multiple) report('search', 'a list cannot be searched');
  if (def.runTime) report('search', 'what is not stored cannot be searched');
  if (def.hidden) report('search', 'what is hidden cannot be searched');
}

function checkDefault(def: ParameterDef, type: ParameterType, patterns: PatternChecks, report: Report): void {
  const name = `default_${def.type}`;
  const value = def.default;
  if (value === null) return;
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
  shown.set(`default_${def.type}`, def.multiple && Array.isArray(value) ? (value as Json[]).map(form) : form(value));
  if (def.minValue !== undefined) shown.set('min_value', form(def.minValue));
  if (def.maxValue !== undefined) shown.set('max_value', form(def.maxValue));
  return shown;
}
