/** Edits of units: one statement each, with the results of expressions on what is stored. */
import type { FieldExpression } from '../../model/expression.js';
import type { Field } from '../../model/model.js';
import { conjunctsOf, type Predicate } from '../../model/predicate/predicate.js';
import { testedFields } from '../../model/predicate/related.js';
import { columnRef } from '../columns.sql.js';
import { hasConditions, jsonObject } from '../list/hidden-fields.sql.js';
import { expressionResult, hasOneText, resultFits } from './expression.sql.js';
import { all, EMPTY_SQL, ident, join, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { inputColumn, inputRows, inputTable, paramsOf, type NewRows, type RowsText } from './new-rows.sql.js';
import { fromTemplate } from '../statement-template.js';
import { hasId, kindTable } from '../table.sql.js';
import { SET_UPDATED_AT, UPDATED_AT } from '../unit-version.sql.js';
import {
  answerColumns,
  holdsFor,
  targetConditions,
  writtenAnswer,
  writtenShape,
  type UpdatePlan,
  type WriteOnceField,
  type WritePlan,
} from './write.sql.js';

/** One row `tag, body`; none if the model is outdated, or no unit was changed. */
export function updateStatement(plan: UpdatePlan, rows: NewRows): Statement {
  const params = paramsOf(rows);
  const sqlWith = (id: Fragment, version: Fragment, values: readonly Fragment[]) =>
    updateSql(plan, inputTable(plan.written, rows, values), id, version);
  const { expressions = [] } = plan;
  if (plan.allowed || plan.shown || plan.access || plan.tags || hasConditions(plan.fields) || expressions.length > 0) {
    return render(sqlWith(param(plan.id), param(plan.version), params.map(param)), expressions.every(hasOneText));
  }
  const once = plan.writeOnce.map(({ field, repeatable }) => `${field.id}:${repeatable}`).join();
  const shape = `update ${plan.schema} ${'json' in rows ? 'json' : 'one'} ${writtenShape(plan)} ${once}`;
  return fromTemplate(plan.fields, shape, [plan.id, plan.version, ...params], ([id, version, ...values]) =>
    sqlWith(id, version, values),
  );
}

/** @param input the table `i` */
function updateSql(plan: UpdatePlan, input: Fragment, id: Fragment, version: Fragment): Fragment {
  const { expressions = [] } = plan;
  const source = plan.written.length > 0 ? sql` FROM ${input}` : EMPTY_SQL;
  const once = plan.writeOnce.map((each) => keepsValue(each, plan));
  const affected = sql`
    UPDATE ${kindTable(plan.schema, plan.kind)} AS t
    SET ${changesOf(plan)}${source}
    WHERE ${all([targetConditions(plan, id, version), staysAllowed(plan), ...once, ...expressions.map(resultFits)])}
    RETURNING t.*
  `;
  return writtenAnswer(affected, editedColumns(plan));
}

/** What an edit sets: the input `i`, the results of expressions and a new version. */
export function changesOf({ written, expressions = [] }: Pick<UpdatePlan, 'written' | 'expressions'>): Fragment {
  const set = (field: Field, value: Fragment) => sql`${ident(field.column ?? field.id)} = ${value}`;
  const inputs = written.map((field) => set(field, inputColumn(field)));
  const results = expressions.map((each) => set(each.field, expressionResult(each)));
  return join([...inputs, ...results, SET_UPDATED_AT]);
}

/** Whether the unit has no value of the field yet, or the new value is the stored one. */
export function keepsValue(
  { field, repeatable }: WriteOnceField,
  { expressions }: Pick<UpdatePlan, 'expressions'>,
): Fragment {
  const stored = columnRef(field);
  if (!repeatable) return sql`${stored} IS NULL`;
  const value = valueAfter(field, { written: [field], ...(expressions && { expressions }) });
  return sql`(${stored} IS NULL OR ${stored} IS NOT DISTINCT FROM ${value})`;
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

/** One row `kept` for a unit: for each field that may be written once, whether the new values would keep its value. */
export function keptValuesStatement(plan: UpdatePlan, { json }: RowsText): Statement {
  const input = plan.written.length > 0 ? sql`, ${inputRows(plan.written, param(json))}` : EMPTY_SQL;
  return render(sql`
    SELECT ARRAY[${join(plan.writeOnce.map((each) => keepsValue(each, plan)))}] AS kept
    FROM ${kindTable(plan.schema, plan.kind)} AS t${input}
    WHERE ${hasId(plan.kind, param(plan.id))}
  `);
}

/** Whether the unit satisfies the condition of the plan after the edit, if it did before; undefined if that is certain. */
export function staysAllowed(plan: EditPlan): Fragment | undefined {
  const tested = changedBy(plan, plan.allowed);
  return tested && holdsFor(plan, tested, 'i', 't');
}

/** The columns of an edited unit, which the caller could read before. */
export function editedColumns(plan: EditPlan): Fragment {
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
