/**
 * Writes of units: one statement each, which changes nothing if the model has another version than the plan. The values
 * are one JSON parameter that PostgreSQL reads by the types of the columns, so one unit and a thousand have the same
 * text.
 */
import type { Field, KindDef } from '../model/model.js';
import { testedFields, type Predicate } from '../model/predicate/predicate.js';
import { jsonText } from '../shared/large-json.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import { bounded, boundedInTotal } from './answer-size.sql.js';
import { appendCount } from './count.sql.js';
import { columnRef, columnType, fieldType, isArrayColumn, jsonObject } from './columns.sql.js';
import { all, EMPTY_SQL, ident, join, param, render, sql, type Fragment, type Statement } from './fragment.js';
import { rowLock } from './lock.sql.js';
import { isModelVersion, MODEL_TABLE, modelVersion } from './model-version.sql.js';
import { predicateSql, rowConditions } from './predicate.sql.js';
import { hasId, kindTable } from './table.sql.js';
import { fromTemplate } from './statement-template.js';
import { SET_UPDATED_AT, VERSION_TAG } from './unit-version.sql.js';

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
  /** The condition that a unit must satisfy after the write; undefined for none. */
  readonly allowed: Predicate | undefined;
}

export interface UpdatePlan extends WritePlan {
  readonly id: unknown;
  /** The units that the caller may change, by their values before the write; undefined for all. */
  readonly access: Predicate | undefined;
  /** The version tags of which the unit must have one (`If-Match`); undefined for any. */
  readonly tags: readonly string[] | undefined;
}

export type DeletePlan = Pick<UpdatePlan, 'schema' | 'kind' | 'version' | 'id' | 'access' | 'tags'>;

/** The rows of a JSON array as a table `i` that has the columns of the fields. */
function inputRows(fields: readonly Field[], rows: Fragment): Fragment {
  return sql`json_to_recordset(${rows}::json) AS i(${join(typedColumns(fields))})`;
}

/** The same with a column `_n`: the number of the row. */
function numberedInputRows(fields: readonly Field[], rows: Fragment): Fragment {
  const read = sql`json_to_recordset(${rows}::json) AS (${join(typedColumns(fields))})`;
  return sql`ROWS FROM (${read}) WITH ORDINALITY AS i(${join([...columnNames(fields), sql`_n`])})`;
}

function typedColumns(fields: readonly Field[]): Fragment[] {
  return fields.map(
    (field) => sql`${ident(field.column ?? field.id)} ${isJsonList(field) ? sql`jsonb` : fieldType(field)}`,
  );
}

/** The value of a field in a row of `i`. */
function inputColumn(field: Field): Fragment {
  const value = columnRef(field, 'i');
  if (!isJsonList(field)) return value;
  return sql`
    CASE
      WHEN ${value} IS NOT NULL THEN ARRAY(SELECT _e.item FROM jsonb_array_elements(${value}) AS _e(item))
    END
  `;
}

/**
 * PostgreSQL would read a list inside a list of JSON values as a further dimension of the array, and lose empty lists.
 */
function isJsonList(field: Field): boolean {
  return field.columnType === 'jsonb' && isArrayColumn(field);
}

function columnNames(fields: readonly Field[]): Fragment[] {
  return fields.map((field) => ident(field.column ?? field.id));
}

/** Rows as one JSON list. */
export interface RowsText {
  readonly json: string;
  readonly count: number;
}

export function* rowsText(rows: readonly unknown[]): WorkInPieces<RowsText> {
  return { json: yield* jsonText(rows), count: rows.length };
}

/** Rows `v, tag, body`: one per unit, in order; or one row without a body if the model is outdated. */
export function insertStatement(plan: WritePlan, { json, count }: RowsText): Statement {
  const answers = count > 1 ? boundedInTotal : bounded;
  if (plan.allowed || plan.shown) return render(insertSql(plan, param(json), param(plan.version), answers), true);
  const shape = `insert ${plan.schema} ${answers.name} ${writtenShape(plan)}`;
  return fromTemplate(plan.fields, shape, [json, plan.version], ([values, version]) =>
    insertSql(plan, values, version, answers),
  );
}

/** One row `v, allowed`: whether the plan allows every row, without inserting any; null where it has no condition. */
export function mayInsertStatement(plan: WritePlan, { json }: RowsText): Statement {
  const holds = allAllowed(plan, param(json)) ?? sql`NULL::boolean`;
  return render(sql`SELECT ${modelVersion(plan.schema)} AS v, ${holds} AS allowed`);
}

