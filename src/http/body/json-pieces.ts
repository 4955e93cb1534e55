/**
 * Parses a large JSON text in pieces, between which others have their turn. What is large, an object or a list, is taken
 * apart into groups of its members; each of these is parsed as any text is.
 */
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { refusal } from '../../shared/errors.js';
import type { MaybePromise } from '../../shared/maybe-promise.js';
import { LIMITS } from '../../shared/limits.js';
import { runSync, runYielding, type WorkInPieces } from '../../shared/work-in-pieces.js';
import { parseJson } from './json-text.js';

export interface JsonPiecesOptions {
  /** Characters of a group of members, at least; what has fewer is parsed at once. */
  readonly piece?: number;
  /** Parses a text that is not long. */
  readonly parse?: (text: string) => unknown;
  /** Whether there may be as much as there is in one place: the text is none of a client's. */
  readonly trusted?: boolean;
}

const PIECE = 64 * 1024;

const BLANK = /^[ \t\n\r]*$/;
const NOT_BLANK = /[^ \t\n\r]/g;

/** The fault is somewhere in the group of members that begins there: to find the character would take as long again. */
function malformed(from: number): SyntaxError {
  return new SyntaxError(`unexpected text after character ${from}`);
}

/** @throws SyntaxError where the text is no JSON @throws KindError 400 where it has too much in one place */
export function* parseInPieces(text: string, options: JsonPiecesOptions = {}): WorkInPieces<unknown> {
  const { piece = PIECE, parse = parseJson, trusted = false } = options;
  const ends = yield* endsOf(text, piece, trusted);
  const start = skipBlank(text, 0);
  const end = ends.get(start);
  if (end === undefined) return parse(text);
  if (skipBlank(text, end) < text.length) throw malformed(end);
  return yield* new Parts(text, ends, { piece, parse, trusted }).containerAt(start, end);
}

/** JSON of our own, parsed with turns for others where it is long. @param schema of the project whose it is */
export function readJson(text: string, schema: string): MaybePromise<unknown> {
  if (text.length <= PIECE) return JSON.parse(text);
  const parse = (part: string): unknown => JSON.parse(part);
  return runYielding(parseInPieces(text, { parse, trusted: true }), new EventLoopYield(schema));
}

function skipBlank(text: string, from: number): number {
  NOT_BLANK.lastIndex = from;
  return NOT_BLANK.test(text) ? NOT_BLANK.lastIndex - 1 : text.length;
}

/** The objects and lists of at least a piece, by where they start: where they end. */
function* endsOf(text: string, piece: number, trusted: boolean): WorkInPieces<Map<number, number>> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  let [rest, opened] = [piece, 0];
  for (let at = 0; at < text.length; at += 1) {
    if (at > rest) {
      rest = at + piece;
      yield;
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = (endOfPlain(text, at) ?? (yield* endOfString(text, at, piece))) - 1;
    else if (code === OBJECT.open || code === LIST.open) {
      if (!trusted) checkOpened(open.push(at), (opened += 1));
      else open.push(at);
    } else if (code === OBJECT.close || code === LIST.close) {
      const start = open.pop();
      const first = start === undefined ? 0 : text.charCodeAt(start);
      if (start === undefined || first !== (code === LIST.close ? LIST.open : OBJECT.open)) throw malformed(at);
      if (at + 1 - start >= piece) ends.set(start, at + 1);
    }
  }
  if (open.length > 0) throw malformed(open.at(-1) ?? 0);
  return ends;
}

