/**
 * Readers of environment variables. A reader is pure: it describes the expected value, and returns undefined for other
 * texts.
 */
import { isIP } from 'node:net';

export interface VariableReader<T> {
  /** Completes the sentence "PORT wants …". */
  readonly wants: string;
  readonly read: (text: string) => T | undefined;
}

const DURATION_UNITS = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

const SIZE_UNITS = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1024],
  ['mb', 1024 ** 2],
  ['gb', 1024 ** 3],
]);

const BOOLEANS = new Map([
  ['on', true],
  ['true', true],
  ['1', true],
  ['off', false],
  ['false', false],
  ['0', false],
]);

/** A text that matches `pattern`, which `wants` describes. */
export function textMatching(wants: string, pattern: RegExp): VariableReader<string> {
  return { wants, read: (value) => (pattern.test(value) ? value : undefined) };
}

/** In characters (code points). */
export function textOfLength(length: {
  readonly minLength: number;
  readonly maxLength: number;
}): VariableReader<string> {
  const { minLength, maxLength } = length;
  return textMatching(`${minLength} to ${maxLength} characters`, new RegExp(`^.{${minLength},${maxLength}}$`, 'su'));
}

export function oneOf<T extends string>(...values: readonly T[]): VariableReader<T> {
  return { wants: `one of ${values.join(', ')}`, read: (value) => values.find((known) => known === value) };
}

export function wholeNumber(min: number, max: number): VariableReader<number> {
  return {
    wants: `a whole number from ${min} to ${max}`,
    read: (value) => (/^\d{1,9}$/.test(value) ? inRange(Number(value), min, max) : undefined),
  };
}

/** Milliseconds, written as `500ms`, `15m` or `30d`, as are the bounds. */
export function duration(min: string, max: string): VariableReader<number> {
  return {
    wants: `a duration from ${min} to ${max}, a number with the unit ms, s, m, h or d`,
    read: (value) =>
      inRange(
        numberWithUnit(value, DURATION_UNITS),
        numberWithUnit(min, DURATION_UNITS) ?? 0,
        numberWithUnit(max, DURATION_UNITS) ?? 0,
      ),
  };
}

/** Bytes, written as `64kb` or `1mb`, as are the bounds. */
export function size(min: string, max: string): VariableReader<number> {
  return {
    wants: `a size from ${min} to ${max}, a number with the unit b, kb, mb or gb`,
    read: (value) =>
      inRange(
        numberWithUnit(value.toLowerCase(), SIZE_UNITS),
        numberWithUnit(min, SIZE_UNITS) ?? 0,
        numberWithUnit(max, SIZE_UNITS) ?? 0,
      ),
  };
}

export const onOff: VariableReader<boolean> = {
  wants: 'on or off (or true, false, 1, 0)',
  read: (value) => BOOLEANS.get(value.toLowerCase()),
};

/** An absolute URL of one of the schemes, with a host: before the path, or in `?host=`, as PostgreSQL allows. */
export function address(example: string, ...schemes: readonly string[]): VariableReader<string> {
  const beginnings = schemes.map((scheme) => `${scheme}://`);
  return {
    wants: `an address with a host that begins with ${beginnings.join(' or ')}, such as ${example}`,
    read: (value) => {
      if (/\s/.test(value) || !URL.canParse(value)) return undefined;
      if (!beginnings.some((beginning) => value.toLowerCase().startsWith(beginning))) return undefined;
      const { hostname, searchParams } = new URL(value);
      return hostname !== '' || searchParams.get('host') ? value : undefined;
    },
  };
}

export const originList: VariableReader<readonly string[] | '*'> = {
  wants: '* or a comma-separated list of origins such as https://app.example.com',
  read: (value) => {
    if (value.trim() === '*') return '*';
    const list = listItems(value);
    return list.length > 0 && list.every(isOrigin) ? list : undefined;
  },
};

/** Networks, and addresses, which are networks of one. */
export const networkList: VariableReader<readonly string[]> = {
  wants: 'a comma-separated list of networks such as 10.1.0.0/16',
  read: (value) => {
    const list = listItems(value);
    return list.length > 0 && list.every((each) => isNetwork(each) && /^[\da-f]/i.test(each)) ? list : undefined;
  },
};

/** Each of at least 32 characters, the word before a colon apart. */
export const secretList: VariableReader<readonly string[]> = {
  wants: 'a comma-separated list of keys of at least 32 characters, or jwt: and a former JWT_SECRET',
  read: (value) => {
    const list = listItems(value);
    return list.length > 0 && list.every(isFormerKey) ? list : undefined;
  },
};

/** Whether a text is written like a key of stored secrets in lists. */
export function isFormerKey(text: string): boolean {
  return /^(?:jwt:)?.{32,}$/su.test(text);
}

/** Express' `trust proxy`: the number of proxies in front of the service, or their addresses. */
export const trustProxy: VariableReader<boolean | number | string | readonly string[]> = {
  wants:
    'on, off, the number of proxies, or a comma-separated list of addresses, networks, loopback, linklocal or uniquelocal',
  read: (value) => {
    if (/^\d{1,3}$/.test(value)) return Number(value);
    const known = BOOLEANS.get(value.toLowerCase());
    if (known !== undefined) return known;
    const list = listItems(value);
    if (list.length === 0 || !list.every(isNetwork)) return undefined;
    return list.length === 1 ? list[0] : list;
  },
};

function inRange(value: number | undefined, min: number, max: number): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}

function numberWithUnit(value: string, units: ReadonlyMap<string, number>): number | undefined {
  const [, amount, unit] = /^(\d{1,12})([a-z]*)$/.exec(value) ?? [];
  const factor = units.get(unit ?? '');
  return amount === undefined || factor === undefined ? undefined : Number(amount) * factor;
}

function listItems(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function isOrigin(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value) && new URL(value).origin === value.toLowerCase();
}

function isNetwork(value: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(value)) return true;
  const [ip = '', bits, ...rest] = value.split('/');
  const version = isIP(ip);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
