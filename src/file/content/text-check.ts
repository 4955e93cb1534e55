import { isUtf8 } from 'node:buffer';

/** Longest character in UTF-8, in bytes. */
const LONGEST_CHARACTER = 4;

/** Whether bytes, which come in pieces, are text: UTF-8 without NUL characters. */
export class TextCheck {
  #failed = false;
  /** The beginning of a character that the next piece continues. */
  #cut: Uint8Array = new Uint8Array();

  add(piece: Uint8Array): void {
    if (this.#failed) return;
    const bytes = this.#cut.length === 0 ? piece : Buffer.concat([this.#cut, piece]);
    const end = bytes.length - cutBytes(bytes);
    this.#failed = bytes.includes(0) || !isUtf8(bytes.subarray(0, end));
    this.#cut = Uint8Array.from(bytes.subarray(end));
  }

  /** Whether the bytes so far can begin a text. */
  get canBeText(): boolean {
    return !this.#failed;
  }

  /** Whether the bytes so far are a text. */
  get isText(): boolean {
    return !this.#failed && this.#cut.length === 0;
  }
}

/** How many bytes at the end begin a character that is not complete. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back < LONGEST_CHARACTER && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (!isContinuation) return back < characterLength(byte) ? back : 0;
  }
  return 0;
}

/** The bytes of a character by its first one. */
function characterLength(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
