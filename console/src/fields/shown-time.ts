/** How dates and times are shown. */
import { textOf } from './console-field.js';

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function shownDate(value: unknown): string {
  return formatted(date, `${value as string}T00:00:00Z`, value);
}

/** Of nothing, nothing. */
export function shownInstant(value: unknown): string {
  return value === null || value === undefined ? '' : formatted(dateTime, value as string, value);
}

function formatted(format: Intl.DateTimeFormat, iso: string, value: unknown): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? textOf(value) : format.format(time);
}
