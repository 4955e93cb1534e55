/** Walks by the values of links (`link.`), and in pages with cursors. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds, documented } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const root = await service.project();
const member = await asMember(root);
await defineKinds(
  root,
  {
    id: 'city',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'size', kind_id: 'integer' },
    ],
  },
  { id: 'port', parameters: ['code', 'size', { id: 'link', kind_id: 'json' }] },
);
await ok(
  root.post('/link/unit', {
    id: 'road',
    parameters: [
      { id: 'weight', kind_id: 'integer' },
      { id: 'note', kind_id: 'json' },
      { id: 'cost', kind_id: 'integer', read_access: 'admin' },
    ],
  }),
);
await ok(root.post('/link/unit', { id: 'rail', parameters: ['weight', { id: 'gauge', kind_id: 'string' }] }));
await ok(root.post('/link/unit', { id: 'plain' }));
await ok(
  root.post(
    '/city/unit',
    ['a', 'b', 'c', 'd', 'e'].map((code, size) => ({ code, size })),
  ),
);
await ok(root.post('/port/unit', { code: 'p', size: 9, link: { color: 'red' } }));
const LINKS: readonly (readonly [from: string, type: string, to: string, values: object])[] = [
  ['city/a', 'road', 'city/b', { weight: 1, note: { by: 'ann' }, cost: 5 }],
  ['city/a', 'rail', 'city/b', { weight: 5, gauge: 'wide' }],
  ['city/a', 'road', 'city/c', { weight: 3 }],
  ['city/a', 'plain', 'city/c', {}],
  ['city/a', 'road', 'port/p', {}],
  // Two links of one step lead to `d`.
  ['city/b', 'road', 'city/d', { weight: 2 }],
  ['city/c', 'road', 'city/d', { weight: 8 }],
  // No link of the step of `b`, which is reached before.
  ['city/c', 'road', 'city/b', { weight: 9 }],
  ['city/d', 'road', 'city/e', { weight: 7 }],
];
const pathOf = (unit: string) => unit.replace('/', '/unit/');
for (const [from, type, to, values] of LINKS) {
  await ok(root.post(`/${pathOf(from)}/link/${type}/${pathOf(to)}`, values));
}
const { admin, ann } = await documented({ admin: root, ann: member });
const CHILDREN = '/city/unit/a/link/child';

interface Page {
  readonly count: number;
  readonly items: readonly { readonly id: string; readonly link: Readonly<Record<string, unknown>> }[];
  readonly next?: string | null;
}
const read = async (query: string, as = admin, path = CHILDREN): Promise<Page> => {
  return (await ok(as.get(`${path}?${query}`))) as Page;
};
/** The units with the link that is shown: `b over rail from a`. */
const walked = async (query: string, as = admin, path = CHILDREN): Promise<string> => {
  const { count, items } = await read(query, as, path);
  expect(count).toBe(items.length);
  return items
    .map(({ id, link }) => `${id} over ${link['link_id'] as string} from ${link['parent_id'] as string}`)
    .join(', ');
};
const fault = async (query: string, as: TestProject = admin): Promise<string> => {
  const { status, body } = await as.get(`${CHILDREN}?${query}`);
  return [status, ...body.messages.map(({ code, text }) => `${code}: ${text}`)].join(' ');
};

