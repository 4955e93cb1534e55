/** Registration of the running services, and of the key with which they sign tokens. */
import { REGISTRY_SCHEMA } from '../../model/names.js';
import { EMPTY_SQL, ident, literal, param, render, sql, type Statement } from '../fragment.js';
import { seconds } from '../time.sql.js';

const SERVICE_TABLE = ident(REGISTRY_SCHEMA, 'service');
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
