/** Random graphs, walked by the service and by a naive walk in memory: cycles, self-links, diamonds, hidden units, rules. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok, query, TIMESTAMP } from '../../support/definitions.js';
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
for (const id of ['road', 'rail']) await ok(admin.post('/link/unit', { id }));

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
}

const unit = fc.constantFrom(...units);
const linkType = fc.constantFrom<string>('link', 'road', 'rail');
const graph = fc.uniqueArray(fc.record({ from: unit, to: unit, type: linkType }), {
  maxLength: 60,
  selector: ({ from, to, type }) => `${from.kind}/${from.id} ${type} ${to.kind}/${to.id}`,
});
const question = fc.record({
  start: fc.constantFrom(...units.filter(({ kind }) => kind !== 'idle')),
  direction: fc.constantFrom('parent' as const, 'child' as const),
  depth: fc.integer({ min: 0, max: 10 }),
  types: fc.option(fc.uniqueArray(linkType, { minLength: 1, maxLength: 2 }), { nil: undefined }),
  kinds: fc.option(fc.constantFrom('stop', 'stop_2', 'ruled'), { nil: undefined }),
  above: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
  limit: fc.constantFrom(2, 5, 100),
  offset: fc.constantFrom(0, 1, 4),
  order: fc.option(fc.constantFrom('asc', 'desc'), { nil: undefined, freq: 4 }),
  asAdmin: fc.boolean(),
});
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

const key = ({ kind, id }: Pick<Unit, 'kind' | 'id'>): string => `${kind}/${id}`;
/** PostgreSQL's collation C: by bytes. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

interface Step {
  readonly unit: Unit;
  readonly depth: number;
  readonly link_id: string;
  /** The unit from which the link was followed. */
  readonly from: Unit;
}

function walk(
  links: readonly Link[],
  asked: Pick<Question, 'start' | 'direction' | 'depth' | 'types' | 'asAdmin'>,
): Step[] {
  const { start, direction, depth, types, asAdmin } = asked;
  const reached = new Map<string, Step>();
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
        found.set(key(far), [...ways, { unit: far, depth: step, link_id: link.type, from: near }]);
      }
    }
    const name = (each: Step) => `${each.link_id}/${each.from.id}\u0001${each.from.kind}`;
    for (const [at, ways] of found) {
      const [first] = ways.sort((a, b) => byBytes(name(a), name(b)));
      if (first) reached.set(at, first);
    }
    frontier = [...found.values()].flatMap(([first]) => (first ? [first.unit] : []));
  }
  return [...reached.values()].sort(
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

function shown({ unit: { kind, id, rank }, depth, link_id, from }: Step, direction: 'parent' | 'child') {
  const [parent_id, child_id] = direction === 'child' ? [from.id, id] : [id, from.id];
  return { kind_id: kind, id, rank, link: { link_id, parent_id, child_id, depth, inserted_at: TIME } };
}

/** Nulls last ascending, first descending. */
function byRank(a: Step, b: Step, descending: boolean): number {
  const value = ({ unit: { rank } }: Step) => rank ?? Infinity;
  const difference = value(a) === value(b) ? 0 : value(a) - value(b);
  return descending ? -difference : difference;
}

function expected(links: readonly Link[], asked: Question) {
  const { kinds, above, limit, offset, order, direction } = asked;
  const all = walk(links, asked).filter(({ unit: { kind, rank } }) => {
    return (!kinds || kind === kinds) && (above === undefined || (rank !== null && rank > above));
  });
  if (order) all.sort((a, b) => byRank(a, b, order === 'desc'));
  return { count: all.length, items: all.slice(offset, offset + limit).map((step) => shown(step, direction)) };
}

function pathOf({ start, direction, depth, types, kinds, above, limit, offset, order }: Question): string {
  const query = new URLSearchParams({ depth: String(depth), limit: String(limit), offset: String(offset) });
  query.set('include', '[id,kind_id,rank]');
  if (types) query.set('link_id', types.join(','));
  if (kinds) query.set('kind_id', kinds);
  if (above !== undefined) query.set('filter', `gt(rank,${above})`);
  if (order) query.set('order', `rank;${order}`);
  return `/${start.kind}/unit/${encodeURIComponent(start.id)}/link/${direction}?${query.toString()}`;
}

async function store(links: readonly Link[]): Promise<void> {
  const rows = links.map(({ from, to, type }) => [from.kind, from.id, to.kind, to.id, type]);
  await query(
    admin,
    'INSERT INTO $schema."_link" SELECT r ->> 0, r ->> 1, r ->> 2, r ->> 3, r ->> 4, now() FROM json_array_elements($1::json) AS r',
    [JSON.stringify(rows)],
  );
}

const forget = () => query(admin, 'DELETE FROM $schema."_link"');
afterEach(forget);

describe('a traversal of links', () => {
  it('returns what a naive traversal does', async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.array(question, { minLength: 4, maxLength: 8 }), async (links, questions) => {
        await forget();
        await store(links);
        for (const asked of questions) {
          const as = asked.asAdmin ? admin : member;
          const reply = await as.get(pathOf(asked));
          if (!asked.asAdmin && !asked.start.open) {
            expect(reply.status).toBe(asked.start.kind === 'closed' ? 403 : 404);
          } else expect(reply.body.content, pathOf(asked)).toEqual(expected(links, asked));
        }
      }),
      { numRuns: 60 },
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

interface Loaded {
  readonly id: string;
  readonly links: { readonly parent: object[]; readonly child: object[] };
}

async function loaded(as: TestProject, path: string): Promise<Loaded[]> {
  return ((await ok(as.get(path))) as { items: Loaded[] }).items;
}
