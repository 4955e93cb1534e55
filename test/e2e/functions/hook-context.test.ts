/** What hooks know of the write: by which way, whether the system writes, the member's unit, and the values as stored. */
import { beforeEach, describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds, signUp, withMembers } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { Mailbox, temporaryFolder } from '../../support/mailbox.js';
import { startTestService } from '../../support/service.js';

const told = 'hook context of the test';
const folder = new FunctionsFolder({
  'job.ts': `
    import { kind, type HookContext } from 'kind';
    const job = kind('job');
    const seen = ((globalThis as any)['${told}'] ??= []);
    const tell = (name: string, more: (context: any) => unknown = () => undefined) => async (context: HookContext) => {
      const { via, asSystem } = context;
      seen.push({ name, via, asSystem, ...(await more(context) as object) });
    };
    const values = ({ values }: any) => ({ values });
    const makes = (of: 'system' | 'units') => job.function({
      description: 'Makes one',
      run: async ({ units, system }) => void (await (of === 'system' ? system.units : units)('job').create({ title: 'made' })),
    });
    const owns = job.function({ description: 'Reads the member', run: async ({ member, units }) => {
      const first = await member!.unit();
      (first as any).username = 'changed';
      await units('job').create({ title: 'owned' });
      const { username, secret } = await member!.unit();
      return { username, secret, copied: { ...(await member!.unit()) }, member };
    } });
    const mails = job.function({ description: 'Mails', parameters: { to: { type: 'string' } }, run: ({ mail, parameters }) =>
      mail({ to: 'ann@example.com', reply_to: parameters.to as string, subject: 'Hello', text: 'Hello' }) });
    const inbound = job.endpoint({ run: async ({ system }) => void (await system.units('job').create({ title: 'inbound' })) });
    export default job.module({
      functions: { as_system: makes('system'), as_caller: makes('units'), owns, mails },
      endpoints: { inbound },
      hooks: {
        before_create: tell('before_create'),
        after_create: async (context) => {
          await tell('after_create', values)(context);
          const { system, values: { title } } = context as any;
          if (title === 'chain') await system.units('job').create({ title: 'chained' });
          if (title === 'owned') seen.push({ unit: (await context.member!.unit()).username });
        },
        before_update: (context) => { void tell('before_update')(context); return { rank: 7 }; },
        after_update: tell('after_update', values),
        before_delete: tell('before_delete'),
      },
    });`,
  'person.ts': `
    import { kind } from 'kind';
    const seen = ((globalThis as any)['${told}'] ??= []);
    export default kind('person').module({ hooks: {
      before_create: ({ via, asSystem }) => void seen.push({ via, asSystem }),
    } });`,
});
const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ functionsDir: folder.path, dataDir });
const admin = await service.project();
const parameters = [
  { id: 'title', kind_id: 'string' },
  { id: 'rank', kind_id: 'integer', default_integer: 1 },
  { id: 'count', kind_id: 'integer', default_integer: 1 },
  { id: 'note', kind_id: 'string', only_run_time: true },
  { id: 'key', kind_id: 'string', hidden: true },
];
await defineKinds(admin, { id: 'job', parameters, public: true, access: { function: 'anyone', read: 'admin' } });
await withMembers(admin);
await ok(
  admin.put('/kind/unit/person', {
    parameters: [{ id: 'secret', kind_id: 'string', hidden: true, default_string: 's' }],
  }),
);
await reload(service);

type Seen = Readonly<Record<string, unknown>>;
const seen = ((globalThis as unknown as Record<string, Seen[]>)[told] ??= []);
beforeEach(() => void seen.splice(0));
const ways = () => seen.map(({ name, via, asSystem }) => [name, via, asSystem]);

