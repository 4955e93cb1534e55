/**
 * The operators of filters as SQL: tests of a row, the leaves of predicates. A test of a null is null, which WHERE
 * treats as false. If a reference leads to no unit that the caller may read, all columns of the row are null.
 */
import {
  isMemberValue,
  Moment,
  type MemberValue,
  type Operand,
  type Predicate,
  type PredicateTest,
  type Related,
  type ResemblingTexts,
  type Target,
} from '../../model/predicate/predicate.js';
import { hasTrigrams } from '../../model/table/required-indexes.js';
import type { ColumnType } from '../../model/parameter-type/parameter-type.js';
import { scalarText } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { columnRef, columnType, fieldType, seconds } from '../columns.sql.js';
import { foldedText, searchTest } from './search.sql.js';
import { ident, integer, join, literal, param, sql, type Fragment } from '../fragment.js';
import { kindTable } from '../table.sql.js';

/** The row that a test reads. */
export interface TestScope {
  readonly schema: string;
  /** The alias of the row that has the field: of the unit, or of a unit that it refers to. */
  readonly row: string;
  /** Whether a comparison with null is unknown under `not` and `ne` too, as in SQL, and not false. */
  readonly threeValued?: boolean;
  /** There is no such row: its values are null. */
  readonly isMissing?: boolean;
  /** The number of related units of the row. */
  readonly countOf: (related: Related) => Fragment;
}

export function testSql(test: Exclude<PredicateTest, { op: 'exists' | 'pair' | 'near' }>, scope: TestScope): Fragment {
  switch (test.op) {
    case 'constant':
      return test.value ? sql`true` : sql`false`;
    case 'isnull': {
      const value = testedValue(test.target, scope);
      return test.value ? sql`${value} IS NULL` : sql`${value} IS NOT NULL`;
    }
    case 'in':
      return inTest(test.target, test.values, scope);
    case 'is':
      return compare(testedValue(test.target, scope), test.negated, boundValue(test.target, test.value), scope);
    case 'json':
      return sql`${rawJson(test.target, scope)} = ${param(JSON.stringify(test.value))}::jsonb`;
    case 'order':
      return sql`
        ${testedValue(test.target, scope)} ${ORDER_OPERATORS[test.than]} ${boundValue(test.target, test.value)}
      `;
    case 'element':
      return sql`${testedValue(test.target, scope)} @> ${boundValue(test.target, [test.value])}`;
    case 'like':
      return likeTest(test, scope);
    case 'similar':
      return similarTest(test, scope);
    case 'member':
      return memberValueTest(test, scope);
    case 'search':
      return searchTest(test.document, test.text, scope.schema, scope.row);
    case 'present':
      return memberValuePresent(test.value, scope);
  }
}

const ORDER_OPERATORS = { lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` } as const;

function compare(value: Fragment, negated: boolean, other: Fragment, { threeValued }: TestScope): Fragment {
  if (!negated) return sql`${value} = ${other}`;
  return threeValued ? sql`${value} <> ${other}` : sql`${value} IS DISTINCT FROM ${other}`;
}

/** The column, or inside JSON the text of the value. */
export function testedValue(target: Target, scope: TestScope): Fragment {
  if (target.counted) return scope.countOf(target.counted);
  if (scope.isMissing) return sql`NULL::${fieldType(target.field)}`;
  const constant = constantOf(target, scope.row);
  if (constant) return constant;
  const value = columnRef(target.field, scope.row);
  return isJsonTarget(target) ? sql`${value} #>> ${param(target.keys)}::text[]` : value;
}

/** The value of a field that is the same in every unit of a kind, as text; undefined for other fields. */
export function constantOf(target: Target, row: string): Fragment | undefined {
  const { constant } = target.field;
  if (constant === undefined) return undefined;
  return constant === null ? sql`NULL::text` : whereFound(target, row, sql`${literal(scalarText(constant))}::text`);
}

/** A value that is not read from the row: behind a reference it is null if there is no unit. */
export function whereFound({ through }: Target, row: string, value: Fragment): Fragment {
  const last = through?.at(-1);
  return last ? sql`CASE WHEN ${columnRef(last.kind.keyField, row)} IS NOT NULL THEN ${value} END` : value;
}

