/** The query parameters of lists and gets, in every spelling; what they answer and how many statements that takes. */
import { beforeAll, describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { play, scenarios } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const [project, other] = await Promise.all([service.project(), service.project()]);
const parameters = [
  { id: 'name', kind_id: 'string' },
  { id: 'size', kind_id: 'integer' },
  { id: 'meta', kind_id: 'json' },
  { id: 'open', kind_id: 'boolean' },
  { id: 'tags', kind_id: 'string', multiple: true },
  { id: 'data', kind_id: 'binary' },
  { id: 'secret', kind_id: 'string', hidden: true },
];
for (const each of [project, other]) {
  await defineKinds(
    each,
    { id: 'city', label: 'City', parameters },
    { id: 'town', label: 'Town', parameters: ['name', 'size', 'meta', 'open', 'tags', 'data', 'secret'] },
    { id: 'land', label: 'Land', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }, 'name'] },
  );
  await each.post('/city/unit', [
    { name: 'a', size: 3, meta: { x: 'q' }, open: true },
    { name: 'b', size: 1, meta: { x: 'p' }, open: false },
    { name: 'c', size: 2, meta: null, open: null },
    { name: 'd', size: null, meta: { x: null }, open: true },
    { name: null, size: 1, meta: { y: 1 }, open: false },
  ]);
}
for (const each of [project, other]) await each.post('/group/unit', { id: 'places', kind_list: ['city', 'town'] });
const [first] = (await project.get('/city/unit?limit=1')).body.content.items as [{ id: string }];
const list = async (query: string) => {
  const reply = await project.get(`/city/unit?${query}`);
  if (reply.status !== 200) throw new Error(`${query} → ${reply.text}`);
  return reply.body.content as { count: number; items: Record<string, unknown>[]; next?: string | null };
};
const names = async (query: string) =>
  (await list(query)).items.map(({ name }) => (name as string | null) ?? '-').join('');

describe('order', () => {
  it.each([
    ['order=name;asc', 'abcd-'],
    ['order=name;desc', '-dcba'],
    ['order=name%3Basc', 'abcd-'],
    ['order[]=name;asc', 'abcd-'],
    ['order%5B%5D=name%3Bdesc', '-dcba'],
    ['order=size;asc', 'b-cad'],
    ['order=size;desc', 'dacb-'],
    ['order=size;asc&order=name;desc', '-bcad'],
    ['order[]=size;asc&order[]=name;asc', 'b-cad'],
    ['order[]=size%3Bdesc&order=name%3Basc', 'dacb-'],
    ['order=[size;asc,name;desc]', '-bcad'],
    ['order=size;asc,name;desc', '-bcad'],
    ['order= size ; asc ', 'b-cad'],
    ['order=open;asc&order=id;desc', '-bdac'],
    ['order=meta.x;asc', 'bacd-'],
    ['order=meta."x";desc', 'cd-ab'],
    ['order=id;desc', '-dcba'],
    ['order=kind_id;asc', 'abcd-'],
    ['order=kind_id;desc&order=id;desc', '-dcba'],
    ['order=inserted_at;asc', 'abcd-'],
    ['order=updated_at;desc&order=name;asc', 'abcd-'],
    ['order=name;asc&order=name;desc', 'abcd-'],
    ['order=name', 'abcd-'],
    ['order=-name', '-dcba'],
    ['order=name;ASC', 'abcd-'],
    ['order=name;Desc', '-dcba'],
    ['order=[-size,-name]', 'dac-b'],
    ['order=size,-name', '-bcad'],
    ['order=-meta."x"', 'cd-ab'],
    ['order[0]=size;asc&order[1]=name;desc', '-bcad'],
    ['order[1]=-name&order[0]=size', '-bcad'],
    ['order%5B0%5D=-name', '-dcba'],
    ['', 'abcd-'],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toBe(expected);
    expect(await names(`${query}&cursor=`)).toBe(expected);
  });

  scenarios({ admin: project }, [
    ...[
      'name;',
      'name;up',
      'name asc',
      ';asc',
      '',
      '-',
      '-name;asc',
      'name;asc;desc',
      'lower(name);asc',
      '[name',
      'name]',
      '[]',
      'name;asc,',
    ].map((order) => ({
      name: `${order} is none`,
      request: `GET /city/unit?order=${encodeURIComponent(order)}`,
      expect: { status: 400, code: 'query.bad_value', parameter: 'order' } as const,
    })),
    {
      name: 'an unknown parameter has a hint',
      request: 'GET /city/unit?order=nmae;asc',
      expect: { status: 400, code: 'parameter.unknown', text: "did you mean 'name'?", parameter: 'order' },
    },
    {
      name: 'a hidden parameter is unknown',
      request: 'GET /city/unit?order=secret;asc',
      expect: { status: 400, code: 'parameter.unknown' },
    },
    {
      name: 'each unknown one is told',
      request: 'GET /city/unit?order=x1;asc&order=x2;asc',
      expect: { status: 400, code: ['parameter.unknown', 'parameter.unknown'] },
    },
    ...['tags', 'data', 'meta'].map((id) => ({
      name: `${id} has no order`,
      request: `GET /city/unit?order=${id};asc`,
      expect: { status: 400, code: 'query.bad_value', parameter: 'order' } as const,
    })),
    {
      name: 'too many terms',
      request: `GET /city/unit?${Array.from({ length: 17 }, () => 'order=name;asc').join('&')}`,
      expect: { status: 400, code: 'query.bad_value' },
    },
    {
      name: 'sixteen terms',
      request: `GET /city/unit?${Array.from({ length: 16 }, () => 'order=name;asc').join('&')}`,
      expect: { status: 200 },
    },
  ]);
});

