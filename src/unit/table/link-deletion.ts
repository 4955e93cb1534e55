/** Deletes the links of deleted units. Every deletion of units calls it, in the same transaction. */
import type { Executor } from '../../database/database.js';
import { isStaleModel } from '../../database/statement/sqlstate.js';
import { isLinkable, type KindDef } from '../../model/model.js';
import { deleteLinksOfStatement, deleteDanglingLinksStatement } from '../../sql/many-links.sql.js';
import type { Session } from '../session/session.js';

/**
 * Call it after the rows were deleted: from then on no new link to them can be created. At REPEATABLE READ the
 * transaction does not see links created since it began; these are deleted by `pool` after the commit, and until then
 * they lead nowhere.
 */
export async function deleteLinksOf(
  { executor, project: { schema } }: Session,
  kind: KindDef,
  keys: readonly string[],
  pool: Executor,
): Promise<void> {
  if (!isLinkable(kind)) return;
  await executor.run(deleteLinksOfStatement(schema, kind, keys));
  if (executor.tx?.isolation !== 'repeatable read') return;
  executor.tx.afterCommit(async () => {
    try {
      await pool.run(deleteDanglingLinksStatement(schema, kind, keys));
    } catch (error) {
      // The kind was deleted, and its links with it.
      if (!isStaleModel(error)) throw error;
    }
  });
}
