/** The runs of scheduled functions of a project. */
import { RUN_TABLE } from '../../model/table/internal-tables.js';
import { LIMITS } from '../../shared/limits.js';
import { ident, integer, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { milliseconds, seconds, timeOf, utcText } from '../columns.sql.js';

export const RUN_OUTCOMES = ['running', 'done', 'failed', 'skipped', 'lost', 'timeout'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** A scheduled function. */
export interface ScheduledFunction {
  readonly kind: string;
  readonly name: string;
}

/** Where and why a run failed. */
export interface RunFailure {
  readonly code: string;
  readonly text: string;
  readonly file: string | null;
  readonly line: number | null;
}

function isOf({ kind, name }: ScheduledFunction): Fragment {
  return sql`r."kind_id" = ${param(kind)} AND r."function" = ${param(name)}`;
}

/**
 * The run that began last, after those that still run were declared lost: whoever ran them has lost its claim. One row
 * `tick` (milliseconds), `lost`, `losses` (of its tick), or none.
 */
export function lastRunStatement(schema: string, of: ScheduledFunction): Statement {
  const table = ident(schema, RUN_TABLE);
  return render(
    sql`
      WITH lost AS (
        UPDATE ${table} AS r SET "outcome" = 'lost', "ended_at" = now() WHERE ${isOf(of)} AND r."outcome" = 'running'
      )
      SELECT
        ${milliseconds(sql`r."tick"`)} AS tick,
        r."outcome" IN ('running', 'lost') AS lost,
        (
          SELECT count(*)::int
          FROM ${table} AS l
          WHERE l."kind_id" = r."kind_id" AND l."function" = r."function" AND l."tick" = r."tick"
        ) AS losses
      FROM ${table} AS r
      WHERE ${isOf(of)} AND r."started_at" IS NOT NULL
      ORDER BY r."started_at" DESC
      LIMIT 1
    `,
    true,
  );
}

export interface LastRun {
  readonly tick: number;
  readonly lost: boolean;
  readonly losses: number;
}

/** Records that a run begins, unless one of the tick has ended. One row `tick, item`: as text, and the run as JSON. */
export function beginRunStatement(schema: string, id: string, of: ScheduledFunction, tick: number): Statement {
  const table = ident(schema, RUN_TABLE);
  const time = timeOf(tick);
  return render(
    sql`
      WITH clock AS MATERIALIZED (SELECT now() AS now),
      begun AS (
        INSERT INTO ${table} ("id", "kind_id", "function", "tick", "started_at", "outcome")
        SELECT ${param(id)}::uuid, ${param(of.kind)}, ${param(of.name)}, ${time}, c.now, 'running'
        FROM clock AS c
        WHERE NOT EXISTS (SELECT FROM ${table} AS r WHERE ${isOf(of)} AND r."tick" = ${time} AND r."outcome" <> 'lost')
        RETURNING *
      )
      SELECT ${utcText(sql`r."tick"`)} AS tick, json_build_object(${RUN_FIELDS})::text AS item FROM begun AS r
    `,
    true,
  );
}

/**
 * Records how a run ended, unless it was declared lost. One row `tick, now` (milliseconds), or none. It is the time of
 * the statement, because the transaction may have begun with the run.
 */
export function endRunStatement(schema: string, id: string, outcome: RunOutcome, failure?: RunFailure): Statement {
  const { code = null, text = null, file = null, line = null } = failure ?? {};
  return render(
    sql`
      WITH ended AS (
        UPDATE ${ident(schema, RUN_TABLE)}
        SET
          "outcome" = ${param(outcome)},
          "ended_at" = statement_timestamp(),
          "code" = ${param(code)},
          "text" = ${param(text)},
          "file" = ${param(file)},
          "line" = ${param(line)}
        WHERE "id" = ${param(id)}::uuid AND "outcome" = 'running'
        RETURNING "tick", "ended_at"
      )
      SELECT ${milliseconds(sql`"tick"`)} AS tick, ${milliseconds(sql`"ended_at"`)} AS now FROM ended
    `,
    true,
  );
}

export interface RunTimes {
  readonly tick: number;
  readonly now: number;
}

interface SkippedTick {
  readonly id: string;
  readonly tick: number;
}

/** Records ticks that came while a run went on. */
export function skipRunsStatement(schema: string, of: ScheduledFunction, skipped: readonly SkippedTick[]): Statement {
  const [ids, times] = [skipped.map(({ id }) => id), skipped.map(({ tick }) => new Date(tick).toISOString())];
  return render(
    sql`
      INSERT INTO ${ident(schema, RUN_TABLE)} ("id", "kind_id", "function", "tick", "outcome")
      SELECT t.id, ${param(of.kind)}, ${param(of.name)}, t.tick, 'skipped'
      FROM unnest(${param(ids)}::uuid[], ${param(times)}::timestamptz[]) AS t(id, tick)
    `,
  );
}

/** Deletes runs that are too old, and the oldest of too many. */
export function pruneRunsStatement(schema: string): Statement {
  const table = ident(schema, RUN_TABLE);
  return render(
    sql`
      DELETE FROM ${table}
      WHERE "outcome" <> 'running' AND (
        "tick" < now() - ${seconds(LIMITS.runDays * 86_400)}
        OR "tick" < (SELECT "tick" FROM ${table} ORDER BY "tick" DESC OFFSET ${integer(LIMITS.runsKept - 1)} LIMIT 1)
      )
    `,
  );
}

const RUN_FIELDS = sql`
  'id', r."id",
  'kind_id', r."kind_id",
  'function', r."function",
  'tick', ${utcText(sql`r."tick"`)},
  'started_at', ${utcText(sql`r."started_at"`)},
  'ended_at', ${utcText(sql`r."ended_at"`)},
  'outcome', r."outcome",
  'code', r."code",
  'text', r."text",
  'file', r."file",
  'line', r."line"
`;

export interface RunPage {
  readonly kinds: readonly string[] | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** The runs of a project, newest first, as JSON, with their number. One row `count, items`. */
export function listRunsStatement(schema: string, { kinds, offset, limit }: RunPage): Statement {
  const of = kinds ? sql`WHERE r."kind_id" = ANY(${param(kinds)}::text[])` : sql``;
  const rows = sql`FROM ${ident(schema, RUN_TABLE)} AS r ${of}`;
  return render(
    sql`
      SELECT
        (SELECT count(*)::int ${rows}) AS count,
        coalesce(json_agg(p.item ORDER BY p.n), '[]')::text AS items
      FROM (
        SELECT
          json_build_object(${RUN_FIELDS}) AS item,
          row_number() OVER (ORDER BY r."tick" DESC, r."started_at" DESC NULLS LAST, r."id") AS n
        ${rows}
        ORDER BY r."tick" DESC, r."started_at" DESC NULLS LAST, r."id"
        LIMIT ${integer(limit)}
        OFFSET ${integer(offset)}
      ) AS p
    `,
  );
}
