/** Finds the units that an upsert names by unique parameters. */
import type { Field, KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { boundedInTotal } from '../answer-size.sql.js';
import { columnRef } from '../columns.sql.js';
import { jsonObject } from '../list/hidden-fields.sql.js';
import { all, param, render, sql, type Statement } from '../fragment.js';
import { modelVersion } from '../model-version.sql.js';
import { inputColumn, isPlannedOnce, numberedInputRows, type RowsText } from './new-rows.sql.js';
import { predicateSql, rowConditions } from '../condition/predicate.sql.js';
import { kindTable } from '../table.sql.js';
import { VERSION_TAG } from '../unit-version.sql.js';

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
