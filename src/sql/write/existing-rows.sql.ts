/** The stored units that have the unique values of a write: those that take them, and those that an upsert edits. */
import type { ResolvedCheck } from '../../model/check/kind-checks.js';
import type { FieldExpression } from '../../model/expression.js';
import type { Field, KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { boundedInTotal } from '../answer-size.sql.js';
import { columnRef, VERSION_TAG } from '../columns.sql.js';
import { predicateSql, rowConditions } from '../condition/predicate.sql.js';
import { all, EMPTY_SQL, join, param, render, sql, type Statement } from '../fragment.js';
import { jsonObject } from '../list/hidden-fields.sql.js';
import { modelVersion } from '../model-version.sql.js';
import { failsAfter } from './written-rows.sql.js';
import { joinedKindTable, keyArray, kindTable } from '../table.sql.js';
import {
  INPUT_KEY,
  inputColumn,
  inputRows,
  isPlannedOnce,
  keyedInputRows,
  numberedInputRows,
  type RowsText,
} from './input-rows.sql.js';

/** The fields that edits write, and the keys of the units, one for each row. */
interface EditedRows {
  readonly written: readonly Field[];
  readonly keys: readonly string[];
}

/**
 * A row `taken` for each row, in order: a boolean for each list of fields, whether a stored unit, or an earlier row, has
 * the same values.
 * @param edited set for edits: each unit has the values that are not written, and none of them counts as another one
 */
export function takenStatement(
  schema: string,
  kind: KindDef,
  lists: readonly (readonly Field[])[],
  { json, count }: RowsText,
  edited?: EditedRows,
): Statement {
  const columns = new Set(edited?.written.map(({ column }) => column));
  const isInput = (field: Field) => !edited || columns.has(field.column);
  const valueOf = (field: Field) => (isInput(field) ? inputColumn(field) : columnRef(field, 'o'));
  const fields = [...new Map(lists.flat().map((field) => [field.column, field])).values()].filter(isInput);
  const other = edited && sql`${columnRef(kind.keyField)} <> ALL(${keyArray(kind, edited.keys)})`;
  const several = count > 1;
  const tests = lists.map((list) => {
    const same = list.map((field) => sql`${columnRef(field)} = ${valueOf(field)}`);
    const stored = sql`EXISTS (SELECT FROM ${kindTable(schema, kind)} AS t WHERE ${all([...same, other])})`;
    if (!several) return stored;
    const known = all(list.map((field) => sql`${valueOf(field)} IS NOT NULL`));
    const earlier = sql`row_number() OVER (PARTITION BY ${join(list.map(valueOf))} ORDER BY i._n) > 1`;
    return sql`${stored} OR (${known} AND ${earlier})`;
  });
  const unkeyed = several ? numberedInputRows : inputRows;
  const rows = edited ? keyedInputRows(kind, fields, param(json), edited.keys) : unkeyed(fields, param(json));
  const own = edited
    ? sql` LEFT JOIN ${joinedKindTable(schema, kind)} AS o ON ${columnRef(kind.keyField, 'o')} = ${INPUT_KEY}`
    : EMPTY_SQL;
  const order = several ? sql` ORDER BY i._n` : EMPTY_SQL;
  return render(sql`SELECT ARRAY[${join(tests)}] AS taken FROM ${rows}${own}${order}`);
}

/** The units that are written, one for each row. */
interface WrittenUnits extends Pick<EditedRows, 'written'> {
  readonly schema: string;
  readonly kind: KindDef;
  readonly expressions: readonly FieldExpression[];
  /** The keys of edited units; undefined for new ones. */
  readonly keys: readonly string[] | undefined;
}

/** A row `n, failed` for each unit, where `n` is the number of its row, from 0: a boolean for each check, whether the unit fails it after the write. */
export function failedChecksStatement(
  units: WrittenUnits,
  checks: readonly ResolvedCheck[],
  { json }: RowsText,
): Statement {
  const { schema, kind, written, keys } = units;
  const rows = keys ? keyedInputRows(kind, written, param(json), keys) : numberedInputRows(written, param(json));
  const own = keys
    ? sql` JOIN ${joinedKindTable(schema, kind)} AS t ON ${columnRef(kind.keyField)} = ${INPUT_KEY}`
    : EMPTY_SQL;
  const failed = checks.map((check) => failsAfter(units, check, keys && 't'));
  return render(sql`SELECT i._n::int - 1 AS n, ARRAY[${join(failed)}] AS failed FROM ${rows}${own} ORDER BY i._n`);
}

export interface LookupPlan {
  readonly schema: string;
  readonly kind: KindDef;
  /** The unique parameters. */
  readonly by: readonly Field[];
  /** The units that the caller may read; undefined for all. */
  readonly readable: Predicate | undefined;
  /** Fields that are answered. */
  readonly fields: readonly Field[];
}

/**
 * A row `v, n, id, tag, body` for each unit that has the values of an input row: `n` is the number of that row, from
 * 1; `body` is null if the caller may not read the unit. One row with nulls but `v` if there is none.
 */
export function lookupStatement(plan: LookupPlan, { json, count }: RowsText): Statement {
  const { schema, kind, by, readable, fields } = plan;
  const same = by.map((field) => sql`${columnRef(field)} = ${inputColumn(field)}`);
  const may = readable ? sql`(${predicateSql(readable, { schema, row: 't' })}) IS TRUE` : sql`true`;
  const found = sql`
    SELECT
      i._n::int AS n,
      ${columnRef(kind.keyField)}::text AS id,
      ${VERSION_TAG} AS tag,
      CASE WHEN ${may} THEN ${jsonObject(schema, fields)} END AS body
    FROM ${numberedInputRows(by, param(json))}
    JOIN ${kindTable(schema, kind)} AS t ON ${all([...same, ...rowConditions(schema, kind, [])])}
  `;
  return render(
    sql`
      SELECT m.v, u.n, u.id, u.tag, ${boundedInTotal(sql`u.body`)} AS body
      FROM (SELECT ${modelVersion(schema)} AS v) AS m
      LEFT JOIN (${found}) AS u ON true
    `,
    isPlannedOnce(count),
  );
}
