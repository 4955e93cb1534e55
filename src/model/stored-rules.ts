/** The rules that stand in a stored `access`: which there are, and what they name. */
import { parseFilter } from '../filter/filter.parser.js';
import { memberNamesOf, pathsOf } from '../filter/filter.walk.js';
import { isPlainObject, type Json } from '../shared/json.js';
import { LEVELS } from './parameter-def.js';

/** The rules of one operation; a level is none. */
export function rulesOf(said: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(said) ? said : [said];
  return list.filter((rule) => typeof rule === 'string').filter((rule) => !LEVELS.some((level) => level === rule));
}

/** The rules of all operations. */
export function storedRules(access: Json): readonly string[] {
  return isPlainObject(access) ? Object.values(access).flatMap(rulesOf) : [];
}

/** The paths from the unit that a rule names, as segments, and the parameters of the member. */
export function namesOfRule(rule: string): {
  readonly paths: readonly (readonly string[])[];
  readonly member: readonly string[];
} {
  const filter = parseFilter(rule, { members: true });
  return { paths: pathsOf(filter).map(({ segments }) => segments), member: memberNamesOf(filter) };
}
