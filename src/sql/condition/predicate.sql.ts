/**
 * Predicates as SQL. `not` becomes IS NOT TRUE, so that it is the complement, nulls included; in the checks of kinds it is
 * NOT (`TestScope.threeValued`).
 *
 * A referenced unit is looked up once, however many tests need it (`Lookups`). A few such rows are joined in the FROM
 * of the statement (`matchingRows`), so that PostgreSQL can choose the join order. More of them, and those of a
 * condition without a FROM, are joined in one subquery (`predicateSql`): the cost of planning a join grows far faster
 * than the number of its tables, that of subqueries only with their number.
 */
import type { KindDef } from '../../model/model.js';
import type { ColumnType } from '../../model/parameter-type/parameter-type.js';
import { extentOf, targetsOf, wayKeys } from '../../model/predicate/predicate-cost.js';
import {
  conjunctsOf,
  sourcesOf,
  type PlaceTargets,
  type Predicate,
  type Related,
  type Step,
  type Target,
} from '../../model/predicate/predicate.js';
import { columnRef, columnType } from '../columns.sql.js';
import { all, EMPTY_SQL, type Fragment, ident, join, param, sql } from '../fragment.js';
import { joinedKindTable, kindTable } from '../table.sql.js';
import { testedValue, type TestScope, testSql } from './operator.sql.js';
import { expressionSql } from './expression.sql.js';
import { keysOfRelated, linkRow, type Matching, relatedRow, relatedRows } from './related.sql.js';

/** The most rows that a statement joins: planning takes 2 MB of memory with five of them, 12 MB with seven. */
const MAX_JOINED_LOOKUPS = 5;

/** The same for each kind of a statement that reads several. */
export const MAX_LOOKUPS_PER_KIND = 2;

/**
 * The most tests of a condition on joined rows that PostgreSQL may split to look for indexes, which takes time and
 * memory quadratic in their number.
 */
const MAX_TESTS_TO_SPLIT = 64;

/** The rows that references of a row lead to. Of a unit that the caller may not read, all columns are null. */
export class Lookups {
  readonly #rows: Map<string, string>;
  readonly #joins: Fragment[];
  /** The row of the unit before an edit; null if there was none, undefined if it is the row itself. */
  stored: string | null | undefined;
  /** As in `TestScope`; it is not for conditions on referenced units. */
  threeValued = false;

  /** @param few how many may be joined in a statement; a subquery may have more */
  constructor(
    readonly schema: string,
    readonly row: string,
    private readonly few = MAX_JOINED_LOOKUPS,
    before?: Lookups,
  ) {
    this.#rows = new Map(before ? before.#rows : []);
    this.#joins = before ? [...before.#joins] : [];
  }

  /** @param rows the aliases of rows in FROM that steps of paths lead to, by the id of the step */
  static from(schema: string, row: string, rows: Readonly<Record<string, string>>): Lookups {
    const lookups = new Lookups(schema, row);
    for (const [id, alias] of Object.entries(rows)) lookups.#rows.set(`.${id}`, alias);
    return lookups;
  }

  /** The joins that follow the row in FROM. */
  get joins(): Fragment {
    return this.#joins.length > 0 ? join(this.#joins, '') : EMPTY_SQL;
  }

  /** A copy to which more can be joined. */
  more(): Lookups {
    return new Lookups(this.schema, this.row, this.few, this);
  }

  /** Whether the rows of the targets are joined already, or can be within the limit. */
  canJoin(targets: readonly Target[]): boolean {
    const missing = new Set(targets.flatMap(({ through }) => wayKeys(through)).filter((key) => !this.#rows.has(key)));
    return missing.size === 0 || this.#joins.length + missing.size <= this.few;
  }

  /** The schema of a target, and the alias of the row that has its field. */
  scopeOf(target: Target | undefined): TestScope {
    const { schema, row, stored, threeValued } = this;
    if (target?.before) return { schema, row: stored ?? row, isMissing: stored === null, countOf: noCount };
    const rowOfTarget = target?.ofLink ? linkRow(row) : this.#rowOf(target?.through);
    return { schema, row: rowOfTarget, threeValued, countOf: (related) => countSql(schema, related, row) };
  }

  #rowOf(through: readonly Step[] = []): string {
    let row = this.row;
    for (const [at, key] of wayKeys(through).entries()) {
      const step = through[at];
      const known = this.#rows.get(key) ?? (step && this.#join(row, step));
      if (known === undefined) throw new Error('a way has a key for each of its steps');
      this.#rows.set(key, known);
      row = known;
    }
    return row;
  }

  #join(from: string, { reference, kind, access }: Step): string {
    const row = `${this.row}_${this.#joins.length + 1}`;
    const key = sql`${columnRef(kind.keyField, row)} = ${columnRef(reference, from)}`;
    const on = all([key, ...rowConditions(this.schema, kind, [access], row)]);
    this.#joins.push(sql` LEFT JOIN ${joinedKindTable(this.schema, kind)} AS ${ident(row)} ON ${on}`);
    return row;
  }
}

