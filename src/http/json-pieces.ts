/**
 * Parses a large JSON text in pieces, between which others have their turn. What is large, an object or a list, is taken
 * apart into groups of its members; each of these is parsed as any text is.
 */
import { refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import type { Pieces } from '../shared/pieces.js';
import { parseJson } from './json-text.js';

/** Characters of a group of members, at least; what has fewer is parsed at once. */
const PIECE = 64 * 1024;

const BLANK = /^[ \t\n\r]*$/;

/** The fault is somewhere in the group of members that begins there: to find the character would take as long again. */
function malformed(from: number): SyntaxError {
  return new SyntaxError(`unexpected text after character ${from}`);
}

/** @param piece characters of a group @throws SyntaxError where the text is no JSON @throws KindError 400 where it has too much in one place */
export function* parseInPieces(text: string, piece = PIECE): Pieces<unknown> {
  const ends = yield* endsOf(text, piece);
  const start = skipBlank(text, 0);
  const end = ends.get(start);
  if (end === undefined) return parseJson(text);
  if (skipBlank(text, end) < text.length) throw malformed(end);
  return yield* new Parts(text, ends, piece).containerAt(start, end);
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
  return at;
}

/** The objects and lists of at least a piece, by where they start: where they end. */
function* endsOf(text: string, piece: number): Pieces<Map<number, number>> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  let rest = piece;
  for (let at = 0; at < text.length; at += 1) {
    if (at > rest) {
      rest = at + piece;
      yield;
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OBJECT.open || code === LIST.open) {
      if (open.push(at) > LIMITS.bodyDepth) throw tooMuch(`is nested deeper than ${LIMITS.bodyDepth} levels`);
    } else if (code === OBJECT.close || code === LIST.close) {
      const start = open.pop();
      const opened = start === undefined ? 0 : text.charCodeAt(start);
      if (start === undefined || opened !== (code === LIST.close ? LIST.open : OBJECT.open)) throw malformed(at);
      if (at + 1 - start >= piece) ends.set(start, at + 1);
    }
  }
  if (open.length > 0) throw malformed(open.at(-1) ?? 0);
  return ends;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OBJECT = { open: 0x7b, close: 0x7d } as const;
const LIST = { open: 0x5b, close: 0x5d } as const;

/** The position after the closing quote. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let before = close;
    while (text.charCodeAt(before - 1) === 0x5c) before -= 1;
    if ((close - before) % 2 === 0) return close + 1;
  }
  throw malformed(open);
}

/** What a container is made of: members one by one, or a text of several. */
interface Container {
  readonly value: unknown;
  /** @param from where the text stands @throws SyntaxError */
  add(text: string, from: number): void;
  /** @param before the text in front of the value since the last comma: its key, where it has one @throws SyntaxError */
  put(before: string, value: unknown, from: number): void;
}

class Parts {
  constructor(
    private readonly text: string,
    private readonly ends: ReadonlyMap<number, number>,
    private readonly piece: number,
  ) {}

  *containerAt(start: number, end: number): Pieces<unknown> {
    const { text, ends } = this;
    const container = text.charCodeAt(start) === LIST.open ? new ListParts() : new ObjectParts();
    // Where the members begin that are not added yet, where the last of them does, and whether a comma is in front of it.
    let [from, last, comma] = [start + 1, start + 1, false];
    for (let at = start + 1; at < end - 1; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = endOfString(text, at) - 1;
      else if (code === COMMA) {
        comma = true;
        last = at + 1;
        if (at - from < this.piece) continue;
        container.add(text.slice(from, at), from);
        from = last;
        yield;
      } else if (code === OBJECT.open || code === LIST.open) {
        const close = ends.get(at);
        if (close === undefined) {
          at = this.#endOfSmall(at) - 1;
          continue;
        }
        if (last > from) container.add(text.slice(from, last - 1), from);
        container.put(text.slice(last, at), yield* this.containerAt(at, close), last);
        const next = skipBlank(text, close);
        comma = text.charCodeAt(next) === COMMA;
        if (!comma && next !== end - 1) throw malformed(close);
        from = last = comma ? next + 1 : next;
        at = comma ? next : next - 1;
        yield;
      }
    }
    const rest = text.slice(from, end - 1);
    if (comma || !BLANK.test(rest)) container.add(rest, from);
    return container.value;
  }

  /** The position after an object or a list that is not large. */
  #endOfSmall(start: number): number {
    const { text } = this;
    let depth = 0;
    for (let at = start; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = endOfString(text, at) - 1;
      else if (code === OBJECT.open || code === LIST.open) depth += 1;
      else if ((code === OBJECT.close || code === LIST.close) && (depth -= 1) === 0) return at + 1;
    }
  }
}

/** A text with brackets around it, parsed; between them must be something. */
function membersOf(text: string, from: number): unknown {
  if (BLANK.test(text.slice(1, -1))) throw malformed(from);
  try {
    return parseJson(text);
  } catch {
    throw malformed(from);
  }
}

class ListParts implements Container {
  readonly #elements: unknown[] = [];

  get value(): unknown[] {
    return this.#elements;
  }

  add(text: string, from: number): void {
    for (const each of membersOf(`[${text}]`, from) as unknown[]) this.#push(each);
  }

  put(before: string, value: unknown, from: number): void {
    if (!BLANK.test(before)) throw malformed(from);
    this.#push(value);
  }

  #push(value: unknown): void {
    if (this.#elements.push(value) > LIMITS.jsonValues)
      throw tooMuch(`has a list of more than ${LIMITS.jsonValues} elements`);
  }
}

class ObjectParts implements Container {
  readonly #members = new Map<string, unknown>();

  get value(): Record<string, unknown> {
    return Object.fromEntries(this.#members);
  }

  add(text: string, from: number): void {
    for (const [key, each] of Object.entries(membersOf(`{${text}}`, from) as object)) this.#set(key, each);
  }

  put(before: string, value: unknown, from: number): void {
    const colon = before.lastIndexOf(':');
    if (colon < 0 || !BLANK.test(before.slice(colon + 1))) throw malformed(from);
    const [key, ...others] = membersOf(`[${before.slice(0, colon)}]`, from) as unknown[];
    if (typeof key !== 'string' || others.length > 0) throw malformed(from);
    this.#set(key, value);
  }

  #set(key: string, value: unknown): void {
    if (this.#members.set(key, value).size > LIMITS.jsonKeys)
      throw tooMuch(`has an object of more than ${LIMITS.jsonKeys} keys`);
  }
}

function tooMuch(what: string) {
  return refusal('body.too_many', `The body ${what}`);
}
