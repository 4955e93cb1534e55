/** The settings that a role needs behind a transaction pooler, as the refusal of a start names them. */
import { openPool } from '../../src/database/connection/open-pool.js';
import type { ConnectionOptions } from '../../src/database/connection/connection.js';
import { sideConnection } from './side-connection.js';

export const LIMITED = { pool: 4, statementTimeout: 30_000, idleTimeout: 15_000, warn: () => undefined };

export const alterRole = (refusal: string): string[] => refusal.match(/ALTER ROLE [^;]+;/g) ?? [];

/** What a start that leads through a pooler says; `none` if it would be one. */
export function refusalThrough(connection: ConnectionOptions): Promise<string> {
  return openPool(connection, LIMITED).then(
    ({ dataSource }) => dataSource.destroy().then(() => 'none'),
    (error: Error) => error.message,
  );
}

/** Does what the refusal says is to be done. @param pooled the same database through a pooler */
export async function giveSettings(direct: ConnectionOptions, pooled: ConnectionOptions): Promise<void> {
  const side = await sideConnection(direct);
  // The settings of single transactions, which may wait longer, do not reach the workers either (docs/citus.md).
  if (process.env['TEST_CITUS_URL']) await side.rows('SET citus.enable_alter_role_set_propagation = off');
  for (const text of alterRole(await refusalThrough(pooled))) await side.rows(text);
}