function noCount(): never {
  throw new Error('a parameter of before is no number of units');
}

/** The conditions of the rows that satisfy predicates, for a statement that reads the kind's table as `row`. */
export interface MatchingRows {
  readonly where: readonly Fragment[];
  /** The joins that `where` needs. */
  readonly lookups: Lookups;
}

export function matchingRows(
  schema: string,
  kind: KindDef,
  predicates: readonly (Predicate | undefined)[],
  few?: number,
  row = 't',
): MatchingRows {
  const lookups = new Lookups(schema, row, few);
  const [joined, apart]: [Fragment[], Predicate[]] = [[], []];
  for (const part of predicates.flatMap((predicate) => conjunctsOf(predicate))) {
    if (lookups.canJoin(targetsOf(part))) joined.push(conditionSql(part, lookups));
    else apart.push(part);
  }
  const rest = apart.length > 0 ? [predicateSql({ op: 'and', parts: apart }, { schema, row })] : [];
  return { where: [...discriminatorCondition(kind, row), ...joined, ...rest], lookups };
}

/** Whether `allMatchingRows` differs from `matchingRows`. */
export function areOfSets(predicates: readonly (Predicate | undefined)[]): boolean {
  return predicates.flatMap(conjunctsOf).some(isOfSet);
}

/** Whether a condition is `referred`, alone or as an alternative to others, or that it is not so. */
function isOfSet(part: Predicate): boolean {
  if (part.op === 'not') return isOfSet(part.part);
  return (
    part.op === 'or' && (part.referred !== undefined || part.parts.some((each) => each.op === 'or' && isOfSet(each)))
  );
}

function alternativesOf(part: Predicate): readonly Predicate[] {
  return part.op === 'or' ? part.parts.flatMap(alternativesOf) : [part];
}

/**
 * The same for statements that read all of these rows, as to count them. What `referred` looks at is a set of keys then,
 * which PostgreSQL makes once: of 200,000 files and 50 kinds in 1.6 seconds instead of 9.4. A page is five times faster by
 * tests of each row, which end with its last one (`bench/referred.mjs`).
 */
export function allMatchingRows(
  schema: string,
  kind: KindDef,
  predicates: readonly (Predicate | undefined)[],
  few?: number,
): MatchingRows {
  const parts = predicates.flatMap((predicate) => conjunctsOf(predicate));
  const sets = parts.filter(isOfSet);
  const rows = matchingRows(
    schema,
    kind,
    parts.filter((part) => !sets.includes(part)),
    few,
  );
  return { where: [...rows.where, ...sets.map((part) => setSql(schema, kind, part))], lookups: rows.lookups };
}

/** Whether the key of the row `t` is in the set of those that match, or not. */
function setSql(schema: string, kind: KindDef, part: Predicate, negated = false): Fragment {
  if (part.op === 'not') return setSql(schema, kind, part.part, !negated);
  const key = columnRef(kind.keyField, 't');
  const set = keysSql(schema, kind, alternativesOf(part));
  // PostgreSQL plans a join for NOT EXISTS, but not for NOT IN.
  if (negated) return sql`NOT EXISTS (SELECT FROM (${set}) AS _s(key) WHERE _s.key = ${key})`;
  return sql`${key} IN (${set})`;
}

/** The keys of the rows that match one of the predicates. */
function keysSql(schema: string, kind: KindDef, alternatives: readonly Predicate[]): Fragment {
  const others: Predicate[] = [];
  const sets = alternatives.flatMap((each) => {
    const keys = each.op === 'exists' ? keysOfRelated(schema, each.related, '_k', matchingIn(schema)) : undefined;
    if (keys) return keys;
    others.push(each);
    return [];
  });
  const own = others.length > 0 ? [{ op: 'or', parts: others } as const] : [];
  const selects = own.map((parts) => {
    const where = all(rowConditions(schema, kind, [parts], '_o'));
    return sql`SELECT ${columnRef(kind.keyField, '_o')} FROM ${kindTable(schema, kind)} AS _o WHERE ${where}`;
  });
  return join([...selects, ...sets], ' UNION ALL ');
}

/** The conditions of rows that satisfy predicates, without joins in the statement. */
export function rowConditions(
  schema: string,
  kind: KindDef,
  predicates: readonly (Predicate | undefined)[],
  row = 't',
): Fragment[] {
  const parts = predicates.flatMap((predicate) => conjunctsOf(predicate));
  return [
    ...discriminatorCondition(kind, row),
    ...(parts.length > 0 ? [predicateSql({ op: 'and', parts }, { schema, row })] : []),
  ];
}

