/**
 * Access rules of link types: filters over a link, whose paths begin with `parent.` or `child.` and lead to its two
 * units. They belong to the owner, like the rules of kinds (`rule.ts`). Pure.
 */
import type { Filter } from '../filter/filter.ast.js';
import { pathsOf } from '../filter/filter.walk.js';
import { builtInField } from '../model/field.js';
import { isLinkable, type Field, type KindDef, type LinkTypeDef, type Model } from '../model/model.js';
import { parameterType } from '../model/parameter-type/type-by-id.js';
import { bindRule } from '../model/predicate/bound-rule.js';
import { fieldsAlong, unknownName, type Names } from '../model/predicate/path.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { didYouMean, shortened } from '../shared/texts.js';
import { KindError } from '../shared/errors.js';
import type { Caller } from '../tenancy/caller.js';
import { checkBefore, compiledOnce, compileRule, NEVER, parseRule, resolveRule, ruleLimitFault } from './rule.js';
import { anyMember } from './rule-member.js';
import { isStored, reachOfOwner, storedFields } from './rule-names.js';

const ENDS = ['parent', 'child'] as const;

/** The kinds of the two units of a link. */
export type LinkedKinds = Readonly<Record<(typeof ENDS)[number], KindDef>>;

/** The first step of a path: a reference from the link to one of its units, without a column. */
const endField = (id: string): Field =>
  builtInField({ id, type: 'unit' }, { column: undefined, reference: { kind: '', key: parameterType('string') } });
const END_FIELDS = { parent: endField('parent'), child: endField('child') };
const VISIBLE_ENDS: ReadonlyMap<string, Field> = new Map(Object.entries(END_FIELDS));

function namesOfLinks({ id, values }: Pick<LinkTypeDef, 'id' | 'values'>, kinds: LinkedKinds, model: Model): Names {
  const reach = reachOfOwner(model);
  return {
    kind: values,
    visible: VISIBLE_ENDS,
    called: `links of '${id}', whose units are 'parent' and 'child'`,
    reach: {
      ...reach,
      follow(reference, at, from) {
        const end = ENDS.find((each) => END_FIELDS[each] === reference);
        if (!end) return reach.follow(reference, at, from);
        return { kind: kinds[end], visible: storedFields(kinds[end]), access: undefined };
      },
    },
  };
}

/**
 * The links between units of two kinds that satisfy at least one of the rules. A rule that names a parameter which its
 * unit's kind lacks is false, and so are rules that exceed the limits of a statement.
 */
export function linkRulesPredicate(
  rules: readonly string[],
  type: LinkTypeDef,
  kinds: LinkedKinds,
  caller: Caller,
  model: Model,
): Predicate {
  const memberKind = caller.type === 'member' ? model.kinds.get(caller.kindId) : undefined;
  const key = `${kinds.parent.id} ${kinds.child.id} ${memberKind?.id ?? ''}`;
  const { predicate } = compiledOnce(type.values, key, rules, () => {
    const names = namesOfLinks(type, kinds, model);
    const parts = rules.map((rule) => compileRule(rule, names, memberKind, model));
    const excess = ruleLimitFault(parts) !== undefined;
    return { predicate: excess ? NEVER : { op: 'or', parts }, excess };
  });
  return bindRule(predicate, caller.type === 'member' ? caller.id : undefined);
}

/**
 * Validates a rule of a link type before it is stored, and returns its predicate for two kinds whose units can satisfy
 * it. @throws KindError 400 with the position, if it is invalid for all kinds
 */
export function checkLinkRule(rule: string, type: LinkTypeDef, model: Model): Predicate {
  const filter = parseRule(rule);
  checkBefore(filter, 'link');
  checkBeginnings(filter, type);
  let fault: KindError | undefined;
  for (const kinds of examplesOf(filter, model)) {
    try {
      return resolveRule(filter, namesOfLinks(type, kinds, model), anyMember(model));
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      fault ??= error;
    }
  }
  throw fault ?? unknownName(type.id, 'no kind has units that can be linked', 1);
}

/** Each path names an end of the link, and a parameter of the unit there. */
function checkBeginnings(filter: Filter, { id }: LinkTypeDef): void {
  for (const { segments, at } of pathsOf(filter)) {
    const [end = '', name] = segments;
    if (!VISIBLE_ENDS.has(end)) {
      throw unknownName(end, `'${shortened(end)}': a path in a rule of '${id}' begins with 'parent.' or 'child.'`, at);
    }
    if (name === undefined) throw unknownName(end, `'${end}' is a unit: name a parameter of it, as in ${end}.id`, at);
  }
}

/** The most kinds of each end that a rule is tried with when it is stored. */
const MOST_EXAMPLES = 8;

/**
 * Pairs of kinds that can satisfy a rule if any can: a parameter is the same in all kinds, only types of ids differ, and
 * an id can be compared with a reference to its kind, or with an id of the same kind.
 */
function examplesOf(filter: Filter, model: Model): LinkedKinds[] {
  const [parents, children] = [kindsWithNames('parent', filter, model), kindsWithNames('child', filter, model)];
  const both = parents.find((kind) => children.includes(kind));
  const referred = new Set(
    [parents[0], children[0]].flatMap((kind) => {
      const fields = kind ? pathsOf(filter).flatMap(({ segments }) => fieldsAlong(segments.slice(1), kind, model)) : [];
      return fields.flatMap(({ field }) => field.reference?.kind ?? []);
    }),
  );
  const examples = (kinds: readonly KindDef[]): KindDef[] => {
    const byKey = new Map(kinds.map((kind) => [kind.keyField.type, kind])).values();
    return [...new Set([...byKey, ...kinds.filter(({ id }) => referred.has(id))])].slice(0, MOST_EXAMPLES);
  };
  const pairs = examples(parents).flatMap((parent) => examples(children).map((child) => ({ parent, child })));
  return both ? [...pairs, { parent: both, child: both }] : pairs;
}

/** The kinds that have all parameters which a rule names of one end. @throws KindError 400 if there is none */
function kindsWithNames(end: (typeof ENDS)[number], filter: Filter, model: Model): KindDef[] {
  const named = pathsOf(filter).filter(({ segments: [root] }) => root === end);
  const all = [...model.kinds.values()].filter(isLinkable);
  const has = ({ fields }: KindDef, name = '') => isStored(fields.get(name));
  for (const { segments, at } of named) {
    const [, name = ''] = segments;
    if (all.some((kind) => has(kind, name))) continue;
    const names = new Set(all.flatMap((kind) => [...storedFields(kind).keys()]));
    throw unknownName(name, `no kind has a parameter '${shortened(name)}'${didYouMean(name, names)}`, at);
  }
  const kinds = all.filter((kind) => named.every(({ segments: [, name] }) => has(kind, name)));
  const [first] = named;
  if (first && kinds.length === 0) {
    const names = [...new Set(named.map(({ segments: [, name = ''] }) => `'${shortened(name)}'`))].join(', ');
    throw unknownName(end, `no kind has all of the parameters ${names} that the rule names of '${end}'`, first.at);
  }
  return kinds;
}
