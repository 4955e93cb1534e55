/** Deliveries of webhooks: what was sent and what waits, which is kept with the changes that followers have taken. */
import { WEBHOOK_KIND } from '../../model/built-in-traits.js';
import { FAILURES } from '../../model/built-in/webhook-fields.js';
import { FEED_TABLE, FOLLOWER_TABLE, TASK_TABLE } from '../../model/table/internal-tables.js';
import { LIMITS } from '../../shared/limits.js';
import { utcText } from '../columns.sql.js';
import { erasuresOf } from '../changes/erase.sql.js';
import { numberBefore, RUN_AGAIN } from '../changes/follow.sql.js';
import { EMPTY_SQL, ident, integer, literal, param, render, sql, type Fragment, type Statement } from '../fragment.js';

/** The type of followers that are webhooks. */
export const WEBHOOK_FOLLOWER = 'webhook';

/** The follower that is a webhook. */
export function followerOf(hookId: string): string {
  return `${WEBHOOK_FOLLOWER} ${hookId}`;
}

export interface KeptBody {
  readonly body: string | null;
  /** How often its values were erased. */
  readonly erasures: number;
}

/** One row `KeptBody`, or none if the delivery is gone. */
export function readBodyStatement(schema: string, taskId: string): Statement {
  return render(
    sql`
      SELECT "body" AS body, ${erasuresOf(sql`"report"`)} AS erasures
      FROM ${tasks(schema)}
      WHERE "id" = ${param(taskId)}::uuid
    `,
    true,
  );
}

/** Keeps what is sent in every attempt, unless its values were erased since they were read. One row if it is kept. */
export function keepBodyStatement(
  schema: string,
  { id }: { readonly id: string },
  { type, body, erasures }: { readonly type: string; readonly body: string; readonly erasures: number },
): Statement {
  return render(
    sql`
      UPDATE ${tasks(schema)}
      SET "body" = ${param(body)},
        "report" = coalesce("report", '{}') || jsonb_build_object('type', ${param(type)}::text)
      WHERE "id" = ${param(id)}::uuid AND ${erasuresOf(sql`"report"`)} = ${param(erasures)}::int
      RETURNING 1 AS found
    `,
    true,
  );
}

/** Forgets a webhook that is gone, with its deliveries. */
export function forgetHookStatement(schema: string, hookId: string): Statement {
  return render(sql`
    WITH forgotten AS (DELETE FROM ${tasks(schema)} AS t WHERE ${isOf(hookId)})
    DELETE FROM ${ident(schema, FOLLOWER_TABLE)} WHERE "id" = ${param(followerOf(hookId))}
  `);
}

function tasks(schema: string): Fragment {
  return ident(schema, TASK_TABLE);
}

function isOf(hookId: string): Fragment {
  return sql`t."follower" = ${param(followerOf(hookId))}`;
}

/** Writes how many deliveries of a webhook wait, and that one has just succeeded. */
export function noteDeliveredStatement(schema: string, hookId: string, delivered: boolean): Statement {
  const now = delivered ? sql`, "delivered_at" = now()` : EMPTY_SQL;
  return render(
    sql`
      UPDATE ${ident(schema, WEBHOOK_KIND)} AS w
      SET "waiting" = c.count${now}
      FROM (
        SELECT count(*) AS count FROM ${tasks(schema)} AS t WHERE ${isOf(hookId)} AND t."state" = 'waiting'
      ) AS c
      WHERE w."id" = ${param(hookId)}
    `,
    true,
  );
}

/** Counts an event that has failed for good, or begins to count again. One row `failures`. */
export function countFailureStatement(schema: string, hookId: string, failed: boolean): Statement {
  const failures = ident(FAILURES);
  return render(
    sql`
      WITH counted AS (
        UPDATE ${ident(schema, WEBHOOK_KIND)} AS w
        SET ${failures} = ${failed ? sql`w.${failures} + 1` : integer(0)}
        WHERE w."id" = ${param(hookId)}
        RETURNING w.${failures}
      )
      SELECT c.${failures}::int AS failures FROM counted AS c
    `,
  );
}

/** Tells of events that are lost, unless something else is told. */
export function noteLostStatement(schema: string, hookId: string, reason: string): Statement {
  return render(
    sql`
      UPDATE ${ident(schema, WEBHOOK_KIND)}
      SET "reason" = ${param(reason)}
      WHERE "id" = ${param(hookId)} AND "active"
    `,
  );
}

/** Whether changes are looked for. Its position stays. */
export function pauseHookStatement(schema: string, hookId: string, paused: boolean): Statement {
  return render(sql`
    UPDATE ${ident(schema, FOLLOWER_TABLE)}
    SET "paused" = ${param(paused)}
    WHERE "id" = ${param(followerOf(hookId))}
  `);
}

/** Begins to follow after a change. */
export function beginHookStatement(schema: string, hookId: string, after: string, paused: boolean): Statement {
  return render(sql`
    INSERT INTO ${ident(schema, FOLLOWER_TABLE)} ("id", "seq", "seen_at", "paused")
    SELECT ${param(followerOf(hookId))}, ${param(after)}::bigint, n.now, ${param(paused)}
    FROM (SELECT now() AS now) AS n
    ON CONFLICT ("id") DO NOTHING
  `);
}

/** Lets the webhooks of a project that was restored or imported begin with what comes next. A row for each that does. */
export function beginHooksStatement(schema: string): Statement {
  return render(sql`
    WITH new AS MATERIALIZED (
      SELECT ${literal(followerOf(''))} || w."id" AS id, f."last" AS seq, now() AS now, NOT w."active" AS paused
      FROM ${ident(schema, WEBHOOK_KIND)} AS w, ${ident(schema, FEED_TABLE)} AS f
    )
    INSERT INTO ${ident(schema, FOLLOWER_TABLE)} ("id", "seq", "seen_at", "paused")
    SELECT n.id, n.seq, n.now, n.paused
    FROM new AS n
    ON CONFLICT ("id") DO NOTHING
    RETURNING 1 AS begun
  `);
}

