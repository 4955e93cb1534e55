/** Definitions reveal nothing about values to callers who may not read them. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();
const given = { values: ['secret', 'x'], default_string: 'secret', pattern: 'secret|x', min_length: 1, max_length: 6 };
const define = (id: string, more: object) => ({ id, kind_id: 'string', ...given, ...more });
await defineKinds(admin, {
  id: 'account',
  label: 'Account',
  public: true,
  parameters: [
    define('plain', {}),
    define('open', { read_access: 'anyone' }),
    define('inner', { read_access: 'member' }),
    define('hidden_one', { hidden: true }),
    define('guarded', { read_access: 'admin' }),
    define('sealed', { read_access: 'admin', write_access: 'admin' }),
    { id: 'asked', kind_id: 'string', only_run_time: true, default_string: 'secret' },
  ],
});
for (const kind of ['string', 'integer', 'kind', 'link', 'group'])
  await ok(admin.put(`/kind/unit/${kind}`, { access: { read: 'anyone' } }));
await defineKinds(admin, {
  id: 'payroll',
  label: 'Payroll',
  parameters: [
    'plain',
    { id: 'salary', kind_id: 'integer', hidden: true, min_value: 1000, max_value: 2000 },
    { id: 'owned', kind_id: 'string', read_access: 'eq(plain,x)', write_access: 'eq(plain,secret)' },
  ],
  access: { read: 'anyone', update: 'eq(plain,secret)' },
});
await ok(admin.post('/link/unit', { id: 'road', label: 'Road', access: { create: 'eq(parent.plain,secret)' } }));
const member = await asMember(admin);
const nobody = anonymous(admin);

const CALLERS = [
  { name: 'an administrator', caller: admin, sees: ['plain', 'open', 'inner', 'hidden_one', 'guarded', 'sealed'] },
  { name: 'a member', caller: member, sees: ['plain', 'open', 'inner'] },
  { name: 'a caller without a token', caller: nobody, sees: ['plain', 'open'] },
];
const ALL = CALLERS[0]?.sees ?? [];

it('an inline definition is not compared with values that the caller may not read', async () => {
  const access = { read: 'member', create: 'member' };
  for (const kind of ['kind', 'string']) await ok(admin.put(`/kind/unit/${kind}`, { access }));
  const post = (caller: TestProject, id: string, more: object) =>
    caller.post('/kind/unit', { id: 'guess', parameters: [define(id, more)] });
  const wrong = [{}, { default_string: 'x' }, { pattern: 'secret' }, { values: ['secret'] }, { label: 'Other' }];
  for (const [id, more] of [
    ['hidden_one', { hidden: true }],
    ['guarded', { read_access: 'admin' }],
  ] as const) {
    const told = [];
    for (const guess of wrong) {
      const { status, body } = await post(member, id, { ...more, ...guess });
      told.push([status, body.messages]);
    }
    const text = `parameters[0].id: a parameter '${id}' of type string exists already; a kind shares it by naming its id alone, "${id}", or has one of its own with "own": true`;
    expect(told).toEqual(wrong.map(() => [409, [expect.objectContaining({ code: 'parameter.exists', text })]]));
  }
  // Who may read them says the same, or is told what differs.
  expect((await post(member, 'inner', { read_access: 'member', default_string: 'x' })).text).toContain(
    'another default_string',
  );
  for (const [caller, id, more] of [
    [member, 'inner', { read_access: 'member' }],
    [admin, 'hidden_one', { hidden: true }],
  ] as const) {
    await ok(post(caller, id, more));
    await ok(admin.delete('/kind/unit/guess'));
  }
  await ok(admin.put('/kind/unit/kind', { access: {} }));
  await ok(admin.put('/kind/unit/string', { access: { read: 'anyone' } }));
});

it('a dry run of a change tells rights and defaults to administrators only', async () => {
  for (const kind of ['kind', 'string']) await ok(admin.put(`/kind/unit/${kind}`, { access: { update: 'member' } }));
  const change = { access: { read: 'admin' }, parameters: ['plain', 'salary', 'owned', 'hidden_one'] };
  const [told, all] = await Promise.all(
    [member, admin].map((caller) => caller.put('/kind/unit/payroll?dry_run=changes', change)),
  );
  for (const kind of ['kind', 'string']) await ok(admin.put(`/kind/unit/${kind}`, { access: { read: 'anyone' } }));
  expect([told?.status, all?.status]).toEqual([200, 200]);
  expect(all?.text).toMatch(/eq\(plain,secret\).*"default":"secret"/);
  expect(told?.text).toMatch(/"settings":\[[^\]]*"access"/);
  expect(told?.text).not.toMatch(/secret/);
});

describe.each(CALLERS)('$name', ({ caller, sees }) => {
  it.each(ALL)('reads in the record of %s only the values that it may read', async (id) => {
    const none = { default_string: null, values: null, pattern: null, min_length: null, max_length: null };
    expect(await ok(caller.get(`/string/unit/${id}`))).toMatchObject(sees.includes(id) ? given : none);
  });

  it('filters and orders records only by those values', async () => {
    const find = async (query: string): Promise<string[]> => {
      const { items } = (await ok(caller.get(`/string/unit?include=id&${query}`))) as { items: { id: string }[] };
      return items.map(({ id }) => id);
    };
    expect((await find('filter=eq(default_string,secret)')).sort()).toEqual([...sees, 'asked'].sort());
    expect((await find('filter=contains(pattern,secret)')).sort()).toEqual([...sees].sort());
    expect(await find('filter=isnull(pattern,false)&order=pattern;asc')).toEqual([...sees].sort());
    const descending = await find('order=pattern;desc');
    expect(descending.slice(-sees.length).sort()).toEqual([...sees].sort());
  });
});

const isAdmin = (caller: TestProject) => caller === admin;

describe.each(CALLERS)('$name', ({ caller }) => {
  const items = async (path: string) => ((await ok(caller.get(path))) as { items: Record<string, unknown>[] }).items;
  const count = async (path: string) => ((await ok(caller.get(path))) as { count: number }).count;

  it('reads the limits of a number only where it may read the number', async () => {
    const limits = isAdmin(caller) ? { min_value: 1000, max_value: 2000 } : { min_value: null, max_value: null };
    expect(await ok(caller.get('/integer/unit/salary'))).toMatchObject(limits);
    expect(await count('/integer/unit?filter=eq(min_value,1000)')).toBe(isAdmin(caller) ? 1 : 0);
  });

  it('reads rights in definitions only as an administrator, wherever they are answered', async () => {
    const anonymous = caller === nobody;
    const rights = /eq\(plain|eq\(parent|anyone/;
    for (const path of [
      '/kind/unit/payroll',
      '/kind/unit?filter=eq(id,payroll)',
      '/kind/unit?include=access&filter=eq(id,payroll)',
      '/kind/unit?include=access.read&filter=eq(id,payroll)',
      '/kind/aggregate?group=access.read',
      '/string/unit/owned',
      '/string/unit?include=read_access&filter=eq(id,owned)',
      '/string/aggregate?group=write_access',
      '/group/parameter/unit?include=write_access&filter=eq(id,owned)',
      '/group/parameter/unit/owned',
      '/link/unit/road',
      '/link/unit?filter=eq(id,road)',
    ]) {
      if (anonymous && !path.startsWith('/string')) continue;
      const { status, text } = await caller.get(path);
      expect([status, rights.test(text)], path).toEqual([200, isAdmin(caller)]);
    }
    expect(await ok(caller.get('/string/unit/owned'))).toHaveProperty('read_access');
  });

  it('finds and orders definitions by rights only as an administrator', async () => {
    for (const [kind, filter] of [
      ['kind', 'isnull(access,false)'],
      ['kind', 'eq(access.read,anyone)'],
      ['string', 'contains(write_access,plain)'],
      ['string', 'isnull(read_access,false)'],
    ]) {
      if (caller === nobody && kind === 'kind') continue;
      const found = await count(`/${kind}/unit?filter=${filter}`);
      expect(found > 0, filter).toBe(isAdmin(caller));
    }
    for (const name of ['read_access', 'write_access']) {
      const [up, down] = [
        await items(`/string/unit?order=${name};asc`),
        await items(`/string/unit?order=${name};desc`),
      ];
      const same = JSON.stringify(up) === JSON.stringify(down);
      expect(same, name).toBe(!isAdmin(caller));
    }
  });
});

describe('a struct', () => {
  const described = async (caller: typeof admin) => {
    const { items } = (await ok(caller.get('/account/struct?exclude=metadata'))) as {
      items: { id: string; default: unknown; values: unknown }[];
    };
    return Object.fromEntries(items.map(({ id, default: value, values }) => [id, [value, values]]));
  };
  const open = ['secret', given.values];
  const writable = [null, given.values];

  it('has the default of what the caller may read, and the values of what it may write', async () => {
    const common = { plain: open, open, asked: ['secret', null] };
    expect(await described(admin)).toEqual({
      ...common,
      inner: open,
      hidden_one: writable,
      guarded: open,
      sealed: open,
    });
    expect(await described(member)).toEqual({ ...common, inner: open, hidden_one: writable, guarded: writable });
    expect(await described(nobody)).toEqual({ ...common, inner: writable, hidden_one: writable, guarded: writable });
  });
});
