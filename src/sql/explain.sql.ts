/** Which of several predicates hold for one unit. */
import type { KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { all, join, param, render, sql, type Statement } from './fragment.js';
import { withModelVersion } from './model-version.sql.js';
import { predicateSql, rowConditions } from './predicate.sql.js';
import { hasId, kindTable } from './table.sql.js';

/** One row `v, holds`: a boolean per predicate; `holds` is null if the unit does not exist. */
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
  return render(withModelVersion(schema, sql`u.holds`, unit));
}
