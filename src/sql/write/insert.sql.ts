/**
 * Inserts of units: one statement each, which changes nothing if the model has another version than the plan. The values
 * of several units are one JSON parameter that PostgreSQL reads by the types of the columns, so that hundreds and
 * thousands have the same text. Those of one unit are a parameter each, which takes PostgreSQL less time.
 */
import type { Predicate } from '../../model/predicate/predicate.js';
import { withTimeOfInput } from '../../model/predicate/related.js';
import { bounded, boundedInTotal } from '../answer-size.sql.js';
import { appendCount } from '../count.sql.js';
import { all, EMPTY_SQL, join, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { hasConditions } from '../list/hidden-fields.sql.js';
import { isModelVersion, modelVersion } from '../model-version.sql.js';
import {
  columnNames,
  inputColumn,
  inputRows,
  inputTable,
  numberedInputRows,
  paramsOf,
  type NewRows,
  type RowsText,
} from './input-rows.sql.js';
import { kindTable } from '../table.sql.js';
import { recordCreated } from './recording.sql.js';
import { fromTemplate } from '../statement-template.js';
import {
  answerColumns,
  holdsFor,
  INPUT_TIME,
  writtenAnswer,
  type Stamp,
  writtenShape,
  type WritePlan,
} from './written-rows.sql.js';

/** Rows `tag, body`: one per unit, in order; none if the model is outdated, or the plan does not allow a unit. */
export function insertStatement(plan: WritePlan, rows: NewRows): Statement {
  const params = paramsOf(rows);
  const several = 'json' in rows && rows.count > 1;
  const origin = plan.recording?.origin;
  const sqlWith = (stamp: Stamp, values: readonly Fragment[]) =>
    insertSql(plan, inputTable(plan.written, rows, values), stamp, several);
  if (plan.allowed || plan.shown || plan.insertedAt !== undefined || hasConditions(plan.fields)) {
    return render(sqlWith({ version: param(plan.version), origin: param(origin) }, params.map(param)), true);
  }
  const form = several ? 'several' : 'json' in rows ? 'json' : 'one';
  const by = plan.by ? ` by ${plan.by.map(({ id }) => id).join()}` : '';
  const shape = `insert ${plan.schema} ${form} ${writtenShape(plan)}${by}`;
  return fromTemplate(plan.fields, shape, [plan.version, origin, ...params], ([version, by, ...values]) =>
    sqlWith({ version, origin: by }, values),
  );
}

/** One row `created`: how many units were inserted; 0 if the model is outdated, or the plan does not allow a unit. */
export function insertUnansweredStatement(plan: WritePlan, { json }: RowsText): Statement {
  const affected = insertedRows(plan, param(plan.version), plan.recording ? sql`t.*` : sql`1 AS one`);
  const ctes = [inputCte(inputRows(plan.written, param(json))), sql`affected AS (${affected})`];
  const counted = appendCount(plan, sql`affected`, 1);
  if (counted) ctes.push(sql`counted AS (${counted})`);
  const recorded = recordCreated(plan, sql`affected`, param(plan.recording?.origin));
  if (recorded) ctes.push(sql`recorded AS (${recorded})`);
  return render(sql`WITH ${join(ctes)} SELECT count(*)::int AS created FROM affected`, true);
}

/** One row `v, refused`: the numbers, from 0, of the rows that the plan does not allow; null if it allows all. */
export function refusedInsertsStatement(plan: WritePlan, allowed: Predicate, { json }: RowsText): Statement {
  const refused = sql`array_agg(i._n::int - 1 ORDER BY i._n) FILTER (WHERE NOT ${holdsFor(plan, allowed, 'i', undefined)})`;
  return render(sql`
    WITH ${inputCte(numberedInputRows(plan.written, param(json)))}
    SELECT ${modelVersion(plan.schema)} AS v, (SELECT ${refused} FROM input AS i) AS refused
  `);
}

/** @param input the table `i` */
function insertSql(plan: WritePlan, input: Fragment, { version, origin }: Stamp, several: boolean): Fragment {
  return writtenAnswer(insertedRows(plan, version, sql`t.*`), answerColumns(plan), {
    before: inputCte(input),
    answers: several ? boundedInTotal : bounded,
    counted: appendCount(plan, sql`affected`, 1, !several),
    recorded: recordCreated(plan, sql`affected`, origin),
  });
}

/**
 * The new rows as the CTE `input`, with the time. It is a CTE because Citus writes wrong SQL for an INSERT that calls a
 * function such as now() or json_to_recordset() itself.
 * @param input the table `i`
 */
function inputCte(input: Fragment): Fragment {
  return sql`input AS MATERIALIZED (SELECT i.*, now() AS "_now" FROM ${input})`;
}

/** Inserts the rows of `inputCte`. @param returned the columns to return of each new row `t` */
function insertedRows(plan: WritePlan, version: Fragment, returned: Fragment): Fragment {
  const columns = columnNames(plan.written);
  const values = plan.written.map(inputColumn);
  const table = kindTable(plan.schema, plan.kind);
  const shared = plan.kind.discriminated
    ? { names: [sql`"kind_id"`], values: [param(plan.kind.id)] }
    : { names: [], values: [] };
  const insertedAt = plan.insertedAt === undefined ? INPUT_TIME : sql`${param(plan.insertedAt)}::timestamptz`;
  const names = join([...columns, ...shared.names, sql`"inserted_at"`, sql`"updated_at"`]);
  const source = join([...values, ...shared.values.map((value) => sql`${value}::text`), insertedAt, INPUT_TIME]);
  const conflict = plan.by ? sql` ON CONFLICT (${join(columnNames(plan.by))}) DO NOTHING` : EMPTY_SQL;
  return sql`
    INSERT INTO ${table} AS t (${names})
    SELECT ${source}
    FROM input AS i
    WHERE ${all([isModelVersion(plan.schema, version), allAllowed(plan)])}${conflict}
    RETURNING ${returned}
  `;
}

/** Whether every new unit, a row of `inputCte`, satisfies the condition of the plan. */
function allAllowed(plan: WritePlan): Fragment | undefined {
  if (!plan.allowed) return undefined;
  const holds = holdsFor(plan, withTimeOfInput(plan.allowed), 'i', undefined);
  return sql`(SELECT bool_and(${holds}) FROM input AS i)`;
}
