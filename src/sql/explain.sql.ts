/** Which of some predicates hold for one unit. */
import type { KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { all, ident, join, param, render, sql, type Statement } from './fragment.js';
import { predicateSql, rowConditions } from './predicate.sql.js';
import { MODEL_TABLE } from './select.sql.js';
import { hasId, kindTable } from './table.sql.js';

/** One row `v, holds`: a boolean per predicate; `holds` is null where there is no such unit. */
export function explainStatement(
  schema: string,
  kind: KindDef,
  id: unknown,
  predicates: readonly Predicate[],
): Statement {
  const key = hasId(kind, param(id));
  const tests = predicates.map((predicate) => sql`(${predicateSql(predicate, { schema, row: 't' })}) IS TRUE`);
  const unit = sql`
    SELECT ARRAY[${join(tests)}]::boolean[] AS holds
    FROM ${kindTable(schema, kind)} AS t
    WHERE ${all([key, ...rowConditions(schema, kind, [])])}
  `;
  return render(
    sql`
      SELECT m."version" AS v, u.holds
      FROM ${ident(schema, MODEL_TABLE)} AS m
      LEFT JOIN LATERAL (${unit}) AS u ON true
    `,
  );
}
