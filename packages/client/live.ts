/** Lists that stay right (docs/changes.md#live-lists), by a stream. */
import { KindError } from './call.js';
import { addressOf, pause, type Connection, type Sent } from './connection.js';
import { CODES } from './codes.js';
import { eventsOf, PASSING } from './events.js';
import { contentOf, queryOf, type LiveOptions, type Page, type Values } from './operations.js';

type Unit = { readonly id: string };
interface Told {
  readonly id: string;
  readonly unit?: Unit;
  readonly count: number;
  readonly items: readonly Unit[];
  readonly code: string;
}

/** After a break, unless the service says another time, or a read that has failed; and the least between two reads of a list. */
const [RETRY_MS, READ_MS] = [5000, 1000];

/** Calls `listener` with the list whenever it has changed, until the function that it answers is called. */
export function liveOf(connection: Connection, id: string) {
  return (query: Values, listener: (page: Page<Unit>) => void, { signal, onError }: LiveOptions = {}) => {
    const stop = new AbortController();
    const end = () => stop.abort();
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    const sent = {
      method: 'GET',
      path: [id, 'unit'],
      query: queryOf(withIds(query)),
      codes: CODES.list,
      signal: stop.signal,
    };
    const list = new LiveList(connection, sent, listener);
    void keep(connection, sent, list)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) onError?.(error);
      })
      .finally(() => {
        end();
        signal?.removeEventListener('abort', end);
      });
    return end;
  };
}

/** By which units are known. */
function withIds({ include, exclude, ...query }: Values): Values {
  return {
    ...query,
    ...(include !== undefined && { include: ['id', ...(include as readonly unknown[])] }),
    ...(exclude !== undefined && { exclude: (exclude as readonly string[]).filter((name) => name !== 'id') }),
  };
}

/** Opens the stream again and again. @throws what ends the list */
async function keep(connection: Connection, sent: Sent & { readonly signal: AbortSignal }, list: LiveList) {
  while (!sent.signal.aborted) {
    let retry = RETRY_MS;
    try {
      const queries = [{ as: 'list', path: addressOf(sent) }];
      for await (const { event, data, wait } of eventsOf<Told>(connection, queries, sent.signal)) {
        if (wait !== undefined) retry = wait;
        if (event === 'end') {
          const { code, ...told } = data;
          if (!PASSING.includes(code)) throw new KindError(200, code, [{ code, text: '', ...told }]);
          if (code === 'token.expired') retry = READ_MS;
        } else if (event !== '') list.take(event, data);
      }
    } catch (error) {
      const isPassing =
        error instanceof KindError && (error.status === 0 || error.status === 429 || error.status >= 500);
      if (!isPassing) throw error;
    }
    await pause(retry, sent.signal);
  }
}

class LiveList {
  readonly #connection: Connection;
  readonly #sent: Sent & { readonly signal: AbortSignal };
  readonly #listener: (page: Page<Unit>) => void;
  #page: Page<Unit> = { count: 0, items: [] };
  #reading = false;
  #isOld = false;

  constructor(
    connection: Connection,
    sent: Sent & { readonly signal: AbortSignal },
    listener: (page: Page<Unit>) => void,
  ) {
    this.#connection = connection;
    this.#sent = sent;
    this.#listener = listener;
  }

  take(event: string, { id, unit, count, items }: Told): void {
    if (event === 'page') return this.#show({ count, items });
    const { items: old, count: matching } = this.#page;
    const at = old.findIndex((each) => each.id === (unit?.id ?? id));
    // Where it stands in the order, and which unit follows the last one, only the service knows.
    const isOrdered = this.#sent.query?.['order'] !== undefined;
    if (unit && at >= 0 && !isOrdered)
      this.#show({ count: matching, items: old.map((each, place) => (place === at ? unit : each)) });
    else if (!unit && at >= 0 && old.length === matching) {
      this.#show({ count: matching - 1, items: old.filter((_, place) => place !== at) });
    } else void this.#read();
  }

  #show(page: Page<Unit>): void {
    this.#page = page;
    if (!this.#sent.signal.aborted) this.#listener(page);
  }

  async #read(): Promise<void> {
    this.#isOld = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#isOld && !this.#sent.signal.aborted) {
      this.#isOld = false;
      const page = await this.#connection.call(this.#sent, contentOf).catch(() => undefined);
      // What was told meanwhile may not be in it.
      if (page !== undefined && !this.#isOld) this.#show(page as Page<Unit>);
      // What refuses it for good ends the stream, too.
      this.#isOld ||= page === undefined;
      await pause(page === undefined ? RETRY_MS : READ_MS, this.#sent.signal);
    }
    this.#reading = false;
  }
}
