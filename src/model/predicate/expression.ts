/** Expressions: which operands their functions take, and of which type the result is. Pure. */
import type { Path } from '../../filter/filter.ast.js';
import { printOperand } from '../../filter/filter.printer.js';
import { refusal, type KindError } from '../../shared/errors.js';
import { builtInField, typeInWords } from '../field.js';
import type { Field } from '../model.js';
import type { Target } from './predicate.js';

export type NumberType = 'integer' | 'decimal' | 'float';

/** Undefined where the value is no number. */
export function numberTypeOf({ field, keys }: Target): NumberType | undefined {
  if (keys.length > 0 || field.def.multiple || field.reference) return undefined;
  switch (field.columnType) {
    case 'bigint':
      return 'integer';
    case 'numeric':
      return field.json === 'safe_integer' ? 'integer' : 'decimal';
    case 'double precision':
      return 'float';
    default:
      return undefined;
  }
}

/** A number that is not stored. A whole one may have any size: it is a string where a JSON parser would lose digits. */
export function numberField(id: string, type: NumberType): Field {
  if (type === 'integer') return builtInField({ id, type: 'decimal' }, { column: undefined, json: 'safe_integer' });
  return builtInField({ id, type }, { column: undefined });
}

/** @throws KindError 400 if the value is no number */
export function checkedNumber(called: string, target: Target, at: number): NumberType {
  const type = numberTypeOf(target);
  if (type) return type;
  throw unfit(called, 'numbers', target, at);
}

/**
 * Resolves an expression.
 * @param resolve resolves an operand @throws KindError 400 if a function does not take an operand
 */
export function resolveComputed(expression: Path, resolve: (operand: Path) => Target): Target {
  const { computed, at } = expression;
  if (!computed) return resolve(expression);
  const { function: called } = computed;
  const types: NumberType[] = [];
  const operands = computed.operands.map((operand) => {
    if (!('segments' in operand)) {
      if (called === 'days') throw noTime(operand.text, operand.at);
      types.push(operand.text.includes('.') ? 'decimal' : 'integer');
      return operand.text;
    }
    const target = resolveComputed(operand, resolve);
    types.push(called === 'days' ? daysTypeOf(target, operand.at) : checkedNumber(called, target, operand.at));
    return target;
  });
  const field = numberField(printOperand({ segments: [], computed, at }), resultType(called === 'div', types));
  return { field, keys: [], computed: { function: called, operands } };
}

function resultType(divides: boolean, types: readonly NumberType[]): NumberType {
  if (types.includes('float')) return 'float';
  return divides || types.includes('decimal') ? 'decimal' : 'integer';
}

/** Days between dates are whole ones. */
function daysTypeOf(target: Target, at: number): NumberType {
  const { field, keys } = target;
  if (keys.length === 0 && !field.def.multiple) {
    if (field.columnType === 'date') return 'integer';
    if (field.columnType === 'timestamptz') return 'decimal';
  }
  throw unfit('days', 'dates or datetimes', target, at);
}

function unfit(called: string, wants: string, target: Target, at: number): KindError {
  const { id } = target.field;
  const text = `${called} wants ${wants}, and '${id}' is ${typeInWords(target.field)}, at character ${at}`;
  return refusal('filter.bad_operator', text, { parameter: id });
}

function noTime(number: string, at: number): KindError {
  return refusal('filter.bad_operator', `days wants dates or datetimes, got ${number}, at character ${at}`);
}
