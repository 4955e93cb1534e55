/** Validates an `access` setting before it is stored. Pure. */
import { Faults, KindError, type FaultLocation } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { getOrInsert } from '../shared/maps.js';
import { isPlainObject, typeName, type Json } from '../shared/json.js';
import { isMemberKind, recordOfParameter, type KindDef, type LinkTypeDef, type Model } from '../model/model.js';
import { filterTests } from '../filter/filter.walk.js';
import { isRules } from '../model/parameter-setting/access.setting.js';
import { parsedTransitions } from '../model/parameter-setting/transitions.setting.js';
import { LEVELS } from '../model/access-levels.js';
import { LINK_OPERATIONS, OPERATIONS, type BuiltInTraits } from '../model/built-in-traits.js';
import type { Predicate } from '../model/predicate/predicate.js';
import type { Touched } from '../model/check/check-model.js';
import {
  namesOfConditions,
  namesOfFieldRules,
  namesOfRules,
  rulesIn,
  type RuleNames,
} from '../model/check/stored-rules.js';
import { mixedText } from '../model/predicate/mixed-names.js';
import { ACCESS_EXPECTED } from '../model/parameter-type/field-access.js';
import type { ParameterDef } from '../model/parameter-type/parameter-def.js';
import { checkLinkRule } from './link-rule.js';
import { rulesOfFields } from './field-rules.js';
import { checkRule, parseRule, ruleLimitFault } from './rule.js';
import { rulesOfTransitions } from './transitions.js';

const ACCESS_PARAMETER = { parameter: 'access' };

/** Adds a fault for every invalid entry of `access`, and for settings that would lock a project permanently. */
export function checkAccess(
  { closed, neverNobody, administratorsOnly }: BuiltInTraits,
  access: Json,
  faults: Faults,
): void {
  checkSettings(OPERATIONS, access, faults, (operation, setting) => {
    if (closed?.includes(operation) && setting !== 'nobody') return "is nobody's here, and stays so";
    if (administratorsOnly && setting !== 'admin' && setting !== 'nobody') return 'is for administrators, and stays so';
    if (neverNobody?.includes(operation) && setting === 'nobody') return "'nobody' would lock the project for good";
    return undefined;
  });
}

/** Adds a fault for every invalid entry of the `access` of a link type. */
export function checkLinkAccess(access: Json, faults: Faults): void {
  checkSettings(LINK_OPERATIONS, access, faults);
}

/** @param whyNot the reason why an operation cannot have a setting */
function checkSettings<O extends string>(
  operations: readonly O[],
  access: Json,
  faults: Faults,
  whyNot: (operation: O, setting: unknown) => string | undefined = () => undefined,
): void {
  const bad = (text: string) => faults.add('parameter.bad_value', `access${text}`, ACCESS_PARAMETER);
  if (!isPlainObject(access)) return void bad(`: must be an object of operations, got ${typeName(access)}`);
  for (const [operation, setting] of Object.entries(access)) {
    const known = operations.find((each) => each === operation);
    const reason = known && whyNot(known, setting);
    if (!known) {
      bad(
        `: no operation '${operation.slice(0, 40)}'${faults.hint(operation, operations)}; there are ${operations.join(', ')}`,
      );
    } else if (reason !== undefined) bad(`.${known}: ${reason}`);
    else if (!LEVELS.some((level) => level === setting)) checkRuleSyntax(operation, setting, faults);
  }
}

/**
 * Checks that a setting is a rule or a non-empty list of rules that can be parsed. Names in rules are checked by
 * `checkAccessRules`.
 */
function checkRuleSyntax(operation: string, setting: unknown, faults: Faults): void {
  const list: readonly unknown[] = Array.isArray(setting) ? setting : [setting];
  const rules = rulesIn(setting);
  const words = rules.some((rule) => !rule.includes('('));
  if (rules.length === 0 || rules.length !== list.length || words) {
    faults.add('parameter.bad_value', `access.${operation}: ${ACCESS_EXPECTED}`, ACCESS_PARAMETER);
    return;
  }
  if (rules.length > LIMITS.accessRules) {
    const text = `access.${operation}: at most ${LIMITS.accessRules} rules, got ${rules.length}`;
    faults.add('parameter.bad_value', text, ACCESS_PARAMETER);
    return;
  }
  for (const [at, rule] of rules.entries()) {
    collectRefusal(faults, `${placeOf(`access.${operation}`, rules, at)}: `, () => parseRule(rule));
  }
}

