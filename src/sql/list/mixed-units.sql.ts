/**
 * Units of several kinds in one list. They are read from the tables of their kinds after the page has been selected.
 */
import type { KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { fieldJson } from '../columns.sql.js';
import { all, ident, join, literal, sql, type Fragment } from '../fragment.js';
import { MAX_LOOKUPS_PER_KIND, matchingRows, rowConditions } from '../condition/predicate.sql.js';
import { recordColumns, recordJson, referencedValues, CROSS_JOIN_LATERAL } from './record.sql.js';
import type { ReadPlan } from './select.sql.js';
import { hasId, kindTable } from '../table.sql.js';

/** The id of the row `t`, as text. */
export function idText(kind: KindDef): Fragment {
  return fieldJson(kind.keyField, 't');
}

/** The kind and the id of a unit, in a row of a statement over several kinds. */
export interface UnitReference {
  readonly kind: Fragment;
  readonly id: Fragment;
}

/** An expression by kind; null for other kinds. CASE makes sure that an id is only cast to the key type of its kind. */
export function byKind<T extends { readonly kind: KindDef }>(
  kinds: readonly T[],
  { kind }: UnitReference,
  expression: (each: T) => Fragment,
): Fragment {
  if (kinds.length === 0) return sql`NULL`;
  const cases = kinds.map((each) => sql` WHEN ${literal(each.kind.id)} THEN ${expression(each)}`);
  return sql`CASE ${kind}${join(cases, '')} END`;
}

/** Whether a unit satisfies predicates. */
export function unitSatisfies(
  schema: string,
  kind: KindDef,
  { id }: UnitReference,
  predicates: readonly (Predicate | undefined)[],
): Fragment {
  const { where, lookups } = matchingRows(schema, kind, predicates, MAX_LOOKUPS_PER_KIND);
  return sql`EXISTS (
    SELECT
    FROM ${kindTable(schema, kind)} AS t${lookups.joins}
    WHERE ${all([hasId(kind, id), ...where])}
  )`;
}

/** The JSON of a unit, with a further column, `expression AS "name"`. */
export function itemJson(plans: readonly ReadPlan[], named: UnitReference, further?: Fragment): Fragment {
  if (plans.length === 0) return sql`NULL::json`;
  return byKind(plans, named, (plan) => {
    const { schema, kind, fields, paths, related, snippets, can, also } = plan;
    const own = fields.length > 0 || (paths ?? related ?? snippets ?? can ?? also) ? [recordColumns(plan)] : [];
    const columns = join([...own, ...(further ? [further] : [])]);
    const where = all([hasId(kind, named.id), ...rowConditions(schema, kind, [])]);
    return sql`(
      SELECT ${recordJson(plan, sql`row_to_json(_r)`)}
      FROM (
        SELECT ${columns}
        FROM ${kindTable(schema, kind)} AS t${referencedValues(plan, CROSS_JOIN_LATERAL)}
        WHERE ${where}
      ) AS ${ident('_r')}
    )`;
  });
}
