/** Where nulls come in an order, and orders by the `values` of a parameter: everywhere, whole and page by page. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const ann = await asMember(project);
const STATES = ['new', 'open', 'done', 'archived'];
const state = { id: 'state', kind_id: 'string', values: STATES };
const rank = { id: 'rank', kind_id: 'integer', indexed: true };
await defineKinds(
  project,
  { id: 'ticket', parameters: [{ id: 'label', kind_id: 'string' }, state, rank] },
  // Every unit has a weight here, and none in the other kinds.
  { id: 'chore', parameters: ['label', { id: 'weight', kind_id: 'integer', nullable: false }] },
  { id: 'idea', parameters: ['label', 'state', 'rank', { id: 'ticket', kind_id: 'unit', reference_kind: 'ticket' }] },
  { id: 'guarded', parameters: [{ id: 'inner', kind_id: 'string', values: ['b', 'a'], read_access: 'admin' }] },
);
await ok(project.post('/group/unit', { id: 'work', kind_list: ['ticket', 'chore', 'idea'] }));

interface Item {
  readonly id: string;
  readonly label: string;
  readonly state?: string | null;
  readonly rank?: number | null;
  readonly weight?: number | null;
}
interface Page {
  readonly items: Item[];
  readonly next?: string | null;
}

const numbered = (kind: string, make: (n: number) => object) =>
  project.post(
    `/${kind}/unit`,
    Array.from({ length: 12 }, (_, n) => ({ label: `${kind} ${n}`, ...make(n) })),
  );
const [tickets] = [
  (await ok(
    numbered('ticket', (n) => ({
      state: n % 5 === 4 ? null : STATES[(n * 3) % 4],
      rank: n % 3 === 0 ? null : n % 4,
    })),
  )) as Page,
];
await ok(numbered('chore', (n) => ({ weight: n % 4 })));
await ok(
  numbered('idea', (n) => ({
    state: STATES[n % 3],
    rank: n % 2 === 0 ? null : n % 5,
    ticket: n % 4 === 0 ? null : tickets.items[n]?.id,
  })),
);
for (const each of [...tickets.items].slice(1))
  await ok(project.post(`/ticket/unit/${tickets.items[0]!.id}/link/link/ticket/unit/${each.id}`));

const read = async (path: string, as: TestProject = project): Promise<Page> => (await ok(as.get(path))) as Page;

/** All pages of a list, by cursor or by offset. */
async function paged(path: string, limit: number, by: 'cursor' | 'offset'): Promise<Item[]> {
  const found: Item[] = [];
  let next: string | null = '';
  while (next !== null) {
    const at: string = by === 'cursor' ? `cursor=${encodeURIComponent(next)}` : `offset=${found.length}`;
    const page: Page = await read(`${path}&limit=${limit}&${at}`);
    found.push(...page.items);
    next = by === 'cursor' ? (page.next ?? null) : page.items.length === 0 ? null : 'more';
    expect(found.length).toBeLessThan(100);
  }
  return found;
}

type Key = 'rank' | 'state' | 'weight';

/** The keys in their order, without the ties. */
function expected(items: readonly Item[], key: Key, order: string): unknown[] {
  const value = (item: Item) => item[key] ?? null;
  const place = (each: unknown) => (key === 'state' ? STATES.indexOf(String(each)) : Number(each));
  const sign = order.includes('desc') ? -1 : 1;
  const present = items.map(value).filter((each) => each !== null);
  const nulls = items.map(value).filter((each) => each === null);
  present.sort((a, b) => sign * (place(a) - place(b)));
  const first = order.includes('nulls_first') || (sign < 0 && !order.includes('nulls_last'));
  return first ? [...nulls, ...present] : [...present, ...nulls];
}

const DIRECTIONS = ['asc', 'desc'].flatMap((each) => ['', ';nulls_first', ';nulls_last'].map((nulls) => each + nulls));
const CASES = DIRECTIONS.flatMap((direction) => [
  ['/ticket/unit', 'rank', `rank;${direction}`] as const,
  ['/ticket/unit', 'state', `by_value(state);${direction}`] as const,
  ['/group/work/unit', 'rank', `rank;${direction}`] as const,
  ['/group/work/unit', 'weight', `weight;${direction}`] as const,
  ['/group/work/unit', 'state', `by_value(state);${direction}`] as const,
  [`/ticket/unit/${tickets.items[0]!.id}/link/child`, 'rank', `rank;${direction}`] as const,
  [`/ticket/unit/${tickets.items[0]!.id}/link/child`, 'state', `by_value(state);${direction}`] as const,
]);

