/** The value that is sent for what was typed, checked by the definition of its field as the service does. */
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import type { ValueRules } from '../../../src/model/parameter-setting/parameter-settings.js';
import type { ErrorCode } from '../../../src/shared/errors.js';
import type { Field } from '../api/types.js';
import type { Text } from '../i18n/text.js';
import { InputError } from './console-field.js';
import { fieldOfType } from './fields.js';
import { parseJson } from './json-text.js';
import { isMismatch } from './patterns.js';
import { isTypedAsJson, shownValue } from './values.js';

/** Faults of elements that are shown. */
const MOST_FAULTS = 5;

/** @param input null: none, whatever is typed for it @throws InputError that says what is wrong, and what would be right */
export function valueOf(field: Field, input: unknown, text: Text): unknown {
  const value = input === null ? null : read(field, input, text);
  if (value === null && isNeeded(field)) {
    throw new InputError(text('field.required'));
  }
  return value;
}

function read(field: Field, input: unknown, text: Text): unknown {
  return isTypedAsJson(field) ? jsonTyped(field, input as string, text) : typedIn(field, input, text);
}

function isNeeded({ required, limits }: Field): boolean {
  return required || limits?.nullable === false;
}

function typedIn(field: Field, input: unknown, text: Text): unknown {
  if (!field.multiple) {
    if (input === '') return field.default === '' && !field.required ? input : null;
    return checked(field, scalar(field, input as string, text), text);
  }
  const items = input as readonly string[];
  return items.length === 0 ? null : elements(field, items, (item) => scalar(field, item, text), text);
}

function jsonTyped(field: Field, typed: string, text: Text): unknown {
  if (typed.trim() === '') return null;
  const value = parseJson(typed, text);
  if (value === null) return null;
  if (!field.multiple) return checked(field, value, text);
  if (!Array.isArray(value)) throw new InputError(text('field.not_list'));
  return elements(field, value, (item) => item, text);
}

function elements<T>(field: Field, items: readonly T[], read: (item: T) => unknown, text: Text): readonly unknown[] {
  const faults: string[] = [];
  const values = items.map((item, at) => {
    try {
      return checked(field, read(item), text);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      faults.push(text('field.element', { number: at + 1, fault: error.message }));
      return undefined;
    }
  });
  const keys = values.map((value) => JSON.stringify(value));
  const twice = field.limits?.unique ? keys.findIndex((key, at) => keys.indexOf(key) < at) : -1;
  if (faults.length === 0 && twice >= 0) faults.push(text('field.twice', { number: twice + 1 }));
  if (faults.length > 0) throw new InputError(faults.slice(0, MOST_FAULTS).join('\n'));
  return values;
}

/** What is typed as a value of the type, whatever its limits are. */
function scalar({ type, values }: Field, typed: string, text: Text): unknown {
  const { parse } = fieldOfType(type);
  // A choice of a list may have any text.
  return parse ? parse(typed, text) : (values?.find((value) => String(value) === typed) ?? typed);
}

/** What is wrong with a cell of a file, in which values are written as the API writes them; undefined if nothing seems to be. */
export function writtenFault(field: Field, written: string | null, text: Text): string | undefined {
  const { type, multiple } = field;
  if (written === null) return isNeeded(field) ? text('field.required') : undefined;
  if (multiple || isTypedAsJson(field)) return undefined;
  const isText = ['number', 'boolean'].every((name) => name !== PARAMETER_TYPES.get(type)?.inQuery);
  const value = isText ? written : PARAMETER_TYPES.get(type)?.read(written);
  return value === undefined ? formatText(type, text) : limitFault(field, value, text);
}

/** The value itself. @throws InputError */
function checked(field: Field, value: unknown, text: Text): unknown {
  const fault = limitFault(field, value, text);
  if (fault !== undefined) throw new InputError(fault);
  return value;
}

function limitFault(field: Field, value: unknown, text: Text): string | undefined {
  const { type, limits } = field;
  if (value === null) return text('field.required');
  const { check } = fieldOfType(type);
  if (check) return check(value, field, text);
  if (faultBy(type, value, {}) !== undefined) return formatText(type, text);
  const fault = faultBy(type, value, rulesOf(field));
  if (fault !== undefined) return ruleText(field, fault, text);
  if (typeof value !== 'string') return undefined;
  const kept = field.strip ? value.trim() : value;
  if (limits?.is_primary && ['', '.', '..'].includes(kept)) return text('field.no_key');
  const { pattern } = limits ?? {};
  return pattern && isMismatch(pattern, kept) ? text('field.mismatch', { pattern }) : undefined;
}

/** The code of the first fault; undefined if there is none. */
function faultBy(type: Field['type'], value: unknown, rules: ValueRules): ErrorCode | undefined {
  const codes: ErrorCode[] = [];
  // The service decides about types that are newer than the console.
  PARAMETER_TYPES.get(type)?.accept(value, rules, (code) => codes.push(code));
  return codes[0];
}

function rulesOf({ strip, min_length: minLength, max_length: maxLength, values, limits }: Field): ValueRules {
  return {
    strip,
    minLength: minLength ?? undefined,
    maxLength: maxLength ?? undefined,
    values: (values as ValueRules['values'] | null) ?? undefined,
    minValue: limits?.min_value ?? undefined,
    maxValue: limits?.max_value ?? undefined,
    scale: limits?.scale ?? undefined,
  };
}

/** What a value of the type is. */
function formatText(type: Field['type'], text: Text): string {
  return fieldOfType(type).expected?.(text) ?? text('field.not_text');
}

/** Allowed values that are named. */
const MOST_NAMED = 20;

function ruleText(field: Field, code: ErrorCode, text: Text): string {
  const { type, values, min_length: least, max_length: most, limits } = field;
  const shown = (value: unknown) => shownValue({ type, multiple: false }, value, text);
  switch (code) {
    case 'parameter.too_short':
      return text('field.too_short', { smart_count: least ?? 0 });
    case 'parameter.too_long':
      return text('field.too_long', { smart_count: most ?? 0 });
    case 'parameter.too_small':
      return text('field.too_small', { least: shown(limits?.min_value) });
    case 'parameter.too_large':
      return text('field.too_large', { most: shown(limits?.max_value) });
    case 'parameter.not_allowed':
      return text('field.not_value', { values: (values ?? []).slice(0, MOST_NAMED).map(String).join(', ') });
    default:
      return text('field.too_fine', { smart_count: limits?.scale ?? 0 });
  }
}
