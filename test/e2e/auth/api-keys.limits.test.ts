/** API keys in several processes, under attack, and while what they depend on goes away. */
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { ATTEMPT_LIMITS } from '../../../src/auth/throttle.js';
import { anonymous, defineKinds, signUp, withMembers } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { makeKey } from '../../support/keys.js';
import { sideConnection } from '../../support/side-connection.js';
import { startTestService, TestProject } from '../../support/service.js';

const lines: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
const service = await startTestService({ trustProxy: 1 }, logger);
const second = await startTestService({ trustProxy: 1 });
const admin = await withMembers(await service.project());
await defineKinds(admin, { id: 'note' });
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const unknown = (n: number) => `kind_${admin.id}_${String(n).padStart(43, 'x')}`;

it('a key works in every process, and is refused in all of them within a second', async () => {
  const { id, secret } = await makeKey(admin);
  const there = new TestProject(second.service, admin.id, secret);
  await ok(there.get('/note/unit'));
  await ok(admin.put(`/api_key/unit/${id}`, { scope: [] }));
  await vi.waitFor(async () => expect((await there.get('/note/unit')).status).toBe(403), { timeout: 3000 });
  await ok(admin.delete(`/api_key/unit/${id}`));
  await vi.waitFor(async () => expect((await there.get('/note/unit')).status).toBe(401), { timeout: 3000 });
});

it('its use is stored once a minute', async () => {
  const { id, secret } = await makeKey(admin);
  const usedAt = async () => (await ok(admin.get(`/api_key/unit/${id}`))).last_used_at as string | null;
  const key = admin.as(secret);
  await ok(key.get('/note/unit'));
  const first = await vi.waitFor(async () => {
    const time = await usedAt();
    expect(time).not.toBeNull();
    return time;
  });
  // Each edit makes the process look the key up again.
  for (const label of ['a', 'b']) {
    await ok(admin.put(`/api_key/unit/${id}`, { label }));
    await ok(key.get('/note/unit'));
  }
  expect(await usedAt()).toBe(first);
  await query(admin, `UPDATE $schema."api_key" SET "last_used_at" = now() - interval '2 minutes' WHERE "id" = '${id}'`);
  await ok(admin.put(`/api_key/unit/${id}`, { label: 'c' }));
  await ok(key.get('/note/unit'));
  await vi.waitFor(async () => expect(String(await usedAt()) > String(first)).toBe(true));
});

it('many unknown keys from one address are refused without a statement, and hold up no other', async () => {
  const made = await makeKey(admin);
  const seen = admin.as(made.secret);
  const attacker = '192.0.2.7';
  await ok(seen.call('GET', '/note/unit', undefined, from(attacker)));
  const open = anonymous(admin);
  const attempt = (n: number, address = attacker) =>
    open.call('GET', '/note/unit', undefined, { ...from(address), token: unknown(n) });
  // The same one again is remembered for a second.
  await attempt(0);
  expect(await admin.statements(() => attempt(0))).toBe(0);
  for (let n = 1; n < ATTEMPT_LIMITS.address; n += 1) expect((await attempt(n)).status).toBe(401);
  const refused = await attempt(1000);
  expect(refusalOf(refused)).toEqual({ status: 429, messages: ['request.throttled'] });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
  expect(await admin.statements(() => attempt(1001))).toBe(0);
  expect((await attempt(1002, '192.0.2.8')).status).toBe(401);
  await ok(seen.call('GET', '/note/unit', undefined, from(attacker)));
  await ok(admin.put(`/api_key/unit/${made.id}`, { label: 'looked up again' }));
  await ok(seen.call('GET', '/note/unit', undefined, from(attacker)));
});

it('a key that is made while its member is deleted goes with it', async () => {
  const side = await sideConnection();
  const ann = await signUp(admin, 'ann');
  const release = await side.holding(
    admin,
    `SELECT 1 FROM "kind_system_user" WHERE "member_id" = '${ann.id}' FOR UPDATE`,
  );
  // Both wait for the row: the key is made before the deletion, which has to find it, or is refused.
  const made = admin.post('/api_key/unit', { member: ann.id });
  await side.queued(admin, 1);
  const deleted = admin.delete(`/person/unit/${ann.id}`);
  await side.queued(admin, 2);
  await release();
  const { status, body } = await made;
  expect([200, 400]).toContain(status);
  expect((await deleted).status).toBe(200);
  expect(await query(admin, `SELECT 1 FROM $schema."api_key" WHERE "member" = '${ann.id}'`)).toEqual([]);
  const secret = (body.content as { secret: string } | null)?.secret ?? unknown(9000);
  expect((await admin.as(secret).get('/note/unit')).status).toBe(401);
});

it('a key that is made while the session of its maker ends is refused', async () => {
  const side = await sideConnection();
  const { id, accessToken } = await signUp(admin, 'eve');
  // As whoever empties the account does, when its address is proved: the request is repeated then.
  const release = await side.holding(
    admin,
    `UPDATE "kind_system_user" SET "password_hash" = NULL WHERE "member_id" = '${id}'`,
    `DELETE FROM "_session" WHERE "member_id" = '${id}'`,
  );
  const made = admin.as(accessToken).post('/api_key/unit', { label: 'for later' });
  await side.queued(admin, 1);
  await release();
  expect(refusalOf(await made)).toEqual({ status: 403, messages: ['session.stale'] });
  expect(await query(admin, `SELECT 1 FROM $schema."api_key" WHERE "member" = '${id}'`)).toEqual([]);
});

it('a scope that is set while its kind is deleted is refused', async () => {
  const side = await sideConnection();
  await defineKinds(admin, { id: 'brief' });
  const { id } = await makeKey(admin);
  const release = await side.holding(admin, `SELECT 1 FROM "api_key" WHERE "id" = '${id}' FOR UPDATE`);
  const set = admin.put(`/api_key/unit/${id}`, { scope: [{ kinds: ['brief'], operations: ['read'] }] });
  await side.queued(admin, 1);
  await ok(admin.delete('/kind/unit/brief'));
  await release();
  expect(refusalOf(await set)).toEqual({ status: 400, messages: ['parameter.bad_value scope'] });
  expect((await ok(admin.get(`/api_key/unit/${id}`))).scope).toBeNull();
});

it('no secret is in the log', async () => {
  const { secret } = await makeKey(admin);
  const key = admin.as(secret);
  await ok(key.get('/note/unit'));
  await key.get('/nothing/unit');
  await key.post('/note/unit', '{"broken');
  await admin.as(`${secret}x`).get('/note/unit');
  const run = () => Promise.reject(new Error('the connection is gone'));
  const broken = vi.spyOn(service.service.database, 'ofProject').mockReturnValue({ run });
  await admin.as(unknown(5000)).get('/note/unit');
  broken.mockRestore();
  const log = lines.join('');
  expect(log).toContain('/note/unit');
  expect(log).not.toContain(secret.slice(-20));
  expect(log).not.toContain('x'.repeat(38));
});
