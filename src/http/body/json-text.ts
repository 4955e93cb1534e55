/**
 * Parses JSON without losing digits. `JSON.parse` silently rounds numbers that a double can't represent; here they
 * become an `InexactNumber`, and the reader of the value decides. Takes linear time.
 */
import { randomBytes } from 'node:crypto';
import { InexactNumber } from '../../shared/json.js';

/** Matches texts that may contain such a number: one with more than fifteen digits, or with an extreme exponent. */
const POSSIBLY_INEXACT = /\d[\d.]{15}|\d[eE]-0*[1-9]\d\d/g;

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number in a text, with its start and end. */
interface NumberToken {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** @throws SyntaxError for invalid JSON */
export function parseJson(text: string): unknown {
  const found = inexactTokens(text);
  if (found.length === 0) return JSON.parse(text);
  // A key that clients can't guess.
  const marker = randomBytes(12).toString('base64url');
  let value: unknown;
  try {
    value = JSON.parse(withMarkers(text, found, marker));
  } catch {
    // A marker object is allowed wherever a number is, so the original text is invalid too; it gives the right error.
    return JSON.parse(text);
  }
  return restoreNumbers(value, marker, found);
}

/** The inexact numbers outside of strings. For invalid JSON it may return others. */
function inexactTokens(text: string): NumberToken[] {
  const found: NumberToken[] = [];
  // The end of the last string that starts before the match, and the start of the next string.
  let [after, quote] = [0, nextQuote(text, 0)];
  POSSIBLY_INEXACT.lastIndex = 0;
  while (POSSIBLY_INEXACT.test(text)) {
    const last = POSSIBLY_INEXACT.lastIndex - 1;
    while (quote < last) {
      after = stringEnd(text, quote);
      quote = nextQuote(text, after);
    }
    if (last < after) {
      POSSIBLY_INEXACT.lastIndex = after;
      continue;
    }
    const token = tokenAround(text, last);
    if (JSON_NUMBER.test(token.text) && !isExact(token.text)) found.push(token);
    POSSIBLY_INEXACT.lastIndex = token.end;
  }
  return found;
}

/** The position of the next quote, or the end of the text. */
function nextQuote(text: string, from: number): number {
  const at = text.indexOf('"', from);
  return at < 0 ? text.length : at;
}

/** The position after the closing quote, or the end of the text. */
function stringEnd(text: string, open: number): number {
  for (let close = nextQuote(text, open + 1); close < text.length; close = nextQuote(text, close + 1)) {
    let before = close;
    while (text[before - 1] === '\\') before -= 1;
    if ((close - before) % 2 === 0) return close + 1;
  }
  return text.length;
}

/** Extends a position to all adjacent characters of numbers. */
function tokenAround(text: string, at: number): NumberToken {
  let [start, end] = [at, at + 1];
  while (start > 0 && isNumberCharacter(text.charCodeAt(start - 1))) start -= 1;
  while (end < text.length && isNumberCharacter(text.charCodeAt(end))) end += 1;
  return { text: text.slice(start, end), start, end };
}

function isNumberCharacter(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || '+-.eE'.includes(String.fromCharCode(code));
}

/** Replaces each number by an object: `{marker: index of the number}`. */
function withMarkers(text: string, numbers: readonly NumberToken[], marker: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const [position, { start, end }] of numbers.entries()) {
    parts.push(text.slice(at, start), `{"${marker}":${position}}`);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

/** Replaces the marker objects by numbers. Iterative, because a value can be nested deeply. */
function restoreNumbers(root: unknown, marker: string, numbers: readonly NumberToken[]): unknown {
  const whole = [root];
  const rest: object[] = [whole];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const inside = next as Record<string, unknown>;
    const look = (key: string | number): void => {
      const value = inside[key];
      if (typeof value !== 'object' || value === null) return;
      const position = (value as Record<string, unknown>)[marker];
      if (position === undefined) rest.push(value);
      else inside[key] = toInexactNumber(numbers[position as number]?.text ?? '');
    };
    if (Array.isArray(next)) for (let at = 0; at < next.length; at += 1) look(at);
    else for (const key of Object.keys(next)) look(key);
  }
  return whole[0];
}

/** Whether a double represents the number exactly. */
function isExact(token: string): boolean {
  const value = Number(token);
  const text = String(value);
  return text === token || (Number.isFinite(value) && isSameNumber(parseNumberParts(token), parseNumberParts(text)));
}

function toInexactNumber(token: string): InexactNumber {
  const { significant, point } = parseNumberParts(token);
  return new InexactNumber(token, significant.length <= 17 && point < significant.length && Number(token) !== 0);
}

interface NumberParts {
  readonly negative: boolean;
  /** Digits without leading and trailing zeros. */
  readonly significant: string;
  /** The position of the decimal point relative to the first of them. */
  readonly point: number;
}

function isSameNumber(one: NumberParts, other: NumberParts): boolean {
  if (one.significant !== other.significant) return false;
  return one.significant === '' || (one.point === other.point && one.negative === other.negative);
}

function parseNumberParts(token: string): NumberParts {
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
