/** Edits of units: one statement each, with the results of expressions on what is stored. */
import type { FieldExpression } from '../../model/expression.js';
import type { Field } from '../../model/model.js';
import { conjunctsOf, type Predicate } from '../../model/predicate/predicate.js';
import { testedFields } from '../../model/predicate/related.js';
import { boundedInTotal } from '../answer-size.sql.js';
import { columnRef, SET_UPDATED_AT, UPDATED_AT } from '../columns.sql.js';
import { leadsTo, nextValues, type TransitionField } from '../condition/next-values.sql.js';
import { predicateSql, rowConditions } from '../condition/predicate.sql.js';
import { all, EMPTY_SQL, type Fragment, ident, join, param, render, sql, type Statement } from '../fragment.js';
import { hasConditions, jsonObject } from '../list/hidden-fields.sql.js';
import { rowLock } from '../lock.sql.js';
import { isModelVersion, modelVersion } from '../model-version.sql.js';
import { fromTemplate } from '../statement-template.js';
import { hasId, kindTable } from '../table.sql.js';
import { expressionResult, hasOneText, resultFits } from './expression.sql.js';
import {
  INPUT_KEY,
  inputColumn,
  inputRows,
  inputTable,
  isPlannedOnce,
  keyedInputRows,
  type NewRows,
  paramsOf,
  type RowsText,
} from './input-rows.sql.js';
import { keptOldColumns, oldColumns, recordUpdated } from './recording.sql.js';
import {
  answerColumns,
  holdsFor,
  targetConditions,
  type UpdatePlan,
  type GuardedField,
  hasTransitions,
  type Stamp,
  type WritePlan,
  writtenAnswer,
  writtenShape,
} from './written-rows.sql.js';

/**
 * One row `tag, body`; none if the model is outdated, or no unit was changed.
 * @param locked whether the values before are read with a lock. Without it, a unit that is changed meanwhile is not
 * changed, if its changes are recorded: the values before would be those that it had then.
 */
export function updateStatement(plan: UpdatePlan, rows: NewRows, locked = false): Statement {
  const params = paramsOf(rows);
  const origin = plan.recording?.origin;
  const sqlWith = (id: Fragment, stamp: Stamp, values: readonly Fragment[]) =>
    updateSql({ ...plan, locked }, inputTable(plan.written, rows, values), id, stamp);
  const { expressions = [] } = plan;
  const isOwnText = expressions.length > 0 || hasConditions(plan.fields) || plan.guarded.some(hasTransitions);
  if (plan.allowed || plan.shown || plan.access || plan.tags || isOwnText) {
    const stamp = { version: param(plan.version), origin: param(origin) };
    return render(sqlWith(param(plan.id), stamp, params.map(param)), expressions.every(hasOneText));
  }
  const once = plan.guarded.map((each) => (hasTransitions(each) ? '' : `${each.field.id}:${each.repeatable}`)).join();
  const shape = `update ${locked} ${plan.schema} ${'json' in rows ? 'json' : 'one'} ${writtenShape(plan)} ${once}`;
  return fromTemplate(plan.fields, shape, [plan.id, plan.version, origin, ...params], ([id, version, by, ...values]) =>
    sqlWith(id, { version, origin: by }, values),
  );
}

/** @param input the table `i` */
function updateSql(
  plan: UpdatePlan & { readonly locked: boolean },
  input: Fragment,
  id: Fragment,
  { version, origin }: Stamp,
): Fragment {
  const { expressions = [] } = plan;
  const changed = changedFields(plan);
  const old = plan.recording && oldRow(plan, id);
  const sources = [...(plan.written.length > 0 ? [input] : []), ...(old ? [old.source] : [])];
  const source = sources.length > 0 ? sql` FROM ${join(sources)}` : EMPTY_SQL;
  const guards = plan.guarded.map((each) => passesGuard(each, plan));
  const affected = sql`
    UPDATE ${kindTable(plan.schema, plan.kind)} AS t
    SET ${changesOf(plan)}${source}
    WHERE ${all([
      targetConditions(plan, id, version),
      old?.isSame,
      staysAllowed(plan),
      ...guards,
      ...expressions.map(resultFits),
    ])}
    RETURNING ${join([sql`t.*`, ...oldColumns(plan, changed, 'old')])}
  `;
  const recorded = recordUpdated(plan, changed, sql`affected`, origin);
  return writtenAnswer(affected, editedColumns(plan), { ...(old?.locking && { before: old.locking }), recorded });
}

/** The row `old` of the unit before an edit: from the statement's snapshot, or locked. */
function oldRow(plan: UpdatePlan & { readonly locked: boolean }, id: Fragment) {
  const table = kindTable(plan.schema, plan.kind);
  if (!plan.locked) {
    const isSame = sql`old."id" = t."id" AND old."updated_at" = t."updated_at"`;
    return { source: sql`${table} AS old`, isSame };
  }
  const row = sql`SELECT t.* FROM ${table} AS t WHERE ${hasId(plan.kind, id)} ${rowLock(false)}`;
  return { source: sql`old`, isSame: sql`old."id" = t."id"`, locking: sql`old AS MATERIALIZED (${row})` };
}

