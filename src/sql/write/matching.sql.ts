/**
 * Writes to all units that match a filter: one statement, which locks them, checks every one, and changes all or none.
 * Units are locked in the order of their keys, so that two such statements cannot deadlock.
 */
import type { ResolvedCheck } from '../../model/check/kind-checks.js';
import type { Field, KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { columnRef } from '../columns.sql.js';
import { resultFits } from './expression.sql.js';
import {
  all,
  EMPTY_SQL,
  ident,
  integer,
  join,
  param,
  render,
  sql,
  type Fragment,
  type Statement,
} from '../fragment.js';
import { rowLock } from '../lock.sql.js';
import { isModelVersion, modelVersion } from '../model-version.sql.js';
import { inputTable, paramsOf, type NewRows } from './input-rows.sql.js';
import { matchingRows, predicateSql, rowConditions } from '../condition/predicate.sql.js';
import { kindTable } from '../table.sql.js';
import { keptOldColumns, oldColumns, recordUpdated } from './recording.sql.js';
import { changedFields, changesOf, passesGuard, staysAllowed, valueAfter } from './update.sql.js';
import { failsAfter, type UpdatePlan } from './written-rows.sql.js';

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
  Pick<UpdatePlan, 'written' | 'expressions' | 'guarded' | 'allowed' | 'fields' | 'shown' | 'recording'>;

/**
 * Locks the units. One row `v, matched, denied, keys`: how many there are, one more than allowed at most; the key of one
 * that the caller may not write, null if it may write all; their keys in order, null if there are too many or the caller
 * may not write one.
 */
export function lockMatchingStatement(plan: MatchingPlan, forDelete: boolean): Statement {
  const writable = sql`count(*) <= ${integer(plan.most)} AND ${everyUnit(sql`g._may`)}`;
  return render(sql`
    WITH found AS MATERIALIZED (${foundKeys(plan)}),
    target AS MATERIALIZED (${targetRows(plan, [mayWrite(plan)], EMPTY_SQL, forDelete)})
    SELECT
      ${modelVersion(plan.schema)} AS v,
      count(*)::int AS matched,
      ${firstUnit(sql`NOT g._may`)} AS denied,
      CASE WHEN ${writable} THEN array_agg(g._key::text ORDER BY g._key) END AS keys
    FROM target AS g
  `);
}

/**
 * One row `v, matched, denied, guarded, unfit, leaving, affected`: as above; for each guarded field, the key of a unit in
 * which the new value may not follow the stored one; the key of a unit in which the result of an expression may not be stored;
 * that of one that would no longer satisfy the access rule. Units are affected only if there are none.
 */
export function updateMatchingStatement(plan: UpdateMatchingPlan, rows: NewRows): Statement {
  const { schema, kind, written, guarded, expressions = [] } = plan;
  const changed = changedFields(plan);
  const recorded = recordUpdated(plan, changed, sql`affected`);
  const input = written.length > 0 ? inputTable(written, rows, paramsOf(rows).map(param)) : undefined;
  const joined = input ? sql`, ${input}` : EMPTY_SQL;
  const guards = guarded.map((each) => passesGuard(each, plan));
  const fits = expressions.map(resultFits);
  const checks = [
    mayWrite(plan),
    sql`(${staysAllowed(plan) ?? sql`true`}) IS TRUE AS _stays`,
    ...guards.map((each, at) => sql`(${each}) IS TRUE AS ${ident(`_passed${at}`)}`),
    ...fits.map((each, at) => sql`(${each}) IS TRUE AS ${ident(`_fits${at}`)}`),
    ...oldColumns(plan, changed, 't'),
  ];
  const of = (name: string, list: readonly unknown[]) => list.map((_, at) => ident('g', `${name}${at}`));
  const [passed, fit] = [of('_passed', guards), of('_fits', fits)];
  const every = [sql`g._may`, sql`g._stays`, ...passed, ...fit].map(everyUnit);
  const ok = all([sql`count(*) <= ${integer(plan.most)}`, ...every]);
  const unfit = fit.length > 0 ? firstUnit(sql`NOT (${all(fit)})`) : sql`NULL::text`;
  return render(sql`
    WITH found AS MATERIALIZED (${foundKeys(plan)}),
    target AS MATERIALIZED (${targetRows(plan, checks, joined, false)}),
    verdict AS MATERIALIZED (
      SELECT
        count(*)::int AS matched,
        ${firstUnit(sql`NOT g._may`)} AS denied,
        ARRAY[${join(passed.map((each) => firstUnit(sql`NOT ${each}`)))}]::text[] AS guarded,
        ${unfit} AS unfit,
        ${firstUnit(sql`NOT g._stays`)} AS leaving,
        ${ok} AS ok
      FROM target AS g
    ),
    affected AS (
      UPDATE ${kindTable(schema, kind)} AS t
      SET ${changesOf(plan)}
      FROM target AS g${joined}
      WHERE ${columnRef(kind.keyField)} = g._key AND (SELECT ok FROM verdict)
      RETURNING ${recorded ? join([sql`t.*`, ...keptOldColumns(plan, changed, 'g')]) : sql`1`}
    )${recorded ? sql`, recorded AS (${recorded})` : EMPTY_SQL}
    SELECT
      ${modelVersion(schema)} AS v,
      verdict.matched, verdict.denied, verdict.guarded, verdict.unfit, verdict.leaving,
      (SELECT count(*)::int FROM affected) AS affected
    FROM verdict
  `);
}

function everyUnit(condition: Fragment): Fragment {
  return sql`coalesce(bool_and(${condition}), true)`;
}

/** The key of a unit of which a condition holds; null if there is none. */
function firstUnit(condition: Fragment): Fragment {
  return sql`min(g._key::text) FILTER (WHERE ${condition})`;
}

/**
 * One row `units`: for each list of fields, the key of a unit that the edit would give the values of another unit; null
 * if there is none. Of units to which it gives the same values, one of the later ones.
 */
export function takenByMatchingStatement(
  plan: UpdateMatchingPlan,
  rows: NewRows,
  lists: readonly (readonly Field[])[],
): Statement {
  const { schema, kind, written } = plan;
  const joined = written.length > 0 ? sql`, ${inputTable(written, rows, paramsOf(rows).map(param))}` : EMPTY_SQL;
  const fields = [...new Set(lists.flat())];
  const name = (field: Field) => ident(`_v${fields.indexOf(field)}`);
  const values = fields.map((field) => sql`${valueAfter(field, plan)} AS ${name(field)}`);
  const key = columnRef(kind.keyField);
  const units = lists.map((list) => {
    const given = list.map((field) => sql`g.${name(field)}`);
    const same = list.map((field) => sql`${columnRef(field)} = g.${name(field)}`);
    const others = sql`SELECT FROM ${kindTable(schema, kind)} AS t WHERE ${all([...same, sql`${key} <> g._key`])}`;
    const known = all(given.map((value) => sql`${value} IS NOT NULL`));
    return sql`(
      SELECT min(u._key::text)
      FROM (
        SELECT
          g._key,
          ${known} AND (
            EXISTS (${others}) OR row_number() OVER (PARTITION BY ${join(given)} ORDER BY g._key) > 1
          ) AS taken
        FROM edited AS g
      ) AS u
      WHERE u.taken
    )`;
  });
  return render(sql`
    WITH found AS MATERIALIZED (${foundKeys(plan)}),
    edited AS MATERIALIZED (
      SELECT ${join([sql`${key} AS _key`, ...values])}
      FROM ${kindTable(schema, kind)} AS t${joined}
      WHERE ${key} = ANY(ARRAY(SELECT _f.id FROM found AS _f))
    )
    SELECT ARRAY[${join(units)}]::text[] AS units
  `);
}

/** One row `units`: for each check, the key of a unit that would fail it after the edit; null for none. */
export function failingMatchingStatement(
  plan: UpdateMatchingPlan,
  rows: NewRows,
  checks: readonly ResolvedCheck[],
): Statement {
  const { schema, kind, written } = plan;
  const joined = written.length > 0 ? sql`, ${inputTable(written, rows, paramsOf(rows).map(param))}` : EMPTY_SQL;
  const key = columnRef(kind.keyField);
  const units = checks.map((check) => sql`min(${key}::text) FILTER (WHERE ${failsAfter(plan, check, 't')})`);
  return render(sql`
    WITH found AS MATERIALIZED (${foundKeys(plan)})
    SELECT ARRAY[${join(units)}]::text[] AS units
    FROM ${kindTable(schema, kind)} AS t${joined}
    WHERE ${key} = ANY(ARRAY(SELECT _f.id FROM found AS _f))
  `);
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
