/**
 * Predicates as SQL. `not` asks IS NOT TRUE of the whole, so that it is the complement, nulls included.
 *
 * A row that references lead to is looked up once, however many tests ask for it (`Lookups`). Where a statement has its
 * own FROM and the rows are few, they are joined there (`rowsIn`), and PostgreSQL finds the best order; otherwise, and
 * where there is no FROM to join to, one subquery has them all (`predicateSql`): what PostgreSQL needs to plan a join
 * grows far faster than the number of tables in it, and what it needs for subqueries with their number.
 */
import type { KindDef } from '../model/model.js';
import type { Predicate, Step, Target } from '../model/predicate/predicate.js';
import { extentOf, targetsOf, wayKeys } from '../model/predicate/extent.js';
import { columnRef } from './columns.sql.js';
import { all, EMPTY_SQL, ident, join, param, sql, type Fragment } from './fragment.js';
import { joinedKindTable } from './table.sql.js';
import { testSql, type TestScope } from './tests.sql.js';

/** Rows that a statement joins to those that it reads: planning takes 2 MB with five of them, 12 MB with seven. */
const MAX_JOINED_LOOKUPS = 5;

/** The same for each of the kinds of a statement that reads several. */
export const MAX_LOOKUPS_PER_KIND = 2;

/**
 * Tests of one condition that PostgreSQL may take apart to find indexes for it: between joined rows that takes memory
 * and time that grow with the square of their number.
 */
const MAX_TESTS_TO_SPLIT = 64;

/** The rows that references lead to from one row. A unit that does not count is not joined; the row is one of nulls then. */
export class Lookups {
  readonly #rows: Map<string, string>;
  readonly #joins: Fragment[];

  /** @param few how many may be joined to what a statement reads; one subquery may have more */
  constructor(
    private readonly schema: string,
    private readonly row: string,
    private readonly few = MAX_JOINED_LOOKUPS,
    before?: Lookups,
  ) {
    this.#rows = new Map(before ? before.#rows : []);
    this.#joins = before ? [...before.#joins] : [];
  }

  /** What follows the row in FROM; `EMPTY` where nothing does. */
  get joins(): Fragment {
    return this.#joins.length > 0 ? join(this.#joins, '') : EMPTY_SQL;
  }

  /** The same, to which more can be joined. */
  more(): Lookups {
    return new Lookups(this.schema, this.row, this.few, this);
  }

  /** Whether the rows that targets are in are joined already, or may be. */
  canJoin(targets: readonly Target[]): boolean {
    const missing = new Set(targets.flatMap(({ through }) => wayKeys(through)).filter((key) => !this.#rows.has(key)));
    return missing.size === 0 || this.#joins.length + missing.size <= this.few;
  }

  /** Where a target is found: its schema, and the alias of the row that has the field. */
  scopeOf(target: Target | undefined): TestScope {
    return { schema: this.schema, row: this.#rowOf(target?.through) };
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

/** The rows of a kind that predicates allow, for a statement that reads them as `t`. */
export interface MatchingRows {
  readonly where: readonly Fragment[];
  /** What `where` asks for is joined already. */
  readonly lookups: Lookups;
}

export function matchingRows(
  schema: string,
  kind: KindDef,
  predicates: readonly (Predicate | undefined)[],
  few?: number,
): MatchingRows {
  const row = 't';
  const lookups = new Lookups(schema, row, few);
  const [joined, apart]: [Fragment[], Predicate[]] = [[], []];
  for (const part of predicates.flatMap((predicate) => conjunctsOf(predicate))) {
    if (lookups.canJoin(targetsOf(part))) joined.push(conditionSql(part, lookups));
    else apart.push(part);
  }
  const rest = apart.length > 0 ? [predicateSql({ op: 'and', parts: apart }, { schema, row })] : [];
  return { where: [...discriminatorCondition(kind, row), ...joined, ...rest], lookups };
}

/** The same as conditions that need nothing in FROM but the row. */
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

/** Kinds that share a table keep to their own rows. */
function discriminatorCondition(kind: KindDef, row: string): Fragment[] {
  return kind.discriminated ? [sql`${ident(row, 'kind_id')} = ${param(kind.id)}`] : [];
}

/** A condition that needs nothing in FROM but the row. What asks for other rows is one subquery. */
export function predicateSql(predicate: Predicate, { schema, row }: TestScope): Fragment {
  const own = new Lookups(schema, row);
  const parts = conjunctsOf(predicate);
  const beyond = parts.filter((part) => targetsOf(part).length > 0);
  const conditions = parts.filter((part) => !beyond.includes(part)).map((part) => treeSql(part, own));
  if (beyond.length > 0) {
    const lookups = new Lookups(schema, row);
    const where = all(beyond.map((part) => conditionSql(part, lookups)));
    // The references are those of a row outside, so PostgreSQL leaves the subquery as it is.
    conditions.push(sql`EXISTS (SELECT FROM (SELECT) AS ${ident(`${row}_0`)}${lookups.joins} WHERE ${where})`);
  }
  return conditions.length === 1 && conditions[0] ? conditions[0] : sql`(${all(conditions)})`;
}

/** What must all hold, one by one. */
function conjunctsOf(predicate: Predicate | undefined): readonly Predicate[] {
  if (!predicate) return [];
  return predicate.op === 'and' ? predicate.parts.flatMap((part) => conjunctsOf(part)) : [predicate];
}

/** A condition on rows that may be joined. */
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
      return sql`((${treeSql(predicate.part, lookups)}) IS NOT TRUE)`;
    default:
      return testSql(predicate, lookups.scopeOf('target' in predicate ? predicate.target : undefined));
  }
}
