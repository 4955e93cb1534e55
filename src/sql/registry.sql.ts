/** Statements of the registry and of connections. TypeORM runs the other statements of the registry. */
import { REGISTRY_SCHEMA } from '../model/names.js';
import { ident, literal, param, render, sql, type Statement } from './fragment.js';
import { MODEL_TABLE } from './model-version.sql.js';

/** The advisory lock that a process holds while it upgrades the registry. */
const REGISTRY_LOCK_KEY = sql`${literal('7205759403792793')}::bigint`;

/** One row `locked`: whether the lock was free. Held until the transaction ends. */
export const LOCK_REGISTRY: Statement = render(sql`SELECT pg_try_advisory_xact_lock(${REGISTRY_LOCK_KEY}) AS locked`);

/** One row `found`: whether the database has a registry. */
export const FIND_REGISTRY: Statement = render(
  sql`SELECT to_regclass(${param(`"${REGISTRY_SCHEMA}"."project"`)}) IS NOT NULL AS found`,
);

export const CREATE_REGISTRY: Statement = render(sql`CREATE SCHEMA IF NOT EXISTS ${ident(REGISTRY_SCHEMA)}`);

/**
 * A row `backend, address, seconds`: the connection that holds that lock, its client's address, the time in its state.
 */
export const REGISTRY_HOLDER: Statement = render(
  sql`
    SELECT
      a.pid AS backend,
      host(a.client_addr) AS address,
      coalesce(extract(epoch FROM clock_timestamp() - a.state_change), 0)::int AS seconds
    FROM pg_catalog.pg_locks AS l
    JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid
    WHERE l.locktype = 'advisory'
      AND l.granted
      AND l.objsubid = 1
      AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
      AND l.classid::bigint = ${REGISTRY_LOCK_KEY} >> 32
      AND l.objid::bigint = ${REGISTRY_LOCK_KEY} & 4294967295
  `,
);

export function insertProjectStatement(id: string, label: string): Statement {
  return render(
    sql`INSERT INTO ${ident(REGISTRY_SCHEMA, 'project')} ("id", "label") VALUES (${param(id)}, ${param(label)})`,
  );
}

export function announceStatement(channel: string, payload: string): Statement {
  return render(sql`SELECT pg_notify(${param(channel)}, ${param(payload)})`);
}

export function listenStatement(channel: string): Statement {
  return render(sql`LISTEN ${ident(channel)}`);
}

/** One row `version`: that of the built-in model for which a project's tables were made. */
export function builtInVersionStatement(schema: string): Statement {
  return render(sql`SELECT "built_in" AS version FROM ${ident(schema, MODEL_TABLE)}`);
}

/** Rows `name`: those of the collations that the server has. */
export function collationsStatement(names: readonly string[]): Statement {
  return render(sql`
    SELECT collname AS name
    FROM pg_catalog.pg_collation
    WHERE collname = ANY(${param(names)})
  `);
}

export function settingStatement(name: string, value: string): Statement {
  return render(sql`SELECT set_config(${param(name)}, ${param(value)}, true)`);
}

/** One row `backend`: the number of the server's process that runs it. */
export const READ_BACKEND_PID: Statement = render(sql`SELECT pg_backend_pid() AS backend`);

/** Removes the time limits of statements and locks from a connection. */
export const DISABLE_TIMEOUTS: Statement = render(
  sql`SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)`,
);

/** Cancels the statement that a connection runs. */
export function cancelStatement(backend: number): Statement {
  return render(sql`SELECT pg_cancel_backend(${param(backend)}::int)`);
}

/** Stores whether indexes of a project are still to be built. */
export function setUnindexedStatement(id: string, unindexed: boolean): Statement {
  const flag = param(unindexed);
  return render(
    sql`
      UPDATE ${ident(REGISTRY_SCHEMA, 'project')}
      SET "unindexed" = ${flag}
      WHERE "id" = ${param(id)} AND "unindexed" <> ${flag}
    `,
  );
}

export const PING: Statement = render(sql`SELECT ${literal('pong')}`);

/** PostgreSQL merges the settings, so that of two changes at once none is lost. */
export function updateProjectStatement(id: string, label: string | null, settings: object): Statement {
  const merged = sql`"settings" = "settings" || ${param(JSON.stringify(settings))}::jsonb`;
  return render(
    sql`
      UPDATE ${ident(REGISTRY_SCHEMA, 'project')}
      SET "label" = coalesce(${param(label)}, "label"), ${merged}
      WHERE "id" = ${param(id)}
    `,
  );
}
