/** What before hooks receive, and what their results do: they may set keys and required values, and remove values. */
import { beforeEach, describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import type { TestProject } from '../../support/service.js';

const HEAD = `import { kind } from 'kind';
const seen = (globalThis as unknown as { seen: object[] }).seen;
const slug = (text: unknown) => (typeof text === 'string' ? text.toLowerCase().replace(/\\W+/g, '-') : undefined);`;
const folder = new FunctionsFolder({
  'page.ts': `${HEAD} export default kind('page').module({ hooks: { before_create({ values }) {
    const title = values['title'];
    seen.push({ ...values, absent: values['state'] });
    if (title === 'Whole') return;
    if (title === 'Number') return { code: 5, owner: 'made' } as never;
    return { code: slug(title), owner: 'made', state: title === 'Open' ? 'open' : undefined };
  } } });`,
  'tied.ts': `${HEAD} export default kind('tied').module({ hooks: {
    before_create: ({ values }) => ({ code: slug(values['title']) }),
    async after_create({ unit, links, units }) {
      const page = await units('page').create({ title: 'Of ' + unit.id });
      await links.create(unit, page);
    },
  } });`,
  'plain.ts': `${HEAD} const plain = kind('plain'); export default plain.module({ functions: {
    make: plain.function({ description: 'Makes a page', run: ({ system }) => system.units('page').create({ title: 'By hand' }) }),
  } });`,
  'ruled.ts': `${HEAD} export default kind('ruled').module({ hooks: { before_create({ values }) {
    seen.push(values);
    return { code: slug(values['title']), ...(values['title'] === 'Away' && { state: 'open' }) };
  } } });`,
  'far.ts': `${HEAD} export default kind('far').module({
    hooks: {
      before_create: ({ values }) => ({ owner: values['title'] === 'none' ? undefined : 'made' }),
      before_update: () => ({ title: undefined }),
    },
    remote: {
      list: () => ({ count: 0, items: [] }),
      get: (id) => ({ id, title: 'stored', owner: 'x' }),
      create: (values) => ({ id: '1', ...values }),
      update: (id, values) => { seen.push(values); return { id, title: 'stored', owner: 'x', ...values }; },
    },
  });`,
  'client.ts': `${HEAD} export default kind('client').module({ hooks: { before_create({ values }) {
    seen.push(values);
    return { username: String(values['username']).toLowerCase(), nickname: 'Nick' };
  } } });`,
  'note.ts': `${HEAD} export default kind('note').module({ hooks: { before_update({ values }) {
    seen.push(values);
    if (values['title'] === 'keep') return { title: undefined };
    if (values['title'] === 'all') return { title: undefined, owner: undefined, secret: undefined, nope: undefined };
    if (values['title'] === 'later') return { title: 'late', owner: undefined };
    return undefined;
  } } });`,
});
const seen: object[] = [];
Object.assign(globalThis, { seen });
beforeEach(() => void seen.splice(0));

const service = await sharedServiceWith(folder);
const admin = await service.project();
const member = await asMember(admin);
const state = { id: 'state', kind_id: 'string', default_string: 'draft' };
await defineKinds(
  admin,
  {
    id: 'page',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'title', kind_id: 'string', max_length: 10 },
      { id: 'owner', kind_id: 'string', required: true, nullable: false },
      state,
      { id: 'secret', kind_id: 'string', persistence: 'run_time' },
    ],
  },
  { id: 'tied', parameters: ['code', 'title'] },
  { id: 'plain', parameters: ['title', { id: 'page', kind_id: 'unit', reference_kind: 'page', nullable: false }] },
  { id: 'vault', parameters: ['title'], access: { read: 'eq(title,@member.username)' } },
  {
    id: 'ruled',
    parameters: ['code', 'title', 'state', { id: 'about', kind_id: 'unit', reference_kind: 'vault' }],
    access: { create: 'eq(state,draft)', read: 'member' },
  },
  { id: 'far', remote: true, parameters: ['title', 'owner', 'state'] },
  { id: 'client', parameters: [{ id: 'nickname', kind_id: 'string', required: true }] },
  { id: 'note', parameters: ['title', { id: 'mark', kind_id: 'string' }, 'secret'] },
);
await ok(admin.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person', 'client'] }));
await reload(service);
const create = (path: string, body: unknown, as: TestProject = admin) => as.post(path, body);
const count = async (kind: string) => ((await ok(admin.get(`/${kind}/unit?limit=0`))) as { count: number }).count;

describe('before a create', () => {
  it('a hook sets the key and required values, and receives only the given values', async () => {
    expect(await ok(create('/page/unit', { title: 'One Page', secret: 's' }))).toMatchObject({
      ...{ id: 'one-page', code: 'one-page', owner: 'made', state: 'draft' },
    });
    expect(seen).toEqual([{ title: 'One Page', secret: 's', absent: undefined }]);
    expect(await ok(create('/page/unit', { title: 'Open' }))).toMatchObject({ state: 'open' });
    expect(await ok(create('/page/unit', { title: 'Null', state: null }))).toMatchObject({ state: 'draft' });
    expect(await ok(admin.post('/plain/function/make'))).toMatchObject({ id: 'by-hand' });
  });

  it('a hook that returns nothing keeps the given values', async () => {
    const whole = { code: 'whole', title: 'Whole', owner: 'given' };
    expect(await ok(create('/page/unit', whole))).toMatchObject({ ...whole, id: 'whole', state: 'draft' });
    expect(refusalOf(await create('/page/unit', { title: 'Whole' }))).toEqual({
      status: 400,
      messages: ['parameter.required code', 'parameter.required owner'],
    });
  });

  it('a key that another unit has is 409', async () => {
    await ok(create('/page/unit', { title: 'Taken' }));
    expect(refusalOf(await create('/page/unit', { title: 'taken' }))).toEqual({
      status: 409,
      messages: ['parameter.not_unique code'],
    });
  });

  it('later hooks find the unit by the new key, and can link it', async () => {
    await ok(create('/tied/unit', [{ title: 'A b' }, { title: 'A c' }]));
    for (const key of ['a-b', 'a-c']) {
      expect(await ok(admin.get(`/tied/unit/${key}/link/child`))).toMatchObject({
        items: [{ id: `of-${key}`, owner: 'made', link: { parent_id: key } }],
      });
    }
  });

  it.each<[string, object, string]>([
    ['a key that it does not make', {}, 'parameter.required code'],
    ['a key that cannot be one', { title: '' }, 'parameter.bad_value code'],
    ['a key of another type', { title: 'Number' }, 'parameter.bad_type code'],
  ])('what is still missing or wrong is told once: %s', async (_, body, message) => {
    const before = await count('page');
    const refused = refusalOf(await create('/page/unit', body));
    expect(refused).toEqual({ status: 400, messages: [message] });
    expect(await count('page')).toBe(before);
  });

  it('faults of the given values are reported before a hook runs', async () => {
    const refused = refusalOf(await create('/page/unit', { title: 'x'.repeat(11), nope: 1 }));
    expect(refused).toEqual({ status: 400, messages: ['parameter.unknown nope', 'parameter.too_long title'] });
    expect(seen).toEqual([]);
  });

  it('in a list each unit has its own hook call, and errors have its index', async () => {
    const made = (await ok(create('/page/unit', [{ title: 'L 1' }, { title: 'L 2', state: 'x' }]))) as {
      items: { id: string; state: string }[];
    };
    expect(made.items.map(({ id, state: is }) => [id, is])).toEqual([
      ['l-1', 'draft'],
      ['l-2', 'draft'],
    ]);
    const { body } = await create('/page/unit', [{ title: 'L 3' }, {}]);
    expect(body.messages).toEqual([
      expect.objectContaining({ code: 'parameter.required', parameter: 'code', index: 1 }),
    ]);
    const twice = await create('/page/unit', [{ title: 'Same' }, { title: 'same' }]);
    expect([twice.status, twice.body.messages]).toMatchObject([409, [{ parameter: 'code', index: 1 }]]);
  });

  it('a unit inside another one is referred to by the key that it gets', async () => {
    const made = await ok(create('/plain/unit', { title: 'outer', page: { title: 'In Side' } }));
    expect(made).toMatchObject({ page: 'in-side' });
    expect(await ok(admin.get('/page/unit/in-side'))).toMatchObject({ owner: 'made' });
    const { body } = await create('/plain/unit', [{ page: { title: 'In 2' } }, { page: {} }]);
    expect(body.messages).toEqual([
      expect.objectContaining({ code: 'parameter.required', parameter: 'page.code', index: 1 }),
    ]);
    expect((await admin.get('/page/unit/in-2')).status).toBe(404);
  });

  it('rules are checked for the given values with defaults, and for the result', async () => {
    expect(await ok(create('/ruled/unit', { title: 'Fine' }, member))).toMatchObject({ id: 'fine', state: 'draft' });
    seen.splice(0);
    expect(await create('/ruled/unit', { title: 'No', state: 'open' }, member)).toMatchObject({ status: 403 });
    expect(seen).toEqual([]);
    expect(await create('/ruled/unit', { title: 'Away' }, member)).toMatchObject({ status: 403 });
    expect(seen).toHaveLength(1);
  });

  it('invalid references are reported without a hook, after rights', async () => {
    const id = await createdId(create('/vault/unit', { title: 'closed' }));
    const bad = { title: 'Bad', about: id };
    expect(refusalOf(await create('/ruled/unit', bad, member))).toEqual({
      status: 400,
      messages: ['parameter.bad_reference about'],
    });
    expect((await create('/ruled/unit', { ...bad, state: 'open' }, member)).status).toBe(403);
    expect(seen).toEqual([]);
  });

  it('members sign up by the name that a hook gives them', async () => {
    const password = 'correct horse 9';
    const body = {
      username: 'BEA',
      password,
      kind_system_user: { username: 'BEA', password, email: 'bea@example.com' },
    };
    expect(await ok(anonymous(admin).post('/auth/client/signup', body))).toMatchObject({ nickname: 'Nick' });
    expect(seen).toEqual([{ username: 'BEA', email: 'bea@example.com' }]);
    const units = (await ok(admin.get('/client/unit?filter=eq(username,bea)'))) as { count: number };
    expect(units.count).toBe(1);
    expect((await anonymous(admin).post('/auth/signin', { username: 'bea', password })).status).toBe(200);
    const again = await anonymous(admin).post('/auth/client/signup', body);
    expect(refusalOf(again).status).toBe(409);
  });

  it('likewise of a remote kind', async () => {
    expect(await ok(create('/far/unit', { title: 'x' }))).toMatchObject({ owner: 'made', state: 'draft' });
    expect(refusalOf(await create('/far/unit', { title: 'none' }))).toEqual({
      status: 400,
      messages: ['parameter.required owner'],
    });
  });
});

describe('before an edit', () => {
  const note = async () => (await ok(create('/note/unit', { title: 'first', mark: 'm' }))) as { id: string };
  const edit = async (id: string, body: object) => ok(admin.put(`/note/unit/${id}`, body));

  it('a value returned as undefined is removed from the edit', async () => {
    const { id } = await note();
    expect(await edit(id, { title: 'keep', mark: 'n' })).toMatchObject({ title: 'first', mark: 'n' });
    expect(await edit(id, { title: 'all', secret: 's' })).toMatchObject({ title: 'first', mark: 'n' });
    expect(await edit(id, { title: 'later' })).toMatchObject({ title: 'late' });
    expect(await edit(id, { title: 'plain' })).toMatchObject({ title: 'plain' });
  });

  it('likewise of a remote kind', async () => {
    await ok(admin.put('/far/unit/1', { title: 'other', state: 'open' }));
    expect(seen).toEqual([{ state: 'open' }]);
  });
});
