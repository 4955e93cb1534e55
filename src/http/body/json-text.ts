/**
 * JSON as it was written. `JSON.parse` rounds a number that a double does not hold, without a word; here it becomes an
 * `InexactNumber`, and whoever reads the value decides. All of it takes time that grows no faster than the text.
 */
import { randomBytes } from 'node:crypto';
import { InexactNumber } from '../../shared/json.js';

/** Where there may be such a number at all: one has more than fifteen digits, or is next to nothing. */
const SUSPECT = /\d[\d.]{15}|\d[eE]-0*[1-9]\d\d/g;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number in a text: where it starts, and where it is over. */
interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** @throws SyntaxError where the text is no JSON */
export function parseJson(text: string): unknown {
  const found = inexactTokens(text);
  if (found.length === 0) return JSON.parse(text);
  // A key that no client can guess.
  const mark = randomBytes(12).toString('base64url');
  let value: unknown;
  try {
    value = JSON.parse(marked(text, found, mark));
  } catch {
    // An object may stand where a number may and nowhere else, so the text is no JSON either; its fault is of interest.
    return JSON.parse(text);
  }
  return restored(value, mark, found);
}

/** The numbers outside of strings that a double does not hold. What is no JSON may have others. */
function inexactTokens(text: string): Token[] {
  const found: Token[] = [];
  // Where the last string that begins before the suspect is over, and where the next one begins.
  let [after, quote] = [0, nextQuote(text, 0)];
  SUSPECT.lastIndex = 0;
  while (SUSPECT.test(text)) {
    const last = SUSPECT.lastIndex - 1;
    while (quote < last) {
      after = endOfString(text, quote);
      quote = nextQuote(text, after);
    }
    if (last < after) {
      SUSPECT.lastIndex = after;
      continue;
    }
    const token = tokenAround(text, last);
    if (NUMBER.test(token.text) && !isExact(token.text)) found.push(token);
    SUSPECT.lastIndex = token.end;
  }
  return found;
}

/** The position of the next quote; the end of the text where there is none. */
function nextQuote(text: string, from: number): number {
  const at = text.indexOf('"', from);
  return at < 0 ? text.length : at;
}

/** The position after the closing quote; the end of the text where there is none. */
function endOfString(text: string, open: number): number {
  for (let close = nextQuote(text, open + 1); close < text.length; close = nextQuote(text, close + 1)) {
    let before = close;
    while (text[before - 1] === '\\') before -= 1;
    if ((close - before) % 2 === 0) return close + 1;
  }
  return text.length;
}

/** All characters of numbers around a position. */
function tokenAround(text: string, at: number): Token {
  let [start, end] = [at, at + 1];
  while (start > 0 && isOfNumber(text.charCodeAt(start - 1))) start -= 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end += 1;
  return { text: text.slice(start, end), start, end };
}

function isOfNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || '+-.eE'.includes(String.fromCharCode(code));
}

/** The text with an object in the place of each number: `{mark: position of the number}`. */
function marked(text: string, numbers: readonly Token[], mark: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const [position, { start, end }] of numbers.entries()) {
    parts.push(text.slice(at, start), `{"${mark}":${position}}`);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

/** The value with a number in the place of each such object. Without recursion: a text may be nested deeply. */
function restored(root: unknown, mark: string, numbers: readonly Token[]): unknown {
  const whole = [root];
  const rest: object[] = [whole];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const inside = next as Record<string, unknown>;
    const look = (key: string | number): void => {
      const value = inside[key];
      if (typeof value !== 'object' || value === null) return;
      const position = (value as Record<string, unknown>)[mark];
      if (position === undefined) rest.push(value);
      else inside[key] = inexact(numbers[position as number]?.text ?? '');
    };
    if (Array.isArray(next)) for (let at = 0; at < next.length; at += 1) look(at);
    else for (const key of Object.keys(next)) look(key);
  }
  return whole[0];
}

/** Whether the double that is read of a number is that number, and not one nearby. */
function isExact(token: string): boolean {
  const value = Number(token);
  const text = String(value);
  return text === token || (Number.isFinite(value) && isSame(partsOf(token), partsOf(text)));
}

function inexact(token: string): InexactNumber {
  const { significant, point } = partsOf(token);
  return new InexactNumber(token, significant.length <= 17 && point < significant.length && Number(token) !== 0);
}

interface Parts {
  readonly negative: boolean;
  /** Digits without zeros around them. */
  readonly significant: string;
  /** The place of the point before or behind the first of them. */
  readonly point: number;
}

function isSame(one: Parts, other: Parts): boolean {
  if (one.significant !== other.significant) return false;
  return one.significant === '' || (one.point === other.point && one.negative === other.negative);
}

function partsOf(token: string): Parts {
  const mantissa = /^[^eE]*/.exec(token)?.[0] ?? '';
  let [first, last, point] = [-1, -1, mantissa.length];
  for (let at = 0; at < mantissa.length; at += 1) {
    const digit = mantissa[at] ?? '';
    if (digit === '.') point = at;
    else if (digit >= '1' && digit <= '9') {
      if (first < 0) first = at;
      last = at;
    }
  }
  const exponent = mantissa.length < token.length ? Number(token.slice(mantissa.length + 1)) : 0;
  return {
    negative: token.startsWith('-'),
    significant: first < 0 ? '' : mantissa.slice(first, last + 1).replace('.', ''),
    point: exponent + point - first + (point < first ? 1 : 0),
  };
}
