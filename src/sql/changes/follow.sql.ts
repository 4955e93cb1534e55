/**
 * What follows changes: positions in their numbers, and tasks, one for each change that somebody wants. Whoever has the
 * claim of the project takes the next changes and does what is due; a second one that still believes to have it changes
 * nothing, because each statement names the state that it has seen.
 */
import {
  CHANGE_TABLE,
  FEED_TABLE,
  FOLLOWER_TABLE,
  OUTBOX_TABLE,
  TASK_TABLE,
} from '../../model/table/internal-tables.js';
import { KIND_KIND } from '../../model/built-in-traits.js';
import { LIMITS } from '../../shared/limits.js';
import { milliseconds, seconds } from '../columns.sql.js';
import {
  all,
  EMPTY_SQL,
  ident,
  inOneMessage,
  integer,
  literal,
  param,
  render,
  sql,
  type Fragment,
  type Statement,
} from '../fragment.js';

/** Numbers that one statement looks through. */
const LOOKED_THROUGH = 20_000;
/** Tasks of one follower, and of one unit of it, that are begun together. */
export const BEGUN_AT_ONCE = 100;
const BEGUN_OF_UNIT = 20;
/** Seconds without a look after which a follower has been away. */
const AWAY = 3600;
/** Seconds after which the time of the last look is written, if nothing else is. */
const LOOK_NOTED_AFTER = 600;
/** Seconds without a look after which nobody knows a follower any more. */
const UNKNOWN_AFTER = 30 * 86_400;
/** Tasks of a follower that still may be done. */
const WAITING = literal('waiting');

export interface FollowedChanges {
  /** Its type and its name, with a space between. */
  readonly id: string;
  readonly kinds: readonly string[];
  readonly operations: readonly string[];
}

/** The settings of a task that is done from the beginning. */
export const RUN_AGAIN = sql`"state" = 'waiting', "attempts" = 0, "next_at" = NULL, "ended_at" = NULL, "holder" = NULL`;

/**
 * The number before the first change `c` that is not older than a time in microseconds; the last number of all if there
 * is none.
 */
export function numberBefore(schema: string, since: Fragment, where?: Fragment): Fragment {
  return sql`
    coalesce(
      (
        SELECT min(c."seq") - 1
        FROM ${ident(schema, CHANGE_TABLE)} AS c
        WHERE ${all([where, sql`c."version" >= ${since}`])}
      ),
      (SELECT "last" FROM ${ident(schema, FEED_TABLE)})
    )
  `;
}

/** When a follower begins, in milliseconds by the clock of PostgreSQL: at a time, or so long ago. */
export type Beginning = { readonly at: number } | { readonly ago: number };

/** Begins followers that have no position, with the first change that is not older than their beginning. */
export function beginFollowersStatement(
  schema: string,
  followers: readonly (FollowedChanges & { readonly since: Beginning })[],
): Statement {
  const rows = followers.map(({ id, kinds, since }) => {
    return {
      id,
      kinds,
      ...('at' in since ? { at: Math.floor(since.at * 1000) } : { ago: Math.ceil(since.ago * 1000) }),
    };
  });
  const since = sql`coalesce(f.at, (extract(epoch FROM now()) * 1000000)::bigint - f.ago)`;
  return render(sql`
    WITH new AS MATERIALIZED (
      SELECT
        f.id,
        ${numberBefore(schema, since, sql`c."kind" = ANY(f.kinds)`)} AS seq,
        now() AS now
      FROM jsonb_to_recordset(${param(JSON.stringify(rows))}::jsonb) AS f(id text, kinds text[], at bigint, ago bigint)
    )
    INSERT INTO ${ident(schema, FOLLOWER_TABLE)} ("id", "seq", "seen_at", "paused")
    SELECT f.id, f.seq, f.now, false
    FROM new AS f
    ON CONFLICT ("id") DO NOTHING
  `);
}

/** The ids of all followers that have a position. One row `ids`. */
export function followersStatement(schema: string): Statement {
  return render(sql`SELECT "id" AS id FROM ${ident(schema, FOLLOWER_TABLE)}`, true);
}

export interface TakenRow {
  readonly follower: string;
  /** Changes that were older than a day when the follower came back, which it does not get. */
  readonly passed: number;
  /** Numbers of changes that are no longer kept, and that the follower has not had. */
  readonly lost: number;
}

/**
 * Takes the next changes for all followers, up to a number, and moves their positions. Rows `TakenRow` of those that moved.
 * @param passes whether what is older than a day is passed over, where a follower comes back
 */
