/** What a walk along links answers and refuses; how load_links goes with gets and lists. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds, documented } from '../../support/callers.js';
import { createdId, ok, TIMESTAMP } from '../../support/definitions.js';
import { scenarios } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const root = await service.project();
const member = await asMember(root);

const text = (id: string, more: object = {}) => ({ id, kind_id: 'string', ...more });
await defineKinds(
  root,
  {
    id: 'place',
    access: { read: 'anyone' },
    parameters: [text('code', { is_primary: true }), text('name'), text('note', { read_access: 'admin' })],
  },
  { id: 'trip', parameters: ['code', text('link'), { id: 'days', kind_id: 'integer' }] },
  { id: 'ruled', parameters: ['code'], access: { read: 'startswith(code,open)' } },
  { id: 'sealed', parameters: ['code'], access: { read: 'admin' } },
  { id: 'idle', parameters: ['code'] },
);
await ok(root.post('/link/unit', { id: 'road' }));
const units: Record<string, object[]> = {
  place: ['a', 'b', 'c', 'd', 'e'].map((code) => ({ code, name: code.toUpperCase(), note: 'n' })),
  trip: [{ code: 'a', link: 'x', days: 3 }],
  ruled: [{ code: 'open' }, { code: 'shut' }],
  sealed: [{ code: 's' }],
  idle: [{ code: 'i' }],
};
for (const [kind, bodies] of Object.entries(units)) await ok(root.post(`/${kind}/unit`, bodies));
const LINKS = [
  'place/a link place/b',
  'place/b link place/c',
  'place/c link place/a',
  'place/a road place/b',
  'place/a link trip/a',
  'place/a link ruled/shut',
  'ruled/shut link place/d',
  'place/a link idle/i',
  'idle/i link place/e',
  'place/b link sealed/s',
  'place/e link place/e',
  'place/e link place/d',
];
for (const each of LINKS) {
  const [from = '', type = '', to = ''] = each.split(' ');
  await ok(root.post(`/${from.replace('/', '/unit/')}/link/${type}/${to.replace('/', '/unit/')}`));
}
await ok(root.put('/kind/unit/idle', { active: false }));

const { admin, ann, nobody } = await documented({ admin: root, ann: member, nobody: anonymous(root) });

const TIME: unknown = expect.stringMatching(TIMESTAMP);

const path = '/place/unit/a/link';
interface Item {
  readonly kind_id: string;
  readonly id: string;
  readonly link: { readonly depth: number };
}
const walk = async (as: typeof admin, rest: string): Promise<string[]> => {
  const { items } = (await ok(as.get(`${path}/${rest}`))) as { items: Item[] };
  return items.map(({ kind_id, id, link }) => `${link.depth} ${kind_id}/${id}`);
};

describe('the units that a unit is linked with', () => {
  it('are units with their fields, and the link that led to them', async () => {
    const [first, trip] = ((await ok(ann.get(`${path}/child`))) as { items: object[] }).items;
    const { note, ...known } = (await ok(admin.get('/place/unit/b'))) as { note: string };
    const link = { link_id: 'link', parent_id: 'a', child_id: 'b', depth: 0, inserted_at: TIME };
    expect([note, first]).toEqual(['n', { ...known, link }]);
    expect(trip).toMatchObject({ kind_id: 'trip', days: 3, link: { child_id: 'a', depth: 0 } });
    expect(await ok(ann.get('/place/unit/b/link/parent'))).toMatchObject({ count: 1, items: [{ id: 'a', link }] });
  });

  it('are those that the caller may read, over units that it may read', async () => {
    expect(await walk(ann, 'child')).toEqual(['0 place/b', '0 trip/a']);
    expect(await walk(ann, 'child?depth=10')).toEqual(['0 place/b', '0 trip/a', '1 place/c']);
    expect(await walk(admin, 'child?depth=1')).toEqual([
      '0 place/b',
      '0 ruled/shut',
      '0 trip/a',
      '1 place/c',
      '1 place/d',
      '1 sealed/s',
    ]);
    expect(await walk(nobody, 'child?depth=10')).toEqual(['0 place/b', '1 place/c']);
    expect(await walk(ann, 'parent?depth=10')).toEqual(['0 place/c', '1 place/b']);
  });

  it('include the start unit if a link leads from it to itself', async () => {
    const { items } = (await ok(ann.get('/place/unit/e/link/child?depth=3'))) as { items: Item[] };
    expect(items.map(({ id }) => id)).toEqual(['d', 'e']);
  });

  it.each([
    ['child?link_id=road', ['0 place/b']],
    ['child?link_id=road&depth=5', ['0 place/b']],
    ['child?link_id=[road,link]', ['0 place/b', '0 trip/a']],
    ['child?kind_id=trip&depth=3', ['0 trip/a']],
    ['child?kind_id=place&kind_id=trip', ['0 place/b', '0 trip/a']],
    ['child?kind_id=place&depth=1&offset=1', ['1 place/c']],
    ['child?filter=gt(days,1)&depth=4', ['0 trip/a']],
    ['child?filter=isnull(days)&depth=4', ['0 place/b', '1 place/c']],
    ['child?filter=eq(kind_id,place)&depth=4', ['0 place/b', '1 place/c']],
    ['child?order=name;desc&depth=4', ['0 trip/a', '1 place/c', '0 place/b']],
    ['child?order=days;asc&limit=1', ['0 trip/a']],
  ])('%s', async (rest, expected) => {
    expect(await walk(ann, rest)).toEqual(expected);
  });

  it('show what include and exclude leave, and the link', async () => {
    expect(await ok(ann.get(`${path}/child?include=*`))).toEqual(await ok(ann.get(`${path}/child`)));
    for (const include of ['[id,days]', '[id,days,link]'])
      expect(await ok(ann.get(`${path}/child?include=${include}`))).toEqual({
        count: 2,
        items: [
          {
            id: 'b',
            days: null,
            link: { link_id: 'link', parent_id: 'a', child_id: 'b', depth: 0, inserted_at: TIME },
          },
          { id: 'a', days: 3, link: { link_id: 'link', parent_id: 'a', child_id: 'a', depth: 0, inserted_at: TIME } },
        ],
      });
    expect(await ok(ann.get(`${path}/child?limit=0&depth=2`))).toEqual({ count: 3, items: [] });
    expect(await ok(ann.get(`${path}/child?count=none&limit=1`))).toMatchObject({ count: -1, items: [{ id: 'b' }] });
  });

  const missing = { status: 404, code: 'unit.unknown' } as const;
  const bad = { status: 400, code: 'query.bad_value', parameter: 'depth' } as const;
  scenarios({ ann, nobody, admin }, [
    ...['-1', '11', '1.5', 'x', '', '1e1', '0x1'].map((depth) => ({
      name: `a depth of '${depth}'`,
      request: `GET ${path}/child?depth=${depth}`,
      expect: bad,
    })),
    {
      name: 'an unknown direction',
      request: `GET ${path}/childs?depth=11`,
      expect: { status: 404, code: 'link.unknown', text: `did you mean 'child'?` },
    },
    { name: 'an unknown unit', request: 'GET /place/unit/z/link/child', expect: missing },
    { name: 'an unknown unit and a bad depth', request: 'GET /place/unit/z/link/child?depth=x', expect: missing },
    { name: 'a unit that a rule hides', request: 'GET /ruled/unit/shut/link/child', expect: missing },
    { name: 'such a unit and a bad depth', request: 'GET /ruled/unit/shut/link/child?depth=x', expect: missing },
    { name: 'an unknown kind', request: 'GET /plaec/unit/a/link/child', expect: { status: 404, code: 'kind.unknown' } },
    {
      name: 'a kind that may not be read',
      request: 'GET /sealed/unit/s/link/child',
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'an inactive kind',
      as: 'admin',
      request: 'GET /idle/unit/i/link/child',
      expect: { status: 403, code: 'kind.inactive' },
    },
    {
      name: 'a kind of the model',
      request: 'GET /kind/unit/place/link/child',
      expect: { status: 404, code: 'link.unknown' },
    },
    {
      name: 'a public kind without a token',
      as: 'nobody',
      request: `GET ${path}/child`,
      expect: { status: 200, content: { count: 1 } },
    },
    {
      name: 'no token',
      as: 'nobody',
      request: 'GET /trip/unit/a/link/parent',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'an unknown link type',
      request: `GET ${path}/child?link_id=raod`,
      expect: { status: 404, code: 'link.unknown', text: `'road'` },
    },
    {
      name: 'an unknown kind of neighbours',
      request: `GET ${path}/child?kind_id=plaec`,
      expect: { status: 404, code: 'kind.unknown', parameter: 'kind_id' },
    },
    {
      name: 'kinds of the model, which have no such links',
      request: `GET ${path}/child?kind_id=place&kind_id=group`,
      expect: { status: 404, code: 'link.unknown', parameter: 'kind_id', text: "'group'" },
    },
    {
      name: 'a kind that may not be read before an unknown link type',
      request: `GET ${path}/child?kind_id=sealed&link_id=raod`,
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'kinds of the model that may not be read',
      request: `GET ${path}/child?kind_id=kind_system_user`,
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'kinds that may not be read',
      request: `GET ${path}/child?kind_id=sealed`,
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'a parameter that no kind has',
      request: `GET ${path}/child?filter=eq(nope,1)`,
      expect: { status: 400, code: 'filter.unknown_parameter' },
    },
    {
      name: 'one that none of the kinds has',
      request: `GET ${path}/child?kind_id=place&filter=eq(days,1)`,
      expect: { status: 400, code: 'filter.unknown_parameter' },
    },
    {
      name: 'one that may not be read',
      request: `GET ${path}/child?filter=eq(note,n)`,
      expect: { status: 400, code: 'filter.unknown_parameter' },
    },
    {
      name: 'a query parameter that is not there',
      request: `GET ${path}/child?dept=1`,
      expect: { status: 400, code: 'query.unknown' },
    },
  ]);
});

describe('a kind that no traversal has reached before', () => {
  it.each(['', '?depth=1', '?depth=1&limit=2'])(
    'is still read, in one statement from the next walk on (%s)',
    async (query) => {
      const project = await service.project();
      await defineKinds(project, { id: 'pier', parameters: [text('name')] }, { id: 'boat', parameters: ['name'] });
      const bodies = ['a', 'b', 'c'].map((name) => ({ name }));
      const made = (await ok(project.post('/pier/unit', bodies))) as { items: { id: string }[] };
      const [a, b, c] = made.items;
      await ok(project.post(`/pier/unit/${a?.id}/link/link/pier/unit/${b?.id}`));
      const walk = async () => (await ok(project.get(`/pier/unit/${a?.id}/link/child${query}`))) as { items: object[] };
      expect((await walk()).items).toMatchObject([{ kind_id: 'pier', name: 'b' }]);
      const id = await createdId(project.post('/boat/unit', { name: 'x' }));
      await ok(project.post(`/pier/unit/${a?.id}/link/link/boat/unit/${id}`));
      await ok(project.post(`/pier/unit/${a?.id}/link/link/pier/unit/${c?.id}`));
      const expected = [{ kind_id: 'boat', name: 'x' }, { name: 'b' }, { name: 'c' }].slice(
        0,
        query.includes('limit') ? 2 : 3,
      );
      expect((await walk()).items).toMatchObject(expected);
      expect(await project.statements(async () => expect((await walk()).items).toMatchObject(expected))).toBe(1);
    },
  );
});

/** PostgreSQL is asked for units of few kinds at once, and of many for those alone that are linked. */
describe('the names of a query', async () => {
  const project = await service.project();
  await defineKinds(
    project,
    { id: 'task', parameters: [text('t_title'), { id: 't_size', kind_id: 'integer' }] },
    { id: 'label', parameters: [text('l_key', { is_primary: true })] },
    { id: 'hushed', parameters: [text('h_note')], access: { read: 'admin' } },
  );
  const { items } = (await ok(project.post('/task/unit', [{ t_title: 'a' }, { t_title: 'b' }]))) as { items: Item[] };
  const [a, b] = items.map(({ id }) => `task/unit/${id}`);
  const caller = await asMember(project);
  const QUERIES = [
    'filter=eq(t_title,b)',
    'order=t_title;desc',
    'include=t_title',
    'include=t_title,t_size,l_key',
    'exclude=t_title',
    'filter=eq(t_titel,b)',
    'order=t_titel;desc&include=l_kay',
    'exclude=nothing',
    'filter=eq(t_size,much)',
    'filter=eq(id,anything)',
    'filter=eq(h_note,x)',
    'kind_id=task&filter=eq(t_title,b)',
    'kind_id=task&filter=eq(l_key,b)',
    'kind_id=label&order=t_title;asc',
    'load_links=true&include=l_key',
  ];
  const answers = async () => {
    const replies = QUERIES.map((query) => caller.get(`/${a}/link/child?${query}`));
    return (await Promise.all(replies)).map(({ status, body }, at) => [QUERIES[at], status, body]);
  };
  const few = await answers();
  const fillers = Array.from({ length: 13 }, (_, at) => ({ id: `other_${at}`, parameters: [`l_key`] }));

  it('are checked against all kinds, few or many, linked or not', async () => {
    expect(few.map(([, status]) => status)).toEqual([
      200, 200, 200, 200, 200, 400, 400, 400, 400, 200, 400, 200, 400, 400, 200,
    ]);
    await defineKinds(project, ...fillers);
    expect(await answers()).toEqual(few);
    await ok(project.post(`/${a}/link/link/${b}`));
    expect((await answers()).map(([, status]) => status)).toEqual(few.map(([, status]) => status));
    expect(
      await ok(caller.get(`/${a}/link/child?filter=and(eq(t_title,b),isnull(l_key))&include=l_key`)),
    ).toMatchObject({
      count: 1,
      items: [{ l_key: null }],
    });
    // One more statement asks which kinds are linked.
    expect(await caller.statements(() => caller.get(`/${a}/link/child?filter=eq(t_title,b)`))).toBe(2);
  });
});

