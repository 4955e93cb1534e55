/** Hooks run in the transaction of every write of a unit, whichever way it comes; the model of these tests keeps a trace. */
import { beforeEach, describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds, signUp } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService, type TestProject } from '../../support/service.js';

/** Every hook of a kind, each leaving a trace of who asked and what it saw. */
const TRACED = `
const note = (what: string, seen: object) => async ({ system, member }: Context) =>
  void (await system.units('trace').create({ what, seen: { ...seen, by: member?.kind_id ?? null } }));
const traced = (kind: string): Hooks<string> => ({
  before_create: async (c) => note('before_create ' + kind, { title: c.values.title })(c),
  after_create: async (c) => note('after_create ' + kind, { title: c.unit.title })(c),
  before_update: async (c) => note('before_update ' + kind, { was: c.unit.title, values: c.values })(c),
  after_update: async (c) => note('after_update ' + kind, { was: c.before.title, is: c.unit.title })(c),
  before_delete: async (c) => note('before_delete ' + kind, { title: c.unit.title })(c),
  after_delete: async (c) => note('after_delete ' + kind, { title: c.unit.title })(c),
});`;
const HEAD = "import { kind, FunctionError, type Context, type Hooks } from 'kind';";

const folder = new FunctionsFolder({
  'book.ts': `${HEAD}${TRACED}
    const book = kind('book');
    export default book.module({
      hooks: traced('book'),
      functions: {
        make: book.function({ description: 'Makes two', run: async ({ units }) => {
          await units('book').create({ title: 'One' });
          await units('book').create({ title: 'Two' });
        } }),
      },
    });`,
  'page.ts': `${HEAD}${TRACED} export default kind('page').module({ hooks: traced('page') });`,
  'loan.ts': `${HEAD}${TRACED} export default kind('loan').module({ hooks: traced('loan') });`,
  'person.ts': `${HEAD}${TRACED} export default kind('person').module({ hooks: traced('person') });`,
  'post.ts': `${HEAD}
    const slug = (text: unknown) => String(text).toLowerCase().replace(/\\W+/g, '-');
    export default kind('post').module({ hooks: {
      before_create({ values }) {
        if (values.title === 'forbidden') throw new FunctionError(422, 'post.forbidden', 'Not that one', 'title');
        if (values.title === 'fails') throw new Error('very secret');
        if (values.title === 'number') return { slug: 12 };
        if (values.title === 'unknown') return { slog: 'x' };
        if (values.title === 'text') return 'x' as never;
        if (values.title === 'stolen') return { owner: 'nobody' };
        return { slug: slug(values.title), secret: values.password };
      },
      before_update({ unit, values }) {
        if (values.title === 'away') return { owner: 'nobody' };
        return values.title === undefined ? undefined : { slug: slug(values.title), former: unit.slug };
      },
      before_delete({ unit }) { if (unit.secret === 'keep') throw new FunctionError(409, 'post.kept', 'It is kept'); },
    } });`,
  'slow.ts': `${HEAD} export default kind('slow').module({ hooks: { before_create: () => new Promise(() => undefined) } });`,
  'loop.ts': `${HEAD} export default kind('loop').module({ hooks: {
    after_create: async ({ units }) => void (await units('loop').create({})) } });`,
  'undone.ts': `${HEAD} export default kind('undone').module({ hooks: { after_create: async ({ units, unit }) => {
    await units('trace').create({ what: 'lost' });
    if (unit.title === 'bad') throw new FunctionError(400, 'undone.bad', 'Bad');
    await units('undone').update(unit.id, { title: 'changed after' });
  } } });`,
  'broken.ts': 'export default',
});