/** How a fault names a rule: of several by its position, from 0. */
function placeOf(name: string, rules: readonly string[], at: number): string {
  return rules.length > 1 ? `${name}[${at}]` : name;
}

/**
 * Adds a fault for every rule that names an unknown parameter or compares incompatible values, and for every operation
 * whose rules exceed the limits of a statement.
 */
export function checkAccessRules(kind: KindDef, model: Model, faults: Faults): void {
  checkRules(kind.access, faults, (rule, operation) => checkRule(rule, operation, kind, model));
}

/** The same for the rules of a link type. */
export function checkLinkAccessRules(type: LinkTypeDef, model: Model, faults: Faults): void {
  checkRules(type.access, faults, (rule) => checkLinkRule(rule, type, model));
}

/** The fields of a parameter's record that may be rules, and their names in its definition. */
const FIELD_ACCESS = [
  ['read_access', 'readAccess'],
  ['write_access', 'writeAccess'],
] as const;

/**
 * Adds a fault for every rule of a parameter that cannot be parsed, and for conditions of transitions that no kind can
 * have. @param index its position in a bulk body
 */
export function checkFieldRuleSyntax(def: ParameterDef, faults: Faults, index?: number): void {
  let tests = 0;
  for (const [rule, path] of conditionsOf(def)) {
    const place = index === undefined ? { parameter: 'transitions' } : { parameter: 'transitions', index };
    const count = (): void => void (tests += filterTests(parseRule(rule)).length);
    collectRefusal(faults, `transitions: ${path}: `, count, place);
    if (tests <= LIMITS.ruleTests) continue;
    faults.add('filter.too_large', `transitions: the conditions have more than ${LIMITS.ruleTests} tests`, place);
    break;
  }
  for (const [name, key] of FIELD_ACCESS) {
    const access = def[key];
    if (!isRules(access)) continue;
    const place = index === undefined ? { parameter: name } : { parameter: name, index };
    for (const [at, rule] of access.entries()) {
      collectRefusal(faults, `${placeOf(name, access, at)}: `, () => parseRule(rule), place);
    }
  }
}

/** The rules in the conditions of transitions, each once, and how a fault names the first transition that has it. */
function conditionsOf({ transitions }: ParameterDef): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const { from, to, when } of transitions ? parsedTransitions(transitions).list : []) {
    for (const rule of isRules(when) ? when : []) getOrInsert(paths, rule, () => `from '${from}' to '${to}'`);
  }
  return paths;
}

/**
 * Adds a fault for every rule of a parameter of the kind that names an unknown parameter or compares incompatible values,
 * and for rules that exceed the limits of a statement together. Parameters are checked that were written, or that the
 * kind did not have before.
 */
export function checkFieldRules(
  kind: KindDef,
  { before, after }: { readonly before: Model; readonly after: Model },
  touched: Pick<Touched, 'parameters' | 'inline'>,
  faults: Faults,
): void {
  const former = new Set(before.kinds.get(kind.id)?.parameters);
  const recordOf = (id: string) => recordOfParameter(kind, id);
  const checked = kind.parameters.filter((id) => touched.parameters.has(recordOf(id)) || !former.has(id));
  /** Of rules of the parameter `id` and others, which a statement has together. */
  const checkTogether = (id: string, name: string, rules: readonly string[]): void => {
    if (faults.any) return;
    const excess = ruleLimitFault(rules.map((rule) => checkRule(rule, name, kind, after)));
    if (excess === undefined) return;
    const { place } = locationOf(recordOf(id), { name, rule: name }, touched);
    faults.add('filter.too_large', `${name} of all parameters of '${kind.id}': ${excess}`, place);
  };
  const conditional = checked.flatMap((id) => {
    const def = kind.fields.get(id)?.def;
    const conditions = def ? conditionsOf(def) : new Map<string, string>();
    const { path: field, place } = locationOf(recordOf(id), { name: 'transitions', rule: 'transitions' }, touched);
    for (const [rule, path] of conditions) {
      const where = `${field}: ${path}: in '${kind.id}': `;
      collectRefusal(faults, where, () => checkRule(rule, 'transitions', kind, after), place);
    }
    return conditions.size > 0 ? [id] : [];
  });
  if (conditional[0] !== undefined) checkTogether(conditional[0], 'transitions', rulesOfTransitions(kind));
  for (const [name, key] of FIELD_ACCESS) {
    const ruled = checked.flatMap((id) => {
      const rules = kind.fields.get(id)?.def[key];
      return isRules(rules) ? [{ id, rules }] : [];
    });
    for (const { id, rules } of ruled) {
      for (const [at, rule] of rules.entries()) {
        const { path, place } = locationOf(recordOf(id), { name, rule: placeOf(name, rules, at) }, touched);
        collectRefusal(faults, `${path}: in '${kind.id}': `, () => checkRule(rule, name, kind, after), place);
      }
    }
    const [first] = ruled;
    if (first) checkTogether(first.id, name, rulesOfFields(kind, key));
  }
}