describe('a filter of links', () => {
  it.each([
    ['filter=gt(link.weight,2)', 'b over rail from a, c over road from a'],
    ['filter=gt(link.weight,0)', 'b over rail from a, c over road from a'],
    ['filter=lt(link.weight,2)', 'b over road from a'],
    ['filter=isnull(link.weight)', 'c over plain from a, p over road from a'],
    ['filter=isnull(link.weight)&link_id=road', 'p over road from a'],
    ['filter=eq(link.gauge,wide)', 'b over rail from a'],
    ['filter=isnull(link.gauge)', 'b over road from a, c over plain from a, p over road from a'],
    ['filter=eq(link.note.by,ann)', 'b over road from a'],
    ['filter=eq(link.link_id,road)', 'b over road from a, c over road from a, p over road from a'],
    [
      'filter=gt(link.inserted_at,2020-01-01)&link_id=road',
      'b over road from a, c over road from a, p over road from a',
    ],
    ['filter=lt(link.inserted_at,2020-01-01)', ''],
    // With conditions of the units, which may be true of any of the links.
    ['filter=and(gt(link.weight,2),eq(size,1))', 'b over rail from a'],
    ['filter=or(gt(link.weight,4),gt(size,1))', 'b over rail from a, c over plain from a, p over road from a'],
    ['filter=not(gt(link.weight,2))', 'b over road from a, c over plain from a, p over road from a'],
    ['filter=eq_field(link.weight,size)', 'b over road from a'],
    ['filter=gt(link.weight,0)&kind_id=port', ''],
    // A parameter of the unit that is called `link`.
    ['filter=isnull(link,false)', 'p over road from a'],
    // Over several steps: the link over which the unit is reached.
    [
      'filter=gt(link.weight,0)&depth=9',
      'b over rail from a, c over road from a, d over road from b, e over road from d',
    ],
    ['filter=gt(link.weight,6)&depth=9', 'd over road from c, e over road from d'],
    ['filter=gt(link.weight,8)&depth=9', ''],
    ['filter=and(gt(link.weight,6),eq(size,3))&depth=9', 'd over road from c'],
    ['filter=or(gt(link.weight,7),eq(size,4))&depth=9', 'd over road from c, e over road from d'],
    ['filter=gt(link.depth,0)&depth=9', 'd over road from b, e over road from d'],
  ])('%s', async (query, expected) => {
    expect(await walked(query)).toBe(expected);
  });

  it('goes upwards as well', async () => {
    const { items } = await read('filter=gt(link.weight,4)&depth=9', ann, '/city/unit/e/link/parent');
    expect(items.map(({ id, link }) => [id, link['child_id'], link['depth'], link['weight']])).toEqual([
      ['d', 'e', 0, 7],
      ['c', 'd', 1, 8],
      ['a', 'b', 2, 5],
    ]);
  });

  it('takes one statement', async () => {
    expect(await root.statements(() => read('filter=gt(link.weight,2)&order=link.weight;desc&depth=3'))).toBe(1);
  });
});

const order = async (query: string, as = admin): Promise<string> =>
  (await read(query, as)).items.map(({ id }) => id).join('');

it.each([
  ['order=link.weight&link_id=road', 'bcp'],
  ['order=link.weight;desc&link_id=road', 'pcb'],
  ['order=-link.weight&link_id=road&filter=isnull(link.weight,false)', 'cb'],
  ['order=-link.weight&depth=9&filter=gt(link.weight,0)', 'ebcd'],
  ['order=-link.weight&depth=9&filter=gt(link.weight,6)', 'de'],
  ['order=link.link_id,-size', 'cbp'],
  ['order=link.inserted_at&link_id=road', 'bcp'],
  ['order=-link.inserted_at&link_id=road', 'pcb'],
  ['order=-link.depth&depth=9', 'edbcp'],
  ['order=link.note.by&link_id=road', 'bcp'],
  ['order=link.gauge,id', 'bcp'],
  ['order=distance(link.weight,link.weight,3,3)&link_id=road', 'cbp'],
])('walks are ordered by links: %s', async (query, expected) => {
  expect(await order(query)).toBe(expected);
});

