/** Values that are typed as JSON. */
import type { Text } from '../i18n/text.js';
import { InputError } from './console-field.js';

/** @throws InputError also if a number would not be stored as it was typed */
export function parseJson(typed: string, text: Text): unknown {
  let inexact: string | undefined;
  // What was written is known to browsers since 2025.
  const reviver = (_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown => {
    if (typeof value === 'number' && /^-?\d+$/.test(source) && BigInt(source) !== BigInt(value)) inexact ??= source;
    return value;
  };
  let value: unknown;
  try {
    value = JSON.parse(typed, reviver as Parameters<typeof JSON.parse>[1]);
  } catch (error) {
    throw new InputError(text('field.not_json', { reason: (error as Error).message }));
  }
  if (inexact !== undefined) throw new InputError(text('field.inexact', { number: inexact }));
  return value;
}

/** The value in a setting, or what was typed if it is no JSON. */
export function jsonOrText(typed: string): unknown {
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    return typed;
  }
}
