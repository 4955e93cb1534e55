/** Runs the statements that edit several units, each with values of its own. */
import { Injectable } from '@nestjs/common';
import { trackContention, type ContentionTarget } from '../../../database/transaction/contention.js';
import type { Executor } from '../../../database/database.js';
import { lockUnitsStatement, type LockedUnits } from '../../../sql/lock.sql.js';
import { type UpdateSetPlan, updateSetStatement } from '../../../sql/write/update.sql.js';
import type { UnitRow } from '../../store/unit-store.js';
import { checkVersion, type Versioned } from '../check-version.js';
import type { WriteContext } from '../violation/constraint-violations.js';
import { jsonTextOf, runWrite, type RowValues } from './run-write.js';

type Positions = readonly number[];

/** The positions of the rows that fail each check; null for none. */
export interface FailedRows {
  /** Of all units that are there, and that the caller may read. */
  readonly seen: Positions | null;
  readonly denied: Positions | null;
  /** For each rule. */
  readonly ruled: readonly (Positions | null)[];
  /** For each field that may be written once. */
  readonly kept: readonly (Positions | null)[];
  readonly leaving: Positions | null;
}

type SetRow = Versioned & { failed: FailedRows | null; n: number | null; tag?: string | null; body?: string | null };

@Injectable()
export class EditSetRepository {
  /** Locks units in the order of their keys until the transaction ends. */
  async lock(executor: Executor, units: LockedUnits): Promise<void> {
    await trackContention(
      () => contentionOn(units),
      () => executor.run(lockUnitsStatement(units)),
    );
  }

  /** Changes all units, or none. Returns them in the order of the rows; none if the plan has no answers. */
  async update(
    executor: Executor,
    plan: UpdateSetPlan,
    rows: readonly RowValues[],
    context: WriteContext,
  ): Promise<UnitRow[] | FailedRows> {
    const { schema, kind, keys } = plan;
    const statement = updateSetStatement(plan, await jsonTextOf(plan, rows));
    const contention = () => contentionOn({ schema, kind, keys, forDelete: false });
    const found = await runWrite<SetRow>(executor, plan, statement, context, contention);
    const [first] = found;
    // Units are changed only if the version was that of the plan. Citus may read the one of the row later.
    if (typeof first?.tag !== 'string') checkVersion(first, context.model);
    if (first?.failed) return first.failed;
    const units: UnitRow[] = [];
    for (const { n, tag, body } of found)
      if (n !== null && typeof tag === 'string' && typeof body === 'string') units[n] = { tag, body };
    return units;
  }
}

function contentionOn(units: LockedUnits): ContentionTarget {
  return { schema: units.schema, table: units.kind.table, units };
}
