/** However its connections end, a listener has one, and hears. */
import { Client } from 'pg';
import { afterAll, expect, inject, it, vi } from 'vitest';
import { Listener } from '../../../src/database/listener.js';
import { sideConnection } from '../../support/side-connection.js';

it('has one connection, also where an old one fails while a new one is being made', async () => {
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
  const listener = new Listener(inject('database'), [channel], {
    onNotification: (_, payload) => void heard.push(payload),
    onGap: () => undefined,
  });
  afterAll(() => listener.stop());
  await listener.start();
  const pids = () =>
    side.rows<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE query = $1 AND state = 'idle'", [
      `LISTEN "${channel}"`,
    ]);
  const [first] = await pids();
  await side.rows('SELECT pg_terminate_backend($1, 5000)', [first?.pid]);
  // Longer than two tries are apart.
  await new Promise((resolve) => setTimeout(resolve, 2600));
  spy.mockRestore();
  expect(made).toHaveLength(2);
  expect(await pids()).toHaveLength(1);
  await side.rows('SELECT pg_notify($1, $2)', [channel, 'hello']);
  await vi.waitFor(() => expect(heard).toEqual(['hello']));
});
