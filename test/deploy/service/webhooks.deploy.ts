/** Deliveries of a process that is killed go on in another one: at least once, under the same id. */
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { ownDatabase, urlOf } from '../../support/own-database.js';
import { Receiver } from '../../support/receiver.js';
import { sideConnection } from '../../support/side-connection.js';
import { startChild, type ServiceChild } from './child.js';

const PASSWORD = 'a password of tests';
const receiver = await Receiver.start();
const connection = await ownDatabase();
const side = await sideConnection(connection);
const start = () =>
  startChild({
    DATABASE_URL: urlOf(connection),
    JWT_SECRET: 'a secret for tests, at least thirty-two characters',
    BOOTSTRAP_PROJECT: 'demo',
    BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
    WEBHOOK_ALLOW_PRIVATE: 'on',
    WEBHOOK_ALLOW_HTTP: 'on',
    SHUTDOWN_GRACE: '1s',
  });
let token = '';
const send = async ({ url }: ServiceChild, path: string, body?: object) => {
  const headers = {
    'kind-project-key': 'demo',
    'content-type': 'application/json',
    ...(token !== '' && { authorization: `Bearer ${token}` }),
  };
  const init = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers };
  const answer = await fetch(`${url}/api/lib${path}`, init);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { content: never }).content;
};
const codes = async (service: ServiceChild) => {
  const { items } = (await send(service, '/webhook/unit/erp/delivery')) as {
    items: { state: string; attempts: { code: string | null }[] }[];
  };
  return items.map(({ state, attempts }) => [state, ...attempts.map(({ code }) => code)]);
};

it('of a process that was killed, in the next one', { timeout: 60_000 }, async () => {
  const first = await start();
  const session = (await send(first, '/auth/signin', { username: 'admin', password: PASSWORD })) as {
    access_token: string;
  };
  token = session.access_token;
  await send(first, '/kind/unit', {
    id: 'task',
    changes: 'feed',
    parameters: [{ id: 'title', kind_id: 'string' }],
  });
  await send(first, '/webhook/unit', { id: 'erp', url: receiver.url(), kinds: ['task'] });
  receiver.answer = () => undefined;
  await send(first, '/task/unit', { title: 'one' });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000);
  const gone = once(first.process, 'exit');
  first.process.kill('SIGKILL');
  await gone;
  // Half a minute later, nobody has heard of it.
  await side.rows(`UPDATE kind.service SET seen_at = now() - interval '31 seconds'`);
  receiver.succeed();
  const second = await start();
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(1), 30_000);
  const [one, other] = receiver.received;
  expect(other?.body).toBe(one?.body);
  expect(other?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
  await vi.waitFor(async () => expect(await codes(second)).toEqual([['delivered', 'lost', null]]), 10_000);
});