describe('include and exclude', () => {
  const all = [
    'id',
    'kind_id',
    'name',
    'size',
    'meta',
    'open',
    'tags',
    'data',
    'metadata',
    'inserted_at',
    'updated_at',
  ];
  const fields = async (path: string) => {
    const { content } = (await project.get(path)).body as { content: { items?: Record<string, unknown>[] } };
    return Object.keys(content.items?.[0] ?? content);
  };
  it.each([
    ['', all],
    ['include=[id,name]', ['id', 'name']],
    ['include=id,name', ['id', 'name']],
    ['include=name,id', ['id', 'name']],
    ['include[]=id&include[]=name', ['id', 'name']],
    ['include=id&include=name', ['id', 'name']],
    ['include%5B%5D=id&include=[name]', ['id', 'name']],
    ['include=[ id , name ]', ['id', 'name']],
    ['include=%5Bid%2Cname%5D', ['id', 'name']],
    ['include=name,name', ['name']],
    ['include[0]=id&include[1]=name', ['id', 'name']],
    ['include=*', all],
    ['include=[*]', all],
    ['include=*,name', all],
    ['include[]=name&include[]=*', all],
    ['include=*,meta.x', [...all, 'meta.x']],
    ['include=name', ['name']],
    ['include=updated_at,metadata,kind_id', ['kind_id', 'metadata', 'updated_at']],
    ['exclude=[id,size]', all.filter((id) => !['id', 'size'].includes(id))],
    ['exclude=id,size', all.filter((id) => !['id', 'size'].includes(id))],
    ['exclude[]=id&exclude[]=size', all.filter((id) => !['id', 'size'].includes(id))],
    [`exclude=${all.join()}`, []],
  ])('%s', async (query, expected) => {
    expect(await fields(`/city/unit?${query}`)).toEqual(expected);
    expect(await fields(`/city/unit/${first.id}?${query}`)).toEqual(expected);
    expect(await fields(`/city/unit?cursor=&limit=1&${query}`)).toEqual(expected);
  });

  it('work on structs', async () => {
    const ids = async (path: string) => {
      const { content } = (await project.get(path)).body;
      return ((content.items ?? content.parameters) as { id: string }[]).map(({ id }) => id);
    };
    for (const path of ['/city/struct', `/city/unit/${first.id}/struct`]) {
      expect(await ids(`${path}?include=[size,name]`)).toEqual(['name', 'size']);
      expect(await ids(`${path}?exclude=size,name,secret`)).toEqual(['meta', 'open', 'tags', 'data', 'metadata']);
    }
    expect(await ids('/kind/struct?include=id,label')).toEqual(['id', 'label']);
    expect(await ids('/city/struct?include=*')).toEqual(await ids('/city/struct'));
    // What every unit has is known, and no parameter.
    expect(await ids('/city/struct?include=[id,name]')).toEqual(['name']);
    expect(await ids('/city/struct?include=id')).toEqual([]);
    expect(await ids('/city/struct?exclude=[id,size,name,secret]')).toEqual([
      ...['meta', 'open', 'tags', 'data', 'metadata'],
    ]);
  });

  scenarios({ admin: project }, [
    {
      name: 'exclude each other',
      request: 'GET /city/unit?include=id&exclude=name',
      expect: { status: 400, code: 'query.conflict' },
    },
    {
      name: 'exclude each other on a get',
      request: `GET /city/unit/${first.id}?include=id&exclude=name`,
      expect: { status: 400, code: 'query.conflict' },
    },
    {
      name: 'exclude each other on a struct',
      request: 'GET /city/struct?include=name&exclude=size',
      expect: { status: 400, code: 'query.conflict' },
    },
    {
      name: 'know no other names',
      request: 'GET /city/unit?include=id,nmae',
      expect: { status: 400, code: 'parameter.unknown', text: "did you mean 'name'?", parameter: 'include' },
    },
    {
      name: 'know no other names on a get',
      request: `GET /city/unit/${first.id}?exclude=nmae`,
      expect: { status: 400, code: 'parameter.unknown', parameter: 'exclude' },
    },
    {
      name: 'know no hidden names',
      request: 'GET /city/unit?include=secret',
      expect: { status: 400, code: 'parameter.unknown' },
    },
    ...['', '[]', 'id,', ',id', 'id,,name'].map((value) => ({
      name: `take no empty name: ${value}`,
      request: `GET /city/unit?include=${value}`,
      expect: { status: 400, code: 'query.bad_value', parameter: 'include' } as const,
    })),
  ]);
});

