/** How values of fields are shown, and in what they are typed. */
import type { Field } from '../api/types.js';
import type { Text } from '../i18n/text.js';
import { localForm } from './written.js';

const NUMERIC: ReadonlySet<string> = new Set(['integer', 'float', 'decimal']);
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function isNumeric({ type, multiple }: Pick<Field, 'type' | 'multiple'>): boolean {
  return !multiple && NUMERIC.has(type);
}

/** The text of a value in a cell. */
export function shownValue({ type, multiple }: Pick<Field, 'type' | 'multiple'>, value: unknown, text: Text): string {
  if (value === null || value === undefined) return '';
  if (multiple && Array.isArray(value))
    return value.map((each) => shownValue({ type, multiple: false }, each, text)).join(', ');
  switch (type) {
    case 'integer':
    case 'float':
      return number.format(value as number);
    case 'decimal':
      // As a text, because a number would lose digits.
      return number.format(value as `${number}`);
    case 'boolean':
      return text(value === true ? 'grid.yes' : 'grid.no');
    case 'date':
      return formatted(date, `${value as string}T00:00:00Z`, value);
    case 'datetime':
      return formatted(dateTime, value as string, value);
    case 'binary':
      return text('grid.bytes', { smart_count: byteCount(value as string) });
    case 'json':
      return JSON.stringify(value);
    case 'string':
    case 'text':
    case 'time':
    case 'unit':
      return textOf(value);
  }
}

/** What strings, and values of a type that is newer than the console, are as text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function formatted(format: Intl.DateTimeFormat, iso: string, value: unknown): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? textOf(value) : format.format(time);
}

function byteCount(base64: string): number {
  const padding = /=*$/.exec(base64)?.[0].length ?? 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** What is typed for fields that have no control of their own: JSON, and lists of texts that a comma may be part of. */
export function isTypedAsJson({ type, multiple }: Field): boolean {
  return type === 'json' || (multiple && (type === 'binary' || type === 'boolean'));
}

/** The input of a date or time that is typed in half. */
export const INCOMPLETE = '\0';

const NATIVE = { date: 'date', time: 'time', datetime: 'datetime-local' } as const;
const SHOWN_BY = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/,
} as const;

/** The type of the input of a date or time; the browser's own, unless that cannot show the value. */
export function inputTypeOf(type: keyof typeof NATIVE, input: string): string {
  return input === '' || SHOWN_BY[type].test(input) ? NATIVE[type] : 'text';
}

/** The text, or other value of a control, in which a value is edited; '' is no value. */
export function inputOf(field: Field, value: unknown): unknown {
  if (value === null || value === undefined) return field.multiple && !isTypedAsJson(field) ? [] : '';
  if (isTypedAsJson(field)) return JSON.stringify(value, undefined, 2);
  if (field.multiple) return (value as unknown[]).map((each) => typedForm(field, each));
  return field.type === 'datetime' ? localTime(value as string) : typedForm(field, value);
}

/** As it would be typed: with the decimal separator of the browser's language. */
function typedForm({ type }: Field, value: unknown): string {
  return type === 'float' || type === 'decimal' ? localForm(textOf(value)) : textOf(value);
}

/** A time in the time zone of the browser, as its input has it: to the millisecond. */
function localTime(iso: string): string {
  const time = new Date(iso);
  const [year, ...others] = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  if (Number.isNaN(time.getTime()) || year < 1000 || year > 9999) return iso;
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
  const thousandths = time.getMilliseconds();
  const rest = thousandths === 0 ? '' : `.${String(thousandths).padStart(3, '0')}`;
  return `${[year, ...others.map(twoDigits)].join('-')}T${clock}${rest}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
