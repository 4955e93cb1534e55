/**
 * JSON as it was written. `JSON.parse` rounds a number that a double does not hold, without a word; here it becomes an
 * `InexactNumber`, and whoever reads the value decides.
 */
import { randomBytes } from 'node:crypto';
import { InexactNumber } from '../shared/json.js';

/** Whether there may be such a number at all: one has more than fifteen digits, or is next to nothing. */
const SUSPECT = /\d[\d.]{15}|\d[eE]-0*[1-9]\d\d/;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** @throws SyntaxError where the text is no JSON */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!SUSPECT.test(text)) return value;
  const found: string[] = [];
  // A key that no client can guess.
  const mark = randomBytes(16).toString('hex');
  const marked = outsideStrings(text, (part) =>
    part.replace(NUMBER, (token) => (isExact(token) ? token : `{"${mark}":${found.push(token) - 1}}`)),
  );
  if (found.length === 0) return value;
  return JSON.parse(marked, (_, each: unknown) => {
    const at = typeof each === 'object' && each !== null ? (each as Record<string, unknown>)[mark] : undefined;
    return at === undefined ? each : inexact(found[at as number] ?? '');
  });
}

/** Changes what of a JSON text stands outside its strings. */
function outsideStrings(text: string, change: (part: string) => string): string {
  let changed = '';
  for (let at = 0; at < text.length;) {
    const open = text.indexOf('"', at);
    if (open < 0) return changed + change(text.slice(at));
    const end = endOfString(text, open);
    changed += change(text.slice(at, open)) + text.slice(open, end);
    at = end;
  }
  return changed;
}

/** The position after the closing quote. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); ; close = text.indexOf('"', close + 1)) {
    let before = close;
    while (text[before - 1] === '\\') before -= 1;
    if ((close - before) % 2 === 0) return close + 1;
  }
}

/** Whether the double that is read of a number is that number, and not one nearby. */
function isExact(token: string): boolean {
  const value = Number(token);
  return Number.isFinite(value) && canonical(token) === canonical(String(value));
}

function inexact(token: string): InexactNumber {
  const { significant, point } = partsOf(token);
  return new InexactNumber(token, significant.length <= 17 && point < significant.length && Number(token) !== 0);
}

function canonical(token: string): string {
  const { negative, significant, point } = partsOf(token);
  return significant === '' ? '0' : `${negative ? '-' : ''}${significant}e${point}`;
}

/** Digits without zeros around them, and the place of the point before or behind the first of them. */
function partsOf(token: string): { negative: boolean; significant: string; point: number } {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const point = Number(exponent) - fraction.length + digits.length;
  return { negative: mantissa.startsWith('-'), significant: digits.replace(/0+$/, ''), point };
}
