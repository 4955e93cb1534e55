/** Access rules bound to a member. The statements of all members with the same rule have the same text. Pure. */
import { getOrInsert } from '../../shared/maps.js';
import { mapTests, type Predicate, UNBOUND_MEMBER } from './predicate.js';
import { bindMember, mapRelated } from './related.js';

/** The predicate of a rule, and the member that it is bound to; undefined if the rule names no member. */
interface BoundRule {
  readonly rule: Predicate;
  readonly memberId: string | undefined;
}

const boundRules = new WeakMap<Predicate, BoundRule>();

/** The rule of a predicate that `bindRule` returned; undefined for other predicates. */
export function boundRuleOf(predicate: Predicate): BoundRule | undefined {
  return boundRules.get(predicate);
}

/** The predicate of a rule for one member. Without a member, and if it names none, that is the rule itself. */
export function bindRule(rule: Predicate, memberId: string | undefined): Predicate {
  const bound = memberId !== undefined && namesMember(rule) ? bindMember(rule, memberId) : rule;
  if (!boundRules.has(bound)) boundRules.set(bound, { rule, memberId: bound === rule ? undefined : memberId });
  return bound;
}

const rulesWithMember = new WeakMap<Predicate, boolean>();

/** Whether a rule, or the filter of related units in it, has a value of the member. */
function namesMember(rule: Predicate): boolean {
  return getOrInsert(rulesWithMember, rule, () => {
    let found = false;
    const look = (part: Predicate): Predicate =>
      mapTests(part, (test) => {
        found ||= test.op === 'present' || test.op === 'member';
        found ||= test.op === 'exists' && test.related.via.type === 'member';
        found ||= test.op === 'is' && test.value === UNBOUND_MEMBER;
        return test;
      });
    mapRelated(look(rule), look);
    return found;
  });
}