describe('paging', () => {
  scenarios({ admin: project }, [
    {
      name: 'limit=0 gives the count alone',
      request: 'GET /city/unit?limit=0',
      expect: { status: 200, content: { count: 5, items: [] }, statements: 1 },
    },
    {
      name: 'limit=0 of a filter',
      request: 'GET /city/unit?limit=0&filter=eq(size,1)',
      expect: { status: 200, content: { count: 2, items: [] } },
    },
    {
      name: 'an offset beyond the end',
      request: 'GET /city/unit?offset=99',
      expect: { status: 200, content: { count: 5, items: [] } },
    },
    { name: 'the largest limit', request: 'GET /city/unit?limit=1000', expect: { status: 200 } },
    {
      name: 'the largest offset',
      request: 'GET /city/unit?offset=1000000000',
      expect: { status: 200, content: { count: 5, items: [] } },
    },
    {
      name: 'limit and offset',
      request: 'GET /city/unit?limit=2&offset=1&include=name',
      expect: { status: 200, content: { count: 5, items: [{ name: 'b' }, { name: 'c' }] } },
    },
    ...['1001', '-1', 'NaN', '', '1.5', '1e2', '0x10', ' 1', '+1', '9'.repeat(30), 'null', 'all', '１'].map(
      (value) => ({
        name: `limit=${value} is refused`,
        request: `GET /city/unit?limit=${encodeURIComponent(value)}`,
        expect: { status: 400, code: 'query.bad_value', parameter: 'limit' } as const,
      }),
    ),
    ...['-1', 'NaN', '', '1.5', '1000000001', '99999999999999999999', 'x'].map((value) => ({
      name: `offset=${value} is refused`,
      request: `GET /city/unit?offset=${value}`,
      expect: { status: 400, code: 'query.bad_value', parameter: 'offset' } as const,
    })),
    {
      name: 'count=none',
      request: 'GET /city/unit?count=none',
      expect: { status: 200, content: { count: -1 }, statements: 1 },
    },
    {
      name: 'count=none with limit=0',
      request: 'GET /city/unit?count=none&limit=0',
      expect: { status: 200, content: { count: -1, items: [] } },
    },
    {
      name: 'count=exact',
      request: 'GET /city/unit?count=exact&limit=2',
      expect: { status: 200, content: { count: 5 }, statements: 1 },
    },
    {
      name: 'count=none with a cursor',
      request: 'GET /city/unit?count=none&cursor=&limit=2',
      expect: { status: 200, content: { count: -1 } },
    },
    ...['', 'some', 'EXACT', 'true'].map((value) => ({
      name: `count=${value} is refused`,
      request: `GET /city/unit?count=${value}`,
      expect: { status: 400, code: 'query.bad_value', parameter: 'count' } as const,
    })),
    ...['depth=-1', 'depth=11', 'depth=x', 'load_links=1', 'load_links='].map((query) => ({
      name: `${query} is refused`,
      request: `GET /city/unit?${query}`,
      expect: { status: 400, code: 'query.bad_value' } as const,
    })),
  ]);

  it.each([
    ['/city/unit', 'count=estimated&limit=1000', 5],
    ['/city/unit', 'count=estimated&limit=1000&cursor=', 5],
    ['/group/places/unit', 'count=estimated&limit=1000', 5],
    ['/group/places/unit', 'count=estimated&limit=1000&cursor=', 5],
  ])('count=estimated of a first page that is not full is what it shows: %s?%s', async (path, query, count) => {
    const { body } = await other.get(`${path}?${query}`);
    expect(body.content).toMatchObject({ count });
  });

  it('count=estimated of units that match a filter is a number of the planner', async () => {
    await project.post(
      '/town/unit',
      Array.from({ length: 500 }, (_, at) => ({ size: at })),
    );
    for (const query of ['', '&limit=0', '&cursor=&limit=10'].map((each) => `&filter=lt(size,250)${each}`)) {
      const { count } = (await project.get(`/town/unit?count=estimated${query}`)).body.content as { count: number };
      expect(Number.isInteger(count)).toBe(true);
      expect(count).toBeGreaterThanOrEqual(0);
    }
  });

  it('returns a hundred units by default', async () => {
    const { count, items } = (await project.get('/town/unit')).body.content as { count: number; items: unknown[] };
    expect([count, items.length]).toEqual([500, 100]);
  });
});

