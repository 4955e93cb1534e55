/** A part of an upload as it arrives. If it is cut off, it ends there. */
import type { IncomingMessage } from 'node:http';
import { bodyStream } from '../../http/body/body-stream.js';
import { bodyTooLarge } from '../../http/body/read-body.js';
import { KindError } from '../../shared/errors.js';

/** The body is cut off, or takes too long. */
const CUT: ReadonlySet<string> = new Set(['body.malformed', 'body.timeout']);

export class ReceivedPart implements AsyncIterable<Uint8Array> {
  /** Those that came until now. */
  bytes = 0;
  /** Why it was cut off, if it was. */
  cut: KindError | undefined;

  /** @param most that are missing of the upload @throws KindError 413 if it announces more */
  constructor(
    private readonly request: IncomingMessage,
    private readonly most: number,
  ) {
    if ((this.announced ?? 0) > most) throw bodyTooLarge(most);
  }

  /** The bytes that it says it has; undefined if it does not say. */
  get announced(): number | undefined {
    const { 'content-length': length, 'transfer-encoding': coding } = this.request.headers;
    return coding === undefined ? Number(length ?? 0) : undefined;
  }

  /** @throws KindError 413 if more comes than is missing: then nothing of it is kept */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of bodyStream(this.request, this.most)) {
        this.bytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      if (!(error instanceof KindError) || !CUT.has(error.code)) throw error;
      this.cut = error;
    }
  }
}
