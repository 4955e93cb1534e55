/** Expressions on stored values as SQL: their results, and whether these are allowed. They read the row `t`. */
import type { EditExpression, FieldExpression } from '../../model/expression.js';
import type { Field } from '../../model/model.js';
import { DECIMAL_CHARACTERS } from '../../model/parameter-type/decimal.type.js';
import type { Stored } from '../../model/parameter-type/parameter-type.js';
import { getOrInsert } from '../../shared/maps.js';
import { isPlainObject, type Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { columnRef, columnType, fieldType } from '../columns.sql.js';
import { violation } from '../condition/constraint.sql.js';
import { all, EMPTY_SQL, integer, join, param, sql, type Fragment } from '../fragment.js';

/** One fragment per expression, so that its values are bound once however often it is in a statement. */
const results = new WeakMap<EditExpression, Fragment>();

/** The result of an expression; null if it is beyond the range of the type. */
export function expressionResult({ field, expression }: FieldExpression): Fragment {
  return getOrInsert(results, expression, () => {
    switch (expression.op) {
      case 'inc':
        return incremented(field, expression.by);
      case 'list':
        return changedList(field, expression);
      case 'merge':
        return merged(columnRef(field), [], expression.patch);
    }
  });
}

/** Whether the text of an expression is the same for other values, so that the statement is worth preparing. */
export function hasOneText({ expression }: FieldExpression): boolean {
  return expression.op !== 'merge';
}

function incremented(field: Field, by: Stored): Fragment {
  const stored = sql`coalesce(${columnRef(field)}, 0)`;
  const sum = sql`(${stored} + ${param(by)}::${columnType(field.columnType)})`;
  if (field.columnType !== 'double precision' || by === 0) return sum;
  // PostgreSQL would fail where the sum is no double.
  const room = Number(by) > 0 ? Number.MAX_VALUE - Number(by) : -Number.MAX_VALUE - Number(by);
  const fits = sql`${stored} ${Number(by) > 0 ? sql`<=` : sql`>=`} ${param(room)}::double precision`;
  return sql`(CASE WHEN ${fits} THEN ${sum} END)`;
}

function changedList(field: Field, { remove, add }: Extract<EditExpression, { op: 'list' }>): Fragment {
  const stored = columnRef(field);
  const kept =
    remove.length === 0
      ? sql`coalesce(${stored}, '{}')`
      : sql`ARRAY(
          SELECT _k.item
          FROM unnest(${stored}) WITH ORDINALITY AS _k(item, n)
          WHERE _k.item <> ALL(${elements(field, remove)})
          ORDER BY _k.n
        )`;
  if (add.length === 0) return kept;
  const joined = sql`${kept} || ${elements(field, add)}`;
  if (!field.def.unique) return sql`(${joined})`;
  return sql`ARRAY(
    SELECT _u.item
    FROM (
      SELECT _l.item, min(_l.n) AS n
      FROM unnest(${joined}) WITH ORDINALITY AS _l(item, n)
      GROUP BY _l.item
    ) AS _u
    ORDER BY _u.n
  )`;
}

function elements(field: Field, items: readonly Stored[]): Fragment {
  if (field.columnType !== 'jsonb') return sql`${param(items)}::${fieldType(field)}`;
  const list = sql`${param(JSON.stringify(items))}::jsonb`;
  return sql`ARRAY(SELECT _e.item FROM jsonb_array_elements(${list}) AS _e(item))`;
}

/** RFC 7396: keys with null are removed, objects are merged, and all else is replaced. */
function merged(column: Fragment, path: readonly string[], patch: Readonly<Record<string, Json>>): Fragment {
  const stored = path.length === 0 ? column : sql`(${column} #> ${param(path)}::text[])`;
  const entries = Object.entries(patch);
  const removed = entries.flatMap(([key, value]) => (value === null ? [key] : []));
  const replaced = entries.filter(([, value]) => value !== null && !isPlainObject(value));
  const inner = entries.flatMap(([key, value]) => {
    if (!isPlainObject(value)) return [];
    const result = merged(column, [...path, key], value);
    return [sql` || jsonb_build_object(${param(key)}::text, ${result})`];
  });
  const base = sql`CASE WHEN jsonb_typeof(${stored}) = 'object' THEN ${stored} ELSE '{}'::jsonb END`;
  const less = removed.length > 0 ? sql` - ${param(removed)}::text[]` : EMPTY_SQL;
  const more = replaced.length > 0 ? sql` || ${param(JSON.stringify(Object.fromEntries(replaced)))}::jsonb` : EMPTY_SQL;
  return sql`((${base})${less}${more}${join(inner, '')})`;
}

/** Whether the result of an expression may be stored: never null. */
export function resultFits(each: FieldExpression): Fragment {
  const { field, expression } = each;
  const result = expressionResult(each);
  switch (expression.op) {
    case 'inc': {
      const constraints = field.type.constraints?.(field.def) ?? [];
      const within = constraints.map((constraint) => sql`NOT ${violation(result, constraint)}`);
      return sql`((${all([rangeOf(field, result), ...within])}) IS TRUE)`;
    }
    case 'list':
      return onResult(result, (value) => [
        sql`cardinality(${value}) <= ${integer(LIMITS.jsonValues)}`,
        isSmall(value, LIMITS.resultBytes),
      ]);
    case 'merge':
      return onResult(result, (value) => [
        sql`(${isSmall(value, SMALL_JSON_BYTES)} OR (${all(counts(value, expression.patch))}))`,
        isSmall(value, LIMITS.resultBytes),
      ]);
  }
}

/** Conditions on a result whose text is long, which the statement has only once for all of them. */
function onResult(result: Fragment, conditions: (value: Fragment) => readonly Fragment[]): Fragment {
  return sql`(SELECT ${all(conditions(sql`_v.value`))} FROM (SELECT ${result} AS value OFFSET 0) AS _v)`;
}

/** JSON up to this size cannot have more values than are allowed, nor more keys in one object. */
const SMALL_JSON_BYTES = 4 * Math.min(LIMITS.jsonKeys, LIMITS.jsonValues);

function isSmall(value: Fragment, bytes: number): Fragment {
  return sql`pg_column_size(${value}) <= ${integer(bytes)}`;
}

/** Conditions on the number of values in JSON, and on the keys of the objects that are merged. */
function counts(result: Fragment, patch: Readonly<Record<string, Json>>): Fragment[] {
  const every = sql`jsonb_path_query(${result}, 'strict $.**')`;
  const values = sql`(SELECT count(*) FROM ${every}) <= ${integer(LIMITS.jsonValues)}`;
  const keys = objectPaths(patch).map((path) => {
    const object = path.length === 0 ? result : sql`${result} #> ${param(path)}::text[]`;
    return sql`(SELECT count(*) FROM jsonb_object_keys(${object})) <= ${integer(LIMITS.jsonKeys)}`;
  });
  return [values, ...keys];
}

/** The paths of the objects in a patch that are merged. */
function objectPaths(patch: Readonly<Record<string, Json>>): string[][] {
  const inner = Object.entries(patch).flatMap(([key, value]) =>
    isPlainObject(value) ? objectPaths(value as Record<string, Json>).map((path) => [key, ...path]) : [],
  );
  return [[], ...inner];
}

/** Whether a number is within the range of its type; undefined where the type itself has none. */
function rangeOf(field: Field, value: Fragment): Fragment {
  switch (field.columnType) {
    case 'bigint':
      return sql`${value} BETWEEN ${integer(Number.MIN_SAFE_INTEGER)} AND ${integer(Number.MAX_SAFE_INTEGER)}`;
    case 'numeric':
      return sql`length(trim_scale(${value})::text) <= ${integer(DECIMAL_CHARACTERS)}`;
    default:
      return sql`${value} IS NOT NULL`;
  }
}