/**
 * Keeps the planner from finding that a condition holds for no unit, as that of a rule for nobody: Citus has no server
 * then to send the write to, and fails.
 */
const UNSEEN_FALSE = sql`(SELECT false)`;

/** The conditions of the rows that a statement writes. */
export function writtenRowConditions(schema: string, kind: KindDef, access: Predicate | undefined): Fragment[] {
  const condition = access && sql`(${predicateSql(access, { schema, row: 't' })} OR ${UNSEEN_FALSE})`;
  return [...rowConditions(schema, kind, []), ...(condition ? [condition] : [])];
}

/** The rows of a kind in a table that several kinds share. */
function discriminatorCondition(kind: KindDef, row: string): Fragment[] {
  return kind.discriminated ? [sql`${ident(row, 'kind_id')} = ${param(kind.id)}`] : [];
}

/** The row that a condition is of, and that of the unit before an edit (`Lookups.stored`). */
type PredicateScope = Pick<TestScope, 'schema' | 'row' | 'threeValued'> & Partial<Pick<Lookups, 'stored'>>;

/** A condition without joins in the statement. Tests of referenced rows are in one subquery. */
export function predicateSql(
  predicate: Predicate,
  { schema, row, stored, threeValued = false }: PredicateScope,
): Fragment {
  const own = new Lookups(schema, row);
  own.stored = stored;
  own.threeValued = threeValued;
  const parts = conjunctsOf(predicate);
  const beyond = parts.filter((part) => targetsOf(part).length > 0);
  const conditions = parts.filter((part) => !beyond.includes(part)).map((part) => treeSql(part, own));
  if (beyond.length > 0) {
    const lookups = new Lookups(schema, row);
    lookups.stored = stored;
    const where = all(beyond.map((part) => conditionSql(part, lookups)));
    // The subquery depends on a row outside of it, so PostgreSQL does not merge it into the statement.
    conditions.push(sql`EXISTS (SELECT FROM (SELECT 1) AS ${ident(`${row}_0`)}${lookups.joins} WHERE ${where})`);
  }
  return conditions.length === 1 && conditions[0] ? conditions[0] : sql`(${all(conditions)})`;
}

/** A condition on several rows: the first step of each path leads to one of them. */
export function conditionOnRows(
  schema: string,
  predicate: Predicate,
  rows: Readonly<Record<string, string>>,
): Fragment {
  const lookups = Lookups.from(schema, '_r', rows);
  const condition = conditionSql(predicate, lookups);
  return sql`EXISTS (SELECT FROM (SELECT 1) AS ${ident('_r_0')}${lookups.joins} WHERE ${condition})`;
}

/** A condition on rows that are joined. */
function conditionSql(predicate: Predicate, lookups: Lookups): Fragment {
  const condition = treeSql(predicate, lookups);
  const many = targetsOf(predicate).length > 0 && extentOf([predicate]).tests > MAX_TESTS_TO_SPLIT;
  return many ? sql`(${condition}) IS TRUE` : condition;
}

