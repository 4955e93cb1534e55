/** Scans the bytes of a JSON text for strings, brackets and blanks, in pieces if it is large. */
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { type WorkInPieces } from '../../shared/work-in-pieces.js';

/** The fault is somewhere after this byte; finding the exact one would take as long again. */
export function malformed(from: number): SyntaxError {
  return new SyntaxError(`unexpected text after byte ${from}`);
}

/** The position of the next byte that is not blank, or the end. */
export function skipBlank(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const code = bytes[at];
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
  }
  return bytes.length;
}

/** Finds the objects and lists of at least `piece` bytes: their end by their start. */
export function* findLargeContainers(
  bytes: Buffer,
  piece: number,
  trusted: boolean,
): WorkInPieces<Map<number, number>> {
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

export const QUOTE = 0x22;

export const BACKSLASH = 0x5c;

export const COLON = 0x3a;

export const COMMA = 0x2c;

export const OBJECT = { open: 0x7b, close: 0x7d } as const;

export const LIST = { open: 0x5b, close: 0x5d } as const;

/** The position after the closing quote of a string without escaped quotes; undefined for others. */
export function plainStringEnd(bytes: Buffer, open: number): number | undefined {
  const close = bytes.indexOf(QUOTE, open + 1);
  return close < 0 || bytes[close - 1] === BACKSLASH ? undefined : close + 1;
}

/** The position after the closing quote of any string. */
export function* stringEndInPieces(bytes: Buffer, open: number, piece: number): WorkInPieces<number> {
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

export function bodyTooMany(what: string) {
  return refusal('body.too_many', `The body ${what}`);
}
