/** Definitions reveal nothing about values to callers who may not read them. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();
const given = { values: ['secret', 'x'], default_string: 'secret', pattern: 'secret|x' };
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
await ok(admin.put('/kind/unit/string', { access: { read: 'anyone' } }));
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
    const text = `parameters[0].id: a parameter '${id}' of type string exists already; a kind shares it by naming its id alone, "${id}"`;
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

describe.each(CALLERS)('$name', ({ caller, sees }) => {
  it.each(ALL)('reads in the record of %s only the values that it may read', async (id) => {
    const none = { default_string: null, values: null, pattern: null };
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
