/** Validates an `access` setting before it is stored. Pure. */
import { parseFilter } from '../filter/filter.parser.js';
import { Faults, KindError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { isPlainObject, typeName, type Json } from '../shared/json.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import { isMemberKind, type KindDef, type Model } from '../model/model.js';
import { LEVELS } from '../model/parameter-type/parameter-settings.js';
import { fieldsAlong } from '../model/predicate/path.js';
import { OPERATIONS, type BuiltInTraits } from '../model/built-in-traits.js';
import { namesOfRules, rulesOf, type RuleNames } from '../model/check/stored-rules.js';
import { checkRule, ruleLimitFault } from './rule.js';

const EXPECTED = `must be one of ${LEVELS.join(', ')}, a rule, or a list of rules`;
const ACCESS_PARAMETER = { parameter: 'access' };

/** Adds a fault for every invalid entry of `access`, and for settings that would lock a project permanently. */
export function checkAccess({ closed, neverNobody }: BuiltInTraits, access: Json, faults: Faults): void {
  const bad = (text: string) => faults.add('parameter.bad_value', `access${text}`, ACCESS_PARAMETER);
  if (!isPlainObject(access)) return void bad(`: must be an object of operations, got ${typeName(access)}`);
  for (const [operation, setting] of Object.entries(access)) {
    const known = OPERATIONS.find((each) => each === operation);
    if (!known) {
      bad(
        `: no operation '${operation.slice(0, 40)}'${faults.hint(operation, OPERATIONS)}; there are ${OPERATIONS.join(', ')}`,
      );
    } else if (closed?.includes(known) && setting !== 'nobody') {
      bad(`.${operation}: is nobody's here, and stays so`);
    } else if (neverNobody?.includes(known) && setting === 'nobody') {
      bad(`.${operation}: 'nobody' would lock the project for good`);
    } else if (!LEVELS.some((level) => level === setting)) checkRuleSyntax(operation, setting, faults);
  }
}

/**
 * Checks that a setting is a rule or a non-empty list of rules that can be parsed. Names in rules are checked by
 * `checkAccessRules`.
 */
function checkRuleSyntax(operation: string, setting: unknown, faults: Faults): void {
  const list: readonly unknown[] = Array.isArray(setting) ? setting : [setting];
  const rules = rulesOf(setting);
  const words = rules.some((rule) => !rule.includes('('));
  if (rules.length === 0 || rules.length !== list.length || words) {
    faults.add('parameter.bad_value', `access.${operation}: ${EXPECTED}`, ACCESS_PARAMETER);
    return;
  }
  if (rules.length > LIMITS.accessRules) {
    const text = `access.${operation}: at most ${LIMITS.accessRules} rules, got ${rules.length}`;
    faults.add('parameter.bad_value', text, ACCESS_PARAMETER);
    return;
  }
  for (const rule of rules) {
    collectRefusal(faults, operation, () => parseFilter(rule, { members: true }));
  }
}

/**
 * Adds a fault for every rule that names an unknown parameter or compares incompatible values, and for every operation
 * whose rules exceed the limits of a statement.
 */
export function checkAccessRules(kind: KindDef, model: Model, faults: Faults): void {
  if (!isPlainObject(kind.access)) return;
  for (const [operation, setting] of Object.entries(kind.access)) {
    const rules = rulesOf(setting).flatMap(
      (rule) => collectRefusal(faults, operation, () => checkRule(rule, kind, model)) ?? [],
    );
    const excess = ruleLimitFault(rules);
    if (excess !== undefined) faults.add('filter.too_large', `access.${operation}: ${excess}`, ACCESS_PARAMETER);
  }
}

function collectRefusal<T>(faults: Faults, operation: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    for (const { code, text } of error.messages) faults.add(code, `access.${operation}: ${text}`, ACCESS_PARAMETER);
    return undefined;
  }
}

/**
 * Finds rules that name a parameter which a change has removed, on the kind itself or behind a reference, and returns
 * the new `access` of their kinds. The operations of such rules are set to `nobody`, so that a new parameter of the
 * same name does not bring the rule back.
 */
export function* orphanedAccess(before: Model, after: Model): WorkInPieces<Map<string, Json>> {
  const found = new Map<string, Json>();
  const members = lostMemberNames(before, after);
  for (const kind of after.kinds.values()) {
    yield;
    const old = before.kinds.get(kind.id);
    if (!old || !isPlainObject(kind.access)) continue;
    const leadsOn = (path: readonly string[]) =>
      isPrefix(fieldsOfPath(path, old, before), fieldsOfPath(path, kind, after));
    const named = [...namesOfRules(kind.access)];
    const orphaned = named.filter(([, rules]) => rules.some((rule) => namesLostParameter(rule, leadsOn, members)));
    if (orphaned.length === 0) continue;
    const closed = Object.fromEntries(orphaned.map(([operation]) => [operation, 'nobody']));
    found.set(kind.id, { ...(kind.access as Record<string, Json>), ...closed });
  }
  return found;
}

/** Parameters that at least one member kind had before the change and none has after it. */
function lostMemberNames(before: Model, after: Model): Set<string> {
  const names = (model: Model): Set<string> => {
    const found = new Set<string>();
    for (const kind of model.kinds.values()) if (isMemberKind(kind)) for (const id of kind.fields.keys()) found.add(id);
    return found;
  };
  const kept = names(after);
  return new Set([...names(before)].filter((name) => !kept.has(name)));
}

/** The fields of a path as `kind.field`: two models mean the same path if these are the same. */
function fieldsOfPath(path: readonly string[], kind: KindDef, model: Model): string[] {
  return fieldsAlong(path, kind, model).map((step) => `${step.kind.id}.${step.field.id}`);
}

/** A path of a new rule may be known to the former model only in part. */
function isPrefix(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((step, at) => step === whole[at]);
}

function namesLostParameter(
  { paths, member }: RuleNames,
  leadsOn: (path: readonly string[]) => boolean,
  members: ReadonlySet<string>,
): boolean {
  return !paths.every(leadsOn) || member.some((id) => members.has(id));
}
