/** Links go with the units that they join; every deletion of units comes by here, in its own transaction. */
import type { Executor } from '../database/database.js';
import { isStaleModel } from '../database/sqlstate.js';
import type { KindDef } from '../model/model.js';
import { deleteLinksOfStatement, sweepLinksStatement } from '../sql/link.sql.js';
import type { Session } from './session.js';

/** Whether units of the kind can be linked by users' link types: kinds of the model have their own. */
export function isLinkable(kind: KindDef): boolean {
  return !kind.builtIn && !kind.remote;
}

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
      await pool.run(sweepLinksStatement(schema, kind, keys));
    } catch (error) {
      // The kind is gone, and its links with it.
      if (!isStaleModel(error)) throw error;
    }
  });
}
