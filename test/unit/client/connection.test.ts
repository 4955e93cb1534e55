/** What becomes of a call whose connection or whose signal ends, also while its answer is read. */
import { afterEach, expect, it, vi } from 'vitest';
import { KindError } from '../../../packages/client/call.js';
import { answerOf, Connection, pause, sender, type Sent } from '../../../packages/client/connection.js';
import { liveOf } from '../../../packages/client/live.js';
import type { Page } from '../../../packages/client/operations.js';

afterEach(() => vi.useRealTimers());

const session = { owner: null, token: () => Promise.resolve(undefined), renew: () => Promise.resolve(false) };
const json = (content: unknown) => new Response(JSON.stringify({ content }));

function connectionOf(answer: (at: number, address: string) => Response) {
  const sent: string[] = [];
  const send = ((address: string, { method, signal }: RequestInit) => {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    return Promise.resolve(answer(sent.push(method ?? ''), address));
  }) as typeof fetch;
  const options = { url: 'http://service', project: 'p', fetch: send };
  return { sent, connection: new Connection('p', sender(options, 'omit'), session) };
}

/** An answer that ends in its middle. */
function broken(error: () => Error): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(new TextEncoder().encode('{"content": ')),
    pull: (stream) => stream.error(error()),
  });
  return new Response(body);
}

const call = (connection: Connection, sent: Partial<Sent> = {}) =>
  connection.call({ method: 'GET', path: ['task', 'unit'], codes: [], ...sent }, ({ content }) => content);

it('a read whose answer is lost in the middle is sent again', async () => {
  vi.useFakeTimers();
  const { sent, connection } = connectionOf((at) => (at < 3 ? broken(() => new TypeError('terminated')) : json('all')));
  const result = call(connection).result();
  await vi.runAllTimersAsync();
  expect(await result).toEqual({ ok: true, value: 'all' });
  expect(sent).toHaveLength(3);
});

it('a write whose answer is lost in the middle is not sent again without a key', async () => {
  const { sent, connection } = connectionOf(() => broken(() => new TypeError('terminated')));
  expect(await call(connection, { method: 'POST', body: {} }).result()).toMatchObject({ ok: false, code: 'network' });
  expect(sent).toEqual(['POST']);
});

it.each([200, 400])('a signal ends a call of which the answer of %i is read', async (status) => {
  const stop = new AbortController();
  const { sent, connection } = connectionOf(() => {
    const answer = broken(() => {
      stop.abort(new Error('enough'));
      return stop.signal.reason as Error;
    });
    return new Response(answer.body, { status });
  });
  await expect(call(connection, { signal: stop.signal }).result()).rejects.toThrow('enough');
  expect(sent).toHaveLength(1);
});

it('what is no answer of the service is not sent again', async () => {
  await expect(answerOf(new Response('<html>'))).rejects.toMatchObject({ status: 200, code: 'other' });
});

it('a signal that has ended already ends pauses and live lists at once', async () => {
  vi.useFakeTimers();
  const signal = AbortSignal.abort();
  await pause(1_000_000, signal);
  const { sent, connection } = connectionOf(() => json(null));
  const errors: unknown[] = [];
  liveOf(connection, 'task')({}, () => undefined, { signal, onError: (error) => errors.push(error) });
  await vi.advanceTimersByTimeAsync(100_000);
  expect([sent, errors, vi.getTimerCount()]).toEqual([[], [], 0]);
});

it('a live list that could not be read again is old until it is', async () => {
  vi.useFakeTimers();
  const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify({ as: 'list', ...data })}\n\n`;
  const told = event('page', { count: 1, items: [{ id: 'a' }] }) + event('put', { unit: { id: 'b' } });
  const open = () => {
    const alive = new ReadableStream<Uint8Array>({ start: (s) => s.enqueue(new TextEncoder().encode(told)) });
    return new Response(alive);
  };
  let reads = 0;
  const { connection } = connectionOf((_, address) => {
    if (address.endsWith('/live')) return open();
    reads += 1;
    return reads === 1 ? new Response('<html>') : json({ count: 2, items: [{ id: 'a' }, { id: 'b' }] });
  });
  const pages: Page<{ readonly id: string }>[] = [];
  const end = liveOf(connection, 'task')({}, (page) => pages.push(page));
  await vi.advanceTimersByTimeAsync(0);
  expect(pages.map(({ count }) => count)).toEqual([1]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect([pages.map(({ count }) => count), reads]).toEqual([[1, 2], 2]);
  end();
});

it('no connection has the code network', async () => {
  const away = sender(
    { url: 'http://service', project: 'p', fetch: () => Promise.reject(new TypeError('away')) },
    'omit',
  );
  await expect(away({ method: 'GET', path: ['a'], codes: [] })).rejects.toEqual(new KindError(0, 'network'));
});
