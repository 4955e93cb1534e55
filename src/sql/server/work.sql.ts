/** Work that any of the services does when it is due, in the registry. A service that does it has its id in the row. */
import { REGISTRY_SCHEMA } from '../../model/names.js';
import { SERVICE_TABLE } from './registry.sql.js';
import { EMPTY_SQL, ident, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { milliseconds, seconds, timeOf } from '../columns.sql.js';

const WORK_TABLE = ident(REGISTRY_SCHEMA, 'work');
const PROJECT_TABLE = ident(REGISTRY_SCHEMA, 'project');

/** Seconds without a report after which a service is taken for dead, and its work is done by another. */
const SILENCE = 30;
/** Seconds after which work that nobody knows any more is forgotten. */
const FORGOTTEN_AFTER = 2 * 24 * 3600;

/** The work of what follows the changes of a project. */
export const FOLLOW = { type: 'follow', name: 'changes' } as const;

export interface WorkClaim {
  readonly holder: string;
  readonly type: string;
  /** The names that the service knows. */
  readonly names: readonly string[];
  /** The ids of what it does already. */
  readonly except: readonly string[];
  /** Projects of which it can do no more. */
  readonly busy: readonly string[];
  /** Work of this project alone, due or not. */
  readonly now?: string | undefined;
  /** Whether it is done as well in projects in which nothing runs by itself. */
  readonly everywhere?: boolean;
}

export interface ClaimedRow {
  readonly id: string;
  readonly project: string | null;
  readonly name: string;
  /** In milliseconds, by the clock of PostgreSQL, as `now`. */
  readonly due: number;
  readonly now: number;
}

/**
 * Takes what has been due longest: one `ClaimedRow`, or none. What a service holds is not taken from it as long as it
 * reports that it runs. What is not due is due from now on, so that it is found if the service dies.
 */
export function claimWorkStatement(claim: WorkClaim): Statement {
  const { holder, type, names, except, busy, now } = claim;
  const status = claim.everywhere ? IS_ACTIVE : RUNS_IN_BACKGROUND;
  const me = sql`${param(holder)}::uuid`;
  const due = now === undefined ? sql`w."due_at" <= now()` : sql`w."project" = ${param(now)}`;
  return render(
    sql`
      WITH due AS MATERIALIZED (
        SELECT w."id", w."due_at"
        FROM ${WORK_TABLE} AS w
        WHERE w."type" = ${param(type)}
          AND w."name" = ANY(${param(names)}::text[])
          AND w."id" <> ALL(${param(except)}::bigint[])
          AND ${due}
          AND (w."project" IS NULL OR w."project" <> ALL(${param(busy)}::text[]))
          AND (w."holder" IS NULL OR w."holder" = ${me} OR NOT ${isAlive(sql`w."holder"`)})
          AND (
            w."project" IS NULL
            OR EXISTS (SELECT FROM ${PROJECT_TABLE} AS p WHERE p."id" = w."project" AND ${status})
          )
        ORDER BY w."due_at"
        LIMIT 1
        FOR UPDATE OF w SKIP LOCKED
      )
      UPDATE ${WORK_TABLE} AS w
      SET "holder" = ${me}, "due_at" = least(w."due_at", now())
      FROM due
      WHERE w."id" = due."id"
      RETURNING
        w."id"::text AS id,
        w."project",
        w."name",
        ${milliseconds(sql`due."due_at"`)} AS due,
        ${milliseconds(sql`now()`)} AS now
    `,
    true,
  );
}

const IS_ACTIVE = sql`p."status" = 'active'`;
const RUNS_IN_BACKGROUND = sql`${IS_ACTIVE} AND p."settings" ->> 'background' IS DISTINCT FROM 'false'`;

function isAlive(holder: Fragment): Fragment {
  const reported = sql`s."seen_at" > now() - ${seconds(SILENCE)}`;
  return sql`EXISTS (SELECT FROM ${SERVICE_TABLE} AS s WHERE s."id" = ${holder} AND ${reported})`;
}

/** Gives work back, which is due again at a time in milliseconds; if undefined, at the one when it was taken. */
export function releaseWorkStatement(id: string, holder: string, due: number | undefined): Statement {
  const next = due === undefined ? EMPTY_SQL : sql`, "due_at" = ${timeOf(due)}`;
  return render(
    sql`
      UPDATE ${WORK_TABLE}
      SET "holder" = NULL${next}
      WHERE "id" = ${param(id)} AND "holder" = ${param(holder)}::uuid
    `,
    true,
  );
}

export function deleteWorkStatement(id: string, holder: string): Statement {
  return render(sql`DELETE FROM ${WORK_TABLE} WHERE "id" = ${param(id)} AND "holder" = ${param(holder)}::uuid`);
}

export interface PlannedWork {
  readonly project: string | null;
  readonly name: string;
  /** If it changes, so does the time. */
  readonly detail: string;
  /** When it is due for the first time, in milliseconds. */
  readonly due: number;
}

/** Adds what is missing, and gives what has another detail its new time, unless a service has it. */
export function planWorkStatement(type: string, planned: readonly PlannedWork[]): Statement {
  const rows = planned.map(({ due, ...each }) => ({ ...each, due: new Date(due).toISOString() }));
  return render(
    sql`
      INSERT INTO ${WORK_TABLE} AS w ("type", "project", "name", "detail", "due_at")
      SELECT ${param(type)}, r.project, r.name, r.detail, r.due
      FROM jsonb_to_recordset(${param(JSON.stringify(rows))}::jsonb)
        AS r(project text, name text, detail text, due timestamptz)
      WHERE r.project IS NULL OR EXISTS (SELECT FROM ${PROJECT_TABLE} AS p WHERE p."id" = r.project)
      ORDER BY r.project, r.name
      ON CONFLICT ("type", "project", "name") DO UPDATE
      SET "detail" = excluded."detail", "due_at" = excluded."due_at"
      WHERE w."detail" <> excluded."detail" AND w."holder" IS NULL
    `,
  );
}

/** Forgets work of projects with names that are known, apart from what is planned, unless a service does it. */
export function forgetWorkStatement(
  type: string,
  of: { readonly projects: readonly string[]; readonly names: readonly string[] },
  planned: readonly PlannedWork[],
): Statement {
  const kept = JSON.stringify(planned.map(({ project, name }) => ({ project, name })));
  return render(
    sql`
      DELETE FROM ${WORK_TABLE} AS w
      WHERE w."type" = ${param(type)}
        AND w."project" = ANY(${param(of.projects)}::text[])
        AND w."name" = ANY(${param(of.names)}::text[])
        AND w."holder" IS NULL
        AND NOT EXISTS (
          SELECT FROM jsonb_to_recordset(${param(kept)}::jsonb) AS r(project text, name text)
          WHERE r.project = w."project" AND r.name = w."name"
        )
    `,
  );
}

/** Forgets work that no service has done for days, as none knows its name any more. */
export function forgetOldWorkStatement(types: readonly string[]): Statement {
  return render(
    sql`
      DELETE FROM ${WORK_TABLE} AS w
      WHERE w."type" = ANY(${param(types)}::text[])
        AND w."due_at" < now() - ${seconds(FORGOTTEN_AFTER)}
        AND (w."holder" IS NULL OR NOT ${isAlive(sql`w."holder"`)})
    `,
  );
}

/** Rows `name, due, held, now`: the work of a project, or of none, and whether a service does it now. */
export function listWorkStatement(type: string, project: string | null): Statement {
  return render(
    sql`
      SELECT
        w."name",
        ${milliseconds(sql`w."due_at"`)} AS due,
        ${isAlive(sql`w."holder"`)} AS held,
        ${milliseconds(sql`now()`)} AS now
      FROM ${WORK_TABLE} AS w
      WHERE w."type" = ${param(type)} AND w."project" IS NOT DISTINCT FROM ${param(project)}::text
    `,
  );
}

/** One row `now`, in milliseconds. */
export const READ_CLOCK: Statement = render(sql`SELECT ${milliseconds(sql`now()`)} AS now`);

/** Makes work due now, and adds what is missing. */
export function wakeWorkStatement(type: string, name: string, projects: readonly string[]): Statement {
  return render(
    sql`
      INSERT INTO ${WORK_TABLE} AS w ("type", "project", "name", "detail", "due_at")
      SELECT ${param(type)}, p."id", ${param(name)}, '', now()
      FROM ${PROJECT_TABLE} AS p
      WHERE p."id" = ANY(${param(projects)}::text[])
      ORDER BY p."id"
      ON CONFLICT ("type", "project", "name") DO UPDATE SET "due_at" = least(w."due_at", now())
    `,
    true,
  );
}

/** Rows `project`: the projects that have work of a type. */
export function projectsOfWorkStatement(type: string): Statement {
  return render(sql`SELECT DISTINCT w."project" AS project FROM ${WORK_TABLE} AS w WHERE w."type" = ${param(type)}`);
}
