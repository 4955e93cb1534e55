/**
 * Lets a tar file through that has only what a backup has: plain files of bounded size. What else tar knows, such as
 * headers that give the next entry another size or name, is never needed, and could take any memory.
 */
import { altered } from './backup.format.js';

const BLOCK = 512;
/** Where the header of a file has its size, in octal digits, and its type. */
const SIZE = { at: 124, end: 136 };
const TYPE = 156;
const PLAIN = new Set([0, '0'.charCodeAt(0)]);

/** @throws ArchiveError for anything else */
export async function* plainFiles(source: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Buffer> {
  let header = Buffer.alloc(0);
  /** Bytes of the current file that are still to come. */
  let left = 0;
  for await (const piece of source) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + (left || BLOCK - header.length));
      at += part.length;
      if (left > 0) {
        left -= part.length;
        continue;
      }
      header = Buffer.concat([header, part]);
      if (header.length < BLOCK) continue;
      left = Math.ceil(sizeIn(header, mostBytes) / BLOCK) * BLOCK;
      header = Buffer.alloc(0);
    }
    yield piece;
  }
}

function sizeIn(header: Buffer, most: number): number {
  // The end of the archive.
  if (header.every((byte) => byte === 0)) return 0;
  const [, digits] = /^ *([0-7]+)[ \0]*$/.exec(header.toString('latin1', SIZE.at, SIZE.end)) ?? [];
  const size = digits === undefined ? NaN : parseInt(digits, 8);
  if (!PLAIN.has(header[TYPE] ?? -1) || !(size <= most)) throw altered();
  return size;
}
