/** Reads a stream part by part. Reading can be stopped at any time, and the stream stays open then. */
import type { Readable } from 'node:stream';

/** The stream has ended before its data has. */
class CutOffError extends Error {
  override readonly name = 'CutOffError';
}

export class ByteStream {
  #stopped = false;
  #settle: (() => void) | undefined;

  constructor(private readonly stream: Readable) {}

  /** Undefined at the end, and once it was stopped. @throws CutOffError, and errors of the stream */
  next(): Promise<Buffer | undefined> {
    const { stream } = this;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        stream.off('readable', attempt).off('end', attempt).off('close', attempt).off('error', attempt);
        this.#settle = undefined;
      };
      const attempt = (): void => {
        const bytes = this.#stopped ? null : (stream.read() as Buffer | null);
        if (bytes === null && !this.#stopped && !stream.readableEnded && !stream.destroyed) return;
        settle();
        if (bytes !== null) resolve(bytes);
        else if (this.#stopped || stream.readableEnded) resolve(undefined);
        else reject(stream.errored ?? new CutOffError('the stream was closed before its end'));
      };
      this.#settle = attempt;
      stream.on('readable', attempt).on('end', attempt).on('close', attempt).on('error', attempt);
      attempt();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#settle?.();
  }
}
