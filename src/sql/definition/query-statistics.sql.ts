/** The table of a project with the numbers of its queries, and PostgreSQL's numbers of its indexes. */
import { QUERY_TABLE } from '../../model/table/internal-tables.js';
import { ident, integer, param, render, sql, type Statement } from '../fragment.js';
import { seconds, utcText } from '../columns.sql.js';

/** What one process adds to the numbers of one kind of query. */
export interface AddedQuery {
  /** The kind of query in words, without values. */
  readonly id: string;
  readonly calls: number;
  /** Of all these calls. */
  readonly milliseconds: number;
  readonly slowest: number;
  /** The indexes that it lacks; null if this was not examined. */
  readonly missing: unknown;
}

/** Adds numbers. The rows are locked in the order of their ids, so that two processes never wait for each other. */
export function addQueriesStatement(schema: string, queries: readonly AddedQuery[]): Statement {
  const rows = param(JSON.stringify(queries));
  return render(sql`
    INSERT INTO ${ident(schema, QUERY_TABLE)} AS q
      ("id", "calls", "milliseconds", "slowest", "missing", "since", "seen_at")
    SELECT r.id, r.calls, r.milliseconds, r.slowest, r.missing, now(), now()
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(
      id text, calls bigint, milliseconds double precision, slowest double precision, missing jsonb
    )
    ORDER BY r.id
    ON CONFLICT ("id") DO UPDATE SET
      "calls" = q."calls" + excluded."calls",
      "milliseconds" = q."milliseconds" + excluded."milliseconds",
      "slowest" = greatest(q."slowest", excluded."slowest"),
      "missing" = coalesce(excluded."missing", q."missing"),
      "seen_at" = excluded."seen_at"
  `);
}

/**
 * Deletes queries that were not seen for so many seconds, and if there are more than `most`, those that take the smallest
 * part of the time since they were first seen. (By the sum of their time, a new query would be deleted each time before it
 * reaches that of old ones.)
 */
export function pruneQueriesStatement(schema: string, most: number, age: number): Statement {
  const table = ident(schema, QUERY_TABLE);
  const oldest = sql`now() - ${seconds(age)}`;
  return render(sql`
    DELETE FROM ${table}
    WHERE "seen_at" < ${oldest} OR "id" IN (
      SELECT "id"
      FROM ${table}
      WHERE "seen_at" >= ${oldest}
      ORDER BY "milliseconds" / (extract(epoch FROM now() - "since") + 3600) DESC, "id"
      OFFSET ${integer(most)}
    )
  `);
}

export interface StoredQuery {
  readonly id: string;
  /** A whole number, as text. */
  readonly calls: string;
  readonly milliseconds: number;
  readonly slowest: number;
  readonly missing: unknown;
  readonly since: string;
}

/** Rows `id, calls, milliseconds, slowest, missing, since`, those that took the most time first. */
export function listQueriesStatement(schema: string): Statement {
  return render(sql`
    SELECT "id", "calls"::text, "milliseconds", "slowest", "missing", ${utcText(sql`"since"`)} AS since
    FROM ${ident(schema, QUERY_TABLE)}
    ORDER BY "milliseconds" DESC, "id"
  `);
}

/** Rows `name, since`: the indexes of a schema that no statement has used, and since when; null if PostgreSQL does not know it. */
export function unusedIndexesStatement(schema: string): Statement {
  return render(sql`
    SELECT s.indexrelname AS name, ${utcText(sql`d.stats_reset`)} AS since
    FROM pg_catalog.pg_stat_user_indexes AS s
    LEFT JOIN pg_catalog.pg_stat_database AS d ON d.datname = current_database()
    WHERE s.schemaname = ${param(schema)} AND s.idx_scan = 0
  `);
}
