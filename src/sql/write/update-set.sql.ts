/**
 * Edits of several units, each with values of its own for the same fields: one statement, which locks the units, checks
 * every one, and changes all or none. Units are locked in the order of their keys, so that two such statements cannot
 * deadlock.
 */
import type { Predicate } from '../../model/predicate/predicate.js';
import { boundedInTotal } from '../answer-size.sql.js';
import { columnRef } from '../columns.sql.js';
import { all, EMPTY_SQL, ident, join, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { rowLock } from '../lock.sql.js';
import { isModelVersion, modelVersion } from '../model-version.sql.js';
import { INPUT_KEY, isPlannedOnce, keyedInputRows, type RowsText } from './new-rows.sql.js';
import { predicateSql, rowConditions } from '../condition/predicate.sql.js';
import { kindTable } from '../table.sql.js';
import { changesOf, editedColumns, keepsValue, staysAllowed } from './update.sql.js';
import type { UpdatePlan } from './write.sql.js';

export interface UpdateSetPlan extends Omit<UpdatePlan, 'id' | 'tags' | 'expressions'> {
  /** The units that the caller may read; undefined for all. */
  readonly readable: Predicate | undefined;
  /** The conditions of the written fields that have one. */
  readonly rules: readonly Predicate[];
  /** The key of the unit of each row. */
  readonly keys: readonly string[];
  /** Whether the units are answered. */
  readonly answers: boolean;
}

/**
 * A row `v, failed, n, tag, body` for each unit, where `n` is the number of its input row, from 0. If a unit fails a
 * check, nothing is changed, and there is one row with `failed`: the numbers of the rows that fail each check. A plan
 * without answers has one row too, with nulls but `v`, if all units were changed.
 */
export function updateSetStatement(plan: UpdateSetPlan, { json, count }: RowsText): Statement {
  const { schema, kind, written, writeOnce, rules } = plan;
  const key = columnRef(kind.keyField);
  const isTarget = all([sql`${key} = ${INPUT_KEY}`, ...rowConditions(schema, kind, [])]);
  const holds = (predicate: Predicate | undefined) =>
    predicate ? sql`(${predicateSql(predicate, { schema, row: 't' })}) IS TRUE` : sql`true`;
  const checks: readonly (readonly [name: string, holds: Fragment])[] = [
    ['_seen', holds(plan.readable)],
    ['_may', holds(plan.access)],
    ...rules.map((rule, at) => [`_rule${at}`, holds(rule)] as const),
    ...writeOnce.map((once, at) => [`_kept${at}`, sql`(${keepsValue(once, {})}) IS TRUE`] as const),
    ['_stays', sql`(${staysAllowed(plan) ?? sql`true`}) IS TRUE`],
  ];
  const rows = (condition: Fragment) => sql`array_agg(g._n ORDER BY g._n) FILTER (WHERE ${condition})`;
  const failing = (name: string) => rows(sql`NOT ${ident('g', name)}`);
  const list = (name: string, of: readonly unknown[]) =>
    sql`json_build_array(${join(of.map((_, at) => failing(`${name}${at}`)))})`;
  const failed = sql`
    json_build_object(
      'seen', ${rows(sql`g._seen`)},
      'denied', ${failing('_may')},
      'ruled', ${list('_rule', rules)},
      'kept', ${list('_kept', writeOnce)},
      'leaving', ${failing('_stays')}
    )
  `;
  const ok = all([
    isModelVersion(schema, param(plan.version)),
    sql`count(*) = ${param(count)}::bigint`,
    ...checks.map(([name]) => sql`bool_and(${ident('g', name)})`),
  ]);
  const answer = plan.answers
    ? sql`, answer AS MATERIALIZED (SELECT t._n::int - 1 AS n, ${editedColumns(plan)} FROM affected AS t)`
    : EMPTY_SQL;
  return render(
    sql`
      WITH input AS MATERIALIZED (
        SELECT i.*
        FROM ${keyedInputRows(kind, written, param(json), plan.keys)}
      ),
      target AS MATERIALIZED (
        SELECT ${join([sql`i._n::int - 1 AS _n`, ...checks.map(([name, test]) => sql`${test} AS ${ident(name)}`)])}
        FROM input AS i
        JOIN ${kindTable(schema, kind)} AS t ON ${isTarget}
        ORDER BY ${key}
        ${rowLock(false)} OF t
      ),
      verdict AS MATERIALIZED (
        SELECT (${ok}) IS TRUE AS ok, ${failed} AS failed
        FROM target AS g
      ),
      affected AS (
        UPDATE ${kindTable(schema, kind)} AS t
        SET ${changesOf({ written })}
        FROM input AS i
        WHERE ${isTarget} AND (SELECT ok FROM verdict)
        RETURNING ${plan.answers ? sql`i._n, t.*` : sql`1 AS n`}
      )${answer}
      SELECT
        ${modelVersion(schema)} AS v,
        CASE WHEN NOT verdict.ok THEN verdict.failed END AS failed,
        ${plan.answers ? sql`a.n, a.tag, ${boundedInTotal(sql`a.body`)} AS body` : sql`NULL::int AS n`}
      FROM verdict${plan.answers ? sql` LEFT JOIN answer AS a ON true` : EMPTY_SQL}
    `,
    isPlannedOnce(count),
  );
}
