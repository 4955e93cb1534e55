/** Random graphs, walked by the service and by a naive walk in memory: cycles, self-links, diamonds, hidden units, rules. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok, query, TIMESTAMP } from '../../support/definitions.js';
import { runs } from '../../support/runs.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();
const member = await asMember(admin);

await defineKinds(
  admin,
  {
    id: 'stop',
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'rank', kind_id: 'integer' },
    ],
  },
  { id: 'stop_2', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }, 'rank'] },
  { id: 'ruled', parameters: ['rank', { id: 'open', kind_id: 'boolean' }], access: { read: 'eq(open,true)' } },
  { id: 'closed', parameters: ['rank'], access: { read: 'admin' } },
  { id: 'idle', parameters: ['rank'] },
);
for (const id of ['road', 'rail']) {
  await ok(admin.post('/link/unit', { id, parameters: [{ id: 'weight', kind_id: 'integer' }] }));
}

interface Unit {
  readonly kind: string;
  readonly id: string;
  readonly rank: number | null;
  /** Whether the member may read it. */
  readonly open: boolean;
}

const SIZES: Record<string, number> = { stop: 6, stop_2: 4, ruled: 4, closed: 2, idle: 2 };
const units: Unit[] = [];
for (const [kind, size] of Object.entries(SIZES)) {
  for (let n = 0; n < size; n += 1) {
    const rank = n === 2 ? null : (n * 7) % 5;
    // Keys that would break a walk that packs them carelessly.
    const body = kind === 'stop_2' ? { rank, code: ['a', 'a/b', 'ä "x"', '/'][n] } : { rank };
    const made = (await ok(
      admin.post(`/${kind}/unit`, { ...body, ...(kind === 'ruled' && { open: n % 2 === 0 }) }),
    )) as { id: string };
    units.push({ kind, id: made.id, rank, open: kind === 'ruled' ? n % 2 === 0 : kind !== 'closed' });
  }
}
await ok(admin.put('/kind/unit/idle', { active: false }));

interface Link {
  readonly from: Unit;
  readonly to: Unit;
  readonly type: string;
  /** Null for links of the type `link`, which has no parameters. */
  readonly weight: number | null;
}

const unit = fc.constantFrom(...units);
const linkType = fc.constantFrom<string>('link', 'road', 'rail');
const weight = fc.option(fc.integer({ min: 0, max: 4 }));
const graph = fc
  .uniqueArray(fc.record({ from: unit, to: unit, type: linkType, weight }), {
    maxLength: 60,
    selector: ({ from, to, type }) => `${from.kind}/${from.id} ${type} ${to.kind}/${to.id}`,
  })
  .map((links) => links.map((link): Link => ({ ...link, weight: link.type === 'link' ? null : link.weight })));

/** A filter, and whether a unit that is reached over a link matches. */
interface WalkFilter {
  readonly text: string;
  readonly ofLink?: boolean;
  readonly matches: (way: Way, unit: Unit) => boolean;
}

