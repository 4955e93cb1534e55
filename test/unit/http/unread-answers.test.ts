/** Answers that clients do not read: limits on time and on all bytes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, expect, it, vi } from 'vitest';
import { UnreadAnswers } from '../../../src/http/server/unread-answers.js';

const MEGABYTE = 1024 * 1024;
/** More than the system takes for a connection that nobody reads from. */
const LARGE = 'x'.repeat(16 * MEGABYTE);
const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

/**
 * A server whose answers are large, or as many times as large as the query says; the answered function asks for one, as
 * whom the path names, and reads nothing.
 */
async function serve(options: Partial<ConstructorParameters<typeof UnreadAnswers>[0]>) {
  const unread = new UnreadAnswers({ bytes: 1024 * MEGABYTE, milliseconds: 60_000, ...options });
  let answered = 0;
  const server = createServer((request, response) => {
    const [path = '', times = '1'] = (request.url ?? '').split('?');
    unread.watch(response, () => path);
    response.end(LARGE.repeat(Number(times)));
    answered += 1;
  });
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return async (path: string): Promise<Socket> => {
    const before = answered;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await vi.waitUntil(() => answered > before);
    return socket;
  };
}

/** Reads all that there is: how many bytes came before the connection was cut, or was still after them. */
function read(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0;
    socket.on('close', () => resolve(bytes));
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes >= LARGE.length) resolve(bytes);
    });
  });
}

it('a client that reads nothing for a while is disconnected', async () => {
  const ask = await serve({ milliseconds: 50 });
  const socket = await ask('/a');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await read(socket)).toBeLessThan(LARGE.length);
});

it('a client that reads something from time to time is not', async () => {
  const ask = await serve({ milliseconds: 1200 });
  const socket = await ask('/a');
  let bytes = 0;
  let due = 0;
  socket
    .on('close', () => (due = Infinity))
    .on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes >= due) socket.pause();
    });
  // Longer than its patience, and never as long without taking a megabyte.
  for (due = MEGABYTE; due <= LARGE.length; due += MEGABYTE) {
    socket.resume();
    await vi.waitUntil(() => bytes >= due || socket.closed);
    await new Promise((resolve) => setTimeout(resolve, 90));
  }
  expect(bytes).toBeGreaterThanOrEqual(LARGE.length);
  socket.destroy();
});

it('beyond the total limit, the oldest connection of the address with the most bytes is closed', async () => {
  const ask = await serve({ bytes: 40 * MEGABYTE });
  const [other, oldest] = [await ask('/other'), await ask('/many')];
  const newest = await ask('/many');
  const bytes = await Promise.all([other, oldest, newest].map(read));
  expect(bytes.map((each) => each >= LARGE.length)).toEqual([true, false, true]);
});

it('as many of them as have to be', async () => {
  const ask = await serve({ bytes: 70 * MEGABYTE });
  const small = [await ask('/many'), await ask('/many'), await ask('/many')];
  const large = await ask('/many?3');
  await vi.waitUntil(() => small.slice(0, 2).every((socket) => socket.resume().closed));
  const bytes = await Promise.all([small[2] as Socket, large].map(read));
  expect(bytes.map((each) => each >= LARGE.length)).toEqual([true, true]);
});
