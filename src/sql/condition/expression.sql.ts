/**
 * Expressions as SQL. Each operand stands in it once, so that the text grows with the expression alone. Whole numbers and
 * decimals are computed exactly, as `numeric`; where one number is a float, all are.
 */
import type { Target } from '../../model/predicate/predicate.js';
import { columnType } from '../columns.sql.js';
import { param, sql, type Fragment } from '../fragment.js';

/** The value of a target in its row. */
type ValueOf = (source: Target) => Fragment;

/** The value of a target, which may be computed of others. */
export function expressionSql(target: Target, valueOf: ValueOf): Fragment {
  if (!target.computed) return valueOf(target);
  return termSql(target, columnType(target.field.columnType), valueOf);
}

/** @param type of all numbers in the expression */
function termSql(term: Target | string, type: Fragment, valueOf: ValueOf): Fragment {
  if (typeof term === 'string') return sql`${param(term)}::${type}`;
  const { computed } = term;
  if (!computed) return sql`(${valueOf(term)})::${type}`;
  if (computed.function === 'days') return sql`${daysSql(computed.operands, valueOf)}::${type}`;
  const [a = NO_OPERAND, b = NO_OPERAND] = computed.operands.map((operand) => termSql(operand, type, valueOf));
  switch (computed.function) {
    case 'add':
      return sql`(${a} + ${b})`;
    case 'sub':
      return sql`(${a} - ${b})`;
    case 'mul':
      return sql`(${a} * ${b})`;
    case 'div':
      return sql`(${a} / nullif(${b}, 0))`;
  }
}

const NO_OPERAND = sql`NULL`;

/** Days between dates are whole, those between instants have a fraction. A date is its first instant, in UTC. */
function daysSql(operands: readonly (Target | string)[], valueOf: ValueOf): Fragment {
  const times = operands.flatMap((each) => (typeof each === 'string' ? [] : [each]));
  const isDate = ({ field }: Target): boolean => field.columnType === 'date';
  const valueIn = (time: Target): Fragment =>
    isDate(time) && !times.every(isDate) ? sql`(${valueOf(time)}::timestamp AT TIME ZONE 'UTC')` : valueOf(time);
  const [from = NO_OPERAND, to = NO_OPERAND] = times.map(valueIn);
  return times.every(isDate) ? sql`(${to} - ${from})` : sql`(extract(epoch FROM ${to} - ${from}) / 86400)`;
}
