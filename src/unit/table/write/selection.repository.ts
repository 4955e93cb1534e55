/** Runs the statements that find units to write by a filter or by unique parameters. */
import { Injectable } from '@nestjs/common';
import { trackContention } from '../../../database/transaction/contention.js';
import type { Executor } from '../../../database/database.js';
import type { Field, Model } from '../../../model/model.js';
import {
  lockMatchingStatement,
  takenByMatchingStatement,
  updateMatchingStatement,
  type MatchingPlan,
  type UpdateMatchingPlan,
} from '../../../sql/write/matching.sql.js';
import { rowParams } from '../../../sql/write/new-rows.sql.js';
import { type LookupPlan, lookupStatement } from '../../../sql/write/existing-rows.sql.js';
import type { FoundUnit } from '../../store/unit-store.js';
import { checkVersion, type Versioned } from '../check-version.js';
import type { WriteContext } from '../violation/constraint-violations.js';
import { jsonTextOf, runWrite, type RowValues } from './run-write.js';

/** Units that were found for a write. */
export interface FoundRows {
  /** How many match, one more than allowed at most. */
  readonly matched: number;
  /** The id of one that the caller may not write; null if it may write all. */
  readonly denied: string | null;
}

interface LockedRows extends FoundRows {
  /** In order; null if there are too many, or the caller may not write all of them. */
  readonly keys: readonly string[] | null;
}

/** What an edit of units found: ids of units that are in its way. It changed all units if there are none. */
export interface Verdict extends FoundRows {
  /** For each field that may be written once, a unit that would not keep its value. */
  readonly changed: readonly (string | null)[];
  /** A unit in which the result of an expression may not be stored. */
  readonly unfit: string | null;
  /** A unit that would no longer satisfy the access rule. */
  readonly leaving: string | null;
  readonly affected: number;
}

@Injectable()
export class SelectionRepository {
  /** The units that have the values of rows, by the number of the row from 0. */
  async lookUp(
    executor: Executor,
    plan: LookupPlan,
    rows: readonly RowValues[],
    model: Model,
  ): Promise<ReadonlyMap<number, FoundUnit>> {
    const found = await executor.run<Versioned & FoundUnit & { readonly n: number | null }>(
      lookupStatement(plan, await jsonTextOf(plan, rows)),
    );
    checkVersion(found[0], model);
    const units = new Map<number, FoundUnit>();
    for (const { n, id, tag, body } of found) if (n !== null) units.set(n - 1, { id, tag, body });
    return units;
  }

  /** Locks the units that match until the transaction ends. */
  async lockMatching(executor: Executor, plan: MatchingPlan, model: Model, forDelete: boolean): Promise<LockedRows> {
    const contention = () => ({ schema: plan.schema, table: plan.kind.table });
    const [row] = await trackContention(contention, () =>
      executor.run<Versioned & LockedRows>(lockMatchingStatement(plan, forDelete)),
    );
    checkVersion(row, model);
    if (!row) throw new Error('a lock of units answers one row');
    return row;
  }

  /** Changes all units that match, or none. */
  async updateMatching(
    executor: Executor,
    plan: UpdateMatchingPlan,
    row: RowValues,
    context: WriteContext,
  ): Promise<Verdict> {
    const contention = () => ({ schema: plan.schema, table: plan.kind.table });
    const statement = updateMatchingStatement(plan, rowParams(plan.written, row) ?? (await jsonTextOf(plan, [row])));
    const [verdict] = await runWrite<Versioned & Verdict>(
      executor,
      plan,
      statement,
      { ...context, rows: [row] },
      contention,
    );
    // Units are changed only if the version was that of the plan. Citus may read the one of the row later.
    if (!verdict?.affected) checkVersion(verdict, context.model);
    if (!verdict) throw new Error('an edit of units answers one row');
    return verdict;
  }

  /** For each list of fields, the id of a unit that the edit would give the values of another unit; null if there is none. */
  async takenBy(
    executor: Executor,
    plan: UpdateMatchingPlan,
    row: RowValues,
    lists: readonly (readonly Field[])[],
  ): Promise<readonly (string | null)[]> {
    const rows = rowParams(plan.written, row) ?? (await jsonTextOf(plan, [row]));
    const [found] = await executor.run<{ units: (string | null)[] }>(takenByMatchingStatement(plan, rows, lists));
    return found?.units ?? [];
  }
}
