/** Connections of the pool. An exception while a response is parsed fails the query and closes this connection only. */
import type { Duplex } from 'node:stream';
import { Client, type ClientConfig } from 'pg';
import { streamOf } from '../pg-internals.js';

type DataHandler = (chunk: Buffer) => void;

/**
 * An exception in the parser of `pg`, as for a string longer than the maximum of JavaScript, would otherwise be
 * uncaught, and the query would never settle.
 */
export class GuardedClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    // The query reports the error. Without a listener, the event would end the process.
    this.on('error', () => undefined);
    this.once('connect', () => guardHandlers(streamOf(this)));
  }
}

function guardHandlers(stream: Duplex): void {
  for (const handler of stream.listeners('data') as DataHandler[]) {
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
