/** The connections of the pool: whatever goes wrong on one is an error of its query, and the end of that connection only. */
import type { Duplex } from 'node:stream';
import { Client, type ClientConfig } from 'pg';

type Handler = (chunk: Buffer) => void;

/**
 * What throws while an answer is read, such as a text that is longer than JavaScript's may be, would otherwise be an error
 * that nobody catches, and its query would wait forever.
 */
export class GuardedClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    // Whoever uses a connection hears of its end by its query. Without a listener it would end the process.
    this.on('error', () => undefined);
    this.once('connect', () => guard((this as unknown as { connection: { stream: Duplex } }).connection.stream));
  }
}

function guard(stream: Duplex): void {
  for (const handler of stream.listeners('data') as Handler[]) {
    const guarded = (chunk: Buffer): void => {
      try {
        handler(chunk);
      } catch (error) {
        stream.destroy(error as Error);
      }
    };
    stream.on('data', guarded);
    stream.off('data', handler);
  }
}