/**
 * Adds a fault for each name of members in a rule that is of different types in the kinds of members since the change: by
 * an own parameter of one of them, or by a kind that became one.
 */
export function checkMemberNames(model: Model, touched: Touched, faults: Faults): void {
  const members = [...model.kinds.values()].filter(isMemberKind);
  const changed = members.flatMap((kind) =>
    kind.parameters.filter((id) => {
      const isWritten = touched.parameters.has(recordOfParameter(kind, id)) || touched.regrouped.has(kind.id);
      return kind.fields.get(id)?.def.own && isWritten;
    }),
  );
  const mixed = new Map(
    [...new Set(changed)].flatMap((id): [string, string][] => {
      const text = mixedText(
        id,
        members.map((kind) => ({ kind, visible: kind.fields })),
      );
      return text === undefined ? [] : [[id, text]];
    }),
  );
  if (mixed.size === 0) return;
  const check = (of: string, rules: ReadonlyMap<string, readonly RuleNames[]>) => {
    for (const [operation, names] of rules) {
      const name = names.flatMap(({ member }) => member.map(([root = '']) => root)).find((root) => mixed.has(root));
      if (name === undefined) continue;
      const text = `parameters: ${mixed.get(name) ?? ''}, and ${operation} of '${of}' names @member.${name}`;
      faults.add('query.mixed', text, { parameter: 'parameters' });
    }
  };
  for (const { id, access } of [...model.kinds.values(), ...model.linkTypes.values()]) check(id, namesOfRules(access));
  for (const [recordId, def] of model.parameters) {
    check(recordId, namesOfFieldRules(def));
    check(recordId, new Map([['transitions', [...namesOfConditions(def).values()].flat()]]));
  }
}

/**
 * How a fault names a rule of a parameter: by the field of its own body, or in the list `parameters` of a kind.
 * @param id of its record
 * @param rule the name of the field, of several rules with the place of the rule
 */
function locationOf(
  id: string,
  { name, rule }: { readonly name: string; readonly rule: string },
  { parameters, inline }: Pick<Touched, 'parameters' | 'inline'>,
) {
  const at = inline?.get(id);
  if (parameters.has(id) && at === undefined) return { path: rule, place: { parameter: name } };
  const path = at === undefined ? `parameters: ${rule} of '${id}'` : `parameters[${at}].${rule}`;
  return { path, place: { parameter: 'parameters' } };
}

function checkRules(access: Json, faults: Faults, check: (rule: string, operation: string) => Predicate): void {
  if (!isPlainObject(access)) return;
  for (const [operation, setting] of Object.entries(access)) {
    const rules = rulesIn(setting);
    const checked = rules.flatMap((rule, at) => {
      return (
        collectRefusal(faults, `${placeOf(`access.${operation}`, rules, at)}: `, () => check(rule, operation)) ?? []
      );
    });
    const excess = ruleLimitFault(checked);
    if (excess !== undefined) faults.add('filter.too_large', `access.${operation}: ${excess}`, ACCESS_PARAMETER);
  }
}

/** @param path the beginning of the texts of faults */
function collectRefusal<T>(
  faults: Faults,
  path: string,
  work: () => T,
  place: FaultLocation = ACCESS_PARAMETER,
): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    for (const { code, text } of error.messages) faults.add(code, `${path}${text}`, place);
    return undefined;
  }
}
