/**
 * Writes of units: one statement each, which changes nothing if the model has another version than the plan. The values
 * of several units are one JSON parameter that PostgreSQL reads by the types of the columns, so that hundreds and
 * thousands have the same text. Those of one unit are a parameter each, which takes PostgreSQL less time.
 */
import type { ResolvedCheck } from '../../model/check/kind-checks.js';
import type { FieldExpression } from '../../model/expression.js';
import type { Field, KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { testedFields, withTimeOfInput } from '../../model/predicate/related.js';
import { bounded, boundedInTotal } from '../answer-size.sql.js';
import { appendCount } from '../count.sql.js';
import { columnRef, fieldType, VERSION_TAG } from '../columns.sql.js';
import { all, EMPTY_SQL, ident, join, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { expressionResult } from './expression.sql.js';
import { hasConditions, jsonObject } from '../list/hidden-fields.sql.js';
import { rowLock } from '../lock.sql.js';
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
import type { TransitionField } from '../condition/next-values.sql.js';
import { predicateSql, writtenRowConditions } from '../condition/predicate.sql.js';
import { hasId, kindTable } from '../table.sql.js';
import { fromTemplate } from '../statement-template.js';

export interface WritePlan {
  readonly schema: string;
  readonly kind: KindDef;
  /** The version that the model must have. */
  readonly version: number;
  /** Fields that are written, in order. */
  readonly written: readonly Field[];
  /** Fields that are answered. */
  readonly fields: readonly Field[];
  /** The units that the caller may read; of others only `id` and `kind_id` are answered. Undefined for all. */
  readonly shown: Predicate | undefined;
  /** The condition that a unit must satisfy after the write, of an edit before it too; undefined for none. */
  readonly allowed: Predicate | undefined;
  /** Of an upsert: unique fields. A new unit with the values of another one is left out. */
  readonly by?: readonly Field[] | undefined;
}

/** A written parameter with `write_once`. */
export interface WriteOnceField {
  readonly field: Field;
  /** Whether the stored value may be written again. */
  readonly repeatable: boolean;
}

/** A written parameter whose new value depends on the stored one: with `write_once`, or with transitions. */
export type GuardedField = WriteOnceField | TransitionField;

export function hasTransitions(guarded: GuardedField): guarded is TransitionField {
  return 'possible' in guarded;
}

export interface UpdatePlan extends WritePlan {
  /** The values that the statement makes of stored ones. Their fields are not in `written`. */
  readonly expressions?: readonly FieldExpression[];
  readonly guarded: readonly GuardedField[];
  readonly id: unknown;
  /** The units that the caller may change, by their values before the write; undefined for all. */
  readonly access: Predicate | undefined;
  /** The version tags of which the unit must have one (`If-Match`); undefined for any. */
  readonly tags: readonly string[] | undefined;
}

export type DeletePlan = Pick<UpdatePlan, 'schema' | 'kind' | 'version' | 'id' | 'access' | 'tags'>;

/** Rows `tag, body`: one per unit, in order; none if the model is outdated, or the plan does not allow a unit. */
export function insertStatement(plan: WritePlan, rows: NewRows): Statement {
  const params = paramsOf(rows);
  const several = 'json' in rows && rows.count > 1;
  const sqlWith = (version: Fragment, values: readonly Fragment[]) =>
    insertSql(plan, inputTable(plan.written, rows, values), version, several);
  if (plan.allowed || plan.shown || hasConditions(plan.fields)) {
    return render(sqlWith(param(plan.version), params.map(param)), true);
  }
  const form = several ? 'several' : 'json' in rows ? 'json' : 'one';
  const by = plan.by ? ` by ${plan.by.map(({ id }) => id).join()}` : '';
  const shape = `insert ${plan.schema} ${form} ${writtenShape(plan)}${by}`;
  return fromTemplate(plan.fields, shape, [plan.version, ...params], ([version, ...values]) =>
    sqlWith(version, values),
  );
}

/** One row `created`: how many units were inserted; 0 if the model is outdated, or the plan does not allow a unit. */
export function insertUnansweredStatement(plan: WritePlan, { json }: RowsText): Statement {
  const affected = insertedRows(plan, param(plan.version), sql`1 AS one`);
  const ctes = [inputCte(inputRows(plan.written, param(json))), sql`affected AS (${affected})`];
  const counted = appendCount(plan, sql`affected`, 1);
  if (counted) ctes.push(sql`counted AS (${counted})`);
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

/** The ids of the written fields, on which the text of the statement depends. */
export function writtenShape({ written }: WritePlan): string {
  let shape = '';
  for (const { id } of written) shape += `${id},`;
  return shape;
}

/** @param input the table `i` */
function insertSql(plan: WritePlan, input: Fragment, version: Fragment, several: boolean): Fragment {
  return writtenAnswer(insertedRows(plan, version, sql`t.*`), answerColumns(plan), {
    before: inputCte(input),
    answers: several ? boundedInTotal : bounded,
    counted: appendCount(plan, sql`affected`, 1, !several),
  });
}

/** The time of the statement in the rows of `inputCte`. No column of a unit has this name. */
const INPUT_TIME = ident('i', '_now');

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
  const names = join([...columns, ...shared.names, sql`"inserted_at"`, sql`"updated_at"`]);
  const source = join([...values, ...shared.values.map((value) => sql`${value}::text`), INPUT_TIME, INPUT_TIME]);
  const conflict = plan.by ? sql` ON CONFLICT (${join(columnNames(plan.by))}) DO NOTHING` : EMPTY_SQL;
  return sql`
    INSERT INTO ${table} AS t (${names})
    SELECT ${source}
    FROM input AS i
    WHERE ${all([isModelVersion(plan.schema, version), allAllowed(plan)])}${conflict}
    RETURNING ${returned}
  `;
}

/** Locks a unit until the transaction ends. One row `locked`; none if no unit fits the plan. */
export function lockStatement(plan: DeletePlan, forDelete: boolean): Statement {
  return render(
    sql`
      SELECT 1 AS locked
      FROM ${kindTable(plan.schema, plan.kind)} AS t
      WHERE ${targetConditions(plan, param(plan.id), param(plan.version))}
      ${rowLock(forDelete)} OF t
    `,
    true,
  );
}

/**
 * Locks a unit by an edit that changes nothing. A row lock would not make a transaction with an older snapshot fail, which
 * then would read data from before the transactions that had the lock earlier. One row `locked`; none if no unit fits
 * the plan.
 */
export function lockAsEditStatement(plan: DeletePlan): Statement {
  return render(
    sql`
      UPDATE ${kindTable(plan.schema, plan.kind)} AS t
      SET "updated_at" = t."updated_at"
      WHERE ${targetConditions(plan, param(plan.id), param(plan.version))}
      RETURNING 1 AS locked
    `,
    true,
  );
}

/** One row `deleted`; none if no unit was deleted. */
export function deleteStatement(plan: DeletePlan): Statement {
  const deleted = sql`
    DELETE FROM ${kindTable(plan.schema, plan.kind)} AS t
    WHERE ${targetConditions(plan, param(plan.id), param(plan.version))}
    RETURNING 1 AS deleted
  `;
  const counted = appendCount(plan, sql`affected`, -1, true);
  if (!counted) return render(deleted, true);
  return render(sql`WITH affected AS (${deleted}), counted AS (${counted}) SELECT deleted FROM affected`, true);
}

export function targetConditions(
  { schema, kind, access, tags }: DeletePlan,
  id: Fragment,
  version: Fragment,
): Fragment {
  return all([
    hasId(kind, id),
    isModelVersion(schema, version),
    tags === undefined ? undefined : sql`${VERSION_TAG} = ANY(${param(tags)}::text[])`,
    ...writtenRowConditions(schema, kind, access),
  ]);
}

/** Whether every new unit, a row of `inputCte`, satisfies the condition of the plan. */
function allAllowed(plan: WritePlan): Fragment | undefined {
  if (!plan.allowed) return undefined;
  const holds = holdsFor(plan, withTimeOfInput(plan.allowed), 'i', undefined);
  return sql`(SELECT bool_and(${holds}) FROM input AS i)`;
}

/** Whether a predicate holds for a row that has its written columns in the row `fresh`, and the others in `old`. */
export function holdsFor(
  plan: WritePlan & Pick<UpdatePlan, 'expressions'>,
  predicate: Predicate,
  fresh: string,
  old: string | undefined,
): Fragment {
  const fields = testedFields(predicate);
  const test = predicateSql(predicate, { schema: plan.schema, row: '_n', stored: old ?? null });
  if (fields.length === 0) return sql`((${test}) IS TRUE)`;
  return sql`EXISTS (SELECT FROM ${rowAfter(plan, fields, fresh, old)} WHERE ${test})`;
}

/** Whether the unit of the input row `i` fails a check after the write. @param old the row of the unit before an edit */
export function failsAfter(plan: WrittenRow, { condition, fields }: ResolvedCheck, old: string | undefined): Fragment {
  const holds = predicateSql(condition, { schema: plan.schema, row: '_n', threeValued: true });
  return sql`EXISTS (SELECT FROM ${rowAfter(plan, fields, 'i', old)} WHERE (${holds}) IS FALSE)`;
}

type WrittenRow = Pick<WritePlan, 'schema' | 'kind' | 'written'> & Pick<UpdatePlan, 'expressions'>;

/** The row `_n` with some fields of a unit after the write. */
function rowAfter(plan: WrittenRow, fields: readonly Field[], fresh: string, old: string | undefined): Fragment {
  const written = new Set(plan.written.map(({ column: name }) => name));
  // Two fields may share a column: `id` and the natural key.
  const fieldsByColumn = new Map(fields.map((field) => [field.column ?? field.id, field]));
  const columns = [...fieldsByColumn].map(([name, field]) => {
    if (written.has(field.column)) return sql`${columnRef(field, fresh)} AS ${ident(name)}`;
    const expression = plan.expressions?.find((each) => each.field.column === field.column);
    if (expression) return sql`${expressionResult(expression)} AS ${ident(name)}`;
    return sql`${old === undefined ? unwrittenValue(field, plan) : columnRef(field, old)} AS ${ident(name)}`;
  });
  return sql`(SELECT ${join(columns)}) AS _n`;
}

/** The value of a new unit in a column that is not written. */
function unwrittenValue(field: Field, { kind }: Pick<WritePlan, 'kind'>): Fragment {
  if (field.columnType === 'timestamptz' && field.system) return INPUT_TIME;
  if (field.id === 'kind_id') return sql`${param(kind.id)}::text`;
  return sql`NULL::${fieldType(field)}`;
}

/** The columns `tag, body` of a written row `t`. */
export function answerColumns(plan: Pick<WritePlan, 'schema' | 'fields' | 'shown'>): Fragment {
  const unit = jsonObject(plan.schema, plan.fields);
  if (!plan.shown) return sql`${VERSION_TAG} AS tag, ${unit} AS body`;
  const always = plan.fields.filter(({ id }) => id === 'id' || id === 'kind_id');
  const shown = predicateSql(plan.shown, { schema: plan.schema, row: 't' });
  const body = sql`CASE WHEN ${shown} THEN ${unit} ELSE ${jsonObject(plan.schema, always)} END`;
  return sql`${VERSION_TAG} AS tag, ${body} AS body`;
}

interface WrittenAnswer {
  /** A CTE that the write reads. */
  readonly before?: Fragment;
  readonly answers?: typeof bounded;
  /** Stores the number of rows of `affected`. */
  readonly counted?: Fragment | undefined;
}

/**
 * The written rows `t`, which a write returns as they are, because Citus computes nothing in RETURNING. They do not have
 * the version of the model, since nothing is written if it is not that of the plan: rows mean that it was. A version that
 * is read beside the write can be a later one, because Citus reads it after the write.
 * @param columns `tag, body` of the row `t`; OFFSET keeps PostgreSQL from computing them more than once
 */
export function writtenAnswer(
  affected: Fragment,
  columns: Fragment,
  { before, answers = bounded, counted }: WrittenAnswer = {},
): Fragment {
  const ctes = [...(before ? [before] : []), sql`affected AS (${affected})`];
  if (counted) ctes.push(sql`counted AS (${counted})`);
  return sql`
    WITH ${join(ctes)}
    SELECT a.tag, ${answers(sql`a.body`)} AS body
    FROM (SELECT ${columns} FROM affected AS t OFFSET 0) AS a
  `;
}