const service = await startTestService({ functionsDir: folder.path, functionTimeout: 400 });
const admin = await service.project();
await defineKinds(
  admin,
  {
    id: 'trace',
    parameters: [
      { id: 'what', kind_id: 'string' },
      { id: 'seen', kind_id: 'json' },
    ],
  },
  { id: 'book', parameters: [{ id: 'title', kind_id: 'string', max_length: 20 }] },
  {
    id: 'page',
    parameters: ['title', { id: 'book', kind_id: 'unit', reference_kind: 'book', on_delete: 'cascade' }],
  },
  {
    id: 'loan',
    parameters: ['title', { id: 'lent', kind_id: 'unit', reference_kind: 'book', on_delete: 'set_null' }],
  },
  { id: 'person' },
);
await ok(admin.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person'] }));
await defineKinds(
  admin,
  {
    id: 'post',
    parameters: [
      'title',
      { id: 'slug', kind_id: 'string', unique: true },
      { id: 'former', kind_id: 'string' },
      { id: 'owner', kind_id: 'string' },
      { id: 'secret', kind_id: 'string', hidden: true },
      { id: 'password', kind_id: 'string', persistence: 'run_time' },
    ],
    access: { create: 'eq(owner,@member.username)', update: 'eq(owner,@member.username)', read: 'member' },
  },
  ...['slow', 'loop', 'undone', 'broken'].map((id) => ({ id, parameters: ['title'] })),
);
await reload(service);
const member = await asMember(admin);

async function traces(of: TestProject = admin): Promise<unknown[]> {
  const { items } = (await ok(of.get('/trace/unit?include=[what,seen]'))) as {
    items: { what: string; seen: { by: string | null } }[];
  };
  return items.map(({ what, seen }) => `${what} ${JSON.stringify(seen)}`);
}
async function clear(): Promise<void> {
  const { items } = (await ok(admin.get('/trace/unit?include=[id]&limit=1000'))) as { items: { id: string }[] };
  for (const { id } of items) await ok(admin.delete(`/trace/unit/${id}`));
}
const created = async (path: string, body: unknown, as = admin) => (await ok(as.post(path, body))) as { id: string };

describe('hooks run for a unit', () => {
  beforeEach(clear);

  it('that is created, edited and deleted by its endpoints', async () => {
    const { id } = await created('/book/unit', { title: 'A' }, member);
    await ok(member.put(`/book/unit/${id}`, { title: 'B' }));
    await ok(admin.delete(`/book/unit/${id}`));
    expect(await traces()).toEqual([
      'before_create book {"by":"person","title":"A"}',
      'after_create book {"by":"person","title":"A"}',
      'before_update book {"by":"person","was":"A","values":{"title":"B"}}',
      'after_update book {"by":"person","is":"B","was":"A"}',
      'before_delete book {"by":"kind_admin","title":"B"}',
      'after_delete book {"by":"kind_admin","title":"B"}',
    ]);
  });

  it('of a list', async () => {
    await ok(admin.post('/book/unit', [{ title: 'A' }, { title: 'B' }]));
    expect(await traces()).toEqual(
      ['before_create', 'after_create'].flatMap((hook) =>
        ['A', 'B'].map((title) => `${hook} book {"by":"kind_admin","title":"${title}"}`),
      ),
    );
  });

  it('inside another one', async () => {
    await ok(admin.post('/page/unit', { title: 'P', book: { title: 'Inside' } }));
    expect(await traces()).toEqual([
      'before_create book {"by":"kind_admin","title":"Inside"}',
      'after_create book {"by":"kind_admin","title":"Inside"}',
      'before_create page {"by":"kind_admin","title":"P"}',
      'after_create page {"by":"kind_admin","title":"P"}',
    ]);
  });

  it('that a deletion reaches, for any caller', async () => {
    const book = await created('/book/unit', { title: 'A' });
    await created('/page/unit', { title: 'P', book: book.id });
    const loan = await created('/loan/unit', { title: 'L', lent: book.id });
    await clear();
    await ok(member.delete(`/book/unit/${book.id}`));
    expect(await traces()).toEqual([
      'before_delete book {"by":"person","title":"A"}',
      'before_delete page {"by":"person","title":"P"}',
      'after_delete page {"by":"person","title":"P"}',
      'before_update loan {"by":"person","was":"L","values":{"lent":null}}',
      'after_update loan {"by":"person","is":"L","was":"L"}',
      'after_delete book {"by":"person","title":"A"}',
    ]);
    expect(await ok(admin.get(`/loan/unit/${loan.id}`))).toMatchObject({ lent: null });
  });

  it('that a function writes', async () => {
    await ok(member.post('/book/function/make'));
    expect(await traces()).toHaveLength(4);
  });

  it('that signs up, before anybody is signed in', async () => {
    await signUp(anonymous(admin), 'bea');
    expect(await traces()).toEqual(['before_create person {"by":null}', 'after_create person {"by":null}']);
  });

  it('not if the caller has no right, or its values are invalid', async () => {
    const replies = await Promise.all([
      anonymous(admin).post('/book/unit', { title: 'A' }),
      member.post('/book/unit', { title: 'x'.repeat(21) }),
      member.put('/book/unit/01890000-0000-7000-8000-000000000000', { title: 'A' }),
      member.put('/kind/unit/book', { label: 'A' }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([401, 400, 404, 403]);
    expect(await traces()).toEqual([]);
  });
});

describe('before hooks', () => {
  const mine = { owner: 'ann_person' };

  it('change what is written, also hidden fields; run-time values are not stored', async () => {
    const made = await created('/post/unit', { ...mine, title: 'Hello you', password: 'p' }, member);
    expect(made).toMatchObject({ slug: 'hello-you' });
    const edited = await ok(member.put(`/post/unit/${made.id}`, { title: 'Bye' }));
    expect(edited).toMatchObject({ slug: 'bye', former: 'hello-you' });
    expect(edited).not.toHaveProperty('secret');
    expect(await ok(member.put(`/post/unit/${made.id}`, { metadata: { a: 1 } }))).toMatchObject({ slug: 'bye' });
  });

  it.each([
    ['forbidden', 422, { code: 'post.forbidden', text: 'Not that one', parameter: 'title' }],
    ['fails', 500, { code: 'server.error' }],
    ['number', 400, { code: 'parameter.bad_type', parameter: 'slug' }],
    ['unknown', 400, { code: 'parameter.unknown', parameter: 'slog' }],
    ['text', 500, { code: 'server.error' }],
    ['stolen', 403, { code: 'access.denied' }],
  ])('refuse by what they throw, and what they change is checked and judged: %s', async (title, status, message) => {
    const reply = await member.post('/post/unit', { ...mine, title });
    expect([reply.status, reply.body.messages[0]]).toMatchObject([status, message]);
    expect(reply.text).not.toContain('very secret');
    expect(await ok(admin.get(`/post/unit?filter=eq(title,${title})&limit=0`))).toMatchObject({ count: 0 });
  });

  it.each([
    ['forbidden', { code: 'post.forbidden', parameter: 'title', index: 1 }],
    ['number', { code: 'parameter.bad_type', parameter: 'slug', index: 1 }],
  ])('tell which of several units they refuse: %s', async (title, message) => {
    const reply = await member.post('/post/unit', [mine, { ...mine, title }]);
    expect(reply.body.messages).toEqual([expect.objectContaining(message)]);
  });

  it('are validated after an edit too', async () => {
    const { id } = await created('/post/unit', { ...mine, title: 'Stays' }, member);
    expect(await member.put(`/post/unit/${id}`, { title: 'away' })).toMatchObject({ status: 403 });
    expect(await ok(admin.get(`/post/unit/${id}`))).toMatchObject({ title: 'Stays', owner: 'ann_person' });
  });

  it('do not run if a rule rejects the given values', async () => {
    const reply = await member.post('/post/unit', { owner: 'else', title: 'forbidden' });
    expect([reply.status, reply.body.messages[0]?.code]).toEqual([403, 'access.denied']);
  });

  it('report the index in a list, and store none of it', async () => {
    const reply = await member.post('/post/unit', [
      { ...mine, title: 'Fine' },
      { ...mine, title: 'number' },
    ]);
    expect([reply.status, reply.body.messages[0]]).toMatchObject([400, { index: 1, parameter: 'slug' }]);
    expect(await ok(admin.get('/post/unit?filter=eq(title,Fine)&limit=0'))).toMatchObject({ count: 0 });
  });

  it('produce values that the table rejects like those of a body', async () => {
    await created('/post/unit', { ...mine, title: 'Same' }, member);
    const reply = await member.post('/post/unit', { ...mine, title: 'same' });
    expect(reply.body.messages).toMatchObject([{ code: 'parameter.not_unique', parameter: 'slug' }]);
  });

  it('keep a unit from being deleted', async () => {
    const { id } = await created('/post/unit', { ...mine, title: 'Kept', password: 'keep' }, member);
    const reply = await admin.delete(`/post/unit/${id}`);
    expect([reply.status, reply.body.messages[0]?.code]).toEqual([409, 'post.kept']);
    await ok(admin.get(`/post/unit/${id}`));
  });

  it('respect If-Match of an edit', async () => {
    const { id } = await created('/post/unit', { ...mine, title: 'Version' }, member);
    const { headers } = await member.get(`/post/unit/${id}`);
    const tag = headers.get('etag') ?? '';
    const edit = () => member.put(`/post/unit/${id}`, { title: 'Other' }, { headers: { 'if-match': tag } });
    expect([(await edit()).status, (await edit()).status]).toEqual([200, 412]);
  });
});

describe('after hooks', () => {
  it('report which of several units they reject', async () => {
    const units = (...titles: string[]) => titles.map((title) => ({ title }));
    const several = await admin.post('/undone/unit', units('good', 'good', 'bad'));
    expect(several.body.messages).toEqual([{ code: 'undone.bad', text: 'Bad', index: 2 }]);
    const one = await admin.post('/undone/unit', { title: 'bad' });
    expect(one.body.messages).toEqual([{ code: 'undone.bad', text: 'Bad' }]);
  });
});

describe('the transaction', () => {
  beforeEach(clear);

  it('is rolled back completely if a hook throws', async () => {
    const reply = await admin.post('/undone/unit', { title: 'bad' });
    expect([reply.status, reply.body.messages[0]?.code]).toEqual([400, 'undone.bad']);
    expect(await ok(admin.get('/undone/unit?limit=0'))).toMatchObject({ count: 0 });
    expect(await traces()).toEqual([]);
  });

  it('contains what a hook wrote, also to the unit itself', async () => {
    const { id } = await created('/undone/unit', { title: 'good' });
    expect(await ok(admin.get(`/undone/unit/${id}`))).toMatchObject({ title: 'changed after' });
  });

  it('ends at the time limit, and its connection is free again', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => admin.post('/slow/unit', {})));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([504]));
    await ok(admin.post('/book/unit', { title: 'after' }));
  });

  it('ends if hooks trigger each other forever', async () => {
    expect((await admin.post('/loop/unit', {})).status).toBe(500);
    expect(await ok(admin.get('/loop/unit?limit=0'))).toMatchObject({ count: 0 });
  });
});

describe('a kind whose module is broken', () => {
  it('is read, and not written', async () => {
    folder.remove('broken.ts');
    await reload(service);
    const { id } = await created('/broken/unit', { title: 'A' });
    folder.write('broken.ts', 'export default');
    await reload(service);
    const writes = [
      await admin.post('/broken/unit', {}),
      await admin.post('/broken/unit', '{'),
      await admin.post('/broken/unit', [{}]),
      await admin.put(`/broken/unit/${id}`, {}),
      await admin.delete(`/broken/unit/${id}`),
      await admin.post('/broken/unit?cascade=perhaps', {}),
      await admin.put(`/broken/unit/${id}?cascade=perhaps`, {}),
      await admin.delete(`/broken/unit/${id}?cascade=perhaps`),
    ];
    expect(writes.map(({ status, body }) => [status, body.messages[0]?.code])).toEqual(
      writes.map(() => [503, 'function.broken']),
    );
    expect((await admin.put('/broken/unit/01890000-0000-7000-8000-000000000000', {})).status).toBe(404);
    expect((await anonymous(admin).post('/broken/unit', {})).status).toBe(401);
    await ok(admin.get(`/broken/unit/${id}`));
  });
});