/** @throws KindError 400 where containers are inside too many others, or are too many: each takes memory however short it is */
function checkOpened(depth: number, all: number): void {
  if (depth > LIMITS.bodyDepth) throw tooMuch(`is nested deeper than ${LIMITS.bodyDepth} levels`);
  if (all > LIMITS.bodyContainers) throw tooMuch(`has more than ${LIMITS.bodyContainers} objects and lists`);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OBJECT = { open: 0x7b, close: 0x7d } as const;
const LIST = { open: 0x5b, close: 0x5d } as const;

/** The position after the closing quote of a string without quotes in it, as most are; undefined for any other. */
function endOfPlain(text: string, open: number): number | undefined {
  const close = text.indexOf('"', open + 1);
  return close < 0 || text.charCodeAt(close - 1) === BACKSLASH ? undefined : close + 1;
}

/** The position after the closing quote of any string. */
function* endOfString(text: string, open: number, piece: number): WorkInPieces<number> {
  let rest = open + piece;
  for (let at = open + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
    if (at <= rest) continue;
    rest = at + piece;
    yield;
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
    private readonly options: Required<JsonPiecesOptions>,
  ) {}

  *containerAt(start: number, end: number): WorkInPieces<unknown> {
    const { text, options } = this;
    const { piece } = options;
    const container = text.charCodeAt(start) === LIST.open ? new ListParts(options) : new ObjectParts(options);
    // Where the members begin that are not added yet, where the last of them does, and whether a comma is in front of it.
    let [from, last, comma] = [start + 1, start + 1, false];
    let rest = start + piece;
    for (let at = start + 1; at < end - 1; at += 1) {
      if (at > rest) {
        rest = at + piece;
        yield;
      }
      const code = text.charCodeAt(at);
      if (code === COMMA) {
        comma = true;
        last = at + 1;
        if (at - from < piece) continue;
        container.add(text.slice(from, at), from);
        from = last;
      } else if (code === QUOTE || code === OBJECT.open || code === LIST.open) {
        const close =
          code === QUOTE
            ? (endOfPlain(text, at) ?? (yield* endOfString(text, at, piece)))
            : (this.ends.get(at) ?? this.#endOfSmall(at));
        const next = skipBlank(text, close);
        if (close - at < piece || text.charCodeAt(next) === COLON) {
          at = close - 1;
          continue;
        }
        if (last > from) container.add(text.slice(from, last - 1), from);
        const value = code === QUOTE ? this.#textAt(at, close) : yield* this.containerAt(at, close);
        container.put(text.slice(last, at), value, last);
        comma = text.charCodeAt(next) === COMMA;
        if (!comma && next !== end - 1) throw malformed(close);
        from = last = comma ? next + 1 : next;
        at = comma ? next : next - 1;
        yield;
      }
    }
    const left = text.slice(from, end - 1);
    if (comma || !BLANK.test(left)) container.add(left, from);
    return container.value;
  }

  #textAt(start: number, end: number): unknown {
    try {
      return JSON.parse(this.text.slice(start, end));
    } catch {
      throw malformed(start);
    }
  }

  /** The position after an object or a list that is not large. */
  #endOfSmall(start: number): number {
    const { text } = this;
    let depth = 0;
    for (let at = start; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = (endOfPlain(text, at) ?? runSync(endOfString(text, at, Infinity))) - 1;
      else if (code === OBJECT.open || code === LIST.open) depth += 1;
      else if ((code === OBJECT.close || code === LIST.close) && (depth -= 1) === 0) return at + 1;
    }
  }
}

/** A text with brackets around it, parsed; between them must be something. */
function membersOf(text: string, from: number, { parse }: Required<JsonPiecesOptions>): unknown {
  if (BLANK.test(text.slice(1, -1))) throw malformed(from);
  try {
    return parse(text);
  } catch {
    throw malformed(from);
  }
}

class ListParts implements Container {
  readonly #elements: unknown[] = [];

  constructor(private readonly options: Required<JsonPiecesOptions>) {}

  get value(): unknown[] {
    return this.#elements;
  }

  add(text: string, from: number): void {
    for (const each of membersOf(`[${text}]`, from, this.options) as unknown[]) this.#push(each);
  }

  put(before: string, value: unknown, from: number): void {
    if (!BLANK.test(before)) throw malformed(from);
    this.#push(value);
  }

  #push(value: unknown): void {
    if (this.#elements.push(value) > LIMITS.jsonValues && !this.options.trusted)
      throw tooMuch(`has a list of more than ${LIMITS.jsonValues} elements`);
  }
}

class ObjectParts implements Container {
  readonly #members = new Map<string, unknown>();

  constructor(private readonly options: Required<JsonPiecesOptions>) {}

  get value(): Record<string, unknown> {
    return Object.fromEntries(this.#members);
  }

  add(text: string, from: number): void {
    const members = membersOf(`{${text}}`, from, this.options) as object;
    for (const [key, each] of Object.entries(members)) this.#set(key, each);
  }

  put(before: string, value: unknown, from: number): void {
    const colon = before.lastIndexOf(':');
    if (colon < 0 || !BLANK.test(before.slice(colon + 1))) throw malformed(from);
    const [key, ...others] = membersOf(`[${before.slice(0, colon)}]`, from, this.options) as unknown[];
    if (typeof key !== 'string' || others.length > 0) throw malformed(from);
    this.#set(key, value);
  }

  #set(key: string, value: unknown): void {
    if (this.#members.set(key, value).size > LIMITS.jsonKeys && !this.options.trusted)
      throw tooMuch(`has an object of more than ${LIMITS.jsonKeys} keys`);
  }
}

function tooMuch(what: string) {
  return refusal('body.too_many', `The body ${what}`);
}
