/** Links go with the units that they join; every deletion of units comes by here, in its own transaction. */
import type { Executor } from '../../database/database.js';
import { isStaleModel } from '../../database/statement/sqlstate.js';
import { isLinkable, type KindDef } from '../../model/model.js';
import { deleteLinksOfStatement, deleteDanglingLinksStatement } from '../../sql/link.sql.js';
import type { Session } from '../session/session.js';

/**
 * To be called after the rows went: from then on nobody makes a new link to them. At REPEATABLE READ a link that was made
 * since the transaction began is not seen by it, so that `pool` deletes it after the commit: until then it leads nowhere.
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
      // The kind is gone, and its links with it.
      if (!isStaleModel(error)) throw error;
    }
  });
}
