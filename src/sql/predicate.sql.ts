/**
 * Predicates as SQL. A test that meets a null is null, which WHERE takes for false; `not` asks IS NOT TRUE of the whole,
 * so that it is the complement, nulls included.
 */
import type { KindDef } from '../model/model.js';
import { isMemberValue, type MemberValue, type Predicate, type Step, type Target } from '../model/predicate.js';
import type { Stored } from '../model/parameter-type/parameter-type.js';
import { scalarText } from '../shared/json.js';
import { column, columnType, isArray } from './columns.sql.js';
import { all, ident, join, literal, param, sql, type Fragment } from './fragment.js';

export interface PredicateScope {
  readonly schema: string;
  /** The alias of the row that is tested. */
  readonly row: string;
  /** There are so many references to follow that PostgreSQL would take long to find the best order to follow them in. */
  readonly apart?: boolean;
}

export function tableOf(schema: string, kind: KindDef): Fragment {
  return ident(schema, kind.table);
}

/** Whether the row `t` is the unit whose id is given. */
export function hasId(kind: KindDef, text: Fragment): Fragment {
  return sql`${column(kind.keyField)} = ${text}::${columnType(kind.keyField.columnType)}`;
}

/** The rows of a kind that a predicate allows; kinds that share a table keep to their own rows. */
export function rowsOf(
  schema: string,
  kind: KindDef,
  predicates: readonly (Predicate | undefined)[],
  row = 't',
): Fragment[] {
  const conditions = predicates.flatMap((predicate) =>
    predicate ? [predicateSql(predicate, { schema, row, apart: isFarReaching(predicate) })] : [],
  );
  return kind.discriminated ? [sql`${ident(row, 'kind_id')} = ${param(kind.id)}`, ...conditions] : conditions;
}

export function predicateSql(predicate: Predicate, scope: PredicateScope): Fragment {
  if (isBeyond(predicate)) return beyond('and', [predicate], scope);
  switch (predicate.op) {
    case 'and':
    case 'or':
      return combined(predicate.op, partsOf(predicate), scope);
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
    case 'member':
      return memberTest(predicate, scope);
    case 'present':
      return present(predicate.value, scope);
  }
}

function combined(op: 'and' | 'or', parts: readonly Predicate[], scope: PredicateScope): Fragment {
  const groups = new Map<string, TestBeyond[]>();
  const pieces = parts.flatMap((part) => {
    if (!isBeyond(part)) return [() => predicateSql(part, scope)];
    const key = `${String(affirmed(part).negated)} ${wayKey(part)}`;
    const group = groups.get(key);
    groups.set(key, [...(group ?? []), part]);
    return group ? [] : [() => beyond(op, groups.get(key) ?? [], scope)];
  });
  const separator = op === 'and' ? ' AND ' : ' OR ';
  return sql`(${join(
    pieces.map((piece) => piece()),
    separator,
  )})`;
}

/** The parts of a combination, those of equal ones inside it in their place. */
function partsOf({ op, parts }: Extract<Predicate, { op: 'and' | 'or' }>): readonly Predicate[] {
  return parts.flatMap((part) => (part.op === op ? partsOf(part as typeof part & { op: 'and' | 'or' }) : [part]));
}

type TargetTest = Extract<Predicate, { target: Target }>;
type TestBeyond = TargetTest & { target: { through: readonly Step[] } };

function isBeyond(predicate: Predicate): predicate is TestBeyond {
  return 'target' in predicate && predicate.target.through !== undefined;
}

function wayKey({ target }: TestBeyond): string {
  return target.through.map(({ reference, access }) => `${reference.id}${access ? '!' : ''}`).join('.');
}

/** References that PostgreSQL joins in the best order that it finds; the time to find it grows faster than their number. */
const FEW_STEPS = 12;

function isFarReaching(predicate: Predicate): boolean {
  const ways = new Map<string, number>();
  const visit = (part: Predicate): void => {
    if (part.op === 'and' || part.op === 'or') part.parts.forEach(visit);
    else if (part.op === 'not') visit(part.part);
    else if (isBeyond(part)) ways.set(wayKey(part), part.target.through.length);
  };
  visit(predicate);
  return [...ways.values()].reduce((sum, steps) => sum + steps, 0) > FEW_STEPS;
}

/**
 * Tests of a unit that references lead to, all with the same way to it and all or none of them `negated`: whether there
 * is one that passes. It is one unit at most, so that `and` and `or` of tests can be asked of it at once, and no row is
 * made twice.
 */
