/** Contents of files as functions read them: streams of the store, which are opened when they are read. */
import { Readable } from 'node:stream';

/** A stream that holds nothing until it is read. Whoever got it may leave it: it is destroyed when the call is over. */
export function streamOf(open: () => Promise<AsyncIterable<unknown>>): Readable {
  const stream = Readable.from(read(open), { objectMode: false });
  // Its reader gets the error; without one it would be an error that nobody caught.
  return stream.on('error', () => undefined);
}

async function* read(open: () => Promise<AsyncIterable<unknown>>): AsyncGenerator<unknown, void, undefined> {
  yield* await open();
}
