/** Which transitions of a parameter a caller may do, and in which units. Pure. */
import type { Field, KindDef, Model } from '../model/model.js';
import { conditionKey } from '../model/check/stored-rules.js';
import { isRules } from '../model/parameter-setting/access.setting.js';
import { parsedTransitions } from '../model/parameter-setting/transitions.setting.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { getOrInsert } from '../shared/maps.js';
import type { NextValues, TransitionField } from '../sql/condition/next-values.sql.js';
import { isAdministrator, type Caller } from '../tenancy/caller.js';
import { passesLevel } from './level.js';
import { exceedRuleLimits, NEVER, rulesPredicate } from './rule.js';

/** Undefined if the field has no transitions. */
export function transitionsFor(field: Field, kind: KindDef, caller: Caller, model: Model): TransitionField | undefined {
  const { transitions } = field.def;
  if (!transitions) return undefined;
  const { initial, list } = parsedTransitions(transitions);
  const possible: Ways = new Map();
  const conditional = new Map<string, Conditional>();
  const passesRules = caller.type === 'system' || isAdministrator(caller);
  for (const { from, to, when = 'anyone' } of list) {
    if (isRules(when) ? passesRules : passesLevel(when, caller)) getOrInsert(possible, from, () => []).push(to);
    else if (isRules(when)) {
      const { ways } = getOrInsert(conditional, conditionKey(when), (): Conditional => ({
        rules: when,
        ways: new Map(),
      }));
      getOrInsert(ways, from, () => []).push(to);
    }
  }
  const isOpen = conditional.size > 0 && !exceedRuleLimits(rulesOfTransitions(kind), kind, caller, model);
  return {
    field,
    initial,
    possible: nextOf(possible),
    conditional: [...conditional.values()].map(({ rules, ways }) => {
      return { possible: nextOf(ways), condition: isOpen ? conditionFor(rules, kind, caller, model) : NEVER };
    }),
  };
}

/** By the values from which they lead. */
type Ways = Map<string, string[]>;

/** Those with the same condition. */
interface Conditional {
  readonly rules: readonly string[];
  readonly ways: Ways;
}

function nextOf(ways: Ways): NextValues {
  return Object.fromEntries(ways);
}

const ofKinds = new WeakMap<KindDef, readonly string[]>();

/** The rules in the transitions of all parameters of a kind, each set of rules once: a statement has it once. */
export function rulesOfTransitions(kind: KindDef): readonly string[] {
  return getOrInsert(ofKinds, kind, () => {
    const conditions = [...kind.fields.values()].flatMap(({ def: { transitions } }) => {
      const { list } = transitions ? parsedTransitions(transitions) : { list: [] };
      return list.flatMap(({ when }) => (isRules(when) ? [[conditionKey(when), when] as const] : []));
    });
    return [...new Map(conditions).values()].flat();
  });
}

/** Without a token, rules apply only to public kinds. */
function conditionFor(rules: readonly string[], kind: KindDef, caller: Caller, model: Model): Predicate {
  if (caller.type === 'anonymous' && !kind.public) return NEVER;
  return rulesPredicate(rules, kind, caller, model);
}
