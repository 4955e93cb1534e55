/** What the types of numbers share. */
import type { Text } from '../i18n/text.js';
import { InputError } from './console-field.js';
import { DECIMAL, numbersWritten } from './written.js';

const format = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 });

/** @param value a decimal as a text, because a number would lose digits */
export function shownNumber(value: unknown): string {
  return format.format(value as number | `${number}`);
}

/** For messages. */
export const EXAMPLE = `1234${DECIMAL}5`;

/** What ends an element of a list of numbers with decimals. */
export const SEPARATORS = DECIMAL === ',' ? [';', ' '] : undefined;

/** The number as the API writes it. @throws InputError */
export function numberTyped(typed: string, text: Text): string {
  return one(numbersWritten(typed), text('field.not_number', { example: EXAMPLE }), text);
}

/** @throws InputError */
export function wholeNumberTyped(typed: string, text: Text): number {
  const readings = numbersWritten(typed).filter((reading) => /^-?\d+$/.test(reading));
  const number = Number(one(readings, text('field.not_whole'), text));
  if (Number.isSafeInteger(number)) return number;
  throw new InputError(text('field.not_safe', { most: Number.MAX_SAFE_INTEGER }));
}

function one([reading, other]: readonly string[], fault: string, text: Text): string {
  if (reading === undefined) throw new InputError(fault);
  if (other !== undefined) throw new InputError(text('field.two_numbers', { one: reading, other }));
  return reading;
}

/** The number in a setting, or what was typed if it is none. */
export function numberOrText(typed: string): number | string {
  const value = Number(typed);
  return typed.trim() !== '' && Number.isFinite(value) ? value : typed;
}