function rawJson(target: Target, scope: TestScope): Fragment {
  return sql`${columnRef(target.field, scope.row)} #> ${param(target.keys)}::text[]`;
}

function isJsonTarget({ field }: Target): boolean {
  return field.columnType === 'jsonb' && !field.def.multiple;
}

function boundValue(target: Target, value: unknown): Fragment {
  if (isJsonTarget(target)) return param(value);
  const { columnType: type } = target.field;
  if (value instanceof Moment) return momentSql(value, type);
  if (!Array.isArray(value)) return sql`${param(value)}::${columnType(type)}`;
  if (value.some((item) => item instanceof Moment)) {
    return sql`ARRAY[${join(value.map((item) => boundValue(target, item)))}]::${columnType(type, true)}`;
  }
  const items = type === 'jsonb' ? value.map((item) => jsonItem(item)) : (value as unknown[]);
  return sql`${param(items)}::${columnType(type, true)}`;
}

function momentSql(value: Moment, type: ColumnType): Fragment {
  // Citus writes wrong SQL for an INSERT that calls now() itself, or adds to a time that is not in UTC.
  const present = value.ofInput ? sql`(SELECT max("_now") FROM input)` : sql`now()`;
  const moment = sql`(${present} AT TIME ZONE 'UTC' + ${seconds(value.seconds)})`;
  return type === 'date' ? sql`${moment}::date` : sql`(${moment} AT TIME ZONE 'UTC')`;
}

/** Elements of a list of JSON values are compared as JSON; a text that is not JSON is a string. */
function jsonItem(text: unknown): string {
  try {
    return JSON.stringify(JSON.parse(String(text)));
  } catch {
    return JSON.stringify(text);
  }
}

function inTest(target: Target, values: readonly unknown[], scope: TestScope): Fragment {
  const value = testedValue(target, scope);
  if (target.field.def.multiple) return sql`${value} && ${boundValue(target, values)}`;
  if (!isJsonTarget(target)) return sql`${value} = ANY(${boundValue(target, values)})`;
  return sql`${value} = ANY(${param(values)}::${columnType('text', true)})`;
}

/** A value of the calling member, which PostgreSQL reads once for the statement. */
function memberColumn({ kind, field, memberId }: MemberValue, scope: TestScope): Fragment {
  const id = sql`${param(memberId)}::uuid`;
  if (field === kind.keyField) return id;
  if (field.constant !== undefined) return sql`${literal(scalarText(field.constant))}::text`;
  return sql`(SELECT ${columnRef(field, '_m')} FROM ${kindTable(scope.schema, kind)} AS _m WHERE _m."id" = ${id})`;
}

/** Whether a member has a value. An empty list is none: the test would pass, or fail, for all units. */
function memberValuePresent(value: MemberValue, scope: TestScope): Fragment {
  const stored = memberColumn(value, scope);
  return value.field.def.multiple ? sql`cardinality(${stored}) > 0` : sql`${stored} IS NOT NULL`;
}

type MemberPredicate = Extract<Predicate, { op: 'member' }>;

function memberValueTest({ target, test, values }: MemberPredicate, scope: TestScope): Fragment {
  const own = testedValue(target, scope);
  const cast = columnType(target.field.columnType, target.field.def.multiple);
  const [first] = values.map((value) =>
    isMemberValue(value) ? memberColumn(value, scope) : boundValue(target, value),
  );
  switch (test) {
    case 'eq':
    case 'ne':
      return compare(own, test === 'ne', sql`${first ?? sql`NULL`}::${cast}`, scope);
    case 'in':
      return sql`(${join(
        values.map((value) => inMemberValue(own, target, value, scope)),
        ' OR ',
      )})`;
    case 'contains':
      return sql`${own} @> ARRAY[${first ?? sql`NULL`}]::${cast}`;
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return sql`${own} ${ORDER_OPERATORS[test]} ${first ?? sql`NULL`}::${cast}`;
  }
}

