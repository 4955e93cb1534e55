/**
 * How people write numbers, dates and times: as the API, or as their language does. Each function answers all that a text
 * can mean, in the form of the API, so that nothing is guessed.
 */
import { parseDate, parseInstant, parseTime } from '../../../src/model/parameter-type/calendar.js';

// In Latin digits, which the API has.
const written = new Intl.NumberFormat(undefined, { useGrouping: 'always', numberingSystem: 'latn' });
const parts = written.formatToParts(-12345.6);
const separatorOf = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
const GROUP = separatorOf('group');
/** What stands before the decimals in numbers of the browser's language. */
export const DECIMAL = separatorOf('decimal') || '.';

const PLAIN = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const escaped = (character: string) => character.replace(/[\\\]^-]/g, '\\$&');
const LOCAL = new RegExp(`^([+-]?)([\\d${escaped(GROUP)}]+)(?:[${escaped(DECIMAL)}](\\d*))?(e[+-]?\\d+)?$`, 'i');

/** No number is longer. */
const MOST_CHARACTERS = 1000;

/** `1.234` is two numbers where a comma stands before decimals. */
export function numbersWritten(typed: string): readonly string[] {
  const spaced = /\s/.test(GROUP) ? typed.trim().replace(/\s/g, GROUP) : typed.trim();
  const text = spaced.replace('\u2212', '-');
  if (text.length > MOST_CHARACTERS) return [];
  const found = [...(PLAIN.test(text) ? [plainForm(text)] : []), ...localNumbers(text)];
  return [...new Set(found)];
}

function localNumbers(text: string): readonly string[] {
  const [, sign = '', whole, decimals = '', exponent = ''] = LOCAL.exec(text) ?? [];
  if (whole === undefined) return [];
  const digits = whole.replaceAll(GROUP, '');
  if (digits === '' || (whole !== digits && written.format(BigInt(digits)) !== whole)) return [];
  return [plainForm(`${sign}${digits}${decimals === '' ? '' : `.${decimals}`}${exponent}`)];
}

/** Without what the API does not take: a plus, a point without digits beside it. */
function plainForm(text: string): string {
  return text
    .replace(/^\+/, '')
    .replace(/^(-?)\./, (_, sign: string) => `${sign}0.`)
    .replace(/\.(?=$|e)/i, '');
}

/** A number of the API as its field shows it. */
export function localForm(number: string): string {
  return number.replace('.', DECIMAL);
}

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/;

/** The day comes before the month after dots; otherwise both orders are in use. Undefined if the text is no date at all. */
export function datesWritten(typed: string): readonly string[] | undefined {
  const text = typed.trim();
  const [, year, , month = '', day = ''] = YEAR_FIRST.exec(text) ?? [];
  if (year !== undefined) return days([year, month, day]);
  const [, first = '', separator, second = '', last] = YEAR_LAST.exec(text) ?? [];
  if (last === undefined) return undefined;
  const dayFirst = [last, second, first] as const;
  return separator === '.' ? days(dayFirst) : days(dayFirst, [last, first, second]);
}

function days(...given: readonly (readonly [string, string, string])[]): readonly string[] {
  const found = given.flatMap(([year, month, day]) => {
    return parseDate(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`) ?? [];
  });
  return [...new Set(found)];
}

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d{1,6})?))?(?:\s*([ap])\.?m\.?)?$/i;

/** `1:45 PM` is `13:45:00`. Undefined if the text is no time. */
export function timeWritten(typed: string): string | undefined {
  const [, hour, minute = '', second = '00', half] = CLOCK.exec(typed.trim()) ?? [];
  if (hour === undefined) return undefined;
  const isTwelfths = half !== undefined;
  if (isTwelfths && (Number(hour) < 1 || Number(hour) > 12)) return undefined;
  const hours = isTwelfths ? (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hour);
  return parseTime(`${String(hours).padStart(2, '0')}:${minute}:${second.replace(',', '.')}`);
}

/** A date and a time without an offset are of the browser's time zone. Undefined if the text is nothing of that kind. */
export function instantsWritten(typed: string): readonly string[] | undefined {
  const text = typed.trim();
  const instant = parseInstant(text);
  if (instant !== undefined) return [instant];
  const [, date, clock = ''] = /^([^\sT,]+)(?:T|,?\s+)(.+)$/i.exec(text) ?? [];
  const dates = date === undefined ? undefined : datesWritten(date);
  const time = timeWritten(clock);
  if (!dates || time === undefined) return undefined;
  const [whole = '', decimals] = time.split('.');
  return dates.map((day) => {
    const second = new Date(`${day}T${whole}`).toISOString().slice(0, -'.000Z'.length);
    return decimals === undefined ? `${second}Z` : `${second}.${decimals}Z`;
  });
}
