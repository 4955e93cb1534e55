/** The filter operators of the types. `resolve-filter.ts` and `sql/condition/operator.sql.ts` define their meaning. */
import type { Operator } from '../../filter/filter.ast.js';

const COMPARISON = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'isnull'] as const;
const TEXT_SEARCH = ['contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'] as const;

/** Sets of operators that types share. */
export const OPERATORS = {
  equality: new Set<Operator>(['eq', 'ne', 'in', 'isnull']),
  ordered: new Set<Operator>(COMPARISON),
  text: new Set<Operator>([...COMPARISON, ...TEXT_SEARCH]),
  /** For lists: `eq` and `ne` compare the whole list, `contains` and `in` its elements. */
  multiple: new Set<Operator>(['eq', 'ne', 'contains', 'in', 'isnull']),
} as const;
