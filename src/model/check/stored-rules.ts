/** The rules that stand in a stored `access`: which there are, and what they name. */
import { parseFilter } from '../../filter/filter.parser.js';
import { memberNamesOf, pathsOf } from '../../filter/filter.walk.js';
import { isPlainObject, type Json } from '../../shared/json.js';
import { LEVELS } from '../parameter-type/parameter-settings.js';

/** The rules of one operation; a level is none. */
export function rulesOf(said: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(said) ? said : [said];
  return list.filter((rule) => typeof rule === 'string').filter((rule) => !LEVELS.some((level) => level === rule));
}

/** What a rule names: the paths from the unit, as segments, and the parameters of the member. */
export interface RuleNames {
  readonly paths: readonly (readonly string[])[];
  readonly member: readonly string[];
}

export function namesOfRule(rule: string): RuleNames {
  const filter = parseFilter(rule, { members: true });
  return { paths: pathsOf(filter).map(({ segments }) => segments), member: memberNamesOf(filter) };
}

/** They are asked for with every change of definitions, and an `access` that stays is one object in all models. */
const parsedRules = new WeakMap<object, ReadonlyMap<string, readonly RuleNames[]>>();

/** What the rules of each operation name. */
export function namesOfRules(access: Json): ReadonlyMap<string, readonly RuleNames[]> {
  if (!isPlainObject(access)) return new Map();
  const found =
    parsedRules.get(access) ??
    new Map(Object.entries(access).map(([operation, said]) => [operation, rulesOf(said).map(namesOfRule)]));
  parsedRules.set(access, found);
  return found;
}

/** The paths that the rules of all operations name. */
export function pathsOfRules(access: Json): (readonly string[])[] {
  return [...namesOfRules(access).values()].flat().flatMap(({ paths }) => paths);
}
