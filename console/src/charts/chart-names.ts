/** What groups and measures are called. */
import type { Field } from '../api/types.js';
import { labelKey, type Labels } from '../data/reference-labels.js';
import type { Period } from '../fields/console-field.js';
import { fieldOfType } from '../fields/fields.js';
import { shownValue } from '../fields/values.js';
import type { Text } from '../i18n/text.js';
import type { Chart } from './chart-query.js';

export type GroupName = (value: unknown) => string;

export function measureName({ measure, of }: Chart, fields: readonly Field[], text: Text): string {
  const field = fields.find(({ id }) => id === of);
  return field ? `${text(`charts.${measure}`)} ${text('charts.of')} ${field.label}` : text(`charts.${measure}`);
}

/** The name of a group; dates by the locale, references by their label. */
export function groupName(
  field: Field | undefined,
  step: Period | '',
  value: unknown,
  labels: Labels,
  text: Text,
): string {
  if (field === undefined) return text('charts.all');
  if (value === null || value === undefined) return text('charts.none');
  if (step !== '') return periodName(field, step, value as string);
  const { reference_kind: kind } = field;
  if (typeof kind === 'string' && typeof value === 'string') return labels.get(labelKey(kind, value)) ?? value;
  return shownValue({ type: field.type, multiple: false }, value, text);
}

const PERIOD_FORMATS: Readonly<Record<Exclude<Period, 'quarter'>, Intl.DateTimeFormatOptions>> = {
  year: { year: 'numeric' },
  month: { year: 'numeric', month: 'short' },
  week: { dateStyle: 'medium' },
  day: { dateStyle: 'medium' },
  hour: { dateStyle: 'medium', timeStyle: 'short' },
};

/** @param value the first day or instant of a period */
function periodName({ type }: Field, period: Period, value: string): string {
  const isDay = fieldOfType(type).time?.isDay === true;
  const time = new Date(isDay ? `${value}T00:00:00Z` : value);
  if (Number.isNaN(time.getTime())) return value;
  const zone = isDay ? { timeZone: 'UTC' } : {};
  if (period === 'quarter') {
    const parts = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'numeric', ...zone }).formatToParts(time);
    const part = (name: string): number => Number(parts.find((each) => each.type === name)?.value);
    return `${part('year')} Q${Math.ceil(part('month') / 3)}`;
  }
  return new Intl.DateTimeFormat(undefined, { ...PERIOD_FORMATS[period], ...zone }).format(time);
}

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const scientific = new Intl.NumberFormat(undefined, { notation: 'scientific', maximumSignificantDigits: 4 });
const exact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 });
/** Numbers between these are written with all their digits before the point. */
const SHORT = { least: 0.01, most: 1e15 };
/** JSON writes numbers beyond these with an exponent, and so does a table. */
const DIGITS = { least: 1e-20, most: 1e21 };

/** A number with two decimals, for a picture. */
export function shortNumber(value: number): string {
  return isWithin(value, SHORT) ? number.format(value) : scientific.format(value);
}

function isWithin(value: number, { least, most }: { least: number; most: number }): boolean {
  const size = Math.abs(value);
  return size === 0 || (size >= least && size < most);
}

/** A value with all its digits; what is no number, such as the largest date, as it is. */
export function fullValue(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' && !isWithin(value, DIGITS)) return String(value);
  return Number.isFinite(Number(value)) ? exact.format(value as `${number}`) : String(value);
}
