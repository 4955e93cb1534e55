/** JSON values, and the checks that PostgreSQL's jsonb and UTF-8 need before a value is stored. */
import { LIMITS } from './limits.js';
import { runSync, type WorkInPieces } from './work-in-pieces.js';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A number of a body as it was written, which has no exact representation as a double. */
export class InexactNumber {
  /** @param near whether it is a decimal fraction with all digits that distinguish doubles (`%.17g`) */
  constructor(
    readonly text: string,
    readonly near: boolean,
  ) {}

  toJSON(): number {
    return Number(this.text);
  }
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof InexactNumber);
}

/** The object that a JSON text is; undefined for any other text. */
export function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Why a text can't be stored: a NUL character or half a surrogate pair; undefined if it can. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'has a NUL character, which cannot be stored';
  if (!text.isWellFormed()) return 'is not valid Unicode: half of a surrogate pair stands alone';
  return undefined;
}

const TOO_MANY_VALUES = `has more than ${LIMITS.jsonValues} values`;
const TOO_MANY_KEYS = `has an object of more than ${LIMITS.jsonKeys} keys`;

/**
 * Why a value is not JSON or can't be stored exactly; undefined if it can. Undefined properties are skipped, as in
 * JSON. `found.inexact` is set if it contains numbers that are stored as the nearest double.
 */
export function jsonFault(root: unknown, found = { inexact: false }): string | undefined {
  return runSync(jsonFaultInPieces(root, found));
}

/** Iterative, because a value can be nested deeply. */
export function* jsonFaultInPieces(root: unknown, found: { inexact: boolean }): WorkInPieces<string | undefined> {
  const rest: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }];
  let count = 0;
  for (let next = rest.pop(), walked = 1; next; next = rest.pop(), walked += 1) {
    const { value, depth } = next;
    if (walked % 256 === 0) yield;
    if (typeof value === 'string') {
      const fault = textFault(value);
      if (fault) return fault;
    } else if (typeof value === 'number') {
      if (Number.isNaN(value)) return 'has NaN, which is no JSON';
      if (!Number.isFinite(value)) return 'has a number too large for a double';
    } else if (value instanceof InexactNumber) {
      found.inexact = true;
      if (!value.near)
        return `has a number that a double does not hold exactly: ${value.text.slice(0, 40)}; send it as a string`;
    } else if (typeof value === 'object' && value !== null) {
      if (depth > LIMITS.jsonDepth) return `is nested deeper than ${LIMITS.jsonDepth} levels`;
      if (Array.isArray(value)) {
        if ((count += value.length) > LIMITS.jsonValues) return TOO_MANY_VALUES;
        for (const child of value as unknown[]) rest.push({ value: child, depth: depth + 1 });
        continue;
      }
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) return 'has an object of a class, which is no JSON';
      const keys = Object.keys(value);
      if (keys.length > LIMITS.jsonKeys) return TOO_MANY_KEYS;
      for (const [at, key] of keys.entries()) {
        if (at % 1024 === 1023) yield;
        const child = (value as Record<string, unknown>)[key];
        if (child === undefined) continue;
        const fault = textFault(key);
        if (fault) return `has a key that ${fault}`;
        if ((count += 1) > LIMITS.jsonValues) return TOO_MANY_VALUES;
        rest.push({ value: child, depth: depth + 1 });
      }
    } else if (value !== null && typeof value !== 'boolean')
      return `has a value of type ${typeof value}, which is no JSON`;
  }
  return undefined;
}

/** The JSON type of a value for a message: `string`, `number`, `array`, `null`… */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof InexactNumber) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Deep equality of JSON values; the order of keys does not matter. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  return a === b || runSync(jsonEqualInPieces(a, b));
}

export function* jsonEqualInPieces(a: unknown, b: unknown): WorkInPieces<boolean> {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false;
    for (const [at, item] of a.entries()) {
      if (at % 256 === 255) yield;
      if (item !== b[at] && !(yield* jsonEqualInPieces(item, b[at]))) return false;
    }
    return true;
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const [at, key] of keys.entries()) {
    if (at % 256 === 255) yield;
    if (!Object.hasOwn(b, key)) return false;
    if (a[key] !== b[key] && !(yield* jsonEqualInPieces(a[key], b[key]))) return false;
  }
  return true;
}

/** The text of a scalar, as a path or a message shows it; JSON for anything else. */
export function scalarText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}