const number = fc.integer({ min: 0, max: 4 });
const test: fc.Arbitrary<WalkFilter> = fc.oneof(
  number.map((n) => ({ text: `gt(rank,${n})`, matches: (_way: Way, { rank }: Unit) => rank !== null && rank > n })),
  number.map((n) => ({
    text: `gt(link.weight,${n})`,
    ofLink: true,
    matches: (way: Way) => way.weight !== null && way.weight > n,
  })),
  fc.constant({
    text: 'eq_field(link.weight,rank)',
    ofLink: true,
    matches: (way: Way, { rank }: Unit) => way.weight !== null && way.weight === rank,
  }),
  fc.constant({ text: 'isnull(link.weight)', ofLink: true, matches: (way: Way) => way.weight === null }),
  number.map((n) => ({ text: `lt(link.depth,${n})`, matches: ({ depth }: Way) => depth < n })),
  linkType.map((type) => ({ text: `eq(link.link_id,${type})`, matches: (way: Way) => way.link_id === type })),
);
const filter: fc.Arbitrary<WalkFilter> = fc.oneof(
  test,
  test.map((inner) => ({
    ...inner,
    text: `not(${inner.text})`,
    matches: (way: Way, to: Unit) => !inner.matches(way, to),
  })),
  fc.tuple(fc.boolean(), test, test).map(([and, a, b]) => ({
    text: `${and ? 'and' : 'or'}(${a.text},${b.text})`,
    ofLink: Boolean(a.ofLink) || Boolean(b.ofLink),
    matches: (way: Way, to: Unit) =>
      and ? a.matches(way, to) && b.matches(way, to) : a.matches(way, to) || b.matches(way, to),
  })),
);
const ORDERS = ['rank', 'link.weight', 'link.link_id'] as const;
const question = fc.record({
  start: fc.constantFrom(...units.filter(({ kind }) => kind !== 'idle')),
  direction: fc.constantFrom('parent' as const, 'child' as const),
  depth: fc.integer({ min: 0, max: 10 }),
  types: fc.option(fc.uniqueArray(linkType, { minLength: 1, maxLength: 2 }), { nil: undefined }),
  kinds: fc.option(fc.constantFrom('stop', 'stop_2', 'ruled'), { nil: undefined }),
  filter: fc.option(filter, { nil: undefined }),
  limit: fc.constantFrom(2, 5, 100),
  offset: fc.constantFrom(0, 1, 4),
  order: fc.array(fc.record({ by: fc.constantFrom(...ORDERS), descending: fc.boolean() }), { maxLength: 2 }),
  asAdmin: fc.boolean(),
});
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

const key = ({ kind, id }: Pick<Unit, 'kind' | 'id'>): string => `${kind}/${id}`;
/** PostgreSQL's collation C: by bytes. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** A link over which a unit is reached. */
interface Way {
  readonly depth: number;
  readonly link_id: string;
  /** The unit from which the link was followed. */
  readonly from: Unit;
  readonly weight: number | null;
}

interface Step extends Way {
  readonly unit: Unit;
}

function walk(
  links: readonly Link[],
  asked: Pick<Question, 'start' | 'direction' | 'depth' | 'types' | 'asAdmin'> & Partial<Pick<Question, 'filter'>>,
): Step[] {
  const { start, direction, depth, types, asAdmin, filter: wanted } = asked;
  const reached = new Map<string, Step | undefined>();
  let frontier = [start];
  for (let step = 0; step <= depth; step += 1) {
    const found = new Map<string, Step[]>();
    for (const from of frontier) {
      for (const link of links) {
        const [near, far] = direction === 'child' ? [link.from, link.to] : [link.to, link.from];
        if (near !== from || (types && !types.includes(link.type))) continue;
        if (far.kind === 'idle' || !(asAdmin || far.open)) continue;
        if (reached.has(key(far)) || (far === start && step > 0)) continue;
        const ways = found.get(key(far)) ?? [];
        const way = { depth: step, link_id: link.type, from: near, weight: link.weight };
        found.set(key(far), [...ways, { unit: far, ...way }]);
      }
    }
    const name = (each: Step) => `${each.link_id}/${each.from.id}\u0001${each.from.kind}`;
    // Of the links that match, the first is shown; without one the unit is passed, but not answered.
    for (const [at, ways] of found) {
      const sorted = ways.sort((a, b) => byBytes(name(a), name(b)));
      reached.set(at, wanted ? sorted.find((each) => wanted.matches(each, each.unit)) : sorted[0]);
    }
    frontier = [...found.values()].flatMap(([first]) => (first ? [first.unit] : []));
  }
  const answered = [...reached.values()].flatMap((each) => each ?? []);
  return answered.sort(
    (a, b) => a.depth - b.depth || byBytes(a.unit.kind, b.unit.kind) || byBytes(a.unit.id, b.unit.id),
  );
}

/** The path that a walk shows; undefined for none. */
function shortestPath(
  links: readonly Link[],
  asked: Pick<Question, 'start' | 'direction' | 'depth' | 'types' | 'asAdmin'>,
  target: Unit,
): Step[] | undefined {
  if (asked.start === target) return [];
  const steps = new Map(walk(links, asked).map((step) => [step.unit, step]));
  const path: Step[] = [];
  for (let step = steps.get(target); step; step = step.depth > 0 ? steps.get(step.from) : undefined) path.unshift(step);
  return path.length > 0 ? path : undefined;
}

