/** Statements of connections: notifications, the process of the server, and its version. */
import { ident, literal, param, render, sql, type Statement } from '../fragment.js';

export const PING: Statement = render(sql`SELECT ${literal('pong')}`);

/**
 * Sends a notification; in a transaction, when that commits. It is a statement of its own, because Citus runs one that
 * reads a tenant's tables on a worker, where nobody listens.
 */
export function notifyStatement(channel: string, payload: string): Statement {
  return render(sql`SELECT pg_notify(${param(channel)}, ${param(payload)})`);
}

export function listenStatement(channel: string): Statement {
  return render(sql`LISTEN ${ident(channel)}`);
}

/** One row `number, name`: the version of the server, as `180004` and as text. */
export const READ_SERVER_VERSION: Statement = render(
  sql`SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name`,
);

/** One row `backend`: the process id of the connection on the server. */
export const READ_BACKEND_PID: Statement = render(sql`SELECT pg_backend_pid() AS backend`);

/** Removes the statement timeout and the lock timeout of a connection. */
export const DISABLE_TIMEOUTS: Statement = render(
  sql`SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)`,
);

/** Cancels the statement that a connection runs. */
export function cancelStatement(backend: number): Statement {
  return render(sql`SELECT pg_cancel_backend(${param(backend)}::int)`);
}
