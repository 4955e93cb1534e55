/** Deletions of units, and the locks that go before writes. */
import { appendCount } from '../count.sql.js';
import { type Fragment, join, param, render, sql, type Statement } from '../fragment.js';
import { rowLock } from '../lock.sql.js';
import { hasKeyIn, kindTable } from '../table.sql.js';
import { leaveObjects } from './left-objects.sql.js';
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
 * Deletes units `t`, and counts and records it.
 * @param one whether there is one at most: then there is a row `deleted` for it. Of many nothing is answered, or their
 * number alone
 */
function deletion(plan: RecordedPlan, where: Fragment, one: boolean): Fragment {
  const rows = sql`DELETE FROM ${kindTable(plan.schema, plan.kind)} AS t WHERE ${where}`;
  const counted = appendCount(plan, sql`affected`, -1, one);
  const recorded = recordDeleted(plan, sql`affected`);
  const left = leaveObjects(plan.schema, plan.kind, sql`affected`);
  if (!counted && !recorded) return one ? sql`${rows} RETURNING 1 AS deleted` : rows;
  const needsRows = recorded !== undefined || left.length > 0;
  const ctes = [
    sql`affected AS (${rows} RETURNING ${needsRows ? sql`t.*` : sql`1 AS deleted`})`,
    ...(counted ? [sql`counted AS (${counted})`] : []),
    ...(needsRows ? [WRITE_TIME] : []),
    ...(recorded ? [sql`recorded AS (${recorded})`] : []),
    ...left,
  ];
  return sql`WITH ${join(ctes)} SELECT ${one ? sql`1` : sql`count(*)`} AS deleted FROM affected`;
}

/** One row `deleted`; none if no unit was deleted. */
export function deleteStatement(plan: DeletePlan): Statement {
  return render(deletion(plan, targetConditions(plan, param(plan.id), param(plan.version)), true), true);
}

/** Deletes units, whoever may. */
export function deleteUnitsStatement(plan: RecordedPlan, keys: readonly string[]): Statement {
  return render(deletion(plan, hasKeyIn(plan.kind, keys), false));
}
