/** Deletions of units, and the locks that go before writes. */
import { appendCount } from '../count.sql.js';
import { param, render, sql, type Statement } from '../fragment.js';
import { rowLock } from '../lock.sql.js';
import { kindTable } from '../table.sql.js';
import { targetConditions, type DeletePlan } from './written-rows.sql.js';

/** Locks a unit until the transaction ends. One row `locked`; none if no unit fits the plan. */
export function lockStatement(plan: DeletePlan, forDelete: boolean): Statement {
  return render(
    sql`
      SELECT 1 AS locked
      FROM ${kindTable(plan.schema, plan.kind)} AS t
      WHERE ${targetConditions(plan, param(plan.id), param(plan.version))}
      ${rowLock(forDelete)} OF t
    `,
    true,
  );
}

/**
 * Locks a unit by an edit that changes nothing. A row lock would not make a transaction with an older snapshot fail, which
 * then would read data from before the transactions that had the lock earlier. One row `locked`; none if no unit fits
 * the plan.
 */
export function lockAsEditStatement(plan: DeletePlan): Statement {
  return render(
    sql`
      UPDATE ${kindTable(plan.schema, plan.kind)} AS t
      SET "updated_at" = t."updated_at"
      WHERE ${targetConditions(plan, param(plan.id), param(plan.version))}
      RETURNING 1 AS locked
    `,
    true,
  );
}

/** One row `deleted`; none if no unit was deleted. */
export function deleteStatement(plan: DeletePlan): Statement {
  const deleted = sql`
    DELETE FROM ${kindTable(plan.schema, plan.kind)} AS t
    WHERE ${targetConditions(plan, param(plan.id), param(plan.version))}
    RETURNING 1 AS deleted
  `;
  const counted = appendCount(plan, sql`affected`, -1, true);
  if (!counted) return render(deleted, true);
  return render(sql`WITH affected AS (${deleted}), counted AS (${counted}) SELECT deleted FROM affected`, true);
}
