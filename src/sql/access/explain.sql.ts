/** Which of several predicates hold for one unit, or for the two units of a link. */
import type { KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { columnRef, columnType } from '../columns.sql.js';
import type { LinkEnd } from '../link/link-ends.sql.js';
import { all, join, param, render, sql, type Statement } from '../fragment.js';
import { withModelVersion } from '../model-version.sql.js';
import { conditionOnRows, predicateSql, rowConditions } from '../condition/predicate.sql.js';
import { hasId, kindTable } from '../table.sql.js';

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

/** A unit by its kind and key. */
export type UnitOfKind = Pick<LinkEnd, 'kind' | 'key'>;

/** The same for predicates over the rows `parent` and `child`. */
export function explainLinkStatement(
  schema: string,
  { parent, child }: { readonly parent: UnitOfKind; readonly child: UnitOfKind },
  predicates: readonly Predicate[],
): Statement {
  const isUnit = ({ kind, key }: UnitOfKind, row: string) =>
    sql`${columnRef(kind.keyField, row)} = ${param(key)}::${columnType(kind.keyField.columnType)}`;
  const tests = predicates.map((each) => conditionOnRows(schema, each, { parent: 'p', child: 'c' }));
  const link = sql`
    SELECT ARRAY[${join(tests.map((test) => sql`(${test}) IS TRUE`))}]::boolean[] AS holds
    FROM ${kindTable(schema, parent.kind)} AS p
    CROSS JOIN ${kindTable(schema, child.kind)} AS c
    WHERE ${all([isUnit(parent, 'p'), isUnit(child, 'c')])}
  `;
  return render(withModelVersion(schema, sql`u.holds`, link));
}
