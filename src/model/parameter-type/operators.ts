/** Which operators a filter may use on values of a type. `resolve-filter.ts` and `sql/predicate-test.sql.ts` say what they mean. */
import type { Operator } from '../../filter/filter.ast.js';

const COMPARISON = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'isnull'] as const;
const TEXT_SEARCH = ['contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'] as const;

/** Sets of operators that types share. */
export const OPERATORS = {
  equality: new Set<Operator>(['eq', 'ne', 'in', 'isnull']),
  ordered: new Set<Operator>(COMPARISON),
  text: new Set<Operator>([...COMPARISON, ...TEXT_SEARCH]),
  /** On a list: the whole of it with `eq`, an element with `contains` and `in`. */
  multiple: new Set<Operator>(['eq', 'ne', 'contains', 'in', 'isnull']),
} as const;
