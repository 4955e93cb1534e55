/** Runs statements that write units of tables. */
import { noteContention, type ContentionTarget } from '../../../database/transaction/contention.js';
import type { Executor } from '../../../database/database.js';
import { EventLoopYield } from '../../../shared/event-loop-yield.js';
import type { MaybePromise } from '../../../shared/maybe-promise.js';
import { runYielding } from '../../../shared/work-in-pieces.js';
import type { Statement } from '../../../sql/fragment.js';
import { keepVersionStatement } from '../../../sql/definition/model.sql.js';
import { rowsText, type RowsText } from '../../../sql/write/new-rows.sql.js';
import { conflictOf, type WriteContext } from '../violation/constraint-violations.js';

/** The values of a unit by column. */
export type RowValues = Readonly<Record<string, unknown>>;

interface InSchema {
  readonly schema: string;
}

/** Returns the rows of a statement. @throws KindError if stored units or constraints are in its way */
export function runWrite<Row>(
  executor: Executor,
  { schema }: InSchema,
  statement: Statement,
  context: WriteContext,
  contention?: () => ContentionTarget,
): Promise<Row[]> {
  executor.tx?.beforeCommit(keepVersionStatement(schema));
  return executor.run<Row>(statement).catch((error: unknown) => {
    if (contention) noteContention(error, contention);
    throw conflictOf(error, context) ?? error;
  });
}

export function jsonTextOf({ schema }: InSchema, rows: readonly RowValues[]): MaybePromise<RowsText> {
  return runYielding(rowsText(rows), new EventLoopYield(schema));
}