describe('the way of a write', () => {
  it.each<[string, () => Promise<unknown>, string, boolean]>([
    ['a request', () => ok(admin.post('/job/unit', { title: 'a' })), 'api', false],
    [
      'a batch',
      () => ok(admin.post('/batch', { operations: [{ method: 'POST', path: '/job/unit', body: {} }] })),
      'api',
      false,
    ],
    ['a function as its caller', () => ok(admin.post('/job/function/as_caller')), 'function', false],
    ['a function as the system', () => ok(admin.post('/job/function/as_system')), 'function', true],
    [
      'an endpoint',
      () => fetch(`${service.service.url}/api/lib/project/${admin.id}/hook/job/inbound`, { method: 'POST' }),
      'function',
      true,
    ],
    [
      'an import',
      () =>
        ok(
          admin.call('POST', '/job/import', '{"title": "a"}\n', {
            headers: { 'content-type': 'application/x-ndjson' },
          }),
        ),
      'import',
      false,
    ],
  ])('of %s', async (_, write, via, asSystem) => {
    await write();
    expect(ways()).toEqual([
      ['before_create', via, asSystem],
      ['after_create', via, asSystem],
    ]);
  });

  it('is the innermost', async () => {
    await ok(admin.post('/job/unit', { title: 'chain' }));
    expect(ways()).toEqual([
      ['before_create', 'api', false],
      ['after_create', 'api', false],
      ['before_create', 'function', true],
      ['after_create', 'function', true],
    ]);
  });

  it('of a sign-up is no write of the system', async () => {
    await signUp(admin, 'sue');
    expect(seen).toEqual([{ via: 'signup', asSystem: false }]);
  });

  it('is told of edits and deletions', async () => {
    const id = await createdId(admin.post('/job/unit', {}));
    seen.splice(0);
    await ok(admin.put(`/job/unit/${id}`, { title: 'b' }));
    await ok(admin.delete(`/job/unit/${id}`));
    expect(ways().map(([name, via]) => `${String(name)} ${String(via)}`)).toEqual([
      'before_update api',
      'after_update api',
      'before_delete api',
    ]);
  });
});

describe('values after a write', () => {
  it('are as stored, with defaults and run-time ones', async () => {
    await ok(admin.post('/job/unit', { title: 'a', note: 'mind', key: 'k' }));
    expect(seen[1]).toMatchObject({ values: { title: 'a', rank: 1, count: 1, note: 'mind', key: 'k' } });
  });

  it('of an edit are those that it wrote, results of expressions and what hooks set included', async () => {
    const id = await createdId(admin.post('/job/unit', { title: 'a' }));
    seen.splice(0);
    await ok(admin.put(`/job/unit/${id}`, { count: { $inc: 4 }, note: 'mind' }));
    expect(seen[1]).toMatchObject({ name: 'after_update' });
    expect(seen[1]?.['values']).toEqual({ count: 5, rank: 7, note: 'mind' });
  });
});

describe('the member', () => {
  it('has its unit, as the system reads it, once for a call', async () => {
    const member = await asMember(admin, 'worker');
    await ok(admin.put('/kind/unit/worker', { access: { read: 'nobody' } }));
    const { username, copied, member: told } = (await ok(member.post('/job/function/owns'))) as Record<string, Seen>;
    expect(username).toBe('ann_worker');
    expect(copied).toMatchObject({ username: 'ann_worker' });
    expect(Object.keys(told ?? {})).toEqual(['id', 'kind_id', 'administrator']);
    expect(seen).toContainEqual({ unit: 'ann_worker' });
  });

  it('is none without a token', async () => {
    expect((await anonymous(admin).post('/job/function/owns')).status).toBe(500);
  });
});

it('mails of functions say where answers go', async () => {
  await ok(admin.post('/job/function/mails', { to: 'desk@example.com' }));
  const mail = await mailbox.last('ann@example.com', 1);
  expect(mail.headers.get('reply-to')).toBe('desk@example.com');
  expect((await admin.post('/job/function/mails', { to: 'Desk <desk@example.com>' })).status).toBe(500);
});
