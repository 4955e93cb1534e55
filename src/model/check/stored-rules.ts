/** The rules in a stored `access`, and the names in them. */
import { parseFilter } from '../../filter/filter.parser.js';
import { memberNamesOf, pathsOf } from '../../filter/filter.walk.js';
import { getOrInsert } from '../../shared/get-or-insert.js';
import { isPlainObject, type Json } from '../../shared/json.js';
import { LEVELS } from '../parameter-type/parameter-settings.js';

/** The rules in the setting of one operation; empty if it is a level. */
export function rulesOf(setting: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(setting) ? setting : [setting];
  return list.filter((rule) => typeof rule === 'string').filter((rule) => !LEVELS.some((level) => level === rule));
}

/** The names in a rule: paths from the unit, as segments, and parameters of the member. */
export interface RuleNames {
  readonly paths: readonly (readonly string[])[];
  readonly member: readonly string[];
}

function namesOfRule(rule: string): RuleNames {
  const filter = parseFilter(rule, { members: true });
  return { paths: pathsOf(filter).map(({ segments }) => segments), member: memberNamesOf(filter) };
}

/** Cached, because every change of definitions needs them. An unchanged `access` is the same object in all models. */
const parsedRules = new WeakMap<object, ReadonlyMap<string, readonly RuleNames[]>>();

/** The names in the rules of each operation. */
export function namesOfRules(access: Json): ReadonlyMap<string, readonly RuleNames[]> {
  if (!isPlainObject(access)) return new Map();
  return getOrInsert(parsedRules, access, () => {
    return new Map(
      Object.entries(access).map(([operation, setting]) => [operation, rulesOf(setting).map(namesOfRule)]),
    );
  });
}

/** The paths in the rules of all operations. */
export function pathsOfRules(access: Json): (readonly string[])[] {
  return [...namesOfRules(access).values()].flat().flatMap(({ paths }) => paths);
}