const forged = (cursor: string, change: (token: { o: string; k: (string | null)[] }) => unknown) => {
  const token = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { o: string; k: (string | null)[] };
  return Buffer.from(JSON.stringify(change(token))).toString('base64url');
};

describe('a cursor', () => {
  let cursors: Record<'name' | 'size' | 'float' | 'meta', string>;
  beforeAll(async () => {
    const next = async (query: string) => (await list(`cursor=&limit=2&${query}`)).next ?? '';
    cursors = {
      name: await next('order=name;asc'),
      size: await next('order=size;asc'),
      float: await next(''),
      meta: await next('order=meta.x;asc'),
    };
  });

  it('is in the answer only on request', async () => {
    expect(Object.keys(await list(''))).toEqual(['count', 'items']);
    expect(Object.keys(await list('cursor='))).toEqual(['count', 'items', 'next']);
    expect((await list('cursor=')).next).toBeNull();
    expect((await list('cursor=&limit=5')).next).toBeNull();
    expect((await list('cursor=&limit=4')).next).toMatch(/^[\w-]+$/);
  });

  it('reveals nothing of hidden fields', async () => {
    for (const cursor of Object.values(cursors))
      expect(Buffer.from(cursor, 'base64url').toString()).not.toContain('secret');
  });

  const refused = { status: 400, code: 'query.bad_value', parameter: 'cursor' } as const;
  it.each<[string, () => string]>([
    ['of another order', () => `/city/unit?order=size;asc&cursor=${cursors.name}`],
    ['of the other direction', () => `/city/unit?order=name;desc&cursor=${cursors.name}`],
    ['of more terms', () => `/city/unit?order=name;asc&order=size;asc&cursor=${cursors.name}`],
    ['of no order', () => `/city/unit?cursor=${cursors.name}`],
    ['of other JSON keys', () => `/city/unit?order=meta.y;asc&cursor=${cursors.meta}`],
    ['of another kind', () => `/town/unit?order=name;asc&cursor=${cursors.name}`],
    ['of another kind of key', () => `/land/unit?cursor=${cursors.float}`],
    ['of the model', () => `/kind/unit?cursor=${cursors.float}`],
    ['that is cut', () => `/city/unit?order=name;asc&cursor=${cursors.name.slice(0, -4)}`],
    ['that is garbage', () => '/city/unit?cursor=garbage'],
    ['that is one character', () => '/city/unit?cursor=%00'],
    ['that is JSON', () => '/city/unit?cursor=%7B%7D'],
    ['that is null', () => `/city/unit?cursor=${Buffer.from('null').toString('base64url')}`],
    ['that is a list', () => `/city/unit?cursor=${Buffer.from('[]').toString('base64url')}`],
    ['that is deep', () => `/city/unit?cursor=${Buffer.from('['.repeat(5000)).toString('base64url')}`],
  ])('%s is refused', async (_, path) => {
    await play(project, { name: '', request: `GET ${path()}`, expect: refused });
  });

  it.each<[string, (token: { o: string; k: (string | null)[] }) => unknown]>([
    ['too few values', ({ o, k }) => ({ o, k: k.slice(1) })],
    ['too many values', ({ o, k }) => ({ o, k: [...k, 'x'] })],
    ['values of another type', ({ o, k }) => ({ o, k: k.map(() => 'x') })],
    ['numbers for texts', ({ o, k }) => ({ o, k: k.map(() => 1) })],
    ['objects for texts', ({ o, k }) => ({ o, k: k.map(() => ({})) })],
    ['a NUL', ({ o, k }) => ({ o, k: k.map(() => '\0') })],
    ['half a character', ({ o, k }) => ({ o, k: k.map(() => '\ud83d') })],
    ['a number out of range', ({ o, k }) => ({ o, k: ['99999999999999999999', ...k.slice(1)] })],
    ['an injection', ({ o, k }) => ({ o, k: k.map(() => "1'; DROP TABLE city; --") })],
    ['no signature', ({ k }) => ({ k })],
    ['another signature', ({ k }) => ({ o: 'x', k })],
  ])('with %s is refused', async (_, change) => {
    await play(project, {
      name: '',
      request: `GET /city/unit?order=size;asc&cursor=${forged(cursors.size, change)}`,
      expect: refused,
    });
  });

  scenarios({ admin: project }, [
    {
      name: 'and an offset exclude each other',
      request: 'GET /city/unit?cursor=&offset=1',
      expect: { status: 400, code: 'query.conflict' },
    },
    {
      name: 'needs a page',
      request: 'GET /city/unit?cursor=&limit=0',
      expect: { status: 400, code: 'query.bad_value' },
    },
    { name: 'is one', request: 'GET /city/unit?cursor=&cursor=', expect: { status: 400, code: 'query.bad_value' } },
  ]);

  it('pages through values too long for a URL', async () => {
    const long = (at: number) => `${at}${'é'.repeat(9000)}`;
    await project.post(
      '/town/unit',
      [1, 2, 3].map((at) => ({ name: long(at), size: -at })),
    );
    const seen: unknown[] = [];
    let next: string | null = '';
    while (next !== null) {
      const reply = await project.get(
        `/town/unit?limit=1&filter=lt(size,0)&order=name;desc&include=size&cursor=${next}`,
      );
      expect(reply.status).toBe(200);
      seen.push(...(reply.body.content.items as { size: number }[]).map(({ size }) => size));
      next = reply.body.content.next as string | null;
    }
    expect(seen).toEqual([-3, -2, -1]);
  });
});