/** A value of `in`; a list of the member stands for its elements. */
function inMemberValue(own: Fragment, target: Target, value: Operand | MemberValue, scope: TestScope): Fragment {
  const list = columnType(target.field.columnType, true);
  if (target.field.def.multiple) {
    const items = isMemberValue(value) ? memberColumn(value, scope) : sql`ARRAY[${boundValue(target, value)}]`;
    const single = isMemberValue(value) && !value.field.def.multiple;
    return sql`${own} && ${single ? sql`ARRAY[${items}]` : items}::${list}`;
  }
  if (!isMemberValue(value)) return sql`${own} = ${boundValue(target, value)}`;
  const operand = memberColumn(value, scope);
  if (value.field.def.multiple) return sql`${own} = ANY(${operand}::${list})`;
  return sql`${own} = ${operand}::${columnType(target.field.columnType)}`;
}

type LikeTest = Extract<Predicate, { op: 'like' }>;

function likeTest({ target, place, fold, value }: LikeTest, scope: TestScope): Fragment {
  const plain = value.replace(/[\\%_]/g, '\\$&');
  const pattern = { within: `%${plain}%`, start: `${plain}%`, end: `%${plain}` }[place];
  const operand = testedValue(target, scope);
  const bound = sql`${param(pattern)}::text`;
  if (fold) return isLikeFolded(operand, bound, scope);
  const exact = sql`${operand} LIKE ${bound}`;
  const servedByTrigrams = place !== 'start' && hasTrigrams(target.field) && hasTrigramOf(value);
  return servedByTrigrams ? sql`(${exact} AND ${isLikeFolded(operand, bound, scope)})` : exact;
}

/** What ILIKE means in UTF-8, in the form that the index of trigrams has. */
function isLikeFolded(operand: Fragment, pattern: Fragment, { schema }: TestScope): Fragment {
  return sql`${foldedText(operand, schema)} LIKE ${foldedText(pattern, schema)}`;
}

/** The similarity from which on the index of trigrams serves. */
const INDEXED_SIMILARITY = 0.3;

/**
 * The operator of the index has its limit in a setting, which is set for the transaction when the text is evaluated,
 * before the first use. It is the same for all tests of a statement, so that none sets that of another one.
 */
function similarTest(test: Extract<Predicate, { op: 'similar' }>, scope: TestScope): Fragment {
  const { target, text, least, trigrams } = test;
  const value = testedValue(target, scope);
  const isSimilar = sql`${similaritySql(value, test, scope.schema)} >= ${param(least)}::real`;
  if (least < INDEXED_SIMILARITY || !hasTrigrams(target.field)) return isSimilar;
  const folded = foldedText(sql`${param(text)}::text`, scope.schema);
  const limit = literal(String(INDEXED_SIMILARITY));
  const set = sql`set_config('pg_trgm.similarity_threshold', ${limit}, true) IS NOT NULL`;
  const other = sql`(SELECT CASE WHEN ${set} THEN ${folded} END)`;
  const isFound = sql`${foldedText(value, scope.schema)} OPERATOR(${ident(trigrams)}.%) ${other}`;
  return sql`(${isFound} AND ${isSimilar})`;
}

/**
 * How similar the beginning of a text is to another one, from 0 to 1. PostgreSQL takes all of a text apart without looking
 * at the time, seconds for millions of characters.
 */
export function similaritySql(
  value: Fragment,
  { text, trigrams }: Pick<ResemblingTexts, 'text' | 'trigrams'>,
  schema: string,
): Fragment {
  const other = foldedText(sql`${param(text)}::text`, schema);
  const compared = sql`left(${value}, ${integer(LIMITS.comparedCharacters)})`;
  return sql`${ident(trigrams, 'similarity')}(${foldedText(compared, schema)}, ${other})`;
}

/**
 * Whether an index of trigrams finds a part of a text, which takes three letters or digits in a row, and lower case that
 * does not depend on the neighbours of a letter, unlike that of the Greek sigma.
 */
function hasTrigramOf(value: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(value) && !value.includes('\u03a3');
}
