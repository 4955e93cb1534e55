/** Which transitions of a parameter a caller may do, and in which units. Pure. */
import type { Field, KindDef, Model } from '../model/model.js';
import { isRules } from '../model/parameter-setting/access.setting.js';
import { parsedTransitions } from '../model/parameter-setting/transitions.setting.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { getOrInsert } from '../shared/maps.js';
import type { TransitionField } from '../sql/condition/next-values.sql.js';
import { isAdministrator, type Caller } from '../tenancy/caller.js';
import { passesLevel } from './level.js';
import { exceedRuleLimits, NEVER, rulesPredicate } from './rule.js';

/** Undefined if the field has no transitions. */
export function transitionsFor(field: Field, kind: KindDef, caller: Caller, model: Model): TransitionField | undefined {
  const { transitions } = field.def;
  if (!transitions) return undefined;
  const { initial, list } = parsedTransitions(transitions);
  const possible = new Map<string, string[]>();
  const conditional: TransitionField['conditional'][number][] = [];
  const passesRules = caller.type === 'system' || isAdministrator(caller);
  for (const { from, to, when = 'anyone' } of list) {
    if (isRules(when) ? passesRules : passesLevel(when, caller)) getOrInsert(possible, from, () => []).push(to);
    else if (isRules(when)) conditional.push({ from, to, condition: conditionFor(when, kind, caller, model) });
  }
  return { field, initial, possible: Object.fromEntries(possible), conditional };
}

/** Without a token, rules apply only to public kinds. */
function conditionFor(rules: readonly string[], kind: KindDef, caller: Caller, model: Model): Predicate {
  if (caller.type === 'anonymous' && !kind.public) return NEVER;
  return exceedRuleLimits(rules, kind, caller, model) ? NEVER : rulesPredicate(rules, kind, caller, model);
}
