/**
 * Writes to all units that match a filter: one statement, which locks them, checks every one, and changes all or none.
 * Units are locked in the order of their keys, so that two such statements can not deadlock.
 */
import type { KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { columnRef } from './columns.sql.js';
import { resultFits } from './expression.sql.js';
import { all, EMPTY_SQL, ident, integer, join, param, render, sql, type Fragment, type Statement } from './fragment.js';
import { rowLock } from './lock.sql.js';
import { isModelVersion, modelVersion } from './model-version.sql.js';
import { inputTable, paramsOf, type NewRows } from './new-rows.sql.js';
import { matchingRows, predicateSql, rowConditions } from './predicate.sql.js';
import { kindTable } from './table.sql.js';
import { changesOf, keepsValue, staysAllowed } from './update.sql.js';
import type { UpdatePlan } from './write.sql.js';

/** The units to write. */
export interface MatchingPlan {
  readonly schema: string;
  readonly kind: KindDef;
  /** The version that the model must have. */
  readonly version: number;
  /** Undefined for all units. */
  readonly filter: Predicate | undefined;
  /** The units that the caller may read; others are not there for it. */
  readonly readable: Predicate | undefined;
  /** The units that the caller may write. */
  readonly access: Predicate | undefined;
  /** The most units that may be written. */
  readonly most: number;
}

export type UpdateMatchingPlan = MatchingPlan &
  Pick<UpdatePlan, 'written' | 'expressions' | 'writeOnce' | 'allowed' | 'fields' | 'shown'>;

/**
 * Locks the units. One row `v, matched, may, keys`: how many there are, one more than allowed at most; whether the
 * caller may write all of them; their keys in order, null if there are too many or the caller may not.
 */
export function lockMatchingStatement(plan: MatchingPlan, forDelete: boolean): Statement {
  const writable = sql`count(*) <= ${integer(plan.most)} AND ${everyUnit(sql`g._may`)}`;
  return render(sql`
    WITH found AS MATERIALIZED (${foundKeys(plan)}),
    target AS MATERIALIZED (${targetRows(plan, [mayWrite(plan)], EMPTY_SQL, forDelete)})
    SELECT
      ${modelVersion(plan.schema)} AS v,
      count(*)::int AS matched,
      ${everyUnit(sql`g._may`)} AS may,
      CASE WHEN ${writable} THEN array_agg(g._key::text ORDER BY g._key) END AS keys
    FROM target AS g
  `);
}

/**
 * One row `v, matched, may, kept, fits, stays, affected`: as above; for each field that may be written once, whether
 * all units keep its value; for each expression, whether its result may be stored in all units; whether all units still
 * satisfy the access rule. Units are affected only if all of it is true.
 */
export function updateMatchingStatement(plan: UpdateMatchingPlan, rows: NewRows): Statement {
  const { schema, kind, written, writeOnce, expressions = [] } = plan;
  const input = written.length > 0 ? inputTable(written, rows, paramsOf(rows).map(param)) : undefined;
  const joined = input ? sql`, ${input}` : EMPTY_SQL;
  const kept = writeOnce.map((each) => keepsValue(each, plan));
  const fits = expressions.map(resultFits);
  const checks = [
    mayWrite(plan),
    sql`(${staysAllowed(plan) ?? sql`true`}) IS TRUE AS _stays`,
    ...kept.map((each, at) => sql`(${each}) IS TRUE AS ${ident(`_kept${at}`)}`),
    ...fits.map((each, at) => sql`(${each}) IS TRUE AS ${ident(`_fits${at}`)}`),
  ];
  const of = (name: string, list: readonly unknown[]) => list.map((_, at) => everyUnit(ident('g', `${name}${at}`)));
  const [keptByAll, fitAll] = [of('_kept', kept), of('_fits', fits)];
  const [may, stays] = [everyUnit(sql`g._may`), everyUnit(sql`g._stays`)];
  const ok = all([sql`count(*) <= ${integer(plan.most)}`, may, stays, ...keptByAll, ...fitAll]);
  return render(sql`
    WITH found AS MATERIALIZED (${foundKeys(plan)}),
    target AS MATERIALIZED (${targetRows(plan, checks, joined, false)}),
    verdict AS MATERIALIZED (
      SELECT
        count(*)::int AS matched,
        ${may} AS may,
        ${stays} AS stays,
        ARRAY[${join(keptByAll)}]::boolean[] AS kept,
        ARRAY[${join(fitAll)}]::boolean[] AS fits,
        ${ok} AS ok
      FROM target AS g
    ),
    affected AS (
      UPDATE ${kindTable(schema, kind)} AS t
      SET ${changesOf(plan)}
      FROM target AS g${joined}
      WHERE ${columnRef(kind.keyField)} = g._key AND (SELECT ok FROM verdict)
      RETURNING 1
    )
    SELECT
      ${modelVersion(schema)} AS v,
      verdict.matched, verdict.may, verdict.kept, verdict.fits, verdict.stays,
      (SELECT count(*)::int FROM affected) AS affected
    FROM verdict
  `);
}

function everyUnit(condition: Fragment): Fragment {
  return sql`coalesce(bool_and(${condition}), true)`;
}

/** The keys of the units, one more than allowed at most. */
function foundKeys({ schema, kind, version, filter, readable, most }: MatchingPlan): Fragment {
  const { where, lookups } = matchingRows(schema, kind, [readable, filter]);
  return sql`
    SELECT ${columnRef(kind.keyField)} AS id
    FROM ${kindTable(schema, kind)} AS t${lookups.joins}
    WHERE ${all([...where, isModelVersion(schema, param(version))])}
    LIMIT ${integer(most + 1)}
  `;
}

/** Locks the units, those that still match, with the results of the checks. @param joined what follows the table */
function targetRows(
  { schema, kind, filter, readable }: MatchingPlan,
  checks: readonly Fragment[],
  joined: Fragment,
  forDelete: boolean,
): Fragment {
  const key = columnRef(kind.keyField);
  const isFound = sql`${key} = ANY(ARRAY(SELECT _f.id FROM found AS _f))`;
  return sql`
    SELECT ${join([sql`${key} AS _key`, ...checks])}
    FROM ${kindTable(schema, kind)} AS t${joined}
    WHERE ${all([isFound, ...rowConditions(schema, kind, [readable, filter])])}
    ORDER BY ${key}
    ${rowLock(forDelete)} OF t
  `;
}

function mayWrite({ schema, access }: MatchingPlan): Fragment {
  const may = access ? predicateSql(access, { schema, row: 't' }) : sql`true`;
  return sql`(${may}) IS TRUE AS _may`;
}
