/** The events of a stream of lists (docs/changes.md#live-lists), which `fetch` reads. */
import { KindError } from './call.js';
import type { Connection } from './connection.js';

/** The service says every 15 seconds that it is there. */
const SILENCE_MS = 40_000;
/** Ends after which the stream is opened again. */
export const PASSING = ['token.expired', 'server.stopping', 'stream.old'];

export interface StreamEvent<T> {
  /** Empty where there is none. */
  readonly event: string;
  readonly data: T;
  /** Milliseconds after which it may be opened again. */
  readonly wait?: number;
}

interface ListOfStream {
  readonly as: string;
  readonly path: string;
}

export async function* eventsOf<T>(
  connection: Pick<Connection, 'send'>,
  queries: readonly ListOfStream[],
  signal: AbortSignal,
): AsyncGenerator<StreamEvent<T>, void, undefined> {
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  let silence = setTimeout(end, SILENCE_MS);
  try {
    const sent = { method: 'POST', path: ['live'], body: { queries }, codes: [] };
    const { body: stream } = await connection.send({ ...sent, signal: stop.signal });
    if (!stream) throw new Error('this fetch answers no streams: give createClient another one');
    const [reader, decoder] = [stream.getReader(), new TextDecoder()];
    let text = '';
    for (;;) {
      const { done, value } = (await reader.read()) as {
        readonly done: boolean;
        readonly value?: Uint8Array<ArrayBuffer>;
      };
      clearTimeout(silence);
      if (done) return;
      silence = setTimeout(end, SILENCE_MS);
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
        const wait = field('retry');
        const data = JSON.parse(field('data') ?? '{}') as T;
        yield { event: field('event') ?? '', data, ...(wait !== undefined && { wait: Number(wait) }) };
      }
    }
  } catch (error) {
    // Silence, or a connection that is lost.
    if (signal.aborted || error instanceof KindError || error instanceof SyntaxError) throw error;
    if (stop.signal.aborted || error instanceof TypeError) throw new KindError(0, 'network');
    throw error;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', end);
    end();
  }
}
