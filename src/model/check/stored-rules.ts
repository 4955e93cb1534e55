/** The rules in a stored `access`, and the names in them. */
import { parseFilter } from '../../filter/filter.parser.js';
import type { Filter, RelatedUnits } from '../../filter/filter.ast.js';
import { isLinkPath, memberPathsOf, pathsIn, pathsOf, relatedOf, relatedOfOperand } from '../../filter/filter.walk.js';
import { getOrInsert } from '../../shared/maps.js';
import { isPlainObject, type Json } from '../../shared/json.js';
import type { Field, KindDef, Model } from '../model.js';
import { isRules } from '../parameter-setting/access.setting.js';
import { parsedTransitions } from '../parameter-setting/transitions.setting.js';
import { LEVELS } from '../access-levels.js';
import type { ParameterDef } from '../parameter-type/parameter-def.js';
import { fieldsAlong } from '../predicate/path.js';

/** The rules in the setting of one operation; empty if it is a level. */
export function rulesIn(setting: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(setting) ? setting : [setting];
  return list.filter((rule) => typeof rule === 'string').filter((rule) => !LEVELS.some((level) => level === rule));
}

/** Whether every unit matches a rule, because it is `all()` or combines it: no rule, though it looks like one. */
export function isAlwaysTrue(rule: string): boolean {
  // Of thousands of rules, few have to be parsed.
  return rule.includes('all') && fixedResult(parseFilter(rule, { members: true })) === true;
}

/** Whether a rule names a value of the member: it never holds for a request without a token. */
export function needsMember(rule: string): boolean {
  return rule.includes('@member') && memberPathsOf(parseFilter(rule, { members: true })).length > 0;
}

/** The result of a filter that is the same for all units; undefined if that depends on a test. */
function fixedResult(filter: Filter): boolean | undefined {
  switch (filter.op) {
    case 'all':
      return true;
    case 'not': {
      const inner = fixedResult(filter.filter);
      return inner === undefined ? undefined : !inner;
    }
    case 'and':
    case 'or': {
      const results = filter.filters.map(fixedResult);
      const decides = filter.op === 'or';
      if (results.includes(decides)) return decides;
      return results.includes(undefined) ? undefined : !decides;
    }
    default:
      return undefined;
  }
}

/** The names in a filter: paths from the unit, as segments, and those in the filters of related units. */
export interface FilterNames {
  readonly paths: readonly (readonly string[])[];
  readonly related: readonly RelatedNames[];
}

export interface RelatedNames extends FilterNames {
  readonly relation: RelatedUnits['relation'];
  /** Paths from the link, without `link`, if the units are linked. */
  readonly linkPaths: readonly (readonly string[])[];
}

/** The names in a rule, with the paths from the member. */
export interface RuleNames extends FilterNames {
  readonly member: readonly (readonly string[])[];
}

function namesOfRule(rule: string): RuleNames {
  const filter = parseFilter(rule, { members: true });
  return { ...namesOfFilter(filter), member: memberPathsOf(filter) };
}

function namesOfFilter(filter: Filter): FilterNames {
  return {
    paths: pathsOf(filter).map(({ segments }) => segments),
    related: relatedOf(filter).map(namesOfRelated),
  };
}

function namesOfRelated({ relation, filter, summed }: RelatedUnits): RelatedNames {
  const { paths, related } = filter ? namesOfFilter(filter) : { paths: [], related: [] };
  const linkPaths = relation.type === 'link' ? paths.filter(isLinkPath) : [];
  const inSum = summed ? pathsIn(summed).filter(({ counted }) => !counted) : [];
  return {
    relation,
    paths: [...paths.filter((path) => !linkPaths.includes(path)), ...inSum.map(({ segments }) => segments)],
    linkPaths: linkPaths.map((path) => path.slice(1)),
    related: [...related, ...(summed ? relatedOfOperand(summed).map(namesOfRelated) : [])],
  };
}

/** Cached, because every change of definitions needs them. An unchanged `access` is the same object in all models. */
const parsedRules = new WeakMap<object, ReadonlyMap<string, readonly RuleNames[]>>();