const TIME: unknown = expect.stringMatching(TIMESTAMP);

function shown({ unit: { kind, id, rank }, depth, link_id, from, weight }: Step, direction: 'parent' | 'child') {
  const [parent_id, child_id] = direction === 'child' ? [from.id, id] : [id, from.id];
  const values = link_id === 'link' ? {} : { weight };
  return { kind_id: kind, id, rank, link: { link_id, parent_id, child_id, depth, inserted_at: TIME, ...values } };
}

const VALUES: Readonly<Record<(typeof ORDERS)[number], (step: Step) => number | string | null>> = {
  rank: ({ unit: { rank } }) => rank,
  'link.weight': (step) => step.weight,
  'link.link_id': (step) => step.link_id,
};

/** Nulls last ascending, first descending. */
function inOrder(a: Step, b: Step, order: Question['order']): number {
  for (const { by, descending } of order) {
    const [x, y] = [a, b].map((step) => VALUES[by](step) ?? Infinity);
    if (x === undefined || y === undefined || x === y) continue;
    return x < y === descending ? 1 : -1;
  }
  return 0;
}

function expected(links: readonly Link[], asked: Question) {
  const { kinds, order, direction } = asked;
  const all = walk(links, asked).filter(({ unit: { kind } }) => !kinds || kind === kinds);
  all.sort((a, b) => inOrder(a, b, order));
  return all.map((step) => shown(step, direction));
}

/** @param page `offset`, or `cursor` */
function pathOf(
  { start, direction, depth, types, kinds, filter: wanted, limit, order }: Question,
  page: object,
): string {
  const query = new URLSearchParams({ depth: String(depth), limit: String(limit), ...page });
  query.set('include', '[id,kind_id,rank]');
  if (types) query.set('link_id', types.join(','));
  if (kinds) query.set('kind_id', kinds);
  if (wanted) query.set('filter', wanted.text);
  for (const { by, descending } of order) query.append('order', `${by};${descending ? 'desc' : 'asc'}`);
  return `/${start.kind}/unit/${encodeURIComponent(start.id)}/link/${direction}?${query.toString()}`;
}

async function store(links: readonly Link[]): Promise<void> {
  const rows = links.map(({ from, to, type, weight: w }) => [
    ...[from.kind, from.id, to.kind, to.id, type],
    ...[type === 'road' ? w : null, type === 'rail' ? w : null],
  ]);
  await query(
    admin,
    `INSERT INTO $schema."_link"
      ("parent_kind", "parent_id", "child_kind", "child_id", "link_id", "inserted_at", "road.weight", "rail.weight")
      SELECT r ->> 0, r ->> 1, r ->> 2, r ->> 3, r ->> 4, now(), (r ->> 5)::bigint, (r ->> 6)::bigint
      FROM json_array_elements($1::json) AS r`,
    [JSON.stringify(rows)],
  );
}

const forget = () => query(admin, 'DELETE FROM $schema."_link"');
afterEach(forget);