/** The fields that an edit sets. */
export function changedFields({
  written,
  expressions = [],
}: Pick<UpdatePlan, 'written' | 'expressions'>): readonly Field[] {
  return [...written, ...expressions.map(({ field }) => field)];
}

/** What an edit sets: the input `i`, the results of expressions and a new version. */
export function changesOf({ written, expressions = [] }: Pick<UpdatePlan, 'written' | 'expressions'>): Fragment {
  const set = (field: Field, value: Fragment) => sql`${ident(field.column ?? field.id)} = ${value}`;
  const inputs = written.map((field) => set(field, inputColumn(field)));
  const results = expressions.map((each) => set(each.field, expressionResult(each)));
  return join([...inputs, ...results, SET_UPDATED_AT]);
}

type GuardPlan = Pick<UpdatePlan, 'schema' | 'expressions'>;

/** Whether the new value may follow the stored one. */
export function passesGuard(guarded: GuardedField, plan: GuardPlan): Fragment {
  const { field } = guarded;
  const stored = columnRef(field);
  if (!hasTransitions(guarded) && !guarded.repeatable) return sql`${stored} IS NULL`;
  const { expressions } = plan;
  const value = valueAfter(field, { written: [field], ...(expressions && { expressions }) });
  const ways = hasTransitions(guarded) ? leadsTo(guarded, value, plan.schema) : sql`${stored} IS NULL`;
  return sql`(${ways} OR ${stored} IS NOT DISTINCT FROM ${value})`;
}

/**
 * One row `value, next` for a unit: the stored value of a field with transitions, and those that may follow it.
 * @param shown the units that show the value; undefined for all
 */
export function nextValuesStatement(
  { schema, kind, id }: Pick<UpdatePlan, 'schema' | 'kind' | 'id'>,
  transitions: TransitionField,
  shown: Predicate | undefined,
): Statement {
  return render(sql`
    SELECT ${columnRef(transitions.field)} AS value, ${nextValues(transitions, schema)} AS next
    FROM ${kindTable(schema, kind)} AS t
    WHERE ${all([hasId(kind, param(id)), shown && predicateSql(shown, { schema, row: 't' })])}
  `);
}

/** The value that a unit has in a field after an edit. */
export function valueAfter(
  field: Field,
  { written, expressions }: Pick<UpdatePlan, 'written' | 'expressions'>,
): Fragment {
  const expression = expressions?.find((each) => each.field === field);
  if (expression) return expressionResult(expression);
  return written.includes(field) ? inputColumn(field) : columnRef(field);
}

/** One row `body, fits` for a unit: the results of the expressions as JSON, and whether each may be stored. */
export function resultsStatement(
  { schema, kind, id }: Pick<UpdatePlan, 'schema' | 'kind' | 'id'>,
  expressions: readonly FieldExpression[],
): Statement {
  const results = expressions.map((each) => {
    return sql`${expressionResult(each)} AS ${ident(each.field.column ?? each.field.id)}`;
  });
  return render(sql`
    SELECT ${jsonObject(
      schema,
      expressions.map(({ field }) => field),
    )} AS body, t._fits AS fits
    FROM (
      SELECT ${join(results)}, ARRAY[${join(expressions.map(resultFits))}] AS _fits
      FROM ${kindTable(schema, kind)} AS t
      WHERE ${hasId(kind, param(id))}
    ) AS t
  `);
}

/** One row `passed` for a unit: for each guarded field, whether the new value may follow the stored one. */
export function passedGuardsStatement(plan: UpdatePlan, { json }: RowsText): Statement {
  const input = plan.written.length > 0 ? sql`, ${inputRows(plan.written, param(json))}` : EMPTY_SQL;
  return render(sql`
    SELECT ARRAY[${join(plan.guarded.map((each) => sql`(${passesGuard(each, plan)}) IS TRUE`))}] AS passed
    FROM ${kindTable(plan.schema, plan.kind)} AS t${input}
    WHERE ${hasId(plan.kind, param(plan.id))}
  `);
}

/** One row `holds` for a unit: for each condition, whether the unit satisfies it after the edit. */
export function judgedEditStatement(plan: UpdatePlan, conditions: readonly Predicate[], { json }: RowsText): Statement {
  const input = plan.written.length > 0 ? sql`, ${inputRows(plan.written, param(json))}` : EMPTY_SQL;
  return render(sql`
    SELECT ARRAY[${join(conditions.map((each) => holdsFor(plan, each, 'i', 't')))}] AS holds
    FROM ${kindTable(plan.schema, plan.kind)} AS t${input}
    WHERE ${hasId(plan.kind, param(plan.id))}
  `);
}

