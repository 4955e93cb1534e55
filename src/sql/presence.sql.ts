/** Which services run on the database, and with which key they sign tokens: statements of the registry. */
import { REGISTRY_SCHEMA } from '../model/names.js';
import { EMPTY_SQL, ident, literal, param, render, sql, type Statement } from './fragment.js';

const SERVICE_TABLE = ident(REGISTRY_SCHEMA, 'service');
const SIGNING_TABLE = ident(REGISTRY_SCHEMA, 'signing');

/** Services that start look and come in one after the other. Held until the transaction ends. */
export const LOCK_PRESENCE: Statement = render(
  sql`SELECT pg_advisory_xact_lock(${literal('7205759403792794')}::bigint)`,
);

/** One row `salt, fingerprint` (null where no service has run yet). */
export const READ_SIGNING: Statement = render(sql`SELECT "salt", "fingerprint" FROM ${SIGNING_TABLE}`);

export function writeFingerprintStatement(fingerprint: string): Statement {
  return render(sql`UPDATE ${SIGNING_TABLE} SET "fingerprint" = ${param(fingerprint)}`);
}

/** Rows `id, host, pid, seen` of services that were seen within some seconds. */
export function listServicesStatement(seconds: number): Statement {
  return render(
    sql`
      SELECT "id"::text AS id, "host", "pid", "seen_at"::text AS seen
      FROM ${SERVICE_TABLE}
      WHERE "seen_at" > now() - ${param(seconds)}::double precision * interval '1 second'
      ORDER BY "seen_at" DESC
    `,
  );
}

/** A service is there. One row `fingerprint`: of the key that services sign with now. */
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

/** Forgets a service that stops, or all: those that were here before one that is alone. */
export function deleteServicesStatement(id?: string): Statement {
  return render(
    sql`DELETE FROM ${SERVICE_TABLE}${id === undefined ? EMPTY_SQL : sql` WHERE "id" = ${param(id)}::uuid`}`,
  );
}