describe('statements', () => {
  const count = (work: () => Promise<unknown>) => project.statements(work);
  it.each<[string, number, () => Promise<{ status: number }>]>([
    ['a list', 1, () => project.get('/city/unit')],
    [
      'a list with all there is',
      1,
      () =>
        project.get(
          '/city/unit?limit=2&offset=1&order=name;desc&order=meta.x;asc&include=name&filter=and(not(isnull(name)),or(eq(size,1),lt(size,9)))',
        ),
    ],
    ['a list by cursor', 1, () => project.get('/city/unit?cursor=&limit=2')],
    ['a count', 1, () => project.get('/city/unit?limit=0')],
    ['a get', 1, () => project.get(`/city/unit/${first.id}`)],
    ['a get of a kind', 1, () => project.get('/kind/unit/city')],
    ['a list of kinds', 1, () => project.get('/kind/unit')],
    ['a struct', 1, () => project.get('/city/struct')],
    ['a list without units', 1, () => project.get('/city/unit?filter=eq(name,nobody)')],
    ['a create', 1, () => project.post('/city/unit', { name: 'x' })],
    [
      'a bulk create',
      1,
      () =>
        project.post(
          '/city/unit',
          Array.from({ length: 200 }, () => ({ name: 'x' })),
        ),
    ],
    ['an edit', 1, () => project.put(`/city/unit/${first.id}`, { name: 'a' })],
    ['an estimate of all units, whose number is stored', 1, () => project.get('/city/unit?count=estimated&limit=1')],
    ['an estimate of some', 2, () => project.get('/city/unit?count=estimated&limit=1&filter=isnull(name,false)')],
    ['an estimate of what one page shows', 1, () => project.get('/city/unit?count=estimated&limit=1000')],
  ])('%s takes %i', async (_, statements, work) => {
    expect(
      await count(async () => {
        expect((await work()).status).toBe(200);
      }),
    ).toBe(statements);
  });

  it('a delete takes 2: the unit, then its links', async () => {
    const id = await createdId(project.post('/city/unit', {}));
    expect(await count(() => project.delete(`/city/unit/${id}`))).toBe(2);
  });
});