/** Whether the unit satisfies a condition after the edit, if it did before; undefined if that is certain. */
export function staysAllowed(plan: EditPlan, allowed: Predicate | undefined = plan.allowed): Fragment | undefined {
  const tested = changedBy(plan, allowed);
  return tested && holdsFor(plan, tested, 'i', 't');
}

/** The columns of an edited unit, which the caller could read before. */
function editedColumns(plan: EditPlan): Fragment {
  return answerColumns({ ...plan, shown: changedBy(plan, plan.shown) });
}

type EditPlan = WritePlan & Pick<UpdatePlan, 'expressions'>;

/**
 * The parts of a condition whose result an edit can change: those that test a field that it writes. So large rules, such
 * as those over linked units of many kinds, are in the statement once.
 */
function changedBy({ written, expressions = [] }: EditPlan, condition: Predicate | undefined): Predicate | undefined {
  const changed = new Set([...written, ...expressions.map(({ field }) => field)].map(({ column }) => column));
  changed.add(UPDATED_AT);
  const parts = conjunctsOf(condition).filter((part) => testedFields(part).some(({ column }) => changed.has(column)));
  return parts.length > 0 ? { op: 'and', parts } : undefined;
}

export interface UpdateSetPlan extends Omit<UpdatePlan, 'id' | 'tags' | 'expressions'> {
  /** The units that the caller may read; undefined for all. */
  readonly readable: Predicate | undefined;
  /** The conditions of the written fields that have one, which hold before and after. They are not in `allowed`. */
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
  const { schema, kind, written, guarded, rules } = plan;
  const key = columnRef(kind.keyField);
  const isTarget = all([sql`${key} = ${INPUT_KEY}`, ...rowConditions(schema, kind, [])]);
  const holds = (predicate: Predicate | undefined) =>
    predicate ? sql`(${predicateSql(predicate, { schema, row: 't' })}) IS TRUE` : sql`true`;
  const checks: readonly (readonly [name: string, holds: Fragment])[] = [
    ['_seen', holds(plan.readable)],
    ['_may', holds(plan.access)],
    ...rules.map((rule, at) => [`_rule${at}`, holds(rule)] as const),
    ...guarded.map((each, at) => [`_passed${at}`, sql`(${passesGuard(each, { schema })}) IS TRUE`] as const),
    ['_stays', sql`(${staysAllowed(plan) ?? sql`true`}) IS TRUE`],
    ...rules.map((rule, at) => [`_keeps${at}`, sql`(${staysAllowed(plan, rule) ?? sql`true`}) IS TRUE`] as const),
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
      'guarded', ${list('_passed', guarded)},
      'leaving', ${failing('_stays')},
      'unruled', ${list('_keeps', rules)}
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
  const recorded = recordUpdated(plan, written, sql`affected`);
  const columns = plan.answers || recorded ? [sql`i._n`, sql`t.*`] : [sql`1 AS n`];
  const returned = join([...columns, ...keptOldColumns(plan, written, 'g')]);
  // Recording lets Citus store what it finds, which fails with the hidden column that locking adds: hence `g` around it.
  const target = sql`
    SELECT ${join([
      sql`i._n::int - 1 AS _n`,
      ...checks.map(([name, test]) => sql`${test} AS ${ident(name)}`),
      ...oldColumns(plan, written, 't'),
    ])}
    FROM input AS i
    JOIN ${kindTable(schema, kind)} AS t ON ${isTarget}
    ORDER BY ${key}
    ${rowLock(false)} OF t
  `;
  return render(
    sql`
      WITH input AS MATERIALIZED (
        SELECT i.*
        FROM ${keyedInputRows(kind, written, param(json), plan.keys)}
      ),
      target AS MATERIALIZED (${recorded ? sql`SELECT g.* FROM (${target}) AS g` : target}),
      verdict AS MATERIALIZED (
        SELECT (${ok}) IS TRUE AS ok, ${failed} AS failed
        FROM target AS g
      ),
      affected AS (
        UPDATE ${kindTable(schema, kind)} AS t
        SET ${changesOf({ written })}
        FROM input AS i${plan.recording ? sql`, target AS g` : EMPTY_SQL}
        WHERE ${isTarget} AND (SELECT ok FROM verdict)${plan.recording ? sql` AND g._n = i._n::int - 1` : EMPTY_SQL}
        RETURNING ${returned}
      )${recorded ? sql`, recorded AS (${recorded})` : EMPTY_SQL}${answer}
      SELECT
        ${modelVersion(schema)} AS v,
        CASE WHEN NOT verdict.ok THEN verdict.failed END AS failed,
        ${plan.answers ? sql`a.n, a.tag, ${boundedInTotal(sql`a.body`)} AS body` : sql`NULL::int AS n`}
      FROM verdict${plan.answers ? sql` LEFT JOIN answer AS a ON true` : EMPTY_SQL}
    `,
    isPlannedOnce(count),
  );
}