describe('an order', () => {
  it.each(CASES)('of %s by %s: %s', async (path, key, order) => {
    const list = `${path}?order=${encodeURIComponent(order)}`;
    const { items } = await read(`${list}&limit=100`);
    expect(items.map((item) => item[key] ?? null)).toEqual(expected(items, key, order));
    const ids = items.map(({ label }) => label);
    expect(new Set(ids).size).toBe(ids.length);
    // One by one, each unit is the last of a page.
    for (const [by, limit] of [
      ['cursor', path === '/ticket/unit' ? 1 : 3],
      ['offset', 5],
    ] as const) {
      const pages = await paged(list, limit, by);
      expect(
        pages.map(({ label }) => label),
        by,
      ).toEqual(ids);
    }
  });

  it('of several terms has nulls of each where it says', async () => {
    const order = encodeURIComponent('[by_value(state);desc;nulls_last,-rank;nulls_last]');
    const { items } = await read(`/ticket/unit?order=${order}`);
    const ranked = items.map((item) => [item.state ?? null, item.rank ?? null]);
    expect(ranked.map(([each]) => each)).toEqual(expected(items, 'state', 'desc;nulls_last'));
    for (const name of STATES) {
      const ranks = items.filter((item) => item.state === name);
      expect(ranks.map((item) => item.rank ?? null)).toEqual(expected(ranks, 'rank', 'desc;nulls_last'));
    }
    const pages = await paged(`/ticket/unit?order=${order}`, 2, 'cursor');
    expect(pages.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  });

  it('follows references, and holds in lists of related units, exports and functions over groups', async () => {
    const far = await read('/idea/unit?include=label,ticket.state&order=by_value(ticket.state);desc;nulls_last');
    const states = far.items.map((item) => (item as unknown as Record<string, string | null>)['ticket.state'] ?? null);
    expect(states).toEqual([...states].sort((a, b) => (b ? STATES.indexOf(b) : -1) - (a ? STATES.indexOf(a) : -1)));
    expect(states.at(-1)).toBeNull();
    const related = encodeURIComponent('ideas:related(idea.ticket,order=[-rank;nulls_last,by_value(state)],limit=10)');
    expect((await read(`/ticket/unit?include=label,${related}`)).items).toHaveLength(12);
    const exported = await project.get('/ticket/export?format=ndjson&include=rank&order=-rank;nulls_last');
    const ranks = exported.text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Item).rank ?? null);
    expect(ranks).toEqual(
      expected(
        ranks.map((each) => ({ id: '', label: '', rank: each })),
        'rank',
        'desc;nulls_last',
      ),
    );
  });

  it('of groups is by the values of a column', async () => {
    const { items } = await read(
      '/ticket/aggregate?group=state&select=n:count()&order=by_value(state);desc;nulls_last',
    );
    expect(items.map((item) => item.state)).toEqual([...STATES].reverse().concat(null as never));
  });

  it('by values that have another order since has no page after the old one', async () => {
    await defineKinds(project, { id: 'moved', parameters: [{ id: 'level', kind_id: 'string', values: ['a', 'b'] }] });
    await ok(project.post('/moved/unit', [{ level: 'a' }, { level: 'b' }, { level: 'a' }]));
    await ok(project.post('/group/unit', { id: 'moving', kind_list: ['moved'] }));
    const { next } = await read('/moved/unit?order=by_value(level)&limit=1&cursor=');
    const ofGroup = await read('/group/moving/unit?order=by_value(level)&limit=1&cursor=');
    await ok(project.put('/string/unit/level', { values: ['b', 'a'] }));
    for (const [of, cursor] of [
      ['moved', next],
      ['group/moving', ofGroup.next],
    ]) {
      const reply = await project.get(`/${of ?? ''}/unit?order=by_value(level)&limit=1&cursor=${cursor ?? ''}`);
      expect(reply.status).toBe(400);
      expect(reply.body.messages[0]?.parameter).toBe('cursor');
    }
  });

  it.each([
    ['rank;nulls_last;desc', 'query.bad_value', /expected the end of the order at character 16/],
    ['rank;desc;nulls', 'query.bad_value', /expected nulls_first or nulls_last at character 11/],
    ['-rank;desc', 'query.bad_value', /expected nulls_first or nulls_last at character 7/],
    ['rank;down', 'query.bad_value', /expected asc or desc or nulls_first or nulls_last/],
    ['by_value(rank)', 'query.bad_value', /by_value\(\) is of a single value with 'values'/],
    ['by_value(nothing)', 'parameter.unknown', /nothing/],
    ['by_value()', 'query.bad_value', /expected/],
    ['by_value(state,asc)', 'query.bad_value', /expected '\)'/],
    ['by_values(state)', 'query.bad_value', /did you mean 'by_value'/],
  ])('%s is refused', async (order, code, text) => {
    const reply = await project.get(`/ticket/unit?order=${encodeURIComponent(order)}`);
    expect(reply.status).toBe(400);
    expect(reply.body.messages[0]).toMatchObject({ code, parameter: 'order' });
    expect(reply.body.messages[0]?.text).toMatch(text);
  });

  it('by values that the caller may not read is refused as any other', async () => {
    const [plain, byValue] = await Promise.all(
      ['inner', 'by_value(inner)'].map((order) => ann.get(`/guarded/unit?order=${order}`)),
    );
    expect(byValue?.status).toBe(plain?.status);
    expect(byValue?.body.messages[0]?.code).toBe(plain?.body.messages[0]?.code);
  });
});