describe('all faults of a query are reported at once, of syntax and of names', () => {
  const wrong = 'limit=x&order=nope;asc&filter=eq(size,big)&include=nothing&sort=name';
  const told = [
    'query.unknown sort',
    'query.bad_value limit',
    'parameter.unknown order',
    'filter.bad_value size',
    'parameter.unknown include',
  ];
  it.each([
    ['a list', '/city/unit', told],
    ['a group', '/group/places/unit', told],
    [
      'a get',
      `/city/unit/${first.id}`,
      [...['limit', 'order', 'filter', 'sort'].map((name) => `query.unknown ${name}`), 'parameter.unknown include'],
    ],
    [
      'a struct',
      '/city/struct',
      [
        ...['query.unknown sort', 'query.bad_value limit', 'parameter.unknown order'],
        ...['filter.unknown_parameter size', 'parameter.unknown include'],
      ],
    ],
    ['a walk', `/city/unit/${first.id}/link/child`, told],
  ])('%s', async (_, path, messages) => {
    const { status, body } = await project.get(`${path}?${wrong}`);
    expect(status).toBe(400);
    expect(body.messages.map(({ code, parameter }) => `${code} ${parameter ?? ''}`)).toEqual(messages);
  });

  it('of a cursor only its own fault is reported', async () => {
    const { next } = await list('cursor=&limit=1&order=size;asc');
    const { body } = await project.get(`/city/unit?cursor=${next ?? ''}&order=size;up&limit=1`);
    expect(body.messages).toMatchObject([{ code: 'query.bad_value', parameter: 'order' }]);
  });
});

