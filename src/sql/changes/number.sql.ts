/**
 * Gives recorded changes their numbers. Whoever reads changes first moves those that are committed from `OUTBOX_TABLE` to
 * `CHANGE_TABLE`, one process at a time: so a number is given only to what is visible, and what becomes visible later has
 * a higher one. A change comes after all that were committed before its transaction began, and those of a unit come in
 * the order of its versions, because a later writer takes its `id` after the earlier one has committed.
 */
import { CHANGE_TABLE, FEED_TABLE, OUTBOX_TABLE } from '../../model/table/internal-tables.js';
import { KIND_KIND } from '../../model/built-in-traits.js';
import {
  ident,
  inOneMessage,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Fragment,
  type Statement,
} from '../fragment.js';

/** Changes that are numbered with one statement. */
export const NUMBERED_AT_ONCE = 2000;

/** The columns that both tables have. */
const COLUMNS = ['origin', 'operation', 'kind', 'unit', 'version', 'before', 'after'];

/** Begins the numbers of a project, if they have not begun. @param epoch another one for each beginning */
export function beginFeedStatement(schema: string, epoch: string): Statement {
  return render(sql`
    INSERT INTO ${ident(schema, FEED_TABLE)} ("id", "epoch", "last", "kept")
    VALUES (1, ${param(epoch)}, 0, 0)
    ON CONFLICT ("id") DO NOTHING
  `);
}

/** Lets readers begin anew. @param epoch another one */
export function resetFeedStatement(schema: string, epoch: string): Statement {
  return render(sql`UPDATE ${ident(schema, FEED_TABLE)} SET "epoch" = ${param(epoch)}`);
}

/** Goes on after the numbers of histories that were brought back, which nobody reads as a feed. */
export function continueFeedStatement(schema: string): Statement {
  const last = sql`(SELECT coalesce(max("seq"), 0) FROM ${ident(schema, CHANGE_TABLE)})`;
  return render(sql`UPDATE ${ident(schema, FEED_TABLE)} SET "last" = greatest("last", ${last}), "kept" = ${last}`);
}

/** The state of a feed. */
export interface FeedRow {
  readonly epoch: string;
  /** The last number, in decimal digits; all above `kept` are stored. */
  readonly last: string;
  readonly kept: string;
  /** Whether there are committed changes without a number. */
  readonly waiting: boolean;
}

/** One row `FeedRow`. */
export function feedStatement(schema: string): Statement {
  return render(
    sql`
      SELECT "epoch" AS epoch, "last" AS last, "kept" AS kept,
        EXISTS (SELECT FROM ${ident(schema, OUTBOX_TABLE)}) AS waiting
      FROM ${ident(schema, FEED_TABLE)}
    `,
    true,
  );
}

/** Frees the space of the changes that were moved. It waits for no lock: a later one does it then. */
export function vacuumOutboxStatement(schema: string): Statement {
  return render(sql`VACUUM (TRUNCATE false, SKIP_LOCKED) ${ident(schema, OUTBOX_TABLE)}`);
}

/**
 * Numbers changes, in the one transaction of a message: the lock waits until nobody else does, and the statement after it sees all that they
 * have numbered. One row `numbered`: how many got a number; and one without columns.
 */
export function numberChangesStatement(schema: string): Statement {
  return inOneMessage([lockFeedStatement(schema), moveChangesStatement(schema)]);
}

function lockFeedStatement(schema: string): Statement {
  return render(sql`SELECT FROM ${ident(schema, FEED_TABLE)} FOR UPDATE`, true);
}

function moveChangesStatement(schema: string): Statement {
  const table = (name: string): Fragment => ident(schema, name);
  const [outbox, feed] = [table(OUTBOX_TABLE), table(FEED_TABLE)];
  const of = (row: string): Fragment => join(COLUMNS.map((column) => ident(row, column)));
  return render(
    sql`
      WITH taken AS (
        DELETE FROM ${outbox}
        WHERE "id" <= (
          SELECT max(o."id") FROM (SELECT "id" FROM ${outbox} ORDER BY "id" LIMIT ${integer(NUMBERED_AT_ONCE)}) AS o
        )
        RETURNING *
      ),
      numbered AS (SELECT row_number() OVER (ORDER BY t."id") AS n, t.* FROM taken AS t),
      moved AS (
        INSERT INTO ${table(CHANGE_TABLE)} ("seq", "outbox", ${join(COLUMNS.map((column) => ident(column)))})
        SELECT f."last" + n.n, n."id", ${of('n')}
        FROM numbered AS n, ${feed} AS f
        RETURNING 1
      ),
      counted AS (
        UPDATE ${feed}
        SET "last" = "last" + (SELECT count(*) FROM moved)
        RETURNING 1
      )
      SELECT count(*)::int AS numbered FROM moved
    `,
    true,
  );
}

/** Changes that one statement looks through. */
export const FORGOTTEN_AT_ONCE = 5000;

/**
 * Deletes the oldest changes, of kinds without a history, if they are older than so many days. One row `looked`: how many
 * it has looked through; none if there is nothing to delete.
 */
