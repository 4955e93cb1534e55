/** What changes of a project's definitions and tables share: the new version, and how long they wait for locks (in milliseconds). */
import type { Transaction } from '../../database/database.js';
import { lockProjectStatement } from '../../sql/definition/model.sql.js';
import type { Statement } from '../../sql/fragment.js';
import { notifyStatement } from '../../sql/server/connection.sql.js';
import { LIMITS } from '../../shared/limits.js';
import { lockTimeoutStatement } from '../../sql/server/transaction.sql.js';
import type { Project } from '../../tenancy/project.js';

/** The channel of notifications about changed models. The payload is `project:version`. */
export const MODEL_CHANNEL = 'kind_model';

/**
 * Returns the new version. The notification is a statement of its own, because Citus would run it on a worker otherwise,
 * where nobody listens.
 * @param raise returns one row `v`
 */
export async function raiseVersion(tx: Transaction, { id }: Project, raise: Statement): Promise<number> {
  const [row] = await tx.run<{ v: string }>(raise);
  await tx.run(notifyStatement(MODEL_CHANNEL, `${id}:${row?.v}`));
  return Number(row?.v);
}

/** For the lock of a project, which another process may hold for a change or an upgrade. */
export const PROJECT_LOCK_TIMEOUT = 10_000;

/**
 * Takes the lock of a project; from then on, waits for locks on tables are short. While ALTER TABLE waits for a long read,
 * later statements queue behind it; after the timeout they run, and the transaction is run again.
 */
export async function lockProject(tx: Transaction, schema: string): Promise<void> {
  await tx.run(lockProjectStatement(schema));
  await tx.run(lockTimeoutStatement(LIMITS.tableLockSeconds * 1000));
}