const FORGED_VALUES = [
  ...[null, '', 'x', '\0', 'a\0b', '\ud83d', 'NaN', 'Infinity', '-1', '1e400', '9'.repeat(400), '99999999999'],
  ...['9999-99-99', '300000-01-01', '-5000-01-01', 'infinity', '2020-01-01T25:00:00Z', '{', '[1]', 'x'.repeat(4000)],
];

describe('a forged cursor', () => {
  beforeAll(async () => {
    await defineKinds(
      project,
      {
        id: 'spot',
        label: 'Spot',
        parameters: [
          { id: 'spot_key', kind_id: 'string', is_primary: true },
          ...['float', 'decimal', 'date'].map((type) => ({ id: type, kind_id: type })),
          { id: 'note', kind_id: 'text', search: 'simple' },
          ...['name', 'size', 'meta', 'open'],
        ],
      },
      { id: 'field', label: 'Field', parameters: ['name', 'size'] },
    );
    await ok(project.post('/group/unit', { id: 'grounds', label: 'Grounds', kind_list: ['spot', 'field'] }));
    await ok(
      project.post('/link/unit', { id: 'road', label: 'Road', parameters: [{ id: 'weight', kind_id: 'integer' }] }),
    );
    for (const id of ['a', 'b', 'c', 'd']) {
      await ok(
        project.post('/spot/unit', { spot_key: id, note: 'a', float: 1, decimal: 1, date: '2020-01-01', name: id }),
      );
      await ok(project.post('/field/unit', { name: id }));
    }
    for (const id of ['b', 'c', 'd']) await ok(project.post(`/spot/unit/a/link/road/spot/unit/${id}`, { weight: 1 }));
  });

  it.each([
    '/spot/unit?',
    '/spot/unit?order=size;asc',
    '/spot/unit?order=meta.x;desc',
    '/spot/unit?order=open;desc&order=inserted_at;asc',
    '/spot/unit?order=float;asc&order=decimal;desc&order=date;asc',
    '/spot/unit?order=id;desc',
    '/spot/unit?search=a&order=rank();desc',
    '/field/unit?order=id;asc',
    '/group/grounds/unit?',
    '/group/grounds/unit?order=size;desc',
    '/group/grounds/unit?order=date;asc&order=name;asc',
    '/spot/unit/a/link/child?',
    '/spot/unit/a/link/child?depth=2&order=date;asc',
    '/spot/unit/a/link/child?order=link.weight;desc',
  ])('may have any value in any place: %s', async (path) => {
    const page = (await ok(project.get(`${path}&limit=1&cursor=`))) as { next: string };
    const { k } = JSON.parse(Buffer.from(page.next, 'base64url').toString()) as { k: string[] };
    for (const value of FORGED_VALUES) {
      const keys = [k.map(() => value), ...k.map((_, at) => k.map((key, i) => (i === at ? value : key)))];
      for (const forgedKeys of keys) {
        const cursor = forged(page.next, ({ o }) => ({ o, k: forgedKeys }));
        const { status, text } = await project.get(`${path}&cursor=${cursor}`);
        const isCursor = status === 200 || (status === 400 && text.includes('cursor: not one that this list'));
        expect(isCursor, `${JSON.stringify(forgedKeys)}: ${text}`).toBe(true);
        if (forgedKeys.at(-1) === null) expect(status).toBe(400);
      }
    }
  });
});
