/** The table of a project with the indexes that its slow queries lack, and PostgreSQL's numbers of its indexes. */
import { QUERY_TABLE } from '../../model/table/internal-tables.js';
import { ident, param, render, sql, type Statement } from '../fragment.js';
import { seconds, utcText } from '../columns.sql.js';

/** An index that a query lacks. */
export interface MissingIndex {
  readonly kind: string;
  /** One: set its `indexed`. Several: add them to `indexes` of the kind. */
  readonly parameters: readonly string[];
  /** Whether it is for elements of lists or parts of texts, which an index in `indexes` does not serve. */
  readonly inside: boolean;
  readonly why: string;
  /** The units that are read without it, and those that would be read with it. */
  readonly read: number;
  readonly found: number;
}

/** What one process adds to the numbers of an index that queries lack. */
export interface AddedQuery {
  /** The kind and its parameters. */
  readonly id: string;
  /** Of the queries that lack it. */
  readonly calls: number;
  readonly milliseconds: number;
  readonly missing: MissingIndex;
}

/** Adds numbers. The rows are locked in the order of their ids, so that two processes never wait for each other. */
export function addQueriesStatement(schema: string, queries: readonly AddedQuery[]): Statement {
  const rows = param(JSON.stringify(queries));
  return render(sql`
    INSERT INTO ${ident(schema, QUERY_TABLE)} AS q
      ("id", "calls", "milliseconds", "missing", "since", "seen_at")
    SELECT r.id, r.calls, r.milliseconds, r.missing, now(), now()
    FROM jsonb_to_recordset(${rows}::jsonb) AS r(id text, calls bigint, milliseconds double precision, missing jsonb)
    ORDER BY r.id
    ON CONFLICT ("id") DO UPDATE SET
      "calls" = q."calls" + excluded."calls",
      "milliseconds" = q."milliseconds" + excluded."milliseconds",
      "missing" = excluded."missing",
      "seen_at" = excluded."seen_at"
  `);
}

/** Deletes indexes that were not missed for thirty days. */
export function pruneQueriesStatement(schema: string): Statement {
  return render(sql`DELETE FROM ${ident(schema, QUERY_TABLE)} WHERE "seen_at" < now() - ${seconds(30 * 24 * 3600)}`);
}

export interface StoredQuery extends Omit<AddedQuery, 'id'> {
  readonly since: string;
}

/** Rows `calls, milliseconds, missing, since`, those that took the most time first. */
export function listQueriesStatement(schema: string): Statement {
  return render(sql`
    SELECT "calls"::double precision, "milliseconds", "missing", ${utcText(sql`"since"`)} AS since
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