describe('load_links', () => {
  it('adds the linked units to a get, whose ETag changes with them', async () => {
    const path = '/place/unit/a?load_links=true&depth=1';
    const plain = await ann.get('/place/unit/a');
    const etag = (reply: typeof plain): string => reply.headers.get('etag') ?? '';
    const reply = await ann.get(path, { headers: { 'if-none-match': etag(plain) } });
    expect(reply).toMatchObject({ status: 200, body: { content: { ...plain.body.content } } });
    const { links } = reply.body.content as { links: Record<string, Item[]> };
    expect(Object.keys(links)).toEqual(['parent', 'child']);
    for (const direction of ['parent', 'child']) {
      const { items } = (await ok(ann.get(`/place/unit/a/link/${direction}?depth=1`))) as { items: Item[] };
      expect(links[direction]).toEqual(items);
    }
    expect('links' in (plain.body.content as object)).toBe(false);
    const again = { headers: { 'if-none-match': etag(reply) } };
    expect((await ann.get(path, again)).status).toBe(304);
    await ok(admin.put('/place/unit/b', { name: 'Bee' }));
    expect((await ann.get(path, again)).status).toBe(200);
    await ok(admin.put('/place/unit/b', { name: 'B' }));
  });

  it('adds them to every unit of a list, however it is paged', async () => {
    const whole = (await ok(ann.get('/place/unit?load_links=true'))) as { items: (Item & { links: object })[] };
    expect(whole.items.map(({ links }) => Object.keys(links))).toEqual(Array(5).fill(['parent', 'child']));
    for (const query of [
      'limit=2&offset=2',
      'limit=2&cursor=',
      'order=name;desc&limit=2',
      'order=name;desc&limit=2&offset=1',
      'include=[id,kind_id]',
    ]) {
      const { items } = (await ok(ann.get(`/place/unit?load_links=true&${query}`))) as typeof whole;
      for (const item of items) expect(item.links).toEqual(whole.items.find(({ id }) => id === item.id)?.links);
    }
    const [first] = whole.items;
    for (const include of ['id', '[id,links]'])
      expect(await ok(ann.get(`/place/unit/a?load_links=true&include=${include}`))).toEqual({
        id: 'a',
        links: first?.links,
      });
    expect(await ok(ann.get('/place/unit/a?load_links=true&include=links'))).toEqual({ links: first?.links });
    expect(await ok(ann.get('/group/unit?load_links=true&limit=1'))).toMatchObject({
      items: [{ links: { parent: [], child: [] } }],
    });
    expect(await ok(ann.get('/link/unit/link?load_links=true'))).toMatchObject({ links: { parent: [], child: [] } });
    expect(await ok(ann.get(`${path}/child?load_links=true&kind_id=place`))).toMatchObject({
      items: [{ id: 'b', links: { parent: [{ id: 'a' }] } }],
    });
  });

  it('adds the numbers of links that lead to units which the caller may read', async () => {
    const counts = (parent: object, child: object) => ({ parent, child });
    const ofA = '/place/unit/a?load_links=count&include=id';
    expect(await ok(ann.get(ofA))).toEqual({ id: 'a', links: counts({ link: 1 }, { link: 2, road: 1 }) });
    expect(await ok(admin.get(ofA))).toEqual({ id: 'a', links: counts({ link: 1 }, { link: 3, road: 1 }) });
    expect(await ok(nobody.get(ofA))).toEqual({ id: 'a', links: counts({ link: 1 }, { link: 1, road: 1 }) });
    const lists = [
      [
        '/place/unit?load_links=count&include=id&limit=2',
        [counts({ link: 1 }, { link: 2, road: 1 }), counts({ link: 1, road: 1 }, { link: 1 })],
      ],
      [
        '/place/unit?load_links=count&include=id&order=-id&limit=2',
        [counts({ link: 1 }, { link: 2 }), counts({ link: 1 }, {})],
      ],
      ['/place/unit?load_links=count&include=id&limit=1&cursor=', [counts({ link: 1 }, { link: 2, road: 1 })]],
      [
        `${path}/child?load_links=count&include=id`,
        [counts({ link: 1, road: 1 }, { link: 1 }), counts({ link: 1 }, {})],
      ],
      ['/group/unit?load_links=count&limit=1', [counts({}, {})]],
    ] as const;
    for (const [list, expected] of lists) {
      const { items } = (await ok(ann.get(list))) as { items: { links: object }[] };
      expect([list, items.map(({ links }) => links)]).toEqual([list, expected]);
    }
  });

  scenarios({ ann }, [
    {
      name: 'with a depth that is none',
      request: 'GET /place/unit?load_links=true&depth=11',
      expect: { status: 400, code: 'query.bad_value' },
    },
    {
      name: 'named without being asked for',
      request: 'GET /place/unit?include=[id,links]',
      expect: { status: 400, code: 'parameter.unknown' },
    },
    {
      name: 'that is neither true nor false',
      request: 'GET /place/unit?load_links=yes',
      expect: { status: 400, code: 'query.bad_value' },
    },
    {
      name: 'of nothing',
      request: 'GET /place/unit?load_links=false&limit=1',
      expect: { status: 200, notBody: /"links"/ },
    },
  ]);
});