export function forgetChangesStatement(schema: string, days: number): Statement {
  const [changes, feed] = [CHANGE_TABLE, FEED_TABLE].map((name) => ident(schema, name)) as [Fragment, Fragment];
  const kinds = ident(schema, KIND_KIND);
  return render(sql`
    WITH looked AS MATERIALIZED (
      SELECT c."seq" AS seq, c."version" < (extract(epoch FROM now()) - ${param(days)}::int * 86400) * 1000000 AS old
      FROM ${changes} AS c
      WHERE c."seq" > (SELECT "kept" FROM ${feed})
      ORDER BY c."seq"
      LIMIT ${integer(FORGOTTEN_AT_ONCE)}
    ),
    last AS MATERIALIZED (SELECT max(seq) AS seq, count(*)::int AS count FROM looked WHERE old),
    forgotten AS (
      DELETE FROM ${changes} AS c
      WHERE c."seq" IN (SELECT seq FROM looked)
        AND c."seq" <= (SELECT seq FROM last)
        AND (c."kind" NOT IN (SELECT "id" FROM ${kinds} WHERE "changes" = 'history') OR ${OF_LEFT_HISTORY})
    )
    UPDATE ${feed} AS f
    SET "kept" = greatest(f."kept", last.seq)
    FROM last
    WHERE last.seq IS NOT NULL
    RETURNING last.count AS looked
  `);
}

/** Deletes the changes of kinds that are gone. */
export function forgetKindsStatement(schema: string, kinds: readonly string[]): Statement {
  const of = (table: string): Fragment =>
    sql`DELETE FROM ${ident(schema, table)} WHERE "kind" = ANY(${param(kinds)}::text[])`;
  return render(sql`WITH outbox AS (${of(OUTBOX_TABLE)}) ${of(CHANGE_TABLE)}`);
}

/** Whether the change `c` is kept for the feed alone, because its kind has left its history since. */
export const OF_LEFT_HISTORY = sql`jsonb_exists(c."origin", 'left')`;

/** Ends the histories of kinds that still have a feed: deletes what no feed has any more, and marks the rest. */
export function leaveHistoryStatements(schema: string, kinds: readonly string[]): readonly Statement[] {
  const ofKinds = sql`c."kind" = ANY(${param(kinds)}::text[])`;
  const kept = sql`(SELECT f."kept" FROM ${ident(schema, FEED_TABLE)} AS f)`;
  const forget = sql`DELETE FROM ${ident(schema, CHANGE_TABLE)} AS c WHERE ${ofKinds} AND c."seq" <= ${kept}`;
  const mark = (table: string): Fragment => sql`
    UPDATE ${ident(schema, table)} AS c SET "origin" = c."origin" || '{"left": true}' WHERE ${ofKinds}
  `;
  return [forget, mark(OUTBOX_TABLE), mark(CHANGE_TABLE)].map((each) => render(each));
}

/** Rows `kind, count`: how much the histories have of the kinds of which they have anything. */
export function countRecordedStatement(schema: string, kinds: readonly string[]): Statement {
  const of = (table: string): Fragment =>
    sql`
      SELECT c."kind"
      FROM ${ident(schema, table)} AS c
      WHERE c."kind" = ANY(${param(kinds)}::text[]) AND NOT ${OF_LEFT_HISTORY}
    `;
  return render(sql`
    SELECT c."kind" AS kind, count(*)::float8 AS count
    FROM (${of(CHANGE_TABLE)} UNION ALL ${of(OUTBOX_TABLE)}) AS c
    GROUP BY 1
    ORDER BY 1
  `);
}

/** Removes the values of columns that a kind no longer has, so that new ones of their names begin without any. */
export function forgetColumnsStatements(
  schema: string,
  kind: string,
  columns: readonly string[],
): readonly Statement[] {
  const names = param(columns);
  return [OUTBOX_TABLE, CHANGE_TABLE].map((table) =>
    render(sql`
      UPDATE ${ident(schema, table)} AS c
      SET "before" = c."before" - ${names}::text[], "after" = c."after" - ${names}::text[]
      WHERE c."kind" = ${literal(kind)}
        AND (
          jsonb_exists_any(coalesce(c."before", '{}'), ${names}::text[])
          OR jsonb_exists_any(coalesce(c."after", '{}'), ${names}::text[])
        )
    `),
  );
}

/**
 * Deletes the oldest changes of kinds whose history is kept for some days, if nobody reads them as a feed any more. One
 * row `forgotten`: how many.
 */
export function forgetHistoryStatement(schema: string): Statement {
  const [changes, feed] = [CHANGE_TABLE, FEED_TABLE].map((name) => ident(schema, name)) as [Fragment, Fragment];
  return render(sql`
    WITH forgotten AS (
      DELETE FROM ${changes} AS c
      WHERE c."seq" IN (
        SELECT o."seq"
        FROM ${ident(schema, KIND_KIND)} AS k
        CROSS JOIN LATERAL (
          SELECT c."seq", c."version"
          FROM ${changes} AS c
          WHERE c."kind" = k."id" AND c."seq" <= (SELECT f."kept" FROM ${feed} AS f)
          ORDER BY c."seq"
          LIMIT ${integer(FORGOTTEN_AT_ONCE)}
        ) AS o
        WHERE k."changes" = 'history'
          AND o."version" < (extract(epoch FROM now()) - k."history_keep" * 86400) * 1000000
      )
      RETURNING 1
    )
    SELECT count(*)::int AS forgotten FROM forgotten
  `);
}