function treeSql(predicate: Predicate, lookups: Lookups): Fragment {
  switch (predicate.op) {
    case 'and':
    case 'or': {
      const parts = predicate.parts.map((part) => treeSql(part, lookups));
      return sql`(${join(parts, predicate.op === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'not':
      // PostgreSQL plans a join for NOT EXISTS, but not for IS NOT TRUE.
      if (predicate.part.op === 'exists') return sql`(NOT ${treeSql(predicate.part, lookups)})`;
      if (lookups.threeValued) return sql`(NOT (${treeSql(predicate.part, lookups)}))`;
      return sql`((${treeSql(predicate.part, lookups)}) IS NOT TRUE)`;
    case 'exists':
      return existsSql(lookups.schema, predicate.related, lookups.row);
    case 'pair':
      return pairSql(predicate, (target) => testedValue(target, lookups.scopeOf(target)));
    case 'near':
      return nearSql(predicate, (target) => testedValue(target, lookups.scopeOf(target)));
    default:
      return testSql(predicate, lookups.scopeOf('target' in predicate ? predicate.target : undefined));
  }
}

/** Whether a row has related units. */
function existsSql(schema: string, related: Related, row: string): Fragment {
  const rows = relatedUnits(schema, related, row);
  return rows ? sql`EXISTS (SELECT 1 ${rows})` : sql`false`;
}

/** The number of related units of a row, or a sum of them: null without any. */
export function countSql(schema: string, related: Related, row: string): Fragment {
  const rows = relatedUnits(schema, related, row);
  const { summed } = related;
  if (!summed) return rows ? sql`(SELECT count(*) ${rows})` : sql`0::bigint`;
  const type = columnType(summed.field.columnType === 'double precision' ? 'double precision' : 'numeric');
  return rows ? sql`(SELECT sum(${summedSql(schema, summed, relatedRow(row))}) ${rows})` : sql`NULL::${type}`;
}

/** What is summed of a related unit. Units that it refers to are looked up in a subquery. */
function summedSql(schema: string, summed: Target, unit: string): Fragment {
  const lookups = new Lookups(schema, unit);
  const value = expressionSql(summed, (source) => testedValue(source, lookups.scopeOf(source)));
  if (!sourcesOf(summed).some(({ through }) => through)) return value;
  return sql`(SELECT ${value} FROM (SELECT 1) AS ${ident(`${unit}_0`)}${lookups.joins})`;
}

/** FROM and WHERE of the related units of a row; undefined if it can have none. */
function relatedUnits(schema: string, related: Related, row: string): Fragment | undefined {
  return relatedRows(schema, related, row, matchingIn(schema));
}

function matchingIn(schema: string): Matching {
  return {
    units: (kind, predicates, unit) => {
      const { where, lookups } = matchingRows(schema, kind, predicates, MAX_LOOKUPS_PER_KIND, unit);
      return { where, joins: lookups.joins };
    },
    links: (predicate, unit) => predicateSql(predicate, { schema, row: unit }),
  };
}

/** The value of a target in its row. */
type ValueOf = (target: Target) => Fragment;

const COMPARISONS = {
  eq: sql`=`,
  same: sql`IS NOT DISTINCT FROM`,
  lt: sql`<`,
  lte: sql`<=`,
  gt: sql`>`,
  gte: sql`>=`,
} as const;

function pairSql({ target, other, test }: Extract<Predicate, { op: 'pair' }>, valueOf: ValueOf): Fragment {
  const value = (own: Target, with_: Target) => comparable(valueOf(own), own.field.columnType, with_.field.columnType);
  return sql`${value(target, other)} ${COMPARISONS[test]} ${value(other, target)}`;
}

/** A float is compared with a decimal by the digits that answers show, so that no conversion fails or rounds. */
function comparable(value: Fragment, type: ColumnType, other: ColumnType): Fragment {
  return type === 'double precision' && other === 'numeric' ? sql`${value}::text::numeric` : value;
}

/** The mean radius of the earth, in kilometres. */
const RADIUS = 6371.0088;
const KILOMETRES_PER_DEGREE = (RADIUS * Math.PI) / 180;

/** Degrees by which the bounds of the latitude exceed the circle, because distances are rounded. */
const MARGIN = 1e-6;

/** The bounds of the latitude come first, so that an index on it serves. */
function nearSql(near: Extract<Predicate, { op: 'near' }>, valueOf: ValueOf): Fragment {
  const { target, kilometres, point } = near;
  const reach = kilometres / KILOMETRES_PER_DEGREE + MARGIN;
  const latitude = valueOf(target);
  const type = target.field.columnType;
  const from = bound(Math.max(-90, point[0] - reach), type, Math.ceil);
  const to = bound(Math.min(90, point[0] + reach), type, Math.floor);
  return sql`(
    ${latitude} >= ${from} AND ${latitude} <= ${to}
    AND ${distanceSql(near, valueOf)} <= ${param(kilometres)}::double precision
  )`;
}

function bound(degrees: number, type: ColumnType, whole: (value: number) => number): Fragment {
  const value = type === 'bigint' ? String(whole(degrees)) : degrees.toFixed(9);
  return sql`${param(value)}::${columnType(type)}`;
}

/**
 * The distance in kilometres along a great circle (haversine). Null where a coordinate is null or outside of its range.
 * Coordinates are rounded to a ten-thousandth of a millimetre, because tiny products are errors in PostgreSQL.
 */
export function distanceSql({ target, other, point }: PlaceTargets, valueOf: ValueOf): Fragment {
  const [latitude, longitude] = [valueOf(target), valueOf(other)];
  const [lat, lon] = [latitude, longitude].map((value) => sql`round(${value}::numeric, 12)::double precision`);
  const [atLat, atLon] = point.map((degrees) => sql`${param(degrees.toFixed(12))}::double precision`);
  const half = (value: Fragment | undefined, from: Fragment | undefined) =>
    sql`power(sin(radians(${value ?? sql`NULL`} - ${from ?? sql`NULL`}) / 2), 2)`;
  const chord = sql`
    ${half(lat, atLat)} + cos(radians(${lat ?? sql`NULL`})) * cos(radians(${atLat ?? sql`NULL`})) * ${half(lon, atLon)}
  `;
  return sql`CASE
    WHEN ${latitude} BETWEEN -90 AND 90 AND ${longitude} BETWEEN -180 AND 180
    THEN ${param(2 * RADIUS)}::double precision * asin(least(1, sqrt(${chord})))
  END`;
}
