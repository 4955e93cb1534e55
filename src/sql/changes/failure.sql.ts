/** Changes after which `after_commit` has failed for good. */
import { CHANGE_TABLE, TASK_TABLE } from '../../model/table/internal-tables.js';
import { LIMITS } from '../../shared/limits.js';
import { utcText } from '../columns.sql.js';
import { ident, integer, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { RUN_AGAIN } from './follow.sql.js';

/** The name of the hook, and the type of its followers. */
export const AFTER_COMMIT = 'after_commit';

/** The follower of the changes of a kind. */
export function followerOf(kind: string): string {
  return `${AFTER_COMMIT} ${kind}`;
}

const IS_FAILURE = sql`t."state" = 'failed' AND starts_with(t."follower", ${literal(`${AFTER_COMMIT} `)})`;

const FAILURE = sql`
  json_build_object(
    'id', t."id",
    'kind_id', t."kind",
    'event_id', t."id",
    'unit_id', t."unit",
    'operation', t."operation",
    'attempts', t."attempts",
    'failed_at', ${utcText(sql`t."ended_at"`)},
    'code', t."report" -> 'code',
    'text', t."report" -> 'text',
    'file', t."report" -> 'file',
    'line', t."report" -> 'line'
  )
`;

export interface FailurePage {
  readonly kinds: readonly string[] | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** The failures of a project, newest first, as JSON, with their number. One row `count, items`. */
export function listFailuresStatement(schema: string, { kinds, offset, limit }: FailurePage): Statement {
  const of = kinds ? sql`AND t."kind" = ANY(${param(kinds)}::text[])` : sql``;
  const rows = sql`FROM ${ident(schema, TASK_TABLE)} AS t WHERE ${IS_FAILURE} ${of}`;
  const order = sql`ORDER BY t."ended_at" DESC, t."seq" DESC`;
  return render(
    sql`
      SELECT
        (SELECT count(*)::int ${rows}) AS count,
        coalesce(json_agg(p.item ORDER BY p.n), '[]')::text AS items
      FROM (
        SELECT ${FAILURE} AS item, row_number() OVER (${order}) AS n
        ${rows}
        ${order}
        LIMIT ${integer(limit)}
        OFFSET ${integer(offset)}
      ) AS p
    `,
  );
}

const isThis = (id: string): Fragment => sql`t."id" = ${param(id)}::uuid AND ${IS_FAILURE}`;

/** Has a failed change run again. One row `item, kept`: the failure as JSON, and whether its change is kept; or none. */
export function retryFailureStatement(schema: string, id: string): Statement {
  const table = ident(schema, TASK_TABLE);
  return render(
    sql`
      WITH
        found AS MATERIALIZED (
          SELECT
            t."id",
            ${FAILURE}::text AS item,
            EXISTS (SELECT FROM ${ident(schema, CHANGE_TABLE)} AS c WHERE c."seq" = t."seq") AS kept
          FROM ${table} AS t
          WHERE ${isThis(id)}
        ),
        again AS (
          UPDATE ${table} AS t
          SET ${RUN_AGAIN}
          FROM found AS f
          WHERE t."id" = f."id" AND f.kept
        )
      SELECT f.item, f.kept FROM found AS f
    `,
  );
}

/** Forgets a failure. One row `id`, or none. */
export function deleteFailureStatement(schema: string, id: string): Statement {
  return render(sql`DELETE FROM ${ident(schema, TASK_TABLE)} AS t WHERE ${isThis(id)} RETURNING t."id"`);
}

/** Forgets the oldest of too many. */
export function pruneFailuresStatement(schema: string): Statement {
  const table = ident(schema, TASK_TABLE);
  return render(
    sql`
      DELETE FROM ${table} AS d
      WHERE d."id" IN (
        SELECT t."id" FROM ${table} AS t WHERE ${IS_FAILURE}
        ORDER BY t."ended_at" DESC, t."seq" DESC
        OFFSET ${integer(LIMITS.commitFailures)}
      )
    `,
  );
}
