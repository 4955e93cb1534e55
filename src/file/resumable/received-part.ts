/**
 * What a request brings of an upload. It comes in pieces, so that a process that is killed loses the last one alone,
 * however much a client sends at once. If it is cut off, it ends there.
 */
import type { IncomingMessage } from 'node:http';
import { bodyStream } from '../../http/body/body-stream.js';
import { withDigest } from '../../http/body/content-digest.js';
import { bodyTooLarge } from '../../http/body/read-body.js';
import { KindError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';

/** The body is cut off, or takes too long. */
const CUT: ReadonlySet<string> = new Set(['body.malformed', 'body.timeout']);

export class ReceivedPart {
  /** Those of all pieces until now. */
  bytes = 0;
  /** Why it was cut off, if it was. */
  cut: KindError | undefined;
  readonly #chunks: AsyncGenerator<Buffer, void, undefined>;
  /** One with a digest is kept whole or not at all. */
  readonly #hasDigest: boolean;
  /** What came last and is in no piece. */
  #next: Buffer | undefined;

  /** @param most that are missing of the upload @throws KindError 413 if it announces more */
  constructor(
    private readonly request: IncomingMessage,
    most: number,
  ) {
    if ((this.#announced ?? 0) > most) throw bodyTooLarge(most);
    this.#chunks = withDigest(bodyStream(request, most), request.headers);
    this.#hasDigest = request.headers['content-digest'] !== undefined;
  }

  get isEmpty(): boolean {
    return this.#announced === 0 && !this.#hasDigest;
  }

  /** The bytes of the next piece; undefined if the request does not say. */
  get announced(): number | undefined {
    return this.#announced === undefined ? undefined : Math.min(this.#announced - this.bytes, this.#pieceBytes);
  }

  /** Waits until more comes, or nothing more does. @throws KindError 413 if more comes than is missing */
  async hasMore(): Promise<boolean> {
    try {
      this.#next ??= (await this.#chunks.next()).value ?? undefined;
    } catch (error) {
      if (this.#hasDigest || !(error instanceof KindError) || !CUT.has(error.code)) throw error;
      this.cut = error;
    }
    return this.#next !== undefined;
  }

  /** @throws KindError 413 if more comes than is missing: then nothing of the piece is kept */
  async *piece(): AsyncGenerator<Uint8Array, void, undefined> {
    let rest = this.#pieceBytes;
    while (rest > 0 && (await this.hasMore()) && this.#next) {
      const chunk = this.#next.subarray(0, rest);
      this.#next = chunk.length < this.#next.length ? this.#next.subarray(rest) : undefined;
      rest -= chunk.length;
      this.bytes += chunk.length;
      yield chunk;
    }
  }

  get #pieceBytes(): number {
    return this.#hasDigest ? Infinity : LIMITS.uploadPieceBytes;
  }

  /** The bytes that it says it has; undefined if it does not say. */
  get #announced(): number | undefined {
    const { 'content-length': length, 'transfer-encoding': coding } = this.request.headers;
    return coding === undefined ? Number(length ?? 0) : undefined;
  }
}
