/** Observes the statements that a database sends on the connections of its pool. */
import type { Pool, PoolClient } from 'pg';
import type { Database } from '../../src/database/database.js';
import { QUERY_TABLE } from '../../src/model/table/internal-tables.js';
import type { Statement } from '../../src/sql/fragment.js';

/** The parts of a `Database`, of TypeORM and of `pg` that have no public access to the connections. */
interface DatabaseInternals {
  readonly dataSource: { readonly driver: { readonly master: Pool & { readonly _clients: readonly PoolClient[] } } };
}

/**
 * Calls `onStatement` for each statement, until the returned function is called. BEGIN, COMMIT and ROLLBACK, which are
 * sent as plain text, do not count, and neither do statements that a service sends in the background: for the statistics
 * of queries once a minute, and for comparing the plans of a repeated list.
 */
export function observeStatements(database: Database, onStatement: (statement: Statement) => void): () => void {
  const { master: pool } = (database as unknown as DatabaseInternals).dataSource.driver;
  const observed: PoolClient[] = [];
  const observe = (client: PoolClient): void => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const observedQuery = (...args: unknown[]): unknown => {
      const [statement] = args;
      if (typeof statement !== 'string' && !isInBackground(statement as Statement)) onStatement(statement as Statement);
      return query(...args);
    };
    Object.assign(client, { query: observedQuery });
    observed.push(client);
  };
  pool._clients.forEach(observe);
  pool.on('connect', observe);
  return () => {
    pool.off('connect', observe);
    // The method of the prototype applies again.
    for (const client of observed) Reflect.deleteProperty(client, 'query');
  };
}

function isInBackground({ text }: Statement): boolean {
  return /^EXPLAIN \([^)]*COSTS OFF/.test(text) || /^EXPLAIN \(ANALYZE/.test(text) || text.includes(`"${QUERY_TABLE}"`);
}
