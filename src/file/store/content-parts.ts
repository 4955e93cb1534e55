/**
 * Cuts a content into parts that are sent to a bucket one by one, each of them kept until it was sent, as it may have to
 * be sent again. All uploads of a process share the memory for them.
 */
import { createHash, type Hash } from 'node:crypto';
import { retryLater } from '../../shared/errors.js';
import { FairQueue } from '../../shared/fair-queue.js';
import { LIMITS } from '../../shared/limits.js';

export class ContentPart {
  readonly pieces: Uint8Array[] = [];
  bytes = 0;
  readonly #hash: Hash | undefined;

  constructor(hashed: boolean) {
    this.#hash = hashed ? createHash('sha256') : undefined;
  }

  add(piece: Uint8Array): void {
    this.pieces.push(piece);
    this.bytes += piece.byteLength;
    this.#hash?.update(piece);
  }

  /** Of all that was added, in hexadecimal; undefined if it is not hashed. */
  sha256(): string | undefined {
    return this.#hash?.copy().digest('hex');
  }
}

export class ContentParts {
  readonly #turns = new FairQueue({
    concurrency: Math.floor(LIMITS.storeParts / LIMITS.storePart),
    keyShare: 0.5,
    refusal: () => retryLater('server.busy', 'Too many contents of files are on their way', 5),
  });

  constructor(private readonly hashed: boolean) {}

  /**
   * Parts of `storePart` bytes, the last one of fewer, and a content of none has an empty one. A part is kept until the
   * next one is asked for.
   * @param owner those with the same share half of the memory
   */
  async *of(content: AsyncIterable<Uint8Array>, owner: string): AsyncGenerator<ContentPart, void, undefined> {
    let part = new ContentPart(this.hashed);
    let full = 0;
    let release: (() => void) | undefined;
    try {
      for await (const chunk of content) {
        for (let from = 0; from < chunk.byteLength;) {
          const piece = chunk.subarray(from, from + LIMITS.storePart - part.bytes);
          from += piece.byteLength;
          if (part.bytes + piece.byteLength > LIMITS.storeUnpooled) {
            release ??= await this.#turns.acquire(owner, LIMITS.storePartSeconds * 1000);
          }
          part.add(piece);
          if (part.bytes < LIMITS.storePart) continue;
          yield part;
          full += 1;
          part = new ContentPart(this.hashed);
          release?.();
          release = undefined;
        }
      }
      if (part.bytes > 0 || full === 0) yield part;
    } finally {
      release?.();
    }
  }
}
