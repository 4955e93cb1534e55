/** What a definition tells of values: nothing to those who may not read them. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { startTestService } from '../../support/service.js';

const service = await startTestService();
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

describe.each(CALLERS)('$name', ({ caller, sees }) => {
  it.each(ALL)('reads in the record of %s what it may read of its values', async (id) => {
    const none = { default_string: null, values: null, pattern: null };
    expect(await ok(caller.get(`/string/unit/${id}`))).toMatchObject(sees.includes(id) ? given : none);
  });

  it('finds and orders records by no other values than those', async () => {
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
