/** Units of several kinds in one list: each is read from its kind's table when it is known which units are on the page. */
import type { KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { presented } from './columns.sql.js';
import { all, ident, join, literal, sql, type Fragment } from './fragment.js';
import { FEW_OF_MANY, rowsIn, rowsOf } from './predicate.sql.js';
import { answered, asRecord, beside, LATERAL } from './record.sql.js';
import type { ReadPlan } from './select.sql.js';
import { hasId, tableOf } from './table.sql.js';

/** The id of a unit as the text of its JSON. */
export function idText(kind: KindDef): Fragment {
  return presented(kind.keyField, 't');
}

/** What a row names: a unit of one of some kinds. */
export interface Named {
  readonly kind: Fragment;
  readonly id: Fragment;
}

/** An expression that differs by kind; null for other kinds. The order of tests is kept, so that no id is read as another kind's. */
export function byKind<T extends { readonly kind: KindDef }>(
  kinds: readonly T[],
  { kind }: Named,
  expression: (each: T) => Fragment,
): Fragment {
  if (kinds.length === 0) return sql`NULL`;
  const cases = kinds.map((each) => sql` WHEN ${literal(each.kind.id)} THEN ${expression(each)}`);
  return sql`CASE ${kind}${join(cases, '')} END`;
}

/** Whether the named unit of a kind satisfies predicates. */
export function satisfies(
  schema: string,
  kind: KindDef,
  { id }: Named,
  predicates: readonly (Predicate | undefined)[],
): Fragment {
  const { where, lookups } = rowsIn(schema, kind, predicates, FEW_OF_MANY);
  return sql`EXISTS (
    SELECT
    FROM ${tableOf(schema, kind)} AS t${lookups.joins}
    WHERE ${all([hasId(kind, id), ...where])}
  )`;
}

/** The JSON of the named unit, with a further column, `expression AS "name"`. */
export function itemOf(plans: readonly ReadPlan[], named: Named, further?: Fragment): Fragment {
  if (plans.length === 0) return sql`NULL::json`;
  return byKind(plans, named, (plan) => {
    const { schema, kind, fields, paths, also } = plan;
    const own = fields.length > 0 || paths || also ? [answered(plan)] : [];
    const columns = join([...own, ...(further ? [further] : [])]);
    const where = all([hasId(kind, named.id), ...rowsOf(schema, kind, [])]);
    return sql`(
      SELECT ${asRecord(plan, sql`row_to_json(_r)`)}
      FROM (
        SELECT ${columns}
        FROM ${tableOf(schema, kind)} AS t${beside(plan, LATERAL)}
        WHERE ${where}
      ) AS ${ident('_r')}
    )`;
  });
}