export function takeChangesStatement(
  schema: string,
  followers: readonly (FollowedChanges & { readonly passes: boolean })[],
  upTo: bigint,
): Statement {
  const rows = followers.map(({ id, kinds, operations, passes }) => ({ id, kinds, operations, passes }));
  const [follower, task] = [ident(schema, FOLLOWER_TABLE), ident(schema, TASK_TABLE)];
  const last = sql`${param(String(upTo))}::bigint`;
  return render(
    sql`
      WITH
        feed AS MATERIALIZED (
          SELECT now() AS now, f."epoch" AS epoch, f."kept" AS kept FROM ${ident(schema, FEED_TABLE)} AS f
        ),
        f AS MATERIALIZED (
          SELECT
            f.*,
            r."seq" AS seq,
            least(${last}, r."seq" + ${integer(LOOKED_THROUGH)}) AS up_to,
            f.passes AND r."seen_at" < feed.now - ${seconds(AWAY)} AS passes_old,
            r."seen_at" < feed.now - ${seconds(LOOK_NOTED_AFTER)} AS notes,
            greatest(
              0,
              ${integer(LIMITS.changesTaken)} - (
                SELECT count(*) FROM ${task} AS t WHERE t."follower" = f.id AND t."state" = ${WAITING}
              )
            ) AS room
          FROM jsonb_to_recordset(${param(JSON.stringify(rows))}::jsonb)
            AS f(id text, kinds text[], operations text[], passes boolean)
          JOIN ${follower} AS r ON r."id" = f.id AND r."seq" < ${last}
          CROSS JOIN feed
        ),
        wanted AS MATERIALIZED (
          SELECT
            f.id AS follower,
            c.*,
            f.passes_old AND c.version < (extract(epoch FROM feed.now) - 86400) * 1000000 AS passed
          FROM f
          CROSS JOIN feed
          CROSS JOIN LATERAL (
            SELECT
              c."seq" AS seq, c."operation" AS operation, c."kind" AS kind, c."unit" AS unit, c."version" AS version
            FROM ${ident(schema, CHANGE_TABLE)} AS c
            WHERE c."seq" > f.seq
              AND c."seq" <= f.up_to
              AND c."kind" = ANY(f.kinds)
              AND c."operation" = ANY(f.operations)
            ORDER BY c."seq"
            LIMIT f.room
          ) AS c
        ),
        n AS MATERIALIZED (
          SELECT
            f.id,
            f.seq AS old,
            f.notes,
            CASE WHEN coalesce(w.count, 0) >= f.room THEN coalesce(w.last, f.seq) ELSE f.up_to END AS seq,
            coalesce(w.passed, 0)::int AS passed
          FROM f
          LEFT JOIN (
            SELECT w.follower, count(*) AS count, max(w.seq) AS last, count(*) FILTER (WHERE w.passed) AS passed
            FROM wanted AS w
            GROUP BY 1
          ) AS w ON w.follower = f.id
        ),
        moved AS (
          UPDATE ${follower} AS r
          SET "seq" = n.seq, "seen_at" = feed.now
          FROM n, feed
          WHERE r."id" = n.id AND r."seq" = n.old AND (n.seq > n.old OR n.notes)
          RETURNING r."id", n.old, n.passed
        ),
        added AS (
          INSERT INTO ${task} ("id", "follower", "seq", "operation", "kind", "unit", "version", "state", "attempts")
          SELECT
            md5(w.follower || ' ' || feed.epoch || ' ' || w.seq)::uuid,
            w.follower, w.seq, w.operation, w.kind, w.unit, w.version, ${WAITING}, 0
          FROM wanted AS w
          JOIN moved AS m ON m.id = w.follower
          CROSS JOIN feed
          WHERE NOT w.passed
          ON CONFLICT ("id") DO NOTHING
        )
      SELECT m.id AS follower, m.passed AS passed, greatest(0, feed.kept - m.old)::int AS lost
      FROM moved AS m, feed
    `,
    true,
  );
}

/** A change that a follower has taken. */
export interface TaskRow {
  readonly id: string;
  readonly follower: string;
  /** The number of the change, in decimal digits. */
  readonly seq: string;
  readonly operation: string;
  readonly kind: string;
  readonly unit: string;
  readonly version: string;
  /** Attempts that have failed. */
  readonly attempts: number;
  /** Whether a service that is gone had begun it. */
  readonly lost: boolean;
  readonly report: unknown;
}

/**
 * Begins what is due of each follower, as the service `holder`: of a unit the first tasks, if the very first may run. Rows
 * `TaskRow`, in the order of their changes.
 */
