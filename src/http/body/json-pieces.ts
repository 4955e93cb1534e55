/**
 * Parses a large JSON text in pieces, so that other requests can run in between. Large objects and lists are split into
 * groups of members, each of which is parsed like a text of its own. The whole is never one string: filling the memory of
 * one of 15 MB takes up to 80 ms. What it saves is in docs/adr/0016-machineries.md.
 */
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { refusal } from '../../shared/errors.js';
import { type MaybePromise, runSync, runYielding, type WorkInPieces } from '../../shared/work-in-pieces.js';
import { LIMITS } from '../../shared/limits.js';
import { parseJson } from './json-text.js';

interface JsonPiecesOptions {
  /** Minimum of bytes of a group of members; a shorter text is parsed in one piece. */
  readonly piece?: number;
  /** Parses one group. */
  readonly parse?: (text: string) => unknown;
  /** Whether the text is our own, so that limits do not apply. */
  readonly trusted?: boolean;
}

const PIECE_BYTES = 64 * 1024;

/** Bytes of JSON. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OBJECT = { open: 0x7b, close: 0x7d } as const;
const LIST = { open: 0x5b, close: 0x5d } as const;
const LETTER_U = 0x75;

/** @throws SyntaxError for invalid JSON, KindError 400 for more than the limits allow */
export function* parseInPieces(bytes: Buffer, options: JsonPiecesOptions = {}): WorkInPieces<unknown> {
  const { piece = PIECE_BYTES, parse = parseJson, trusted = false } = options;
  const ends = yield* findLargeContainers(bytes, piece, trusted);
  const start = skipBlank(bytes, 0);
  const end = ends.get(start);
  if (end === undefined) return parse(bytes.toString());
  if (skipBlank(bytes, end) < bytes.length) throw malformed(end);
  return yield* new ContainerParser(bytes, ends, { piece, parse, trusted }).parseContainer(start, end);
}

/** Parses our own JSON, in pieces if it is long. @param schema the schema of its project */
export function readJson(text: string, schema: string): MaybePromise<unknown> {
  if (text.length <= PIECE_BYTES) return JSON.parse(text);
  const parse = (part: string): unknown => JSON.parse(part);
  return runYielding(parseInPieces(Buffer.from(text), { parse, trusted: true }), new EventLoopYield(schema));
}

/** Whether a byte is inside a character of UTF-8. */
function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

const BLANK = /^[ \t\n\r]*$/;

/** Builds an object or list from its members. */
interface ContainerBuilder {
  readonly value: unknown;
  /** Adds a group of members. @param from its position @throws SyntaxError */
  add(text: string, from: number): void;
  /**
   * Adds one parsed member. @param before the text between the last comma and the value: its key, in an object @throws
   * SyntaxError
   */
  put(before: string, value: unknown, from: number): void;
}

class ContainerParser {
  constructor(
    private readonly bytes: Buffer,
    private readonly ends: ReadonlyMap<number, number>,
    private readonly options: Required<JsonPiecesOptions>,
  ) {}

