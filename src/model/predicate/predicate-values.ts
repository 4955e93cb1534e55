/** Whether predicates compare with values, so that PostgreSQL's best plan may depend on these. Pure. */
import { operandsOf, testsOf, type Predicate, type PredicateTest, type Related, type Target } from './predicate.js';

/** Whether a predicate compares with values, also within related units. */
export function hasValues(predicate: Predicate | undefined): boolean {
  return predicate !== undefined && testsOf(predicate).some(testHasValues);
}

function testHasValues(test: PredicateTest): boolean {
  switch (test.op) {
    case 'constant':
      return false;
    case 'exists':
      return relatedHasValues(test.related);
    case 'isnull':
    case 'pair':
      return operandsOf(test).some(targetHasValues);
    default:
      return true;
  }
}

/** Whether the value of a target depends on values that a rule or filter compares with. */
export function targetHasValues({ through = [], counted }: Target): boolean {
  return through.some(({ access }) => hasValues(access)) || (counted !== undefined && relatedHasValues(counted));
}

/** The same for related units. The id of the member is such a value. */
export function relatedHasValues({ via, kinds }: Related): boolean {
  if (via.type === 'member' || (via.type === 'link' && hasValues(via.where))) return true;
  return kinds.some(({ access, filter }) => hasValues(access) || hasValues(filter));
}