/** The names in the rules of each operation. */
export function namesOfRules(access: Json): ReadonlyMap<string, readonly RuleNames[]> {
  if (!isPlainObject(access)) return new Map();
  return getOrInsert(parsedRules, access, () => {
    return new Map(
      Object.entries(access).map(([operation, setting]) => [operation, rulesIn(setting).map(namesOfRule)]),
    );
  });
}

const parsedFieldRules = new WeakMap<ParameterDef, ReadonlyMap<FieldAccessField, readonly RuleNames[]>>();

/** The fields of a parameter's record that may be rules. */
export type FieldAccessField = 'read_access' | 'write_access';

/** The names in the rules of a parameter. */
export function namesOfFieldRules(def: ParameterDef): ReadonlyMap<FieldAccessField, readonly RuleNames[]> {
  return getOrInsert(parsedFieldRules, def, () => {
    const settings = [
      ['read_access', def.readAccess],
      ['write_access', def.writeAccess],
    ] as const;
    return new Map(
      settings.flatMap(([name, access]) => (isRules(access) ? [[name, access.map(namesOfRule)] as const] : [])),
    );
  });
}

const parsedConditions = new WeakMap<ParameterDef, ReadonlyMap<string, readonly RuleNames[]>>();

/** The names in the conditions of a parameter's transitions, by their rules: several of one transition are one key. */
export function namesOfConditions(def: ParameterDef): ReadonlyMap<string, readonly RuleNames[]> {
  const { transitions } = def;
  if (!transitions) return NO_CONDITIONS;
  return getOrInsert(parsedConditions, def, () => {
    const conditions = parsedTransitions(transitions).list.flatMap(({ when }) => (isRules(when) ? [when] : []));
    return new Map(conditions.map((rules) => [conditionKey(rules), rules.map(namesOfRule)]));
  });
}

const NO_CONDITIONS: ReadonlyMap<string, readonly RuleNames[]> = new Map();

/** The key of the rules of one transition. */
export function conditionKey(rules: readonly string[]): string {
  return rules.join('\0');
}

/** The same for the rules of a link type, whose paths begin with `parent` or `child`: units that its links lead to. */
export function namesOfLinkRules(access: Json, link: string): ReadonlyMap<string, readonly RuleNames[]> {
  const inLinks = ({ paths, related, member }: RuleNames): RuleNames => {
    const ends = (['parent', 'child'] as const).map((direction): RelatedNames => {
      const own = paths.filter(([root]) => root === direction).map(([, ...rest]) => rest);
      const relation = { type: 'link', link, direction, kinds: undefined, at: 1 } as const;
      return { relation, paths: own, linkPaths: [], related: [] };
    });
    return { paths: [], related: [...related, ...ends], member };
  };
  return new Map([...namesOfRules(access)].map(([operation, rules]) => [operation, rules.map(inLinks)]));
}

/** The fields that the rules of all operations test: of the kind, of referenced kinds, and of related kinds that are named. */
export function fieldsOfRules(kind: KindDef, model: Model): { kind: KindDef; field: Field }[] {
  return [...namesOfRules(kind.access).values()].flat().flatMap((names) => fieldsNamed(names, kind, model));
}

function fieldsNamed({ paths, related }: FilterNames, kind: KindDef, model: Model): { kind: KindDef; field: Field }[] {
  const inner = related.flatMap((names) =>
    kindsNamed(names.relation).flatMap((id) => {
      const other = model.kinds.get(id);
      return other ? fieldsNamed(names, other, model) : [];
    }),
  );
  return [...paths.flatMap((path) => fieldsAlong(path, kind, model)), ...inner];
}

/** The ids of the kinds that a relation names. */
export function kindsNamed(relation: RelatedUnits['relation']): readonly string[] {
  switch (relation.type) {
    case 'reference':
      return [relation.kind];
    case 'link':
      return relation.kinds ?? [];
    case 'any':
      return relation.kind === undefined ? [] : [relation.kind];
  }
}
