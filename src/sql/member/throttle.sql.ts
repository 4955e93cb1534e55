/**
 * Recent attempts: a row per key with the times of its attempts, at most as many as are allowed. An attempt is counted
 * before it is made, so that parallel attempts count too.
 */
import { THROTTLE_TABLE } from '../../model/table/internal-tables.js';
import { ident, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { seconds, secondsBefore } from '../columns.sql.js';

export interface Allowance {
  readonly id: string;
  /** The most attempts within the window. */
  readonly allowed: number;
}

/** The stored attempts of the row `t` that are within the window of the new one. */
function recentAttempts(window: number): Fragment {
  const start = secondsBefore(sql`excluded."attempts"[1]`, window);
  return sql`ARRAY(SELECT e FROM unnest(t."attempts") AS e WHERE e > ${start})`;
}

/**
 * Counts an attempt for each key that has one left. Rows `id, at`: the time of the attempt as text; none for a key
 * without attempts left. Keys are locked in order, so that two statements cannot deadlock.
 */
export function takeAttemptsStatement(schema: string, keys: readonly Allowance[], window: number): Statement {
  const [ids, allowed] = [keys.map(({ id }) => id), keys.map((key) => key.allowed)];
  const recent = recentAttempts(window);
  return render(
    sql`
      WITH taken AS (
        INSERT INTO ${ident(schema, THROTTLE_TABLE)} AS t ("id", "allowed", "attempts", "expires_at")
        SELECT k."id", k."allowed", ARRAY[now()], now() + ${seconds(window)}
        FROM unnest(${param(ids)}::text[], ${param(allowed)}::bigint[]) AS k("id", "allowed")
        ORDER BY k."id" COLLATE "C"
        ON CONFLICT ("id") DO UPDATE SET
          "attempts" = ${recent} || excluded."attempts",
          "allowed" = excluded."allowed",
          "expires_at" = excluded."expires_at"
        WHERE cardinality(${recent}) < excluded."allowed"
        RETURNING t."id", t."attempts"
      )
      SELECT "id", "attempts"[cardinality("attempts")]::text AS at FROM taken
    `,
    true,
  );
}

/** Removes the attempt of that time from each of the keys. */
export function returnAttemptsStatement(schema: string, ids: readonly string[], at: string): Statement {
  const table = ident(schema, THROTTLE_TABLE);
  return render(
    sql`
      UPDATE ${table} AS t
      SET "attempts" = array_remove(t."attempts", ${param(at)}::timestamptz)
      FROM (
        SELECT "id"
        FROM ${table}
        WHERE "id" = ANY(${param(ids)}::text[])
        ORDER BY "id"
        FOR UPDATE
      ) AS locked
      WHERE t."id" = locked."id"
    `,
    true,
  );
}

/** One row `wait`: the seconds until all of the keys have an attempt left. */
export function waitStatement(schema: string, ids: readonly string[], window: number): Statement {
  const oldest = sql`SELECT min(e) FROM unnest(t."attempts") AS e WHERE e > now() - ${seconds(window)}`;
  const availableAt = sql`(${oldest}) + ${seconds(window)}`;
  return render(
    sql`
      SELECT coalesce(ceil(extract(epoch FROM max(${availableAt} - now()))), 1)::int AS wait
      FROM ${ident(schema, THROTTLE_TABLE)} AS t
      WHERE t."id" = ANY(${param(ids)}::text[])
    `,
  );
}

/** Deletes the attempts of keys. */
export function deleteAttemptsStatement(schema: string, ids: readonly string[]): Statement {
  return render(sql`DELETE FROM ${ident(schema, THROTTLE_TABLE)} WHERE "id" = ANY(${param(ids)}::text[])`);
}
