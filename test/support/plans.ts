/** The plan of a statement, as it was executed. */
import type { Executor } from '../../src/database/database.js';
import type { Statement } from '../../src/sql/fragment.js';
import { queryPlanStatement } from '../../src/sql/server/query-plan.sql.js';
import { planOfTables, type PlanNode, type QueryPlan } from '../../src/unit/tuning/query-plan.js';

export async function planOf(database: Executor, statement: Statement): Promise<PlanNode> {
  const [row] = await database.run<{ 'QUERY PLAN': [QueryPlan] }>(queryPlanStatement(statement));
  if (!row) throw new Error('EXPLAIN has an answer');
  return planOfTables(row['QUERY PLAN'][0]).Plan;
}