describe('a cursor', () => {
  /** All pages of a walk. */
  async function pages(query: string, path = CHILDREN, as = admin): Promise<string> {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await read(`${query}&cursor=${cursor}`, as, path);
      found.push(page.items.map(({ id }) => id).join(''));
      expect(Object.keys(page)).toEqual(['count', 'items', 'next']);
      cursor = page.next ?? null;
    }
    return found.join(' ');
  }

  it.each([
    ['limit=1', 'b c p'],
    ['limit=2', 'bc p'],
    ['limit=3', 'bcp'],
    ['limit=2&depth=9', 'bc pd e'],
    ['limit=1&link_id=road', 'b c p'],
    ['limit=1&kind_id=city&depth=9', 'b c d e'],
    ['limit=2&order=-size', 'pc b'],
    ['limit=1&order=link.weight;desc&link_id=road', 'p c b'],
    ['limit=1&order=link.weight&link_id=road', 'b c p'],
    ['limit=1&order=link.weight&order=size;desc&depth=9&filter=gt(link.weight,0)', 'd c b e'],
    ['limit=2&filter=gt(link.weight,6)&depth=9', 'de'],
    ['limit=1&order=link.inserted_at;desc&link_id=road', 'p c b'],
    ['limit=2&order=kind_id;desc&depth=9', 'pb cd e'],
    ['limit=1&order=id;desc', 'p c b'],
    ['limit=2&filter=lt(link.weight,0)', ''],
    ['limit=2&count=none&include=id', 'bc p'],
  ])('reads page after page: %s', async (query, expected) => {
    expect(await pages(query)).toBe(expected);
  });

  it('counts all units on every page, with one statement', async () => {
    const { next } = await read('limit=1&cursor=&filter=gt(link.weight,0)&depth=9');
    expect(
      await root.statements(async () => {
        const page = await read(`limit=1&cursor=${next ?? ''}&filter=gt(link.weight,0)&depth=9`);
        expect(page).toMatchObject({ count: 4, items: [{ id: 'c' }] });
      }),
    ).toBe(1);
    expect((await read('limit=1&cursor=&count=none')).count).toBe(-1);
  });

  it('goes on where the last unit was, whatever came or went before it', async () => {
    const { next } = await read('limit=2&cursor=&link_id=road');
    await ok(root.delete('/city/unit/a/link/road/city/unit/c'));
    expect((await read(`limit=2&cursor=${next ?? ''}&link_id=road`)).items.map(({ id }) => id)).toEqual(['p']);
    await ok(root.post('/city/unit/a/link/road/city/unit/c', { weight: 3 }));
  });

  it('is refused where it was not made for the walk and its order', async () => {
    const next = async (query: string) => (await read(`${query}&limit=1&cursor=`)).next ?? '';
    const [plain, sized, far] = [await next(''), await next('order=size'), await next('depth=2')];
    const refused = '400 query.bad_value: cursor: not one that this list in this order gave';
    for (const query of [
      `cursor=${sized}`,
      `order=-size&cursor=${sized}`,
      `order=link.weight&cursor=${plain}`,
      `depth=2&cursor=${plain}`,
      `cursor=${far}`,
      'cursor=garbage',
      `depth=2&cursor=${forged(far, (keys) => ['much', ...keys.slice(1)])}`,
      `order=size&cursor=${forged(sized, (keys) => ['x', ...keys.slice(1)])}`,
      `cursor=${forged(plain, (keys) => keys.slice(1))}`,
    ]) {
      expect(await fault(query), query).toBe(refused);
    }
    const { status } = await admin.get(`/city/unit/b/link/child?cursor=${plain}`);
    expect(status).toBe(400);
    expect((await admin.get(`/city/unit/a/link/parent?cursor=${plain}`)).status).toBe(400);
    expect((await admin.get(`/city/unit?cursor=${plain}`)).status).toBe(400);
    expect(await fault('cursor=&offset=1')).toContain('400 query.');
    expect(await fault('cursor=&limit=0')).toBe('400 query.bad_value: limit: at least 1 with a cursor');
    // Filters may differ, as in lists.
    expect((await read(`cursor=${plain}&filter=gt(size,5)`)).items.map(({ id }) => id)).toEqual(['p']);
    // All faults at once.
    expect(await fault(`filter=gt(link.wight,1)&order=link.nope&cursor=garbage`)).toBe(
      [
        "400 filter.unknown_parameter: no parameter 'wight' in links of any of these types (did you mean 'weight'?), at character 4",
        "parameter.unknown: order: no parameter 'nope' in links of any of these types (did you mean 'note'?), at character 1",
        'query.bad_value: cursor: not one that this list in this order gave',
      ].join(' '),
    );
  });

  const forged = (cursor: string, change: (keys: readonly string[]) => readonly string[]): string => {
    const token = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { o: string; k: string[] };
    return Buffer.from(JSON.stringify({ ...token, k: change(token.k) })).toString('base64url');
  };
});

describe('a value that cannot be named', () => {
  it.each([
    [
      'filter=gt(link.weight,1)&link_id=plain',
      "400 filter.unknown_parameter: no parameter 'weight' in links of type 'plain', at character 4",
    ],
    [
      'filter=gt(link.weight,many)',
      "400 filter.bad_value: 'weight' wants a whole number within ±9007199254740991 (integer), at character 16",
    ],
    ['order=link.note', "400 query.bad_value: order: 'note' is json, which has no order"],
    [
      'include=link.weight&kind_id=city',
      "400 parameter.unknown: include: no parameter 'link' in 'city', at character 1",
    ],
  ])('%s', async (query, text) => {
    expect(await fault(query)).toBe(text);
  });

  it('is one that the caller may not read', async () => {
    expect(await walked('filter=eq(link.cost,5)')).toBe('b over road from a');
    for (const query of ['filter=eq(link.cost,5)', 'filter=or(gt(size,1),eq(link.cost,5))', 'order=link.cost']) {
      expect(await fault(query, ann), query).toContain('403 access.denied: ');
      expect(await fault(query, ann), query).toContain("You may not read 'cost' of 'road'");
    }
  });
});
