/** The header Server-Timing: what it counts, and who gets it. */
import { expect, test } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { FunctionsFolder } from '../../support/functions.js';
import { ADMIN, startTestService, TestProject, type Reply } from '../../support/service.js';

const CITY = `
import { kind } from 'kind';
const city = kind('city');
const pause = () => new Promise((resolve) => setTimeout(resolve, 30));
export default city.module({
  functions: {
    wait: city.function({ description: 'Waits', run: async ({ units }) => {
      await pause();
      await units('city').create({ name: 'Oslo' });
      return (await units('city').list()).count;
    } }),
  },
  hooks: { before_create: pause },
});
`;
const functions = new FunctionsFolder({ 'city.ts': CITY });
const service = await startTestService({ serverTiming: 'administrators', functionsDir: functions.path });
const admin = await service.project();
await defineKinds(admin, { id: 'city', public: true, parameters: [{ id: 'name', kind_id: 'string' }] });
const member = await asMember(admin);

/** The milliseconds of each part, and the number of statements. */
function timesOf({ headers }: Reply): Record<'total' | 'db' | 'function' | 'statements', number> {
  const text = headers.get('server-timing') ?? '';
  expect(text).toMatch(/^total;dur=\d+\.\d, db;dur=\d+\.\d;desc="\d+ statements?"(?:, function;dur=\d+\.\d)?$/);
  const of = (name: string) => Number(new RegExp(`${name};dur=([\\d.]+)`).exec(text)?.[1] ?? 0);
  const statements = Number(/desc="(\d+)/.exec(text)?.[1]);
  return { total: of('total'), db: of('db'), function: of('function'), statements };
}

test('counts the statements of a read, and of a write with a body', async () => {
  const read = timesOf(await admin.get('/city/unit?filter=all()'));
  // Once a second one more asks whether the session is still there.
  expect([1, 2]).toContain(read.statements);
  expect(read.db).toBeGreaterThan(0);
  expect(read.total).toBeGreaterThanOrEqual(read.db);
  const written = timesOf(await admin.post('/person/unit', { username: 'bob', email: 'bob@example.com' }));
  expect(written.statements).toBeGreaterThan(2);
  const batch = { operations: [1, 2, 3].map(() => ({ method: 'GET', path: '/city/unit' })) };
  expect(timesOf(await admin.post('/batch', batch)).statements).toBeGreaterThanOrEqual(3);
});

test('counts the time of a function with its hooks once', async () => {
  const times = timesOf(await admin.post('/city/function/wait'));
  expect(times.function).toBeGreaterThanOrEqual(58);
  expect(times.function).toBeLessThanOrEqual(times.total);
  expect(times.statements).toBeGreaterThanOrEqual(3);
});

test('is also there where a request is refused', async () => {
  const refused = await admin.get('/city/unit?filter=nonsense');
  expect(refused.status).toBe(400);
  expect(timesOf(refused).total).toBeGreaterThan(0);
});

test.each(['/city/unit', '/city/unit?filter=nonsense'])('is for administrators only: %s', async (path) => {
  for (const caller of [member, anonymous(admin)]) {
    expect((await caller.get(path)).headers.get('server-timing')).toBeNull();
  }
  // A key has the rights of its member, but its scope narrows them.
  const scope = [{ kinds: ['city'], operations: ['read'] }];
  const key = await admin.post('/api_key/unit', { label: 'Reader', scope });
  const narrowed = admin.as(key.body.content.secret as string);
  expect((await narrowed.get(path)).headers.get('server-timing')).toBeNull();
});

test('with on everybody gets it, but answers about passwords never have it', async () => {
  const { service: open } = await startTestService({ serverTiming: 'on' });
  const stranger = new TestProject(open, admin.id, undefined);
  expect(timesOf(await stranger.get('/city/unit')).statements).toBeGreaterThanOrEqual(1);
  const credentials = { username: ADMIN.username, password: ADMIN.password };
  for (const body of [credentials, { ...credentials, password: 'wrong' }, {}]) {
    expect((await stranger.post('/auth/signin', body)).headers.get('server-timing')).toBeNull();
  }
});

test('nobody gets it by default', async () => {
  const { service: plain } = await startTestService();
  const reply = await new TestProject(plain, admin.id, admin.token).get('/city/unit');
  expect(reply.status).toBe(200);
  expect(reply.headers.get('server-timing')).toBeNull();
});