function beyond(op: 'and' | 'or', tests: readonly TestBeyond[], scope: PredicateScope): Fragment {
  const way = wayOf(tests[0]?.target.through ?? [], scope);
  const asked = tests.map((test) => affirmed(test));
  const negated = asked.some((each) => each.negated);
  const passes = asked.map(({ test }) => {
    const { field, keys } = test.target;
    return predicateSql({ ...test, target: { field, keys } }, { schema: scope.schema, row: way.row });
  });
  // Negated, `and` asks that no test passes, `or` that not all do.
  const every = (op === 'and') !== negated;
  const condition = every ? all(passes) : sql`(${join(passes, ' OR ')})`;
  const found = sql`EXISTS (SELECT FROM ${way.tables} WHERE ${all([...way.conditions, passes.length > 1 ? condition : passes[0]])})`;
  const held = negated ? sql`NOT ${found}` : found;
  return scope.apart ? sql`(${held}) IS TRUE` : held;
}

/** The tables of the units that references lead to, one after the other, and the row of the last. */
export function wayOf(through: readonly Step[], { schema, row }: PredicateScope) {
  let last = row;
  const tables: Fragment[] = [];
  const conditions: Fragment[] = [];
  for (const [at, { reference, kind, access }] of through.entries()) {
    const next = `${row}_${at + 1}`;
    tables.push(sql`${tableOf(schema, kind)} AS ${ident(next)}`);
    conditions.push(sql`${column(kind.keyField, next)} = ${column(reference, last)}`);
    conditions.push(...rowsOf(schema, kind, [access], next));
    last = next;
  }
  return { tables: join(tables), conditions, row: last };
}

/** A test that a null would pass as the negation of one that it fails: where the way ends before, there is no row to ask. */
function affirmed(test: TargetTest): { readonly test: TargetTest; readonly negated: boolean } {
  if (test.op === 'isnull' && test.value) return { test: { ...test, value: false }, negated: true };
  if (test.op === 'is' && test.negated) return { test: { ...test, negated: false }, negated: true };
  if (test.op === 'member' && test.test === 'ne') return { test: { ...test, test: 'eq' }, negated: true };
  return { test, negated: false };
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

/** A value of the member who asks: one row by its key, which PostgreSQL reads once for the statement. */
function memberColumn({ kind, field, memberId }: MemberValue, scope: PredicateScope): Fragment {
  const id = sql`${param(memberId)}::uuid`;
  if (field === kind.keyField) return id;
  if (field.constant !== undefined) return sql`${literal(scalarText(field.constant))}::text`;
  return sql`(SELECT ${column(field, '_m')} FROM ${ident(scope.schema, kind.table)} AS _m WHERE _m."id" = ${id})`;
}

/** An empty list is no value: what it was compared with would pass or fail for all units alike. */
function present(value: MemberValue, scope: PredicateScope): Fragment {
  const stored = memberColumn(value, scope);
  return isArray(value.field) ? sql`cardinality(${stored}) > 0` : sql`${stored} IS NOT NULL`;
}

type MemberPredicate = Extract<Predicate, { op: 'member' }>;

function memberTest({ target, test, values }: MemberPredicate, scope: PredicateScope): Fragment {
  const own = valueOf(target, scope);
  const cast = columnType(target.field.columnType, isArray(target.field));
  const [first] = values.map((value) => (isMemberValue(value) ? memberColumn(value, scope) : bound(target, value)));
  switch (test) {
    case 'eq':
    case 'ne':
      return compare(own, test === 'ne', sql`${first ?? sql`NULL`}::${cast}`);
    case 'in':
      return sql`(${join(
        values.map((value) => among(own, target, value, scope)),
        ' OR ',
      )})`;
    case 'contains':
      return sql`${own} @> ARRAY[${first ?? sql`NULL`}]::${cast}`;
    default:
      return sql`${own} ${ORDER[test]} ${first ?? sql`NULL`}::${cast}`;
  }
}

/** One alternative of `in`: a list of the member stands for its elements. */
function among(own: Fragment, target: Target, value: Stored | MemberValue, scope: PredicateScope): Fragment {
  const list = columnType(target.field.columnType, true);
  if (isArray(target.field)) {
    const items = isMemberValue(value) ? memberColumn(value, scope) : sql`ARRAY[${bound(target, value)}]`;
    return sql`${own} && ${isMemberValue(value) && !isArray(value.field) ? sql`ARRAY[${items}]` : items}::${list}`;
  }
  if (!isMemberValue(value)) return sql`${own} = ${bound(target, value)}`;
  const operand = memberColumn(value, scope);
  if (isArray(value.field)) return sql`${own} = ANY(${operand}::${list})`;
  return sql`${own} = ${operand}::${columnType(target.field.columnType)}`;
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
