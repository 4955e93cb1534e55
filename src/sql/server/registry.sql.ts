/** Statements of the registry of projects that TypeORM does not provide. */
import { REGISTRY_SCHEMA } from '../../model/names.js';
import {
  EMPTY_SQL,
  type Fragment,
  ident,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Statement,
} from '../fragment.js';
import { seconds } from '../columns.sql.js';

/** The advisory lock that a process holds while it upgrades the registry. */
const REGISTRY_LOCK_KEY = sql`${literal('7205759403792793')}::bigint`;

/** One row `locked`: whether the lock was free. Held until the transaction ends. */
export const LOCK_REGISTRY: Statement = render(sql`SELECT pg_try_advisory_xact_lock(${REGISTRY_LOCK_KEY}) AS locked`);

/** One row `found`: whether the database has a registry. */
export const FIND_REGISTRY: Statement = render(
  sql`SELECT to_regclass(${param(`"${REGISTRY_SCHEMA}"."project"`)}) IS NOT NULL AS found`,
);

/**
 * Keeps the tables of a new schema on the server that is asked, where Citus would make it the schema of a tenant. Other
 * servers store the setting, which nothing reads.
 */
export const KEEP_OFF_WORKERS: Statement = render(sql`SET LOCAL citus.enable_schema_based_sharding TO off`);

export const CREATE_REGISTRY: Statement = render(sql`CREATE SCHEMA IF NOT EXISTS ${ident(REGISTRY_SCHEMA)}`);

/**
 * One row `backend, address, seconds`: the connection that holds the lock, the address of its client, and the seconds
 * since its last statement began or ended.
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

/** One row `release, built_in`: the newest release that has used the database, by the version of its built-in model. */
export const READ_RELEASE: Statement = render(
  sql`SELECT "release", "built_in" FROM ${ident(REGISTRY_SCHEMA, 'release')}`,
);

export function recordReleaseStatement(release: string, builtIn: number): Statement {
  const table = ident(REGISTRY_SCHEMA, 'release');
  return render(
    sql`
      INSERT INTO ${table} ("release", "built_in") VALUES (${param(release)}, ${integer(builtIn)})
      ON CONFLICT ("one") DO UPDATE SET "release" = EXCLUDED."release", "built_in" = EXCLUDED."built_in"
    `,
  );
}

/** @param insertedAt when it was made, if not now */
export function insertProjectStatement(id: string, label: string, builtIn: number, insertedAt?: string): Statement {
  const values: [string, Fragment][] = [
    ['id', param(id)],
    ['label', param(label)],
    ['built_in', integer(builtIn)],
    ...(insertedAt === undefined
      ? []
      : [['inserted_at', sql`${param(insertedAt)}::timestamptz`] as [string, Fragment]]),
  ];
  const names = join(values.map(([name]) => ident(name)));
  return render(
    sql`INSERT INTO ${ident(REGISTRY_SCHEMA, 'project')} (${names}) VALUES (${join(values.map(([, value]) => value))})`,
  );
}

export function deleteProjectStatement(id: string): Statement {
  return render(sql`DELETE FROM ${ident(REGISTRY_SCHEMA, 'project')} WHERE "id" = ${param(id)}`);
}

/** Records that the tables of projects have a version of the built-in model. */
export function recordBuiltInStatement(ids: readonly string[], builtIn: number): Statement {
  return render(
    sql`
      UPDATE ${ident(REGISTRY_SCHEMA, 'project')}
      SET "built_in" = ${integer(builtIn)}
      WHERE "id" = ANY(${param(ids)}) AND "built_in" IS DISTINCT FROM ${integer(builtIn)}
    `,
  );
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

export function beginDeletionStatement(id: string): Statement {
  return render(sql`UPDATE ${ident(REGISTRY_SCHEMA, 'project')} SET "status" = 'deleting' WHERE "id" = ${param(id)}`);
}

/** PostgreSQL merges the settings, so that concurrent changes of different settings are both stored. */
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

export const SERVICE_TABLE = ident(REGISTRY_SCHEMA, 'service');
const SIGNING_TABLE = ident(REGISTRY_SCHEMA, 'signing');

/** Makes services that start wait for each other. Held until the transaction ends. */
export const LOCK_SERVICES: Statement = render(
  sql`SELECT pg_advisory_xact_lock(${literal('7205759403792794')}::bigint)`,
);

/** One row `salt, fingerprint`; `fingerprint` is null if no service has run yet. */
export const READ_SIGNING: Statement = render(sql`SELECT "salt", "fingerprint" FROM ${SIGNING_TABLE}`);

export function writeFingerprintStatement(fingerprint: string): Statement {
  return render(sql`UPDATE ${SIGNING_TABLE} SET "fingerprint" = ${param(fingerprint)}`);
}

/** One row `sealed`: what only the keys of the stored secrets open; null if no service has run yet. */
export const READ_SECRETS_CHECK: Statement = render(sql`SELECT "secrets_check" AS sealed FROM ${SIGNING_TABLE}`);

/** The first of several services wins. */
export function noteSecretsCheckStatement(sealed: string): Statement {
  return render(sql`UPDATE ${SIGNING_TABLE} SET "secrets_check" = ${param(sealed)} WHERE "secrets_check" IS NULL`);
}

export function renewSecretsCheckStatement(sealed: string): Statement {
  return render(sql`UPDATE ${SIGNING_TABLE} SET "secrets_check" = ${param(sealed)}`);
}

/** Rows `id, host, pid, seen`: the services that have reported within some seconds. */
export function listServicesStatement(within: number): Statement {
  return render(
    sql`
      SELECT "id"::text AS id, "host", "pid", "seen_at"::text AS seen
      FROM ${SERVICE_TABLE}
      WHERE "seen_at" > now() - ${seconds(within)}
      ORDER BY "seen_at" DESC
    `,
  );
}

/** Stores that a service runs. One row `fingerprint`: of the key that services sign with now. */
export function recordServiceStatement(service: { id: string; host: string; pid: number }): Statement {
  const { id, host, pid } = service;
  return render(
    sql`
      INSERT INTO ${SERVICE_TABLE} ("id", "host", "pid", "seen_at")
      VALUES (${param(id)}::uuid, ${param(host)}, ${param(pid)}::int, now())
      ON CONFLICT ("id") DO UPDATE SET "seen_at" = now()
      RETURNING (SELECT "fingerprint" FROM ${SIGNING_TABLE}) AS fingerprint
    `,
  );
}

/** Deletes one service, or all. */
export function deleteServicesStatement(id?: string): Statement {
  return render(
    sql`DELETE FROM ${SERVICE_TABLE}${id === undefined ? EMPTY_SQL : sql` WHERE "id" = ${param(id)}::uuid`}`,
  );
}