export function beginTasksStatement(schema: string, followers: readonly string[], holder: string): Statement {
  const task = ident(schema, TASK_TABLE);
  const me = sql`${param(holder)}::uuid`;
  return render(
    sql`
      WITH
        heads AS (
          SELECT
            t."id", t."follower", t."seq",
            first_value(t."next_at") OVER unit AS next_at,
            row_number() OVER unit AS of_unit
          FROM ${task} AS t
          WHERE t."follower" = ANY(${param(followers)}::text[]) AND t."state" = ${WAITING}
          WINDOW unit AS (PARTITION BY t."follower", t."kind", t."unit" ORDER BY t."seq")
        ),
        due AS (
          SELECT h."id", row_number() OVER (PARTITION BY h."follower" ORDER BY h."seq") AS n
          FROM heads AS h
          WHERE (h.next_at IS NULL OR h.next_at <= now()) AND h.of_unit <= ${integer(BEGUN_OF_UNIT)}
        ),
        picked AS MATERIALIZED (SELECT d."id" FROM due AS d WHERE d.n <= ${integer(BEGUN_AT_ONCE)}),
        begun AS (
          UPDATE ${task} AS t SET "holder" = ${me} FROM picked AS p WHERE t."id" = p."id" AND t."holder" IS NULL
        )
      SELECT
        t."id"::text AS id, t."follower" AS follower, t."seq"::text AS seq, t."operation" AS operation,
        t."kind" AS kind, t."unit" AS unit, t."version"::text AS version, t."attempts"::int AS attempts,
        coalesce(t."holder" <> ${me}, false) AS lost, t."report" AS report
      FROM ${task} AS t
      JOIN picked AS p ON p."id" = t."id"
      ORDER BY t."seq"
    `,
    true,
  );
}

type Seen = Pick<TaskRow, 'id' | 'attempts'>;

/** Whether a task is still as it was seen. */
const isSeen = ({ id, attempts }: Seen) =>
  sql`"id" = ${param(id)}::uuid AND "state" = ${WAITING} AND "attempts" = ${param(attempts)}::bigint`;

/** Counts the attempt of a service that is gone, and begins the next one. One row, or none if the task is another one. */
export function countLostStatement(schema: string, task: Seen, holder: string): Statement {
  return render(
    sql`
      UPDATE ${ident(schema, TASK_TABLE)}
      SET "attempts" = "attempts" + 1, "holder" = ${param(holder)}::uuid
      WHERE ${isSeen(task)}
      RETURNING 1 AS found
    `,
    true,
  );
}

/** Forgets a task that is done. One row, or none if another service has done it. */
export function forgetTaskStatement(schema: string, task: Seen): Statement {
  return render(sql`DELETE FROM ${ident(schema, TASK_TABLE)} WHERE ${isSeen(task)} RETURNING 1 AS found`, true);
}

/** How an attempt ended: `next` is when the next one comes, in milliseconds from now. */
export interface TaskEnd {
  readonly state: 'waiting' | 'done' | 'failed';
  readonly next?: number;
  /** What is told of all attempts. */
  readonly report: unknown;
}

/** Counts an attempt that has ended, and keeps the task. One row, or none if the task is another one. */
export function endAttemptStatement(schema: string, task: Seen, { state, next, report }: TaskEnd): Statement {
  const next_at = next === undefined ? sql`NULL` : sql`now() + ${param(next)}::float8 * interval '1 millisecond'`;
  const ended_at = state === 'waiting' ? sql`NULL` : sql`now()`;
  return render(
    sql`
      UPDATE ${ident(schema, TASK_TABLE)}
      SET
        "state" = ${param(state)},
        "attempts" = "attempts" + 1,
        "holder" = NULL,
        "next_at" = ${next_at},
        "ended_at" = ${ended_at},
        "report" = ${param(JSON.stringify(report))}::jsonb
      WHERE ${isSeen(task)}
      RETURNING 1 AS found
    `,
    true,
  );
}

/** Gives back what was begun and not done. */
export function giveBackStatement(schema: string, tasks: readonly string[], holder: string): Statement {
  return render(
    sql`
      UPDATE ${ident(schema, TASK_TABLE)} SET "holder" = NULL
      WHERE "id" = ANY(${param(tasks)}::uuid[]) AND "holder" = ${param(holder)}::uuid
    `,
    true,
  );
}

/** What is left for followers. */
export interface RestRow {
  /** Whether there are changes to take now. */
  readonly more: boolean;
  /** Milliseconds until the next task is due, zero or less for now; null for none. */
  readonly next: number | null;
  /** Whether there is something for other followers, which this service does not know. */
  readonly others: boolean;
}