/**
 * The number of the last change before a time. One row `seq`, in decimal digits; the last one of all if there is none
 * after it.
 */
export function numberBeforeStatement(schema: string, time: string): Statement {
  const since = sql`(extract(epoch FROM ${param(time)}::timestamptz) * 1000000)::bigint`;
  return render(sql`SELECT ${numberBefore(schema, since)}::text AS seq`);
}

/**
 * Lets a webhook go on after a change: what it has not had up to there is passed over, and what it has had from there on
 * is sent again.
 */
export function resumeAfterStatement(schema: string, hookId: string, after: string): Statement {
  const seq = sql`${param(after)}::bigint`;
  return render(sql`
    WITH moved AS (
      UPDATE ${ident(schema, FOLLOWER_TABLE)} SET "seq" = ${seq} WHERE "id" = ${param(followerOf(hookId))}
    ),
    passed AS (
      DELETE FROM ${tasks(schema)} AS t
      WHERE ${isOf(hookId)} AND t."state" = 'waiting' AND t."seq" <= ${seq} AND t."attempts" = 0
    ),
    given_up AS (
      UPDATE ${tasks(schema)} AS t
      SET "state" = 'failed', "ended_at" = now(), "next_at" = NULL, "holder" = NULL
      WHERE ${isOf(hookId)} AND t."state" = 'waiting' AND t."seq" <= ${seq} AND t."attempts" > 0
    )
    UPDATE ${tasks(schema)} AS t SET ${RUN_AGAIN} WHERE ${isOf(hookId)} AND t."seq" > ${seq}
  `);
}

/** Sends a delivery again, now. One row if it is there. */
export function retryDeliveryStatement(schema: string, hookId: string, id: string): Statement {
  return render(sql`
    UPDATE ${tasks(schema)} AS t
    SET
      "attempts" = CASE WHEN t."state" = 'waiting' THEN t."attempts" ELSE 0 END,
      "state" = 'waiting',
      "next_at" = NULL,
      "ended_at" = NULL
    WHERE ${isOf(hookId)} AND t."id" = ${param(id)}::uuid
    RETURNING 1 AS found
  `);
}

/** Deletes the oldest deliveries that have ended, if there are too many. */
export function pruneDeliveriesStatement(schema: string, hookId: string): Statement {
  const ended = sql`${isOf(hookId)} AND t."state" <> 'waiting'`;
  return render(sql`
    DELETE FROM ${tasks(schema)} AS t
    WHERE ${ended} AND t."seq" <= (
      SELECT t."seq"
      FROM ${tasks(schema)} AS t
      WHERE ${ended}
      ORDER BY t."seq" DESC
      OFFSET ${integer(LIMITS.deliveriesKept)}
      LIMIT 1
    )
  `);
}

/** The fields of a delivery `d`. */
const DELIVERY_FIELDS = sql`
  'id', d."id",
  'webhook_id', 'msg_' || d."id",
  'type', coalesce(d."report" ->> 'type', d."kind" || '.' || d."operation"),
  'kind_id', d."kind",
  'unit_id', d."unit",
  'version', d."version",
  'state', d.state,
  'attempts', coalesce(d."report" -> 'attempts', '[]'),
  'next_at', ${utcText(sql`d."next_at"`)}
`;

/** The deliveries of a webhook: of those of one unit that wait, all but the first are held by it. */
function deliveries(schema: string, hookId: string): Fragment {
  const waits = sql`t."state" = 'waiting'`;
  return sql`
    (
      SELECT t."id", t."seq", t."kind", t."operation", t."unit", t."version", t."report", t."next_at", t."body",
        CASE
          WHEN NOT ${waits} THEN CASE t."state" WHEN 'done' THEN 'delivered' ELSE t."state" END
          WHEN row_number() OVER (PARTITION BY ${waits}, t."kind", t."unit" ORDER BY t."seq") = 1 THEN 'waiting'
          ELSE 'held'
        END AS state
      FROM ${tasks(schema)} AS t
      WHERE ${isOf(hookId)}
    )
  `;
}

export interface DeliveryPage {
  readonly offset: number;
  readonly limit: number;
}

/** The deliveries of a webhook, the newest first. One row `count, items`: their number, and a page as JSON. */
export function listDeliveriesStatement(schema: string, hookId: string, { offset, limit }: DeliveryPage): Statement {
  return render(sql`
    SELECT
      (SELECT count(*)::int FROM ${tasks(schema)} AS t WHERE ${isOf(hookId)}) AS count,
      coalesce(json_agg(p.item ORDER BY p."seq" DESC), '[]')::text AS items
    FROM (
      SELECT d."seq", json_build_object(${DELIVERY_FIELDS}) AS item
      FROM ${deliveries(schema, hookId)} AS d
      ORDER BY d."seq" DESC
      LIMIT ${integer(limit)}
      OFFSET ${integer(offset)}
    ) AS p
  `);
}

/** One row `item`: a delivery with what was sent, as JSON. */
export function deliveryStatement(schema: string, hookId: string, id: string): Statement {
  return render(sql`
    SELECT json_build_object(${DELIVERY_FIELDS}, 'body', d."body")::text AS item
    FROM ${deliveries(schema, hookId)} AS d
    WHERE d."id" = ${param(id)}::uuid
  `);
}
