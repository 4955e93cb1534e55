/** Deletions of units, and the locks that go before writes. */
import { appendCount } from '../count.sql.js';
import { type Fragment, join, param, render, sql, type Statement } from '../fragment.js';
import { rowLock } from '../lock.sql.js';
import { hasKeyIn, kindTable } from '../table.sql.js';
import { recordDeleted, type RecordedPlan, WRITE_TIME } from './recording.sql.js';
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

/**
 * Deletes units, and counts and records it. A row `deleted` for each.
 * @param deleted returns it, or the rows `t.*` where they are recorded
 */
function deletion(plan: RecordedPlan, deleted: Fragment, atMostOne = false): Fragment {
  const ctes = [sql`affected AS (${deleted})`];
  const counted = appendCount(plan, sql`affected`, -1, atMostOne);
  if (counted) ctes.push(sql`counted AS (${counted})`);
  const recorded = recordDeleted(plan, sql`affected`);
  if (recorded) ctes.push(WRITE_TIME, sql`recorded AS (${recorded})`);
  if (ctes.length === 1) return deleted;
  return sql`WITH ${join(ctes)} SELECT ${recorded ? sql`1 AS deleted` : sql`deleted`} FROM affected`;
}

/** One row `deleted`; none if no unit was deleted. */
export function deleteStatement(plan: DeletePlan): Statement {
  const deleted = sql`
    DELETE FROM ${kindTable(plan.schema, plan.kind)} AS t
    WHERE ${targetConditions(plan, param(plan.id), param(plan.version))}
    RETURNING ${plan.recording ? sql`t.*` : sql`1 AS deleted`}
  `;
  return render(deletion(plan, deleted, true), true);
}

/** Deletes units, whoever may. */
export function deleteUnitsStatement(plan: RecordedPlan, keys: readonly string[]): Statement {
  const deleted = sql`
    DELETE FROM ${kindTable(plan.schema, plan.kind)} AS t
    WHERE ${hasKeyIn(plan.kind, keys)}
    RETURNING ${plan.recording ? sql`t.*` : sql`1 AS deleted`}
  `;
  return render(deletion(plan, deleted));
}