/** The ids of the written fields, on which the text of the statement depends. */
function writtenShape({ written }: WritePlan): string {
  let shape = '';
  for (const { id } of written) shape += `${id},`;
  return shape;
}

function insertSql(plan: WritePlan, rows: Fragment, version: Fragment, answers: typeof bounded): Fragment {
  const columns = columnNames(plan.written);
  const values = plan.written.map(inputColumn);
  const table = kindTable(plan.schema, plan.kind);
  const shared = plan.kind.discriminated
    ? { names: [sql`"kind_id"`], values: [param(plan.kind.id)] }
    : { names: [], values: [] };
  const names = join([...columns, ...shared.names, sql`"inserted_at"`, sql`"updated_at"`]);
  const source = join([...values, ...shared.values.map((value) => sql`${value}::text`), sql`now()`, sql`now()`]);
  const affected = sql`
    INSERT INTO ${table} AS t (${names})
    SELECT ${source}
    FROM ${inputRows(plan.written, rows)}
    WHERE ${all([isModelVersion(plan.schema, version), allAllowed(plan, rows)])}
    RETURNING ${returnedColumns(plan)}
  `;
  return versionedAnswer(plan.schema, affected, { answers, counted: appendCount(plan, sql`affected`, 1) });
}

/** One row `v, tag, body`; without a body if no unit was changed. */
export function updateStatement(plan: UpdatePlan, { json }: RowsText): Statement {
  if (plan.allowed || plan.shown || plan.access || plan.tags) {
    return render(updateSql(plan, param(json), param(plan.id), param(plan.version)), true);
  }
  const shape = `update ${plan.schema} ${writtenShape(plan)}`;
  return fromTemplate(plan.fields, shape, [json, plan.id, plan.version], ([values, id, version]) =>
    updateSql(plan, values, id, version),
  );
}

function updateSql(plan: UpdatePlan, row: Fragment, id: Fragment, version: Fragment): Fragment {
  const changes = plan.written.map((field) => sql`${ident(field.column ?? field.id)} = ${inputColumn(field)}`);
  const source = plan.written.length > 0 ? sql` FROM ${inputRows(plan.written, row)}` : EMPTY_SQL;
  const affected = sql`
    UPDATE ${kindTable(plan.schema, plan.kind)} AS t
    SET ${join([...changes, SET_UPDATED_AT])}${source}
    WHERE ${all([targetConditions(plan, id, version), staysAllowed(plan)])}
    RETURNING ${returnedColumns(plan)}
  `;
  return versionedAnswer(plan.schema, affected);
}

/**
 * A row `taken` for each row, in order: a boolean for each list of fields, whether a stored unit other than `id`, or an
 * earlier row, has the same values.
 */
export function takenStatement(
  schema: string,
  kind: KindDef,
  lists: readonly (readonly Field[])[],
  { json, count }: RowsText,
  id: string | undefined,
): Statement {
  const fields = [...new Map(lists.flat().map((field) => [field.column, field])).values()];
  const key = columnRef(kind.keyField);
  const other = id === undefined ? undefined : sql`${key} <> ${param(id)}::${columnType(kind.keyField.columnType)}`;
  const several = count > 1;
  const tests = lists.map((list) => {
    const same = list.map((field) => sql`${columnRef(field)} = ${inputColumn(field)}`);
    const stored = sql`EXISTS (SELECT FROM ${kindTable(schema, kind)} AS t WHERE ${all([...same, other])})`;
    if (!several) return stored;
    const known = all(list.map((field) => sql`${inputColumn(field)} IS NOT NULL`));
    const earlier = sql`row_number() OVER (PARTITION BY ${join(list.map(inputColumn))} ORDER BY i._n) > 1`;
    return sql`${stored} OR (${known} AND ${earlier})`;
  });
  const rows = several ? numberedInputRows(fields, param(json)) : inputRows(fields, param(json));
  return render(sql`SELECT ARRAY[${join(tests)}] AS taken FROM ${rows}${several ? sql` ORDER BY i._n` : EMPTY_SQL}`);
}

