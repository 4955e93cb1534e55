/** Validates and parses dates and times. Years are from 0001 to 9999. */

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAY_FIRST = /^(\d{2})-(\d{2})-(\d{4})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(\.\d{1,6})?$/;
const ZONE = String.raw`(?:Z|([+-])(\d{2})(?::?(\d{2}))?)`;
/** The two formats of ISO 8601: with separators, and without. */
const INSTANTS = [
  new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2}(?:[.,]\d{1,6})?))?${ZONE}$`, 'i'),
  new RegExp(String.raw`^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(?:(\d{2}(?:[.,]\d{1,6})?))?${ZONE}$`, 'i'),
];

function isDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);
}

/** Returns the text if it is a valid date `YYYY-MM-DD`, else undefined. */
export function parseDate(text: string): string | undefined {
  const [, year, month, day] = DATE.exec(text) ?? [];
  return year && isDay(Number(year), Number(month), Number(day)) ? text : undefined;
}

/** Parses a date in a filter, `YYYY-MM-DD` or `DD-MM-YYYY`, to `YYYY-MM-DD`; undefined if it is none. */
export function readDate(text: string): string | undefined {
  const [, day, month, year] = DAY_FIRST.exec(text) ?? [];
  return parseDate(year ? `${year}-${month}-${day}` : text);
}

/** Returns the text if it is a valid time `HH:MM:SS[.ffffff]`, else undefined. */
export function parseTime(text: string): string | undefined {
  const [, hour, minute, second] = TIME.exec(text) ?? [];
  return hour && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60 ? text : undefined;
}

/**
 * Parses an instant: ISO 8601 with an offset, at most six decimals, and a year from 0001 to 9999 in UTC. Returns it in
 * the form `2024-01-31T09:30:00.5+01:00`; undefined if it is none.
 */
export function parseInstant(text: string): string | undefined {
  const parts = INSTANTS.map((format) => format.exec(text)).find((match) => match !== null);
  if (!parts) return undefined;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '00', sign, ahead = '', minutes = '00'] =
    parts;
  const date = `${year}-${month}-${day}`;
  const time = `${hour}:${minute}:${second.replace(',', '.')}`;
  if (!parseDate(date) || !parseTime(time) || Number(ahead) > 15 || Number(minutes) > 59) return undefined;
  const offset = sign === undefined ? 'Z' : `${sign}${ahead}:${minutes}`;
  const inUtcYear = new Date(`${date}T${time.slice(0, 8)}${offset}`).getUTCFullYear();
  return inUtcYear >= 1 && inUtcYear <= 9999 ? `${date}T${time}${offset}` : undefined;
}

/** Parses an instant in a filter: as `parseInstant`, or a date, which means its start in UTC. */
export function readInstant(text: string): string | undefined {
  const date = readDate(text);
  return date ? `${date}T00:00:00Z` : parseInstant(text);
}

/** A valid instant in the form of records: `2024-01-31T09:30:00.123456Z`. */
export function inUtc(text: string): string {
  const instant = parseInstant(text) ?? text;
  const decimals = (/\.(\d+)/.exec(instant)?.[1] ?? '').padEnd(6, '0');
  const second = new Date(instant.replace(/\.\d+/, '')).toISOString().slice(0, 19);
  return `${second}.${decimals}Z`;
}

/** The microseconds since 1970 of an instant in the form of records. */
export function microsecondsOf(text: string): string {
  return String(BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(text.slice(20, 26)));
}

/** The inverse: an instant in the form of records from its microseconds since 1970. */
export function instantOf(microseconds: string): string {
  const [all, perMillisecond] = [BigInt(microseconds), 1000n];
  const rest = String(all % perMillisecond).padStart(3, '0');
  return `${new Date(Number(all / perMillisecond)).toISOString().slice(0, -1)}${rest}Z`;
}

/** The same from milliseconds. */
export function instantAt(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}
