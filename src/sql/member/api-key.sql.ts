/** API keys of members: finding one by its secret, and their scopes. */
import { ADMIN_KIND, API_KEY_KIND, CREDENTIAL_KIND } from '../../model/built-in-traits.js';
import type { HeldReason, MemberDemands } from '../../model/held-members.js';
import { heldReason } from './held.sql.js';
import type { Json } from '../../shared/json.js';
import { ident, integer, param, render, sql, type Statement } from '../fragment.js';
import { modelVersion } from '../model-version.sql.js';
import { seconds, SET_UPDATED_AT } from '../columns.sql.js';

export interface FoundKey {
  readonly id: string;
  readonly member_kind: string;
  readonly member_id: string;
  readonly scope: Json;
  readonly agent: boolean | null;
  readonly writes: boolean | null;
  readonly held: HeldReason | null;
  /** Milliseconds since 1970; null if it does not expire. */
  readonly expires: number | null;
  /** The time of its last use is more than a minute ago. */
  readonly unrecorded: boolean;
  /** The version of the model. */
  readonly v: string;
}

/** Seconds for which the time of the last use is not stored again. */
const USE_PRECISION = 60;

/** The key with a secret and its member (`FoundKey`), if it has not expired. */
export function findKeyStatement(schema: string, hash: string, demands: MemberDemands): Statement {
  return render(
    sql`
      SELECT
        k."id"::text AS id,
        c."member_kind" AS member_kind,
        c."member_id"::text AS member_id,
        k."scope" AS scope,
        k."agent" AS agent,
        k."writes" AS writes,
        ${heldReason(schema, sql`c`, demands)} AS held,
        (extract(epoch FROM k."expires_at") * 1000)::float8 AS expires,
        coalesce(k."last_used_at" < now() - ${seconds(USE_PRECISION)}, true) AS unrecorded,
        ${modelVersion(schema)} AS v
      FROM ${ident(schema, API_KEY_KIND)} AS k
      JOIN ${ident(schema, CREDENTIAL_KIND)} AS c ON c."member_id" = k."member"
      WHERE k."secret_hash" = ${param(hash)} AND (k."expires_at" IS NULL OR k."expires_at" > now())
    `,
    true,
  );
}

/** Rows `id`, `scope`, `agent`, `writes`, `member_kind`: those of the keys that have a member, which is not held, and have not expired. */
export function keyScopesStatement(schema: string, ids: readonly string[], demands: MemberDemands): Statement {
  return render(sql`
    SELECT
      k."id"::text AS id,
      k."scope" AS scope,
      k."agent" AS agent,
      k."writes" AS writes,
      c."member_kind" AS member_kind
    FROM ${ident(schema, API_KEY_KIND)} AS k
    JOIN ${ident(schema, CREDENTIAL_KIND)} AS c ON c."member_id" = k."member"
    WHERE k."id" = ANY(${param(ids)}::uuid[])
      AND (k."expires_at" IS NULL OR k."expires_at" > now())
      AND ${heldReason(schema, sql`c`, demands)} IS NULL
  `);
}

/** One row where a key is an agent's, of an administrator, and has no scope. */
export function agentWithoutScopeStatement(schema: string, id: string): Statement {
  return render(sql`
    SELECT 1 AS found
    FROM ${ident(schema, API_KEY_KIND)} AS k
    JOIN ${ident(schema, CREDENTIAL_KIND)} AS c ON c."member_id" = k."member"
    WHERE k."id" = ${param(id)}::uuid AND k."agent" AND k."scope" IS NULL AND c."member_kind" = ${param(ADMIN_KIND)}
  `);
}

/** The scope of a key that is no agent's, as text; no row where it has none. */
export function scopeOfOthersStatement(schema: string, id: string): Statement {
  return render(sql`
    SELECT k."scope"::text AS scope
    FROM ${ident(schema, API_KEY_KIND)} AS k
    WHERE k."id" = ${param(id)}::uuid AND k."agent" IS NOT TRUE AND k."scope" IS NOT NULL
  `);
}

/** Stores that a key is used now, without a new version of the unit, unless another transaction is changing it. */
export function recordKeyUseStatement(schema: string, id: string): Statement {
  const keys = ident(schema, API_KEY_KIND);
  return render(
    sql`
      UPDATE ${keys}
      SET "last_used_at" = now()
      WHERE "id" IN (
        SELECT k."id"
        FROM ${keys} AS k
        WHERE k."id" = ${param(id)}::uuid
        FOR UPDATE SKIP LOCKED
      )
    `,
    true,
  );
}

/** The keys whose scope names a kind, after an id, in the order of ids: rows `id`, `scope`. */
export function keysNamingKindStatement(
  schema: string,
  kindId: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Statement {
  const named = param(JSON.stringify([{ kinds: [kindId] }]));
  const start = param(after ?? '00000000-0000-0000-0000-000000000000');
  return render(sql`
    SELECT k."id"::text AS id, k."scope" AS scope
    FROM ${ident(schema, API_KEY_KIND)} AS k
    WHERE k."scope" @> ${named}::jsonb AND k."id" > ${start}::uuid
    ORDER BY k."id"
    LIMIT ${integer(limit)}
  `);
}

/** Sets the scopes of keys. */
export function setScopesStatement(
  schema: string,
  scopes: readonly { readonly id: string; readonly scope: Json }[],
): Statement {
  return render(sql`
    UPDATE ${ident(schema, API_KEY_KIND)} AS t
    SET "scope" = i."scope", ${SET_UPDATED_AT}
    FROM json_to_recordset(${param(JSON.stringify(scopes))}::json) AS i("id" uuid, "scope" jsonb)
    WHERE t."id" = i."id"
  `);
}