describe('a traversal of links', { timeout: 120_000 }, () => {
  it('returns what a naive traversal does', async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.array(question, { minLength: 4, maxLength: 8 }), async (links, questions) => {
        await forget();
        await store(links);
        for (const asked of questions) {
          const as = asked.asAdmin ? admin : member;
          const { offset, limit } = asked;
          const path = pathOf(asked, { offset });
          const reply = await as.get(path);
          if (!asked.asAdmin && !asked.start.open) {
            expect(reply.status).toBe(asked.start.kind === 'closed' ? 403 : 404);
          } else if (namesUnknownValue(asked)) {
            expect(reply.body.messages[0]?.text, path).toMatch(/no parameter 'weight' in links of type 'link'/);
          } else {
            const all = expected(links, asked);
            const content = { count: all.length, items: all.slice(offset, offset + limit) };
            expect(reply.body.messages, path).toEqual([]);
            expect(reply.body.content, path).toEqual(content);
            expect(await everyPage(as, asked, all.length), path).toEqual(all);
          }
        }
      }),
      { numRuns: runs(30) },
    );
  });

  it('shows the shortest paths', async () => {
    const asked = question.map(({ start, direction, depth, types, asAdmin }) => ({
      ...{ start, direction, depth, types, asAdmin },
    }));
    const target = fc.constantFrom(...units.filter(({ kind }) => kind !== 'idle'));
    const questions = fc.array(fc.tuple(asked, target), { minLength: 8, maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(graph, questions, async (links, pairs) => {
        await forget();
        await store(links);
        for (const [asking, to] of pairs) {
          const { start, direction, asAdmin, types, depth } = asking;
          const as = asAdmin ? admin : member;
          const query = new URLSearchParams({ to_kind: to.kind, to_id: to.id, direction, depth: String(depth) });
          query.set('include', '[id,kind_id,rank]');
          if (types) query.set('link_id', types.join(','));
          const path = `/${start.kind}/unit/${encodeURIComponent(start.id)}/link/path?${query.toString()}`;
          const reply = await as.get(path);
          const closed = [start, to].find(({ open }) => !asAdmin && !open);
          const way = closed ? undefined : shortestPath(links, asking, to);
          if (closed) expect(reply.body.messages[0]?.code).toMatch(/^(access.denied|unit.unknown)$/);
          else if (!way) expect([reply.status, reply.body.messages[0]?.code], path).toEqual([404, 'link.no_path']);
          else {
            const items = way.map((step) => shown(step, direction));
            expect(reply.body.content, path).toEqual({ count: items.length, items });
          }
        }
      }),
      { numRuns: 60 },
    );
  });
  /** Only the links of other types have a weight. */
  const namesUnknownValue = ({ types, filter: wanted, order }: Question): boolean =>
    types?.every((type) => type === 'link') === true &&
    (wanted?.ofLink === true || order.some(({ by }) => by === 'link.weight'));

  /** All items, read with cursors. */
  async function everyPage(as: TestProject, asked: Question, total: number): Promise<unknown[]> {
    const found: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = (await ok(as.get(pathOf(asked, { cursor })))) as Page;
      expect(page.count).toBe(total);
      expect(page.items.length).toBeLessThanOrEqual(asked.limit);
      found.push(...page.items);
      cursor = page.next;
    }
    return found;
  }

  it('is what load_links adds to every unit of a list', async () => {
    const asked = fc.record({
      depth: fc.integer({ min: 0, max: 10 }),
      kind: fc.constantFrom('stop', 'stop_2', 'ruled'),
      asAdmin: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(graph, asked, async (links, { depth, kind, asAdmin }) => {
        await forget();
        await store(links);
        const as = asAdmin ? admin : member;
        const path = `/${kind}/unit?load_links=true&depth=${depth}`;
        let items: Loaded[] = [];
        // A session is read again after a while.
        await ok(as.get('/stop/unit?limit=1'));
        expect(await as.statements(async () => void (items = await loaded(as, path)))).toBe(1);
        expect(items.length).toBe(units.filter((each) => each.kind === kind && (asAdmin || each.open)).length);
        for (const item of items) {
          const start = units.find((each) => each.kind === kind && each.id === item.id);
          if (!start) throw new Error('no such unit');
          for (const direction of ['parent', 'child'] as const) {
            const steps = walk(links, { start, direction, depth, types: undefined, asAdmin });
            expect(item.links[direction]).toMatchObject(steps.map((step) => shown(step, direction)));
            expect(item.links[direction]).toHaveLength(steps.length);
          }
        }
      }),
      { numRuns: 25 },
    );
  });
});

interface Page {
  readonly count: number;
  readonly items: readonly unknown[];
  readonly next: string | null;
}

interface Loaded {
  readonly id: string;
  readonly links: { readonly parent: object[]; readonly child: object[] };
}

async function loaded(as: TestProject, path: string): Promise<Loaded[]> {
  return ((await ok(as.get(path))) as { items: Loaded[] }).items;
}