/** Locks a unit until the transaction ends. One row `v, tag`; without a tag if no unit fits the plan. */
export function lockStatement(plan: DeletePlan, forDelete: boolean): Statement {
  const found = sql`
    SELECT ${VERSION_TAG} AS tag, NULL::text AS body
    FROM ${kindTable(plan.schema, plan.kind)} AS t
    WHERE ${targetConditions(plan, param(plan.id), param(plan.version))}
    ${rowLock(forDelete)} OF t
  `;
  return render(versionedAnswer(plan.schema, found), true);
}

/** One row `v, tag`; without a tag if no unit was deleted. */
export function deleteStatement(plan: DeletePlan): Statement {
  const deleted = sql`
    DELETE FROM ${kindTable(plan.schema, plan.kind)} AS t
    WHERE ${targetConditions(plan, param(plan.id), param(plan.version))}
    RETURNING ${VERSION_TAG} AS tag, NULL::text AS body
  `;
  return render(versionedAnswer(plan.schema, deleted, { counted: appendCount(plan, sql`affected`, -1) }), true);
}

function targetConditions({ schema, kind, access, tags }: DeletePlan, id: Fragment, version: Fragment): Fragment {
  return all([
    hasId(kind, id),
    isModelVersion(schema, version),
    tags === undefined ? undefined : sql`${VERSION_TAG} = ANY(${param(tags)}::text[])`,
    ...rowConditions(schema, kind, [access]),
  ]);
}

/** Whether every new unit satisfies the condition of the plan. */
function allAllowed(plan: WritePlan, rows: Fragment): Fragment | undefined {
  if (!plan.allowed) return undefined;
  const holds = holdsFor(plan, plan.allowed, 'i', undefined);
  return sql`(SELECT bool_and(${holds}) FROM ${inputRows(plan.written, rows)})`;
}

/** Whether the unit satisfies the condition of the plan after the edit. */
function staysAllowed(plan: WritePlan): Fragment | undefined {
  return plan.allowed && holdsFor(plan, plan.allowed, 'i', 't');
}

/** Whether a predicate holds for a row that has its written columns in the row `fresh`, and the others in `old`. */
function holdsFor(plan: WritePlan, predicate: Predicate, fresh: string, old: string | undefined): Fragment {
  const written = new Set(plan.written.map(({ column: name }) => name));
  // Two fields may share a column: `id` and the natural key.
  const fieldsByColumn = new Map(testedFields(predicate).map((field) => [field.column ?? field.id, field]));
  const columns = [...fieldsByColumn].map(([name, field]) => {
    if (written.has(field.column)) return sql`${columnRef(field, fresh)} AS ${ident(name)}`;
    return sql`${old === undefined ? unwrittenValue(field, plan) : columnRef(field, old)} AS ${ident(name)}`;
  });
  const test = predicateSql(predicate, { schema: plan.schema, row: '_n' });
  if (columns.length === 0) return sql`((${test}) IS TRUE)`;
  return sql`EXISTS (SELECT FROM (SELECT ${join(columns)}) AS _n WHERE ${test})`;
}

/** The value of a new unit in a column that is not written. */
function unwrittenValue(field: Field, { kind }: WritePlan): Fragment {
  if (field.columnType === 'timestamptz' && field.system) return sql`now()`;
  if (field.id === 'kind_id') return sql`${param(kind.id)}::text`;
  return sql`NULL::${fieldType(field)}`;
}

function returnedColumns(plan: WritePlan): Fragment {
  if (!plan.shown) return sql`${VERSION_TAG} AS tag, ${jsonObject(plan.fields)} AS body`;
  const always = plan.fields.filter(({ id }) => id === 'id' || id === 'kind_id');
  const shown = predicateSql(plan.shown, { schema: plan.schema, row: 't' });
  const body = sql`CASE WHEN ${shown} THEN ${jsonObject(plan.fields)} ELSE ${jsonObject(always)} END`;
  return sql`${VERSION_TAG} AS tag, ${body} AS body`;
}

interface VersionedWrite {
  readonly answers?: typeof bounded;
  /** Stores the number of rows of `affected`. */
  readonly counted?: Fragment | undefined;
}

function versionedAnswer(
  schema: string,
  affected: Fragment,
  { answers = bounded, counted }: VersionedWrite = {},
): Fragment {
  const count = counted ? sql`, counted AS (${counted})` : EMPTY_SQL;
  return sql`
    WITH affected AS (${affected})${count}
    SELECT m."version" AS v, affected.tag, ${answers(sql`affected.body`)} AS body
    FROM ${ident(schema, MODEL_TABLE)} AS m
    LEFT JOIN affected ON true
  `;
}
