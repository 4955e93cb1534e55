/** The units of all kinds of a group as one list, and one of them whatever its kind. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds, documented } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { scenarios } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const root = await service.project();
const member = await asMember(root);

const text = (id: string, more: object = {}) => ({ id, kind_id: 'string', ...more });
await defineKinds(
  root,
  { id: 'car', parameters: [text('name'), { id: 'weight', kind_id: 'integer' }, { id: 'extra', kind_id: 'json' }] },
  { id: 'bike', parameters: ['name', text('frame'), { id: 'price', kind_id: 'decimal', read_access: 'admin' }] },
  {
    id: 'ship',
    parameters: [
      text('code', { is_primary: true }),
      'name',
      'weight',
      { id: 'tug', kind_id: 'unit', reference_kind: 'bike' },
    ],
  },
  { id: 'plane', parameters: ['code', 'weight'], access: { read: 'gt(weight,5)' } },
  { id: 'tank', parameters: ['name'], access: { read: 'admin' } },
  { id: 'kite', parameters: ['name'], active: false },
);
await ok(
  root.post('/group/unit', {
    id: 'vehicle',
    label: 'Vehicle',
    kind_list: ['car', 'bike', 'ship', 'plane', 'tank', 'kite'],
  }),
);
await ok(root.post('/group/unit', { id: 'nothing' }));

const made = async (kind: string, ...bodies: object[]): Promise<string[]> => {
  const ids: string[] = [];
  for (const body of bodies) ids.push(await createdId(root.post(`/${kind}/unit`, body)));
  return ids;
};
const [polo = ''] = await made(
  'car',
  { name: 'Polo', weight: 3, extra: { color: 'red' } },
  { name: 'Golf', weight: 4 },
);
const [racer = ''] = await made(
  'bike',
  { name: 'Racer', frame: 'steel', price: '100.50' },
  { name: null, frame: 'steel' },
);
await made('ship', { code: 'A1', name: 'Ark', weight: 9, tug: racer }, { code: 'B2', weight: null });
await made('plane', { code: 'A1', weight: 8 }, { code: 'C3', weight: 2 });
const [tiger = ''] = await made('tank', { name: 'Tiger' });
const { admin, ann, nobody } = await documented({ admin: root, ann: member, nobody: anonymous(root) });
const list = '/group/vehicle/unit';

type Item = Record<string, unknown> & { kind_id: string; id: string };
const items = async (as: typeof admin, query: string): Promise<Item[]> =>
  ((await ok(as.get(`${list}?${query}`))) as { items: Item[] }).items;
const names = (found: Item[]) =>
  found.map(({ kind_id: kind, name, code }) => `${kind} ${(name ?? code ?? '-') as string}`);

describe('the units of a group', () => {
  it('are those of all kinds that the caller may read, oldest first, in one statement', async () => {
    let all: Item[] = [];
    expect(await ann.statements(async () => void (all = await items(ann, '')))).toBe(1);
    expect(names(all)).toEqual(['car Polo', 'car Golf', 'bike Racer', 'bike -', 'ship Ark', 'ship B2', 'plane A1']);
    expect(names(await items(admin, ''))).toEqual([
      ...['car Polo', 'car Golf', 'bike Racer', 'bike -', 'ship Ark', 'ship B2', 'plane A1', 'plane C3', 'tank Tiger'],
    ]);
    expect(Object.keys(all[2] ?? {})).toEqual([
      'id',
      'kind_id',
      'name',
      'frame',
      'metadata',
      'inserted_at',
      'updated_at',
    ]);
    expect(all[0]).toEqual(await ok(ann.get(`/car/unit/${polo}`)));
    expect(all[4]).toEqual(await ok(ann.get('/ship/unit/A1')));
  });

  it.each([
    ['order=name;asc', ['ship Ark', 'car Golf', 'car Polo', 'bike Racer', 'bike -', 'plane A1', 'ship B2']],
    ['order=name;desc&limit=4', ['bike -', 'plane A1', 'ship B2', 'bike Racer']],
    [
      'order=weight;desc&order=kind_id;asc',
      ['bike Racer', 'bike -', 'ship B2', 'ship Ark', 'plane A1', 'car Golf', 'car Polo'],
    ],
    ['order=kind_id;asc&order=name;asc&limit=3', ['bike Racer', 'bike -', 'car Golf']],
    ['order=tug.name;desc&limit=2&filter=eq(kind_id,ship)', ['ship B2', 'ship Ark']],
    ['filter=gt(weight,3)', ['car Golf', 'ship Ark', 'plane A1']],
    ['filter=not(gt(weight,3))', ['car Polo', 'bike Racer', 'bike -', 'ship B2']],
    ['filter=isnull(weight)', ['bike Racer', 'bike -', 'ship B2']],
    ['filter=ne(frame,steel)', ['car Polo', 'car Golf', 'ship Ark', 'ship B2', 'plane A1']],
    ['filter=or(eq(extra.color,red),eq(frame,steel))', ['car Polo', 'bike Racer', 'bike -']],
    ['filter=eq(tug.frame,steel)', ['ship Ark']],
    ['filter=in(kind_id,car,plane)&offset=1', ['car Golf', 'plane A1']],
    ['filter=eq(id,A1)', ['ship Ark', 'plane A1']],
    ['filter=eq(code,B2)&count=none', ['ship B2']],
  ])('%s', async (query, expected) => {
    expect(names(await items(ann, query))).toEqual(expected);
  });

  it('are counted whatever page is shown', async () => {
    for (const [query, count] of [
      ['limit=0', 7],
      ['limit=2', 7],
      ['offset=6', 7],
      ['filter=gt(weight,3)&limit=1', 3],
      ['count=none', -1],
      ['limit=7&count=estimated', 7],
    ] as const) {
      const reply = await ok(ann.get(`${list}?${query}`));
      if (query.includes('estimated')) expect((reply as { count: number }).count).toBeGreaterThanOrEqual(7);
      else expect(reply, query).toMatchObject({ count });
    }
  });

  it('respect include and exclude', async () => {
    expect(await items(ann, 'include=[kind_id,weight,frame]&filter=in(id,A1)')).toEqual([
      { kind_id: 'ship', weight: 9, frame: null },
      { kind_id: 'plane', weight: 8, frame: null },
    ]);
    expect(await items(ann, 'include=frame&limit=3')).toEqual([{ frame: null }, { frame: null }, { frame: 'steel' }]);
    expect(await items(ann, 'include=*&filter=in(id,A1)')).toEqual(await items(ann, 'filter=in(id,A1)'));
    expect(await items(ann, 'include=[name,tug.name]&filter=eq(id,A1)')).toEqual([
      { name: 'Ark', 'tug.name': 'Racer' },
      { name: null, 'tug.name': null },
    ]);
    expect(await items(ann, `include=[tug,extra,extra.color]&filter=in(id,A1,${polo})&limit=2`)).toEqual([
      { tug: null, extra: { color: 'red' }, 'extra.color': 'red' },
      { tug: racer, extra: null, 'extra.color': null },
    ]);
    expect(await items(ann, 'nest=true&include=[name,tug.name]&filter=eq(id,A1)')).toEqual([
      { name: 'Ark', tug: { id: racer, name: 'Racer' } },
      { name: null, tug: null },
    ]);
    // What a caller may not read of one kind is, to it, what that kind lacks.
    expect(await items(admin, `include=price&filter=in(id,${polo},${racer})`)).toEqual([
      { price: null },
      { price: '100.5' },
    ]);
    expect(Object.keys((await items(ann, 'exclude=[metadata,frame]&filter=eq(name,Racer)'))[0] ?? {})).toEqual([
      ...['id', 'kind_id', 'name', 'inserted_at', 'updated_at'],
    ]);
    const [linked] = await items(ann, `load_links=true&filter=eq(id,${polo})`);
    expect(linked).toMatchObject({ id: polo, links: { parent: [], child: [] } });
  });

  it('show null for an included parameter that their kind lacks', async () => {
    expect(await ok(ann.get(`${list}/${polo}?include=[name,frame,tug.name]`))).toEqual({
      name: 'Polo',
      frame: null,
      'tug.name': null,
    });
    expect(await ok(ann.get(`${list}/${polo}?include=frame`))).toEqual({ frame: null });
    expect((await ann.get(`${list}/${polo}?include=price`)).body.messages).toMatchObject([
      { code: 'parameter.unknown' },
    ]);
    expect(Object.keys((await ok(ann.get(`${list}/${polo}?exclude=frame`))) as object)).not.toContain('frame');
  });

  it.each([
    '',
    'order=name;asc',
    'order=weight;desc&order=name;asc',
    'order=id;desc',
    'order=kind_id;desc',
    'order=tug.name;asc',
  ])('come page by page with a cursor: %s', async (order) => {
    const whole = await items(admin, order);
    for (const limit of [1, 2, 4]) {
      const paged: Item[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = (await ok(admin.get(`${list}?${order}&limit=${limit}&cursor=${encodeURIComponent(cursor)}`))) as {
          count: number;
          items: Item[];
          next: string | null;
        };
        expect(page.count).toBe(9);
        paged.push(...page.items);
        cursor = page.next;
      }
      expect(paged).toEqual(whole);
    }
  });

  it('are none if the group has no kinds', async () => {
    expect(await ok(ann.get('/group/nothing/unit'))).toEqual({ count: 0, items: [] });
    expect(await ok(ann.get('/group/nothing/unit?cursor='))).toEqual({ count: 0, items: [], next: null });
  });

  it('are the parameters of the project, in the group of their types', async () => {
    const found = await ok(ann.get('/group/parameter/unit?include=[id,kind_id]&filter=in(id,name,weight)'));
    expect(found).toEqual({
      count: 2,
      items: [
        { id: 'name', kind_id: 'string' },
        { id: 'weight', kind_id: 'integer' },
      ],
    });
    expect(await ok(ann.get('/group/kind_auth_member/unit'))).toMatchObject({
      count: 1,
      items: [{ kind_id: 'person' }],
    });
  });

  scenarios({ ann, nobody, admin }, [
    {
      name: 'an unknown group',
      request: 'GET /group/vehicel/unit',
      expect: { status: 404, code: 'group.unknown', text: `'vehicle'` },
    },
    {
      name: 'no token',
      as: 'nobody',
      request: 'GET /group/vehicle/unit',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'a parameter that none has',
      request: `GET ${list}?filter=eq(nope,1)`,
      expect: {
        status: 400,
        code: 'filter.unknown_parameter',
        text: "no parameter 'nope' in any of these kinds",
      },
    },
    {
      name: 'one that is like that of one of them',
      request: `GET ${list}?filter=eq(frma,1)`,
      expect: { status: 400, text: "no parameter 'frma' in any of these kinds (did you mean 'frame'?)" },
    },
    {
      name: 'one that the kind behind a reference has not',
      request: `GET ${list}?filter=eq(tug.nope,1)`,
      expect: { status: 400, text: "no parameter 'nope' in 'bike'" },
    },
    {
      name: 'one that the caller may not read',
      request: `GET ${list}?filter=eq(price,100.5)`,
      expect: { status: 400, code: 'filter.unknown_parameter' },
    },
    {
      name: 'which the administrator may',
      as: 'admin',
      request: `GET ${list}?filter=eq(price,100.5)`,
      expect: { status: 200, content: { count: 1 } },
    },
    {
      name: 'an order by what none has',
      request: `GET ${list}?order=nope;asc`,
      expect: { status: 400, code: 'parameter.unknown', text: "no parameter 'nope' in any of these kinds" },
    },
    {
      name: 'a field that none has',
      request: `GET ${list}?include=nope`,
      expect: { status: 400, code: 'parameter.unknown', text: "no parameter 'nope' in any of these kinds" },
    },
    {
      name: 'a field of the struct that none has',
      request: 'GET /group/vehicle/struct?include=nope',
      expect: { status: 400, code: 'parameter.unknown', text: "no parameter 'nope' in any of these kinds" },
    },
    {
      name: 'a cursor of another order',
      request: `GET ${list}?cursor=eyJvIjoiIiwiayI6W119`,
      expect: { status: 400, code: 'query.bad_value' },
    },
    {
      name: 'a query that is no filter',
      request: `GET ${list}?filter=eq(name`,
      expect: { status: 400, code: 'filter.syntax' },
    },
  ]);
});

describe('one unit of a group', () => {
  it('is found whatever its kind, with the ETag of its own endpoint', async () => {
    const [own, of] = await Promise.all([ann.get(`/bike/unit/${racer}`), ann.get(`${list}/${racer}`)]);
    expect(of.text).toBe(own.text);
    expect(of.headers.get('etag')).toBe(own.headers.get('etag'));
    expect(await ann.statements(() => ann.get(`${list}/${racer}`))).toBe(1);
    const etag = own.headers.get('etag') ?? '';
    expect((await ann.get(`${list}/${racer}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  scenarios({ ann, admin, nobody }, [
    {
      name: 'a key of two kinds is the first one in the list',
      request: `GET ${list}/A1?include=[kind_id,name]`,
      expect: { status: 200, content: { kind_id: 'ship', name: 'Ark' } },
    },
    { name: 'a unit that a rule hides', request: `GET ${list}/C3`, expect: { status: 404, code: 'unit.unknown' } },
    {
      name: 'which the administrator sees',
      as: 'admin',
      request: `GET ${list}/C3`,
      expect: { status: 200, content: { kind_id: 'plane' } },
    },
    {
      name: 'a unit of a kind that may not be read',
      request: `GET ${list}/${tiger}`,
      expect: { status: 404, code: 'unit.unknown' },
    },
    { name: 'no such unit', request: `GET ${list}/nope`, expect: { status: 404, code: 'unit.unknown' } },
    {
      name: 'no such unit, with a bad query',
      request: `GET ${list}/nope?include=nope`,
      expect: { status: 404, code: 'unit.unknown' },
    },
    { name: 'a bad query', request: `GET ${list}/A1?include=nope`, expect: { status: 400, code: 'parameter.unknown' } },
    {
      name: 'a group without kinds',
      request: 'GET /group/nothing/unit/A1',
      expect: { status: 404, code: 'unit.unknown' },
    },
    { name: 'an unknown group', request: 'GET /group/nope/unit/A1', expect: { status: 404, code: 'group.unknown' } },
    { name: 'no token', as: 'nobody', request: `GET ${list}/A1`, expect: { status: 401 } },
  ]);

  it('reveals nothing of a hidden unit', async () => {
    const [hidden, missing] = await Promise.all(['C3', 'C9'].map((id) => ann.get(`${list}/${id}`)));
    expect(hidden?.text.replaceAll('C3', '*')).toBe(missing?.text.replaceAll('C9', '*'));
  });
});
