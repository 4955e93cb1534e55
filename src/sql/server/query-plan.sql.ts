/** PostgreSQL's plan of a statement. */
import type { Statement } from '../fragment.js';

/** One row `QUERY PLAN`. The statement is executed to measure it, so it must be a read. */
export function queryPlanStatement({ text, values }: Statement): Statement {
  return { text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values };
}

/**
 * One row `QUERY PLAN`: the plan for the values of a statement, or the one for all values, which PostgreSQL 16 and later
 * show. Neither is executed, and the plans have no estimates, so that they can be compared.
 */
export function comparedPlanStatement(
  { text, values, points }: Statement,
  { generic }: { readonly generic: boolean },
): Statement {
  const size = points === undefined ? {} : { points };
  if (generic) return { text: `EXPLAIN (GENERIC_PLAN, COSTS OFF, FORMAT JSON) ${text}`, values: [], ...size };
  return { text: `EXPLAIN (COSTS OFF, FORMAT JSON) ${text}`, values, ...size };
}