/** Whether there is something to take, or to do, for the follower `r`. */
function hasSomething(schema: string): Fragment {
  return sql`
    (
      r."seq" < f."last"
      OR EXISTS (SELECT FROM ${ident(schema, OUTBOX_TABLE)})
      OR (
        SELECT t."next_at" IS NULL OR t."next_at" <= now()
        FROM ${ident(schema, TASK_TABLE)} AS t
        WHERE t."follower" = r."id" AND t."state" = ${WAITING}
        ORDER BY t."seq"
        LIMIT 1
      )
    )
  `;
}

/** One row `RestRow`. */
export function restStatement(schema: string, followers: readonly string[]): Statement {
  const task = ident(schema, TASK_TABLE);
  const ids = sql`${param(followers)}::text[]`;
  return render(
    sql`
      SELECT
        EXISTS (SELECT FROM ${ident(schema, OUTBOX_TABLE)})
        OR EXISTS (
          SELECT FROM ${ident(schema, FOLLOWER_TABLE)} AS r
          WHERE r."id" = ANY(${ids})
            AND r."seq" < (SELECT "last" FROM ${ident(schema, FEED_TABLE)})
            AND ${integer(LIMITS.changesTaken)} > (
              SELECT count(*) FROM ${task} AS t WHERE t."follower" = r."id" AND t."state" = ${WAITING}
            )
        ) AS more,
        (
          SELECT ${milliseconds(sql`min(coalesce(h.next_at, now()))`)} - ${milliseconds(sql`now()`)}
          FROM (
            SELECT DISTINCT ON (t."follower", t."kind", t."unit") t."next_at" AS next_at
            FROM ${task} AS t
            WHERE t."follower" = ANY(${ids}) AND t."state" = ${WAITING}
            ORDER BY t."follower", t."kind", t."unit", t."seq"
          ) AS h
        ) AS next,
        EXISTS (
          SELECT FROM ${ident(schema, FOLLOWER_TABLE)} AS r, ${ident(schema, FEED_TABLE)} AS f
          WHERE r."id" <> ALL(${ids}) AND NOT r."paused" AND ${hasSomething(schema)}
        ) AS others
    `,
    true,
  );
}

/** Forgets what is kept of tasks that have ended, and followers for which nobody has looked in a month, with their tasks. */
export function forgetTasksStatement(schema: string): Statement {
  const old = (state: string, days: number) =>
    sql`(t."state" = ${literal(state)} AND t."ended_at" < now() - ${seconds(days * 86_400)})`;
  return render(sql`
    WITH gone AS (
      DELETE FROM ${ident(schema, FOLLOWER_TABLE)}
      WHERE NOT "paused"
        AND "seen_at" < now() - ${seconds(UNKNOWN_AFTER)}
        AND "seq" < (SELECT "last" FROM ${ident(schema, FEED_TABLE)})
      RETURNING "id"
    )
    DELETE FROM ${ident(schema, TASK_TABLE)} AS t
    WHERE ${old('done', LIMITS.deliveredDays)}
      OR ${old('failed', LIMITS.failedDays)}
      OR (t."state" = ${WAITING} AND t."follower" IN (SELECT g."id" FROM gone AS g))
  `);
}

/** What a look at a project asks for. */
interface LookedAt {
  readonly schema: string;
  /** The followers that it should have, with the kind that each needs. */
  readonly expected: readonly { readonly id: string; readonly kind: string }[];
}

/**
 * Rows `schema`: the projects with followers that have changes to take, or to do, or no position yet.
 */
export function lookForChangesStatement(projects: readonly LookedAt[]): Statement {
  return inOneMessage(
    projects.map(({ schema, expected }) => {
      const begun = sql`SELECT FROM ${ident(schema, FOLLOWER_TABLE)} AS r WHERE`;
      const missing = expected.map(
        ({ id, kind }) => sql`
          OR (
            EXISTS (
              SELECT FROM ${ident(schema, KIND_KIND)} AS k
              WHERE k."id" = ${literal(kind)} AND k."active" AND k."changes" <> 'none'
            )
            AND NOT EXISTS (${begun} r."id" = ${literal(id)})
          )
        `,
      );
      return render(sql`
        SELECT ${literal(schema)} AS schema
        FROM ${ident(schema, FEED_TABLE)} AS f
        WHERE
          EXISTS (
            ${begun} NOT r."paused" AND ${hasSomething(schema)}
          )
          ${missing.reduce((one, other) => sql`${one} ${other}`, EMPTY_SQL)}
      `);
    }),
  );
}

/** Forgets what follows changes of kinds that are gone. */
export function forgetTasksOfKindsStatement(schema: string, kinds: readonly string[]): Statement {
  return render(sql`DELETE FROM ${ident(schema, TASK_TABLE)} WHERE "kind" = ANY(${param(kinds)}::text[])`);
}
