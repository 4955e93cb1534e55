/** Values of a row `t` and of rows that its references lead to, for orders and aggregations. */
import type { Target } from '../../model/predicate/predicate.js';
import { ident, join, sql, type Fragment } from '../fragment.js';
import { Lookups } from './predicate.sql.js';

interface ValuesWithJoins {
  readonly values: readonly Fragment[];
  /** The joins that follow the table `t` in FROM. */
  readonly joins: Fragment;
}

/** The alias of the row that has the field of a target. */
export type RowOf = (target: Target) => string;

/**
 * The values of rows.
 * @param targetsOf the targets that a value reads
 * @param valueOf the value as SQL
 * @param before the joins of the conditions on the same rows
 */
export function rowValues<T>(
  schema: string,
  wanted: readonly T[],
  targetsOf: (each: T) => readonly Target[],
  valueOf: (each: T, rowOf: RowOf) => Fragment,
  before: Lookups,
): ValuesWithJoins {
  const beyond = (each: T) => targetsOf(each).filter(({ through }) => through);
  if (!before.canJoin(wanted.flatMap(beyond))) return valuesBySubquery(schema, wanted, beyond, valueOf, before);
  const lookups = before.more();
  const values = wanted.map((each) => valueOf(each, (target) => lookups.scopeOf(target).row));
  return { values, joins: lookups.joins };
}

/**
 * Where there are too many joins, a subquery looks the values up for each unit. `OFFSET 0` keeps PostgreSQL from
 * merging it into the query.
 */
function valuesBySubquery<T>(
  schema: string,
  wanted: readonly T[],
  beyond: (each: T) => readonly Target[],
  valueOf: (each: T, rowOf: RowOf) => Fragment,
  before: Lookups,
): ValuesWithJoins {
  const lookups = new Lookups(schema, before.row);
  const found: Fragment[] = [];
  const values = wanted.map((each, at) => {
    const value = valueOf(each, (target) => lookups.scopeOf(target).row);
    if (beyond(each).length === 0) return value;
    found.push(sql`${value} AS ${keyName(at)}`);
    return sql`_s.${keyName(at)}`;
  });
  const subquery = sql`SELECT ${join(found)} FROM (SELECT) AS ${ident(`${before.row}_0`)}${lookups.joins} OFFSET 0`;
  return { values, joins: sql`${before.joins} CROSS JOIN LATERAL (${subquery}) AS _s` };
}

/** The column in which a subquery returns a value. */
export function keyName(at: number): Fragment {
  return ident(`k${at}`);
}
