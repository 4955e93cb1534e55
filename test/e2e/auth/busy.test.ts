/** More passwords than can be hashed in time: the rest is refused with 503, and no attempt counts as failed. */
import argon2 from '@node-rs/argon2';
import { expect, it, vi } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { query } from '../../support/definitions.js';
import { startTestService } from '../../support/service.js';

const gate = { closed: undefined as Promise<void> | undefined, running: 0, most: 0 };
/** The same work, which waits while the gate is closed. */
function gated<Given extends unknown[], Made>(work: (...given: Given) => Promise<Made>) {
  return async (...given: Given): Promise<Made> => {
    gate.most = Math.max(gate.most, (gate.running += 1));
    await gate.closed;
    gate.running -= 1;
    return work(...given);
  };
}
const { hash, verify } = argon2;
vi.spyOn(argon2, 'hash').mockImplementation(gated(hash));
vi.spyOn(argon2, 'verify').mockImplementation(gated(verify));

const service = await startTestService({ trustProxy: 1 });
const project = anonymous(await withMembers(await service.project()));
const other = anonymous(await service.project());

it('sign-ins beyond the queue are rejected, the others served', async () => {
  const ann = await signUp(project, 'ann');
  await query(project, 'DELETE FROM $schema._throttle');
  let open = (): void => undefined;
  gate.closed = new Promise((resolve) => (open = resolve));
  const count = LIMITS.hashesPerProject + 20;
  const signIn = (at: number) =>
    project.post(
      '/auth/signin',
      { username: `nobody ${at}`, password: 'a wrong one' },
      { headers: { 'x-forwarded-for': `192.0.2.${at}` } },
    );
  let refused = 0;
  const replies = Array.from({ length: count }, (_, at) =>
    signIn(at).then((reply) => ((refused += reply.status === 503 ? 1 : 0), reply)),
  );
  await vi.waitUntil(() => refused >= 20 - gate.running, { timeout: 4000 });
  expect(gate.most).toBeLessThanOrEqual(3);
  // The line of this project is full, that of another is not.
  const stranger = other.post('/auth/signin', { username: 'nobody', password: 'a wrong one' });
  open();
  gate.closed = undefined;
  expect((await stranger).status).toBe(401);
  const all = await Promise.all(replies);
  expect(all.filter(({ status }) => status === 401).length + refused).toBe(count);
  const busy = all.find(({ status }) => status === 503);
  expect(busy?.body.messages[0]?.code).toBe('server.busy');
  expect(busy?.headers.get('retry-after')).toBe('2');
  // Who was sent away has failed at nothing.
  const [row] = await query<{ n: number }>(
    project,
    'SELECT sum(cardinality("attempts"))::int AS n FROM $schema._throttle WHERE "allowed" = 10',
  );
  expect(row?.n).toBe(count - refused);
  expect((await project.post('/auth/signin', { username: 'ann', password: ann.password })).status).toBe(200);
});

it('sign-ups from one address leave room in the queue for those from others', async () => {
  let open = (): void => undefined;
  gate.closed = new Promise((resolve) => (open = resolve));
  const signUps = (count: number, address: string) =>
    Array.from({ length: count }, (_, at) => {
      const username = `m${address}-${at}`;
      const member = { username, email: `${username}@example.com`, password: 'a long password' };
      return project.post(
        '/auth/person/signup',
        { username, password: member.password, kind_system_user: member },
        { headers: { 'x-forwarded-for': address } },
      );
    });
  await query(project, 'DELETE FROM $schema._throttle');
  const many = signUps(LIMITS.hashesPerProject, '198.51.100.1');
  const taken = async () => {
    const text = 'SELECT sum(cardinality("attempts"))::int AS n FROM $schema._throttle';
    return (await query<{ n: number }>(project, text))[0]?.n ?? 0;
  };
  await vi.waitUntil(async () => (await taken()) >= 25, { timeout: 4000 });
  const few = signUps(10, '198.51.100.2');
  await vi.waitUntil(async () => (await taken()) >= 35, { timeout: 4000 });
  open();
  gate.closed = undefined;
  expect((await Promise.all(few)).map(({ status }) => status)).toEqual(few.map(() => 200));
  await Promise.all(many);
});
