/** A listener reconnects, however its connection ends, and receives notifications again. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from 'pg';
import { expect, inject, it, vi } from 'vitest';
import { atEnd } from '../../support/at-end.js';
import { type ConnectionOptions } from '../../../src/database/connection/connection.js';
import { Listener } from '../../../src/database/listener.js';
import { sideConnection, type SideConnection } from '../../support/side-connection.js';

/** Announces by another connection than the listener's. */
const announcer = (side: SideConnection) => async (channel: string, payload: string) =>
  void (await side.rows('SELECT pg_notify($1, $2)', [channel, payload]));

it('has one connection, also if an old one fails while a new one is opened', async () => {
  const side = await sideConnection();
  const channel = `channel_${process.pid}`;
  const made: Client[] = [];
  const connect = Reflect.get(Client.prototype, 'connect') as () => unknown;
  const spy = vi.spyOn(Client.prototype, 'connect').mockImplementation(function (this: Client) {
    made.push(this);
    // The network takes its time, and in the meantime the old connection fails once more.
    if (made.length === 2) made[0]?.emit('error', new Error('late'));
    return Reflect.apply(connect, this, []) as never;
  });
  const heard: string[] = [];
  const onGap = vi.fn();
  const events = { onNotification: (_: string, payload: string) => void heard.push(payload), onGap };
  const listener = new Listener(inject('database'), [channel], events, announcer(side));
  atEnd(() => listener.stop());
  await listener.start();
  const pids = () =>
    side.rows<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE query = $1 AND state = 'idle'", [
      `LISTEN "${channel}"`,
    ]);
  const [first] = await pids();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await side.rows('SELECT pg_terminate_backend($1::int, 5000)', [first?.pid]);
  await expect.poll(() => onGap.mock.calls.length).toBe(1);
  // Longer than two tries are apart.
  await vi.advanceTimersByTimeAsync(2600);
  await expect.poll(() => onGap.mock.calls.length).toBe(2);
  await vi.advanceTimersByTimeAsync(2600);
  vi.useRealTimers();
  spy.mockRestore();
  expect(made).toHaveLength(2);
  expect(await pids()).toHaveLength(1);
  await side.rows('SELECT pg_notify($1, $2)', [channel, 'hello']);
  await vi.waitFor(() => expect(heard).toEqual(['hello']));
});

/** The database behind a line that can go silent without breaking. */
async function silentLine(): Promise<{
  connection: ConnectionOptions;
  silence: (on: boolean) => void;
  /** How many were made so far. */
  connections: () => number;
}> {
  const to = inject('database');
  const address = 'url' in to ? { host: new URL(to.url).hostname, port: Number(new URL(to.url).port || 5432) } : to;
  const sockets: Socket[] = [];
  let silent = false;
  const server = createServer((here) => {
    const there = address.host.startsWith('/')
      ? connect(`${address.host}/.s.PGSQL.${address.port}`)
      : connect(address.port, address.host);
    sockets.push(here, there);
    here.on('data', (data) => silent || there.write(data)).on('error', () => there.destroy());
    there.on('data', (data) => silent || here.write(data)).on('error', () => here.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = 'url' in to ? new URL(to.url) : undefined;
  if (url) [url.hostname, url.port] = ['127.0.0.1', String(port)];
  const connection = url ? { url: url.href } : { ...to, host: '127.0.0.1', port };
  return {
    connection: connection as ConnectionOptions,
    silence: (on) => void (silent = on),
    connections: () => sockets.length / 2,
  };
}

it('detects a silent connection, reports it once, and reconnects', async () => {
  const { connection, silence, connections } = await silentLine();
  const events = { onNotification: vi.fn(), onGap: vi.fn(), onFailure: vi.fn(), onRecovery: vi.fn() };
  const times = {
    reconnectDelay: 20,
    heartbeatInterval: 20,
    heartbeatTimeout: 200,
    connectionTimeout: 500,
    closeTimeout: 50,
  };
  const side = await sideConnection();
  const listener = new Listener(connection, [`silent_${process.pid}`], events, announcer(side), times);
  atEnd(() => listener.stop());
  await listener.start();
  silence(true);
  await expect.poll(connections, { timeout: 20_000 }).toBeGreaterThan(3);
  expect(events.onFailure).toHaveBeenCalledTimes(1);
  expect(events.onRecovery).not.toHaveBeenCalled();
  silence(false);
  await expect.poll(() => events.onRecovery.mock.calls.length, { timeout: 20_000 }).toBe(1);
  expect(events.onGap).toHaveBeenCalledTimes(2);
  await side.rows('SELECT pg_notify($1, $2)', [`silent_${process.pid}`, 'hello']);
  await expect.poll(() => events.onNotification.mock.calls).toContainEqual([`silent_${process.pid}`, 'hello']);
});

it('stops even if the connection is silent', async () => {
  const { connection, silence } = await silentLine();
  const events = { onNotification: vi.fn(), onGap: vi.fn() };
  const times = {
    reconnectDelay: 20,
    heartbeatInterval: 60_000,
    heartbeatTimeout: 5000,
    connectionTimeout: 60_000,
    closeTimeout: 50,
  };
  const side = await sideConnection();
  const listener = new Listener(connection, [`stopped_${process.pid}`], events, announcer(side), times);
  await listener.start();
  silence(true);
  await listener.stop();
  expect(events.onGap).not.toHaveBeenCalled();
});
