import { InexactNumber, scalarText, typeName } from '../../shared/json.js';
import { rangeSchema } from './number-rules.js';
import type { ValueRules } from '../parameter-setting/parameter-settings.js';
import {
  type Constraint,
  type JsonSchema,
  type ParameterType,
  type ReportValueFault,
  type Stored,
  OPERATORS,
} from './parameter-type.js';

const DECIMAL = /^-?\d+(\.\d+)?$/;
/** Of the text of a decimal. */
export const DECIMAL_CHARACTERS = 1000;

/** An exact number: a string without exponent or superfluous zeros. */
export const decimalType: ParameterType<'decimal', 'string'> = {
  id: 'decimal',
  label: 'Decimal',
  expects: 'a decimal number such as "12.5"',
  column: 'numeric',
  json: 'decimal',
  fields: ['default', 'min_value', 'max_value', 'scale'],
  operators: OPERATORS.ordered,
  keyable: true,
  sortable: true,
  numeric: true,
  accept(value, rules, report) {
    const text = value instanceof InexactNumber ? undefined : typeof value === 'number' ? plainNumber(value) : value;
    if (text === undefined) {
      report('parameter.bad_value', 'a number has at most 15 significant digits; send longer ones as a string');
      return undefined;
    }
    if (typeof text !== 'string') {
      report('parameter.bad_type', `must be a string such as "12.5", got ${typeName(value)}`);
      return undefined;
    }
    const decimal = readDecimal(text);
    if (decimal === undefined) {
      report('parameter.bad_value', `must be a decimal number such as "12.5", without exponent`);
      return undefined;
    }
    return withinRules(decimal, rules, report) ? decimal : undefined;
  },
  read: readDecimal,
  canonical,
  compare: (a, b) => compareDecimals(plainText(a), plainText(b)),
  constraints(rules) {
    const found: Constraint[] = [];
    if (rules.scale !== undefined) found.push({ type: 'scale', limit: rules.scale });
    if (rules.minValue !== undefined) found.push({ type: 'min_value', limit: rules.minValue });
    if (rules.maxValue !== undefined) found.push({ type: 'max_value', limit: rules.maxValue });
    return found;
  },
  typescript: 'string',
  schema: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' },
  bodySchema: { type: ['string', 'number'], maxLength: DECIMAL_CHARACTERS },
  ruleSchema: rangeSchema,
  bodyRuleSchema,
  note: 'An exact number, as a string.',
  example({ minValue, maxValue }) {
    const wished = '1';
    const value =
      minValue !== undefined && compareDecimals(wished, plainText(minValue)) < 0 ? plainText(minValue) : wished;
    return maxValue !== undefined && compareDecimals(value, plainText(maxValue)) > 0 ? plainText(maxValue) : value;
  },
};

function canonical(value: Stored): Stored {
  return (typeof value === 'number' ? plainNumber(value) : readDecimal(scalarText(value))) ?? value;
}

/** The text of a value without an exponent, which a limit has in the body that defines it, if it is a JSON number. */
function plainText(value: Stored): string {
  return scalarText(canonical(value));
}

/**
 * Superfluous zeros are accepted. JSON Schema cannot compare strings as numbers, so its limits apply to numbers only;
 * the description states them for strings.
 */
function bodyRuleSchema({ scale, minValue, maxValue }: ValueRules): JsonSchema {
  const decimals = scale === undefined ? '\\d+' : scale === 0 ? '0+' : `\\d{1,${scale}}0*`;
  const bound = (keyword: string, value: number | string | undefined): JsonSchema =>
    value !== undefined && String(Number(value)) === String(value) ? { [keyword]: Number(value) } : {};
  return { pattern: `^-?\\d+(?:\\.${decimals})?$`, ...bound('minimum', minValue), ...bound('maximum', maxValue) };
}

function withinRules(decimal: string, rules: ValueRules, report: ReportValueFault): boolean {
  const decimals = decimal.split('.')[1]?.length ?? 0;
  if (rules.scale !== undefined && decimals > rules.scale) {
    report('parameter.bad_value', `at most ${rules.scale} decimals, got ${decimals}`);
  } else if (rules.minValue !== undefined && compareDecimals(decimal, plainText(rules.minValue)) < 0) {
    report('parameter.too_small', `at least ${rules.minValue}, got ${decimal}`);
  } else if (rules.maxValue !== undefined && compareDecimals(decimal, plainText(rules.maxValue)) > 0) {
    report('parameter.too_large', `at most ${rules.maxValue}, got ${decimal}`);
  } else return true;
  return false;
}

/** The canonical text of a decimal: no superfluous zeros, no negative zero; undefined if the text is not a decimal. */
function readDecimal(text: string): string | undefined {
  if (text.length > DECIMAL_CHARACTERS || !DECIMAL.test(text)) return undefined;
  const negative = text.startsWith('-');
  const [whole = '', fraction = ''] = (negative ? text.slice(1) : text).split('.');
  const digits = whole.replace(/^0+(?=\d)/, '');
  const rest = fraction.replace(/0+$/, '');
  const plain = rest ? `${digits}.${rest}` : digits;
  return negative && plain !== '0' ? `-${plain}` : plain;
}

/** A JSON number as a text without exponent; undefined if it has more than 15 digits, as it may have lost some. */
function plainNumber(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const [mantissa = '', exponent = '0'] = value.toString().split('e');
  const negative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const significant = (whole + fraction).replace(/^0+/, '').replace(/0+$/, '');
  if (significant.length > 15) return undefined;
  const shift = whole.length + Number(exponent);
  const digits = whole + fraction;
  const padded = shift <= 0 ? '0'.repeat(1 - shift) + digits : digits.padEnd(shift, '0');
  const point = Math.max(1, shift);
  const text = padded.length > point ? `${padded.slice(0, point)}.${padded.slice(point)}` : padded;
  return negative ? `-${text}` : text;
}

/** Compares two decimals exactly: negative, zero or positive. */
export function compareDecimals(a: string, b: string): number {
  const scale = Math.max(a.split('.')[1]?.length ?? 0, b.split('.')[1]?.length ?? 0);
  const difference = scaled(a, scale) - scaled(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function scaled(text: string, scale: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}
