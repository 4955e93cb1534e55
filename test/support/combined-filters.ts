import fc from 'fast-check';
import type { Filter } from '../../src/filter/filter.ast.js';

interface Shape {
  readonly maxDepth: number;
  /** Filters in an `and` or `or`. */
  readonly maxLength: number;
  /** The weight of `not`; that of `and` and `or` is 2. */
  readonly not?: number;
}

/** Filters of these tests, alone and combined by `and`, `or` and `not`. */
export function combinedFilters(
  tests: readonly fc.WeightedArbitrary<Filter>[],
  { maxDepth, maxLength, not = 1 }: Shape,
): fc.Arbitrary<Filter> {
  const at = fc.constant(0);
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => {
    const filters = fc.array(tie('filter'), { minLength: 1, maxLength });
    return {
      filter: fc.oneof(
        { maxDepth, depthSize: 'small' },
        ...tests,
        { weight: 2, arbitrary: fc.record({ op: fc.constantFrom('and' as const, 'or' as const), filters, at }) },
        { weight: not, arbitrary: fc.record({ op: fc.constant('not' as const), filter: tie('filter'), at }) },
      ),
    };
  });
  return filter;
}
