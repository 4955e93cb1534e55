/** PostgreSQL's plan of a statement. */
import type { Statement } from './fragment.js';

/** One row `QUERY PLAN`. The statement is executed to measure it, so it must be a read. */
export function queryPlanStatement({ text, values }: Statement): Statement {
  return { text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values };
}
