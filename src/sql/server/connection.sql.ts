/** Statements of connections: notifications, the process of the server, and its version. */
import { ident, join, literal, param, render, sql, type Statement } from '../fragment.js';

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

/** One row `position`: what the server has written, every commit that it has answered included. */
export const READ_WRITTEN: Statement = render(sql`SELECT pg_current_wal_lsn()::text AS "position"`);

/** One row `position`: what a standby has replayed; null of a server that is none. */
export const READ_REPLAYED: Statement = render(
  sql`SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS "position"`,
);

/**
 * A row per setting: `name` in lower case, `value` in PostgreSQL's unit (such as milliseconds), and of the connection
 * `backend` (the number of the server's process), `role`, `database`, `superuser`,
 * `unlimited` (temporary files have no limit), and `limits` (the role may set one).
 */
export function readSettingsStatement(names: readonly string[]): Statement {
  return render(
    sql`
      SELECT
        lower(s.name) AS name,
        s.setting AS value,
        pg_backend_pid() AS backend,
        current_user AS role,
        current_database() AS database,
        (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) AS superuser,
        current_setting('temp_file_limit') = '-1' AS unlimited,
        has_parameter_privilege('temp_file_limit', 'SET') AS limits
      FROM pg_catalog.pg_settings AS s
      WHERE lower(s.name) = ANY(${param(names)}::text[])
    `,
  );
}

/** The text of statements that give a role its settings in one database, for an operator to run. */
export function alterRoleText(role: string, database: string, settings: ReadonlyMap<string, string>): string {
  const statements = [...settings].map(
    ([name, value]) =>
      sql`ALTER ROLE ${ident(role)} IN DATABASE ${ident(database)} SET ${ident(name)} = ${literal(value)};`,
  );
  return render(join(statements, ' ')).text;
}
