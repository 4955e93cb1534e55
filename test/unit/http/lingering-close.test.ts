/** Lingering close: limits on time, bytes and connections. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, expect, it, vi } from 'vitest';
import { LingeringClose } from '../../../src/http/server/lingering-close.js';

const servers: { close(): unknown; closeAllConnections(): void }[] = [];
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** A server that answers as soon as it has the head of a request; the answered function connects, and sends some of one. */
async function serve(options: Partial<ConstructorParameters<typeof LingeringClose>[0]>) {
  const lingering = new LingeringClose({
    bytes: 1000,
    milliseconds: 60_000,
    bytesPerSecond: 1e9,
    connections: 10,
    ...options,
  });
  const server = createServer((request, response) => {
    lingering.watch(request, response);
    response.end('early');
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return async (head: string): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${head}`);
    await once(socket, 'data');
    return socket;
  };
}

const closed = (socket: Socket) => vi.waitUntil(() => socket.closed, { timeout: 10_000 });
const announced = 'content-length: 100000\r\n\r\n';

it('more bytes close the connection, kept alive or not', async () => {
  const send = await serve({});
  for (const head of [announced, `connection: close\r\n${announced}`]) {
    const socket = await send(head);
    socket.write(' '.repeat(900));
    expect(socket.closed).toBe(false);
    socket.write(' '.repeat(200));
    await closed(socket);
  }
});

it('so does more time', async () => {
  const send = await serve({ milliseconds: 50 });
  const [kept, ending] = [await send(announced), await send(`connection: close\r\n${announced}`)];
  await Promise.all([closed(kept), closed(ending)]);
});

it('one more than the limit closes the oldest of them', async () => {
  const send = await serve({ connections: 2 });
  const sockets = [await send(announced), await send(announced), await send(announced)];
  await closed(sockets[0] as Socket);
  for (const socket of sockets.slice(1)) {
    expect(socket.closed).toBe(false);
    socket.destroy();
  }
});

it('also if many come in the same turn of the event loop', async () => {
  const lingering = new LingeringClose({ bytes: 1000, milliseconds: 60_000, bytesPerSecond: 1e9, connections: 2 });
  const sockets: Socket[] = [];
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients = [1, 2, 3, 4, 5].map(() => connect((server.address() as AddressInfo).port, '127.0.0.1'));
  for (const client of clients) client.on('error', () => undefined);
  await vi.waitUntil(() => sockets.length === clients.length);
  for (const socket of sockets) lingering.end(socket);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, true, false, false]);
  for (const socket of [...clients, ...sockets]) socket.destroy();
  server.close();
});

it('a connection whose request arrived completely is kept, however often', async () => {
  const send = await serve({ bytes: 10, connections: 1 });
  const socket = await send('content-length: 5\r\n\r\n');
  for (let round = 0; round < 20; round += 1) {
    socket.write('12345POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n');
    await once(socket, 'data');
  }
  expect(socket.closed).toBe(false);
  socket.destroy();
});

it('all of them together are read at a limited rate, to their end', async () => {
  const size = 400_000;
  const send = await serve({ bytes: size, bytesPerSecond: 2 * size });
  const sockets = await Promise.all([1, 2].map(() => send(`content-length: ${size}\r\n\r\n`)));
  const begun = performance.now();
  const bodyAndNext = Buffer.from(' '.repeat(size) + 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await Promise.all(
    sockets.map(async (socket) => {
      socket.write(bodyAndNext);
      await once(socket, 'data');
      socket.destroy();
    }),
  );
  // A second for both; their last pieces are not waited for.
  expect(performance.now() - begun).toBeGreaterThan(700);
});
