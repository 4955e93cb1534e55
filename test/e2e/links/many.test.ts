/** Many links of one unit in one request: what is made, what replaces what, and what is refused. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds, documented } from '../../support/callers.js';
import { ok, query, refusalOf, TIMESTAMP } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const root = await service.project();
const member = await asMember(root);

const code = { id: 'code', kind_id: 'string', is_primary: true };
await defineKinds(
  root,
  { id: 'city', parameters: [code, { id: 'name', kind_id: 'string' }], access: { link: 'ne(name,closed)' } },
  { id: 'lake', parameters: ['code'] },
  { id: 'price', parameters: [{ id: 'amount', kind_id: 'decimal', is_primary: true }] },
  { id: 'ruled', parameters: ['code', 'name'], access: { read: 'eq(name,shown)' } },
  { id: 'fixed', parameters: ['code', 'name'], access: { link: 'admin' } },
  { id: 'secret', parameters: ['code'], access: { read: 'admin' } },
  { id: 'idle', parameters: ['code'], active: false },
  { id: 'far', parameters: ['code'], remote: true },
);
const { admin, ann, nobody } = await documented({ admin: root, ann: member, nobody: anonymous(root) });
const named = (codes: string, name = 'open') => [...codes].map((each) => ({ code: each, name }));
await ok(root.post('/city/unit', [...named('abcdefghij'), ...named('z', 'closed')]));
await ok(root.post('/lake/unit', [{ code: 'a' }, { code: 'b' }]));
await ok(root.post('/price/unit', { amount: '1.50' }));
await ok(root.post('/ruled/unit', [...named('s', 'shown'), ...named('h', 'hidden')]));
await ok(root.post('/fixed/unit', named('a')));
await ok(root.post('/secret/unit', { code: 'a' }));
await ok(
  root.post('/link/unit', {
    id: 'road',
    parameters: [
      { id: 'km', kind_id: 'integer', min_value: 0, required: true },
      { id: 'surface', kind_id: 'string', pattern: '^[a-z]+$', default_string: 'tar' },
      { id: 'notes', kind_id: 'json', multiple: true },
      { id: 'budget', kind_id: 'integer', read_access: 'admin' },
    ],
  }),
);
for (const id of ['rail', 'ferry', 'canal', 'tunnel']) await ok(root.post('/link/unit', { id }));

interface Page {
  readonly count: number;
  readonly items: readonly Record<string, unknown>[];
}

const path = (unit: string, type = 'road', direction = 'child') => `/city/unit/${unit}/link/${type}/${direction}`;
const city = (id: string, values: object = {}) => ({ kind_id: 'city', id, ...values });
const cities = (ids: string, values: object = {}) => [...ids].map((id) => city(id, values));
const made = async (caller: TestProject, at: string, body: unknown) => (await ok(caller.post(at, body))) as Page;
const ends = async (unit: string, type: string, direction = 'child') => {
  const end = direction === 'child' ? 'child' : 'parent';
  const near = direction === 'child' ? 'parent' : 'child';
  const rows = await query<{ id: string }>(
    root,
    `SELECT ${end}_kind || '/' || ${end}_id AS id FROM $schema."_link" WHERE ${near}_kind = 'city' AND ${near}_id = $1 AND link_id = $2 ORDER BY 1`,
    [unit, type],
  );
  return rows.map(({ id }) => id);
};

describe('many links', () => {
  it('are created with their values, and answered in the order of the body', async () => {
    const items = [
      city('c', { km: 3 }),
      { kind_id: 'lake', id: 'a', km: 4, surface: null, notes: [[1], {}] },
      city('b', { km: 2 }),
    ];
    const answer = await made(admin, path('a'), { items });
    const record = (kind: string, id: string, values: object) => ({
      parent_id: 'a',
      child_id: id,
      type: 'link',
      parent_kind_id: 'city',
      child_kind_id: kind,
      link_id: 'road',
      inserted_at: expect.stringMatching(TIMESTAMP),
      surface: 'tar',
      notes: null,
      budget: null,
      ...values,
    });
    expect(answer).toEqual({
      count: 3,
      items: [
        record('city', 'c', { km: 3 }),
        record('lake', 'a', { km: 4, surface: null, notes: [[1], {}] }),
        record('city', 'b', { km: 2 }),
      ],
    });
    expect(await ok(admin.get('/city/unit/a/link/child?link_id=road&include=id'))).toMatchObject({ count: 3 });
    const again = await made(ann, path('a'), { items: [city('b'), city('c', { km: 3, surface: 'tar' })] });
    const shown = (record: object = {}) => Object.fromEntries(Object.entries(record).filter(([id]) => id !== 'budget'));
    expect(again.items).toEqual([shown(answer.items[2]), shown(answer.items[0])]);
  });

  it('lead the other way, too, and may lead to the unit itself', async () => {
    const { items } = await made(admin, path('b', 'rail', 'parent'), {
      items: [...cities('cab'), { kind_id: 'price', id: '1.5' }],
    });
    expect(items.map(({ parent_id, child_id }) => `${String(parent_id)}-${String(child_id)}`)).toEqual([
      'c-b',
      'a-b',
      'b-b',
      '1.5-b',
    ]);
    expect(await ends('b', 'rail', 'parent')).toEqual(['city/a', 'city/b', 'city/c', 'price/1.5']);
  });

  it('need as many statements, however many they are', async () => {
    await ok(
      root.post(
        '/city/unit',
        Array.from({ length: 1000 }, (_, n) => ({ code: `n${n}` })),
      ),
    );
    const all = Array.from({ length: 1000 }, (_, n) => city(`n${n}`, { km: n }));
    const count = (items: unknown[], replace: boolean) =>
      root.statements(() => made(root, path('d'), { items, replace }));
    // What meets something that the service does by itself runs again, with more statements.
    const least = async (items: unknown[]) => Math.min(await count(items, false), await count(items, false));
    expect(await least(all)).toBe(await least(all.slice(0, 1)));
    expect(await count(all.slice(500), true)).toBe(await count(all.slice(900), true));
    expect(await ends('d', 'road')).toHaveLength(100);
  });

  it('may have a body as large as one of units', async () => {
    const note = (bytes: number) => ({ items: [city('j', { km: 1, notes: ['x'.repeat(bytes)] })] });
    expect((await made(admin, path('i'), note(2 ** 21))).items[0]?.['notes']).toEqual(['x'.repeat(2 ** 21)]);
    expect(refusalOf(await root.post(path('i'), note(2 ** 24)))).toEqual({ status: 413, messages: ['body.too_large'] });
  });

  it('are none if the list is empty', async () => {
    expect(await made(admin, path('a'), { items: [] })).toEqual({ count: 0, items: [] });
    expect(await ends('a', 'road')).toHaveLength(3);
  });

  it('that exist with other values are a conflict, which reveals no value', async () => {
    const items = [
      city('b', { km: 2 }),
      city('c', { km: 9 }),
      city('f', { km: 1 }),
      { kind_id: 'lake', id: 'a', notes: [] },
    ];
    const reply = await admin.post(path('a'), { items });
    expect(refusalOf(reply)).toEqual({ status: 409, messages: ['link.differs', 'link.differs'] });
    expect(reply.body.messages.map(({ index }) => index)).toEqual([1, 3]);
    expect(await ends('a', 'road')).not.toContain('city/f');
    for (const budget of [null, 1]) {
      expect(refusalOf(await ann.post(path('a'), { items: [city('b', { budget })] }))).toEqual({
        status: 409,
        messages: ['link.differs'],
      });
    }
  });
});

describe('`replace`', () => {
  it('leaves exactly these, and the values that are not given', async () => {
    await made(admin, path('e'), { items: [...cities('abc', { km: 1, surface: 'sand' }), city('d', { km: 4 })] });
    await made(admin, path('e', 'rail'), { items: cities('abc') });
    await made(admin, path('f'), { items: cities('abe', { km: 1 }) });
    const items = [city('g', { km: 7 }), city('b'), city('c', { km: 3 }), city('d', { km: 4 })];
    const answer = await made(admin, path('e'), { items, replace: true });
    expect(answer.items.map(({ child_id, km, surface }) => [child_id, km, surface])).toEqual([
      ['g', 7, 'tar'],
      ['b', 1, 'sand'],
      ['c', 3, 'sand'],
      ['d', 4, 'tar'],
    ]);
    expect(await ends('e', 'road')).toEqual(['city/b', 'city/c', 'city/d', 'city/g']);
    expect(await ends('e', 'rail')).toEqual(['city/a', 'city/b', 'city/c']);
    expect(await ends('e', 'road', 'parent')).toEqual(['city/f']);
    expect(await made(admin, path('e', 'rail'), { items: [], replace: true })).toEqual({ count: 0, items: [] });
    expect(await ends('e', 'rail')).toEqual([]);
    await made(admin, path('e', 'road', 'parent'), { items: [city('g', { km: 1 })], replace: true });
    expect(await ends('e', 'road', 'parent')).toEqual(['city/g']);
    expect(await ends('f', 'road')).toEqual(['city/a', 'city/b']);
  });

  it('keeps links to units that the caller cannot read, and answers nothing of them', async () => {
    const others = ['ruled/s', 'ruled/h', 'secret/a'].map((unit) => {
      const [kind_id, id] = unit.split('/');
      return { kind_id, id };
    });
    await made(admin, path('a', 'ferry'), { items: [...others, ...cities('bc')] });
    await ok(root.put('/kind/unit/idle', { active: true }));
    await ok(root.post('/idle/unit', { code: 'a' }));
    await ok(admin.post('/city/unit/a/link/ferry/idle/unit/a'));
    await ok(root.put('/kind/unit/idle', { active: false }));
    expect(await made(ann, path('a', 'ferry'), { items: cities('d'), replace: true })).toMatchObject({ count: 1 });
    expect(await ends('a', 'ferry')).toEqual(['city/d', 'idle/a', 'ruled/h', 'secret/a']);
    await made(admin, path('a', 'ferry'), { items: [], replace: true });
    expect(await ends('a', 'ferry')).toEqual(['idle/a']);
  });

  it('asks for the right to delete each link', async () => {
    await made(admin, path('a', 'canal', 'parent'), { items: [city('b'), city('z')] });
    const refused = { status: 403, messages: ['access.denied'] };
    expect(refusalOf(await ann.post(path('a', 'canal', 'parent'), { items: cities('c'), replace: true }))).toEqual(
      refused,
    );
    expect(await ends('a', 'canal', 'parent')).toEqual(['city/b', 'city/z']);
    await made(admin, path('a', 'canal', 'parent'), {
      items: [city('b'), { kind_id: 'fixed', id: 'a' }],
      replace: true,
    });
    expect(refusalOf(await ann.post(path('a', 'canal', 'parent'), { items: cities('c'), replace: true }))).toEqual(
      refused,
    );
    expect(await ends('a', 'canal', 'parent')).toEqual(['city/b', 'fixed/a']);
  });
});

describe('what is refused', () => {
  const faults = async (caller: TestProject, body: unknown, at = path('h', 'tunnel')) => {
    const { status, body: answer } = await caller.post(at, body);
    return [status, ...answer.messages.map(({ code: id, parameter, index }) => [id, parameter, index])];
  };

  it('is told with the position of each link, and nothing is stored', async () => {
    const items = [
      city('a'),
      city('nowhere'),
      5,
      { kind_id: 'city' },
      { id: 'a', kind_id: 7 },
      { kind_id: 'ctiy', id: 'a' },
      { kind_id: 'kind', id: 'city' },
      { kind_id: 'price', id: 'x' },
      { kind_id: 'price', id: '1.5' },
      city('a'),
      city('b', { km: 1 }),
    ];
    expect(await faults(admin, { items })).toEqual([
      400,
      ['body.not_object', undefined, 2],
      ['parameter.required', 'id', 3],
      ['parameter.bad_type', 'kind_id', 4],
      ['parameter.bad_reference', 'kind_id', 5],
      ['parameter.bad_reference', 'kind_id', 6],
      ['parameter.bad_reference', 'id', 7],
      ['parameter.duplicate', 'id', 9],
      ['parameter.unknown', 'km', 10],
      ['parameter.bad_reference', 'id', 1],
    ]);
    expect(await ends('h', 'tunnel')).toEqual([]);
    expect(
      await faults(
        admin,
        { items: [city('b', { km: 'x' }), city('c'), city('d', { km: 1, surface: 'X' })] },
        path('h'),
      ),
    ).toEqual([
      400,
      ['parameter.bad_type', 'km', 0],
      ['parameter.pattern_mismatch', 'surface', 2],
      ['parameter.required', 'km', 1],
    ]);
    expect(await ends('h', 'road')).toEqual([]);
  });

  it('of a body that is no list of links', async () => {
    const only = (id: string, parameter?: string) => [400, [id, parameter, undefined]];
    expect(await faults(admin, [city('a')])).toEqual(only('body.not_object'));
    expect(await faults(admin, undefined)).toEqual(only('body.not_object'));
    expect(await faults(admin, {})).toEqual(only('parameter.required', 'items'));
    expect(await faults(admin, { items: 'a' })).toEqual(only('parameter.bad_type', 'items'));
    expect(await faults(admin, { items: [], replace: 'yes' })).toEqual(only('parameter.bad_type', 'replace'));
    expect(await faults(admin, { items: [], repalce: true })).toEqual(only('parameter.unknown', 'repalce'));
    expect(await faults(admin, { items: Array.from({ length: 1001 }, () => city('a')) })).toEqual(
      only('body.too_many'),
    );
    expect(await faults(admin, { items: [] }, `${path('h')}?cascade=true`)).toEqual(only('query.unknown', 'cascade'));
  });

  it.each([
    ['an unknown direction', 'admin', path('a', 'road', 'sideways'), [], 404, 'link.unknown'],
    ['an unknown link type', 'admin', path('a', 'raod'), [], 404, 'link.unknown'],
    ['a link type of the system', 'admin', path('a', 'group'), [], 404, 'link.unknown'],
    ['a unit of the model', 'admin', '/kind/unit/city/link/road/child', [], 404, 'link.unknown'],
    [
      'the link type of the system for groups',
      'admin',
      '/group/unit/kind_auth_member/link/group/child',
      [],
      404,
      'link.unknown',
    ],
    ['an unknown kind', 'admin', '/ctiy/unit/a/link/road/child', [], 404, 'kind.unknown'],
    ['an unknown unit, before faults of the body', 'admin', path('nowhere'), [5], 404, 'unit.unknown'],
    ['a unit that may not be linked, before faults of the body', 'ann', path('z'), [5], 403, 'access.denied'],
    ['an inactive kind', 'admin', '/idle/unit/a/link/road/child', [], 403, 'kind.inactive'],
    ['a remote kind', 'admin', '/far/unit/a/link/road/child', [], 404, 'kind.not_allowed_here'],
    ['no token', 'nobody', path('a'), [], 401, 'token.missing'],
    ['no token, and no such kind', 'nobody', '/nope/unit/a/link/road/child', [], 401, 'token.missing'],
    [
      'units of a kind that may not be read, before an unknown unit',
      'ann',
      path('nowhere'),
      [city('x'), { kind_id: 'secret', id: 'a' }],
      403,
      'access.denied',
    ],
    ['units of an inactive kind', 'admin', path('a'), [{ kind_id: 'idle', id: 'a' }], 403, 'kind.inactive'],
    ['units of a remote kind', 'admin', path('a'), [{ kind_id: 'far', id: 'a' }], 404, 'kind.not_allowed_here'],
    [
      'parents that may not be linked, before faults',
      'ann',
      path('a', 'rail', 'parent'),
      [city('nowhere'), city('z')],
      403,
      'access.denied',
    ],
    [
      'parents of a kind that may not be linked',
      'ann',
      path('a', 'rail', 'parent'),
      [{ kind_id: 'fixed', id: 'a' }],
      403,
      'access.denied',
    ],
  ] as const)('%s', async (_, who, at, items, status, id) => {
    const caller = { admin, ann, nobody }[who];
    expect(refusalOf(await caller.post(at, { items }))).toEqual({ status, messages: [id] });
  });

  it('a unit that may not be read, exactly as one that does not exist', async () => {
    const reply = async (id: string) => {
      const { status, text } = await ann.post(path('a', 'rail'), { items: [{ kind_id: 'ruled', id }] });
      return `${status} ${text}`;
    };
    expect(await reply('h')).toBe(await reply('x'));
    expect(await reply('s')).toMatch(/^200/);
  });
});
