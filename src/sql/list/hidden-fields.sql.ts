/**
 * Fields that some units do not show to the caller: their columns are selected as any other, with a further column of
 * the names that the JSON of the row leaves out.
 */
import { conditionOf } from '../../model/predicate/conditional-field.js';
import type { Field } from '../../model/model.js';
import type { Predicate, Target } from '../../model/predicate/predicate.js';
import { columnRef, selectList } from '../columns.sql.js';
import { ident, join, literal, param, sql, type Fragment } from '../fragment.js';
import { Lookups, predicateSql } from '../condition/predicate.sql.js';

/** The names to leave out, a list of texts. No id of a field begins with `_`. */
const HIDDEN = '_hidden';

/** A name that is left out where `hides` is true. */
export interface HiddenName {
  readonly name: string;
  readonly hides: Fragment;
}

/** Whether some units do not show one of the fields. */
export function hasConditions(fields: readonly Field[]): boolean {
  return fields.some((field) => conditionOf(field) !== undefined);
}

/** The expression for the list of the names that the row `t` does not show; undefined if it shows all. */
export function hiddenFields(schema: string, fields: readonly Field[]): Fragment | undefined {
  const byCondition = new Map<Predicate, string[]>();
  for (const field of fields) {
    const condition = conditionOf(field);
    if (condition) byCondition.set(condition, [...(byCondition.get(condition) ?? []), field.id]);
  }
  if (byCondition.size === 0) return undefined;
  const parts = [...byCondition].map(([condition, names]) => {
    const shown = predicateSql(condition, { schema, row: 't' });
    return sql`CASE WHEN ${shown} THEN '{}'::text[] ELSE ARRAY[${join(names.map(literal))}]::text[] END`;
  });
  return join(parts, ' || ');
}

/** The same for names that differ from the ids of fields; undefined without names. */
export function hiddenNames(names: readonly HiddenName[]): Fragment | undefined {
  if (names.length === 0) return undefined;
  const parts = names.map(({ name, hides }) => {
    return sql`CASE WHEN ${hides} THEN ARRAY[${param(name)}::text] ELSE '{}'::text[] END`;
  });
  return join(parts, ' || ');
}

/** Both lists, `expression AS "_hidden"`; undefined if there are none. */
export function hiddenColumn(...lists: readonly (Fragment | undefined)[]): Fragment | undefined {
  const found = lists.flatMap((list) => list ?? []);
  return found.length > 0 ? sql`${join(found, ' || ')} AS "_hidden"` : undefined;
}

/**
 * Whether the unit that has the field of a target does not show it. A unit that is not there has no values to hide.
 * Undefined if every unit shows it.
 */
export function isHidden(target: Target, lookups: Lookups): Fragment | undefined {
  const condition = conditionOf(target.field);
  if (!condition) return undefined;
  const { schema, row } = lookups.scopeOf(target);
  const fails = sql`(${predicateSql(condition, { schema, row })}) IS NOT TRUE`;
  const last = target.through?.at(-1);
  return last ? sql`(${columnRef(last.kind.keyField, row)} IS NOT NULL AND ${fails})` : fails;
}

/** The value of a row's column; null where its column `_hidden` names it. */
export function readableValue(row: string, name: string): Fragment {
  return sql`CASE WHEN NOT ${param(name)}::text = ANY(${ident(row, HIDDEN)}) THEN ${ident(row, name)} END`;
}

/** The JSON of a row without the fields that its column `_hidden` names, and without that column. */
export function withoutHidden(row: Fragment): Fragment {
  return sql`(
    SELECT coalesce(json_object_agg(_e.key, _e.value), '{}')
    FROM
      (
        SELECT _j.json, (_j.json -> ${literal(HIDDEN)})::jsonb AS hidden
        FROM (SELECT to_json(${row}) AS json) AS _j
        OFFSET 0
      ) AS _h
      CROSS JOIN LATERAL json_each(_h.json) AS _e
    WHERE _e.key <> ${literal(HIDDEN)} AND NOT jsonb_exists(_h.hidden, _e.key)
  )`;
}

/** The JSON object of the fields of the row `t`, as text. */
export function jsonObject(schema: string, fields: readonly Field[]): Fragment {
  const hidden = hiddenColumn(hiddenFields(schema, fields));
  const list = selectList(fields);
  if (!hidden) return sql`(SELECT row_to_json(_r) FROM (SELECT ${list}) AS _r)::text`;
  const json = withoutHidden(sql`row_to_json(_r)`);
  return sql`(SELECT ${json} FROM (SELECT ${list}, ${hidden}) AS _r)::text`;
}