  *parseContainer(start: number, end: number): WorkInPieces<unknown> {
    const { bytes, options } = this;
    const { piece } = options;
    const container = bytes[start] === LIST.open ? new ListBuilder(options) : new ObjectBuilder(options);
    // The start of the members that are not added yet, the start of the last of them, and whether a comma precedes it.
    let [from, last, comma] = [start + 1, start + 1, false];
    let rest = start + piece;
    for (let at = start + 1; at < end - 1; at += 1) {
      if (at > rest) {
        rest = at + piece;
        yield;
      }
      const code = bytes[at];
      if (code === COMMA) {
        comma = true;
        last = at + 1;
        if (at - from < piece) continue;
        container.add(this.#text(from, at), from);
        from = last;
      } else if (code === QUOTE || code === OBJECT.open || code === LIST.open) {
        const close =
          code === QUOTE
            ? (plainStringEnd(bytes, at) ?? (yield* stringEndInPieces(bytes, at, piece)))
            : (this.ends.get(at) ?? this.#smallContainerEnd(at));
        const next = skipBlank(bytes, close);
        if (close - at < piece || bytes[next] === COLON) {
          at = close - 1;
          continue;
        }
        if (last > from) container.add(this.#text(from, last - 1), from);
        const value = code === QUOTE ? yield* this.#parseString(at, close) : yield* this.parseContainer(at, close);
        container.put(this.#text(last, at), value, last);
        comma = bytes[next] === COMMA;
        if (!comma && next !== end - 1) throw malformed(close);
        from = last = comma ? next + 1 : next;
        at = comma ? next : next - 1;
        yield;
      }
    }
    if (comma || skipBlank(bytes, from) < end - 1) container.add(this.#text(from, end - 1), from);
    return container.value;
  }

  #text(from: number, to: number): string {
    return this.bytes.toString('utf8', from, to);
  }

  /** @param end the position after its closing quote */
  *#parseString(start: number, end: number): WorkInPieces<string> {
    const { bytes } = this;
    let value = '';
    for (let from = start + 1, at = from; at < end - 1; from = at) {
      const enough = from + this.options.piece;
      while (at < end - 1 && (at < enough || isContinuation(bytes[at]))) {
        if (bytes[at] !== BACKSLASH) at += 1;
        else at += bytes[at + 1] === LETTER_U ? 6 : 2;
      }
      at = Math.min(at, end - 1);
      try {
        value += JSON.parse(`"${this.#text(from, at)}"`) as string;
      } catch {
        throw malformed(from);
      }
      yield;
    }
    return value;
  }

  /** The position after a small object or list. */
  #smallContainerEnd(start: number): number {
    const { bytes } = this;
    let depth = 0;
    for (let at = start; ; at += 1) {
      const code = bytes[at];
      if (code === QUOTE) at = (plainStringEnd(bytes, at) ?? runSync(stringEndInPieces(bytes, at, Infinity))) - 1;
      else if (code === OBJECT.open || code === LIST.open) depth += 1;
      else if ((code === OBJECT.close || code === LIST.close) && (depth -= 1) === 0) return at + 1;
    }
  }
}

/** Parses a group of members in brackets, which must not be empty. */
function parseMembers(text: string, from: number, { parse }: Required<JsonPiecesOptions>): unknown {
  if (BLANK.test(text.slice(1, -1))) throw malformed(from);
  try {
    return parse(text);
  } catch {
    throw malformed(from);
  }
}

class ListBuilder implements ContainerBuilder {
  readonly #elements: unknown[] = [];

  constructor(private readonly options: Required<JsonPiecesOptions>) {}

  get value(): unknown[] {
    return this.#elements;
  }

  add(text: string, from: number): void {
    for (const each of parseMembers(`[${text}]`, from, this.options) as unknown[]) this.#push(each);
  }

  put(before: string, value: unknown, from: number): void {
    if (!BLANK.test(before)) throw malformed(from);
    this.#push(value);
  }

  #push(value: unknown): void {
    if (this.#elements.push(value) > LIMITS.jsonValues && !this.options.trusted)
      throw bodyTooMany(`has a list of more than ${LIMITS.jsonValues} elements`);
  }
}

class ObjectBuilder implements ContainerBuilder {
  readonly #members = new Map<string, unknown>();

  constructor(private readonly options: Required<JsonPiecesOptions>) {}

  get value(): Record<string, unknown> {
    return Object.fromEntries(this.#members);
  }

  add(text: string, from: number): void {
    const members = parseMembers(`{${text}}`, from, this.options) as object;
    for (const [key, each] of Object.entries(members)) this.#set(key, each);
  }

  put(before: string, value: unknown, from: number): void {
    const colon = before.lastIndexOf(':');
    if (colon < 0 || !BLANK.test(before.slice(colon + 1))) throw malformed(from);
    const [key, ...others] = parseMembers(`[${before.slice(0, colon)}]`, from, this.options) as unknown[];
    if (typeof key !== 'string' || others.length > 0) throw malformed(from);
    this.#set(key, value);
  }

  #set(key: string, value: unknown): void {
    if (this.#members.set(key, value).size > LIMITS.jsonKeys && !this.options.trusted)
      throw bodyTooMany(`has an object of more than ${LIMITS.jsonKeys} keys`);
  }
}

/** The fault is somewhere after this byte; finding the exact one would take as long again. */
function malformed(from: number): SyntaxError {
  return new SyntaxError(`unexpected text after byte ${from}`);
}

/** The position of the next byte that is not blank, or the end. */
function skipBlank(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const code = bytes[at];
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
  }
  return bytes.length;
}

/** Finds the objects and lists of at least `piece` bytes: their end by their start. */
function* findLargeContainers(bytes: Buffer, piece: number, trusted: boolean): WorkInPieces<Map<number, number>> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  let [rest, opened] = [piece, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    if (at > rest) {
      rest = at + piece;
      yield;
    }
    const code = bytes[at];
    if (code === QUOTE) at = (plainStringEnd(bytes, at) ?? (yield* stringEndInPieces(bytes, at, piece))) - 1;
    else if (code === OBJECT.open || code === LIST.open) {
      if (!trusted) checkOpened(open.push(at), (opened += 1));
      else open.push(at);
    } else if (code === OBJECT.close || code === LIST.close) {
      const start = open.pop();
      const first = start === undefined ? 0 : bytes[start];
      if (start === undefined || first !== (code === LIST.close ? LIST.open : OBJECT.open)) throw malformed(at);
      if (at + 1 - start >= piece) ends.set(start, at + 1);
    }
  }
  if (open.length > 0) throw malformed(open.at(-1) ?? 0);
  return ends;
}

/**
 * @throws KindError 400 for too many levels, or too many objects and lists, each of which takes memory even if it is
 * short
 */
function checkOpened(depth: number, all: number): void {
  if (depth > LIMITS.bodyDepth) throw bodyTooMany(`is nested deeper than ${LIMITS.bodyDepth} levels`);
  if (all > LIMITS.bodyContainers) throw bodyTooMany(`has more than ${LIMITS.bodyContainers} objects and lists`);
}

/** The position after the closing quote of a string without escaped quotes; undefined for others. */
function plainStringEnd(bytes: Buffer, open: number): number | undefined {
  const close = bytes.indexOf(QUOTE, open + 1);
  return close < 0 || bytes[close - 1] === BACKSLASH ? undefined : close + 1;
}

/** The position after the closing quote of any string. */
function* stringEndInPieces(bytes: Buffer, open: number, piece: number): WorkInPieces<number> {
  let rest = open + piece;
  for (let at = open + 1; at < bytes.length; at += 1) {
    const code = bytes[at];
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
    if (at <= rest) continue;
    rest = at + piece;
    yield;
  }
  throw malformed(open);
}

function bodyTooMany(what: string) {
  return refusal('body.too_many', `The body ${what}`);
}
