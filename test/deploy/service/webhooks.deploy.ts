/** Deliveries of a process that is killed go on in another one: at least once, under the same id. */
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { ownDatabase } from '../../support/own-database.js';
import { Receiver } from '../../support/receiver.js';
import { sideConnection } from '../../support/side-connection.js';
import { DemoAdmin, type ServiceChild } from './child.js';

const receiver = await Receiver.start();
const connection = await ownDatabase();
const side = await sideConnection(connection);
const admin = new DemoAdmin(connection, {
  WEBHOOK_ALLOW_PRIVATE: 'on',
  WEBHOOK_ALLOW_HTTP: 'on',
});
const codes = async (service: ServiceChild) => {
  const { items } = (await admin.send(service, '/webhook/unit/erp/delivery')) as {
    items: { state: string; attempts: { code: string | null }[] }[];
  };
  return items.map(({ state, attempts }) => [state, ...attempts.map(({ code }) => code)]);
};

it('of a process that was killed, in the next one', { timeout: 60_000 }, async () => {
  const first = await admin.start();
  await admin.signIn(first);
  await admin.send(first, '/kind/unit', {
    id: 'task',
    changes: 'feed',
    parameters: [{ id: 'title', kind_id: 'string' }],
  });
  await admin.send(first, '/webhook/unit', { id: 'erp', url: receiver.url(), kinds: ['task'] });
  receiver.answer = () => undefined;
  await admin.send(first, '/task/unit', { title: 'one' });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000);
  const gone = once(first.process, 'exit');
  first.process.kill('SIGKILL');
  await gone;
  // Half a minute later, nobody has heard of it.
  await side.rows(`UPDATE kind.service SET seen_at = now() - interval '31 seconds'`);
  receiver.succeed();
  const second = await admin.start();
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(1), 30_000);
  const [one, other] = receiver.received;
  expect(other?.body).toBe(one?.body);
  expect(other?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
  await vi.waitFor(async () => expect(await codes(second)).toEqual([['delivered', 'lost', null]]), 10_000);
});
