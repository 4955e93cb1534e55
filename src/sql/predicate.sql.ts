/**
 * Predicates as SQL. A test that meets a null is null, which WHERE takes for false; `not` asks IS NOT TRUE of the whole,
 * so that it is the complement, nulls included.
 */
import type { Predicate, Target } from '../model/predicate.js';
import { scalarText } from '../shared/json.js';
import { column, columnType, isArray } from './columns.sql.js';
import { ident, join, literal, param, sql, type Fragment } from './fragment.js';

export interface PredicateScope {
  readonly schema: string;
  /** The alias of the row that is tested. */
  readonly row: string;
}

export function predicateSql(predicate: Predicate, scope: PredicateScope): Fragment {
  switch (predicate.op) {
    case 'and':
    case 'or': {
      const parts = predicate.parts.map((part) => predicateSql(part, scope));
      return sql`(${join(parts, predicate.op === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'not':
      return sql`((${predicateSql(predicate.part, scope)}) IS NOT TRUE)`;
    case 'constant':
      return predicate.value ? sql`true` : sql`false`;
    case 'isnull': {
      const value = valueOf(predicate.target, scope);
      return predicate.value ? sql`${value} IS NULL` : sql`${value} IS NOT NULL`;
    }
    case 'in':
      return membership(predicate.target, predicate.values, scope);
    case 'is':
      return compare(valueOf(predicate.target, scope), predicate.negated, bound(predicate.target, predicate.value));
    case 'json':
      return sql`${rawJson(predicate.target, scope)} = ${param(JSON.stringify(predicate.value))}::jsonb`;
    case 'order':
      return sql`${valueOf(predicate.target, scope)} ${ORDER[predicate.than]} ${bound(predicate.target, predicate.value)}`;
    case 'element':
      return sql`${valueOf(predicate.target, scope)} @> ${bound(predicate.target, [predicate.value])}`;
    case 'like':
      return like(predicate, scope);
  }
}

const ORDER = { lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` } as const;

function compare(value: Fragment, negated: boolean, other: Fragment): Fragment {
  return negated ? sql`${value} IS DISTINCT FROM ${other}` : sql`${value} = ${other}`;
}

/** In JSON the text of the value is compared; everywhere else the column itself. */
function valueOf(target: Target, scope: PredicateScope): Fragment {
  const { constant } = target.field;
  if (constant !== undefined) return constant === null ? sql`NULL::text` : sql`${literal(scalarText(constant))}::text`;
  const value = column(target.field, scope.row);
  return isJson(target) ? sql`${value} #>> ${param(target.keys)}::text[]` : value;
}

function rawJson(target: Target, scope: PredicateScope): Fragment {
  return sql`${column(target.field, scope.row)} #> ${param(target.keys)}::text[]`;
}

function isJson({ field }: Target): boolean {
  return field.columnType === 'jsonb' && !isArray(field);
}

function bound(target: Target, value: unknown): Fragment {
  if (isJson(target)) return param(value);
  const { columnType: type } = target.field;
  if (!Array.isArray(value)) return sql`${param(value)}::${columnType(type)}`;
  const items = type === 'jsonb' ? value.map((item) => jsonItem(item)) : (value as unknown[]);
  return sql`${param(items)}::${columnType(type, true)}`;
}

/** A list of JSON compares its elements as JSON: a text that spells none is a string. */
function jsonItem(text: unknown): string {
  try {
    return JSON.stringify(JSON.parse(String(text)));
  } catch {
    return JSON.stringify(text);
  }
}

function membership(target: Target, values: readonly unknown[], scope: PredicateScope): Fragment {
  const value = valueOf(target, scope);
  if (isArray(target.field)) return sql`${value} && ${bound(target, values)}`;
  const type = isJson(target) ? 'text' : target.field.columnType;
  return sql`${value} = ANY(${param(values)}::${columnType(type, true)})`;
}

type Like = Extract<Predicate, { op: 'like' }>;

function like({ target, place, fold, value }: Like, scope: PredicateScope): Fragment {
  const plain = value.replace(/[\\%_]/g, '\\$&');
  const pattern = { within: `%${plain}%`, start: `${plain}%`, end: `%${plain}` }[place];
  const operand = valueOf(target, scope);
  if (!fold) return sql`${operand} LIKE ${param(pattern)}`;
  return sql`${operand} ILIKE ${param(pattern)} COLLATE ${ident(scope.schema, FOLD_COLLATION)}`;
}

/** The collation of each project's schema that knows upper and lower case of all of Unicode. */
export const FOLD_COLLATION = '_fold';
