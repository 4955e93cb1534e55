/**
 * Many bytes as pieces. Each memory page of a new string or buffer takes time when it is first written, which holds the
 * event loop for up to 80 ms if 15 MB are filled at once; so they are never one, or are joined with pauses.
 */
import type { WorkInPieces } from './work-in-pieces.js';

/** A value of a statement that is sent piece by piece. */
export class LongValue {
  readonly length: number;

  constructor(readonly pieces: readonly Buffer[]) {
    this.length = bytesIn(pieces);
  }
}

export function bytesIn(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** The bytes of texts that follow each other, in buffers of about so many characters. */
export function* utf8Pieces(texts: Iterable<string>, characters: number): WorkInPieces<Buffer[]> {
  const pieces: Buffer[] = [];
  let short = '';
  for (const text of texts) {
    if (short.length + text.length <= characters) {
      short += text;
      continue;
    }
    if (short !== '') pieces.push(Buffer.from(short));
    short = '';
    for (let at = 0; at < text.length;) {
      const end = pieceEnd(text, at + characters);
      pieces.push(Buffer.from(text.slice(at, end)));
      at = end;
      yield;
    }
  }
  if (short !== '') pieces.push(Buffer.from(short));
  return pieces;
}

/** The end of a piece, or the position after it where a surrogate pair would be split. */
export function pieceEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end + 1 : end;
}

export function* joinPieces(pieces: readonly Buffer[]): WorkInPieces<Buffer> {
  const [first] = pieces;
  if (first && pieces.length === 1) return first;
  const all = Buffer.allocUnsafe(bytesIn(pieces));
  let at = 0;
  for (const piece of pieces) {
    at += piece.copy(all, at);
    yield;
  }
  return all;
}
