/** Every request is observed once, whether or not its client waits for the answer. */
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, expect, it, vi } from 'vitest';
import { MetricSources } from '../../../src/shared/metric-sources.js';
import { requestLifecycle } from '../../../src/http/server/request-lifecycle.js';
import { OpenRequests } from '../../../src/http/server/open-requests.js';
import { unreadAnswers } from '../../../src/http/server/unread-answers.js';

const seen = vi.fn();
const enter = requestLifecycle(new OpenRequests(new MetricSources()), [
  (asked, status) => void seen(asked.url, status),
]);
const held: ServerResponse[] = [];
const server = createServer((asked, response) => {
  enter(asked as never, response as never, () => {
    if (asked.url === '/held') held.push(response);
    else response.writeHead(201).end('done');
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => void server.close());
const ask = (path: string) => request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', path }).end();

it('with the status of its answer', async () => {
  const [answer] = (await once(ask('/'), 'response')) as [NodeJS.ReadableStream];
  answer.resume();
  await vi.waitFor(() => expect(seen.mock.calls).toEqual([['/', 201]]));
});

it('and its answer is monitored until the client has read it', async () => {
  const watch = vi.spyOn(unreadAnswers, 'watch');
  const [answer] = (await once(ask('/'), 'response')) as [NodeJS.ReadableStream];
  answer.resume();
  expect(watch).toHaveBeenCalledTimes(1);
  watch.mockRestore();
});

it('with 499 if its client has disconnected', async () => {
  seen.mockClear();
  const asked = ask('/held');
  asked.on('error', () => undefined);
  await vi.waitFor(() => expect(held).toHaveLength(1));
  asked.destroy();
  await vi.waitFor(() => expect(seen.mock.calls).toEqual([['/held', 499]]));
  held[0]?.end('too late');
  expect(seen).toHaveBeenCalledTimes(1);
});

it('with 499 too if its answer waits for earlier ones when its client disconnects', async () => {
  seen.mockClear();
  held.length = 0;
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(['/held', '/', '/held'].map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''));
  await vi.waitFor(() => expect(held).toHaveLength(2));
  socket.destroy();
  await vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(3));
  expect(seen.mock.calls).toEqual(
    expect.arrayContaining([
      ['/held', 499],
      ['/', 499],
      ['/held', 499],
    ]),
  );
  for (const response of held) response.end('too late');
  expect(seen).toHaveBeenCalledTimes(3);
});
