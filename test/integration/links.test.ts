/** Many links: what a walk may cost, where it ends, and how many statements it takes. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { ok, query } from '../support/definitions.js';
import { LIMITS } from '../../src/shared/limits.js';
import { lowerLimit } from '../support/limits.js';
import { startTestService } from '../support/service.js';

lowerLimit('walkUnits', 20_000);
lowerLimit('loadedLinks', 20_000);
// One connection, whose statistics are told when they are asked for.
const service = await startTestService({ databasePool: 1 });
const project = await service.project();
await defineKinds(project, { id: 'node', parameters: [{ id: 'n', kind_id: 'integer' }] });
await ok(project.post('/link/unit', { id: 'dense', parameters: [{ id: 'weight', kind_id: 'integer' }] }));

/** A generated id whose number tells which unit it is. */
const ID = `('0190f3c0-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))`;
const id = (n: number): string => `0190f3c0-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

async function units(count: number): Promise<void> {
  await query(
    project,
    `INSERT INTO $schema."node" ("id", "n", "metadata", "inserted_at", "updated_at") SELECT ${ID}::uuid, i, '{}', now(), now() FROM generate_series(0, $1::int) AS i`,
    [count],
  );
}

/** Links of a type between the units whose numbers `pairs` selects as `a` and `b`. */
async function links(type: string, pairs: string): Promise<void> {
  const text = (column: string) => ID.replace('to_hex(i)', `to_hex(${column})`);
  await query(
    project,
    `INSERT INTO $schema."_link" SELECT 'node', ${text('a')}, 'node', ${text('b')}, $1, now() FROM (${pairs}) AS pairs`,
    [type],
  );
}

interface Page {
  readonly count: number;
  readonly items: { readonly n: number; readonly link: { readonly depth: number } }[];
  readonly next?: string | null;
}

const HUB = 20_500;
await units(HUB);
await links('link', `SELECT 0 AS a, i AS b FROM generate_series(1, ${HUB}) AS i`);
await links('dense', 'SELECT a, b FROM generate_series(1, 300) AS a, generate_series(1, 300) AS b');
await query(project, 'ANALYZE $schema."_link"');

const walk = (from: number, path: string) => project.get(`/node/unit/${id(from)}/link/${path}`);

/** The entries of the index of links, and the units, that were read so far. */
async function read(): Promise<{ links: number; units: number }> {
  await service.service.database.run({ text: 'SELECT pg_stat_force_next_flush()', values: [] });
  const [row] = await service.service.database.run<{ links: number; units: number }>({
    text: `SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = $1 AND relname = '_link')::int AS links, (SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'node')::int AS units`,
    values: [`project_${project.id}`],
  });
  return row ?? { links: -1, units: -1 };
}

async function readBy(work: () => Promise<unknown>): Promise<{ links: number; units: number }> {
  const before = await read();
  await work();
  const after = await read();
  return { links: after.links - before.links, units: after.units - before.units };
}

describe('a unit with very many links', () => {
  it('answers any page of its neighbours, and their number', async () => {
    const first = (await ok(walk(0, 'child?limit=100'))) as Page;
    expect([first.count, first.items.length, first.items[0]?.n]).toEqual([HUB, 100, 1]);
    const last = (await ok(walk(0, `child?limit=100&offset=${HUB - 20}`))) as Page;
    expect(last.items.map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_, at) => HUB - 19 + at));
    const some = (await ok(walk(0, `child?filter=gt(n,${HUB - 10})&include=n`))) as Page;
    expect(some.count).toBe(10);
  });

  it('is read no further than the page', async () => {
    const page = await readBy(() => walk(0, 'child?limit=100&count=none'));
    expect(page.units).toBeLessThanOrEqual(101);
    expect(page.units).toBeGreaterThanOrEqual(100);
    expect(page.links).toBeGreaterThanOrEqual(100);
    expect(page.links).toBeLessThan(1000);
    const counted = await readBy(() => walk(0, 'child?limit=100&offset=5000'));
    expect(counted.units).toBeLessThanOrEqual(101);
    const loaded = await readBy(() => project.get('/node/unit?limit=1&load_links=true&count=none'));
    expect(loaded.units).toBeLessThan(2100);
    expect(loaded.links).toBeLessThan(10_000);
  });

  it('is read no further than the page with a cursor, wherever it is', async () => {
    const first = (await ok(walk(0, 'child?limit=100&cursor=&count=none'))) as Page;
    const token = JSON.parse(Buffer.from(first.next ?? '', 'base64url').toString()) as { o: string; k: string[] };
    const far = Buffer.from(JSON.stringify({ ...token, k: ['node', id(19_000)] })).toString('base64url');
    for (const more of ['', '&link_id=link', '&link_id=link,dense']) {
      const page = await readBy(async () => {
        const { items, next } = (await ok(walk(0, `child?limit=100&cursor=${far}&count=none${more}`))) as Page;
        expect([items.length, items[0]?.n, items.at(-1)?.n]).toEqual([100, 19_001, 19_100]);
        expect(next).toMatch(/^[\w-]+$/);
      });
      expect(page.units, more).toBeLessThanOrEqual(102);
      expect(page.links, more).toBeLessThan(1000);
    }
  });

  it('is read no further than the page with a filter of links', async () => {
    const path = 'child?limit=100&count=none&filter=gt(link.inserted_at,2020-01-01)';
    for (const more of ['', '&link_id=link', '&cursor=']) {
      const page = await readBy(() => ok(walk(0, `${path}${more}`)));
      expect(page.units, more).toBeLessThanOrEqual(102);
      expect(page.links, more).toBeLessThan(1000);
    }
  });

  it('is found from the other side by one lookup', async () => {
    expect(await ok(walk(77, 'parent?link_id=link'))).toMatchObject({ count: 1, items: [{ n: 0 }] });
  });

  it('ends a search for a path, except to its neighbours and from them', async () => {
    const path = (to: number) => `path?to_kind=node&to_id=${id(to)}`;
    expect(await ok(walk(0, path(HUB)))).toMatchObject({ count: 1 });
    expect(await ok(walk(HUB, `${path(0)}&direction=parent`))).toMatchObject({ count: 1 });
    // The hub is followed first, and all that it reaches is more than a search may.
    await query(project, 'DELETE FROM $schema."_link" WHERE "child_id" = $1', [id(HUB)]);
    expect(await walk(0, path(HUB))).toMatchObject({ status: 400, body: { messages: [{ code: 'link.too_far' }] } });
    await links('link', `SELECT 0 AS a, ${HUB} AS b`);
  });

  it('is the end of a longer walk', async () => {
    const refused = await walk(0, 'child?depth=1');
    expect(refused).toMatchObject({ status: 400, body: { messages: [{ code: 'link.too_far', parameter: 'depth' }] } });
    expect(refused.body.messages[0]?.text).toContain('20,000 units');
    // From a leaf the way leads over the hub to all of its leaves, and the dense ones among them.
    expect((await walk(400, 'parent?depth=10')).body.content).toMatchObject({ count: 1 });
  });

  it('shows the nearest of them where links are loaded', async () => {
    const hub = (await ok(project.get(`/node/unit/${id(0)}?load_links=true`))) as { links: { child: unknown[] } };
    expect(hub.links.child).toHaveLength(1000);
    const page = (await ok(project.get('/node/unit?load_links=true&limit=1000'))) as { items: (typeof hub)[] };
    expect(page.items[0]?.links.child).toHaveLength(100);
  });
});

describe('a page of units next to one hub', () => {
  it('shares the limit of followed links, which a single unit has for itself', async () => {
    const others = 2000;
    await links('both', `SELECT 302 AS a, i AS b FROM generate_series(300000, ${300_000 + others}) AS i`);
    await links('both', `SELECT i AS a, 302 AS b FROM generate_series(300000, ${300_000 + others}) AS i`);
    await query(
      project,
      `INSERT INTO $schema."node" ("id", "n", "metadata", "inserted_at", "updated_at") SELECT ${ID}::uuid, -i, '{}', now(), now() FROM generate_series(300000, ${300_000 + others}) AS i`,
    );
    const page = '/node/unit?filter=lt(n,-300000)&limit=100&load_links=true&depth=1&count=none';
    const followed = await readBy(() => project.get(page));
    expect(followed.links).toBeGreaterThan(LIMITS.loadedLinks / 2);
    // The links of the answer are also read by their key.
    expect(followed.links).toBeLessThan(3 * LIMITS.loadedLinks + 100 * LIMITS.loadedPerUnit);
    const one = (await ok(project.get(`/node/unit/${id(300_007)}?load_links=true&depth=1`))) as {
      links: { child: { n: number }[] };
    };
    const reached = one.links.child.map(({ n }) => n);
    expect([reached.length, reached[0], reached[1], reached.at(-1)]).toEqual([1000, 302, -300_000, -300_999]);
  });
});

describe('a dense graph', () => {
  it('is traversed to any depth, each unit once', async () => {
    const page = (await ok(walk(1, 'child?depth=10&link_id=dense&limit=1000'))) as Page;
    expect(page.count).toBe(300);
    expect(new Set(page.items.map(({ n }) => n)).size).toBe(300);
    expect(page.items.every(({ link }) => link.depth === 0)).toBe(true);
  });

  it('follows its links once more for a filter of links', async () => {
    const path = 'child?depth=2&link_id=dense&count=none&filter=gt(link.inserted_at,2020-01-01)';
    const followed = await readBy(async () => {
      expect((await ok(walk(301, path))) as Page).toMatchObject({ items: [] });
    });
    expect(followed.links).toBeLessThan(100);
    const dense = await readBy(async () => {
      expect(((await ok(walk(1, path))) as Page).items).toHaveLength(100);
    });
    expect(dense.links).toBeGreaterThan(90_000);
    // The first traversal, the second, and the links of the page.
    expect(dense.links).toBeLessThan(2 * 91_000 + 1000);
  });

  it('takes as many statements as a single unit', async () => {
    for (const path of ['child', 'child?depth=10', 'parent?depth=3&filter=gt(n,5)&order=n;desc']) {
      expect(await project.statements(() => walk(301, path))).toBe(1);
      expect(await project.statements(() => walk(1, `${path}${path.includes('?') ? '&' : '?'}link_id=dense`))).toBe(1);
    }
    expect(await project.statements(() => project.get('/node/unit?load_links=true&limit=1'))).toBe(1);
    expect(await project.statements(() => project.get('/node/unit?load_links=true&limit=50&depth=1&offset=400'))).toBe(
      1,
    );
  });
});

describe('many kinds', () => {
  it('take one more statement, which finds out which of them are linked', async () => {
    const kinds = Array.from({ length: 14 }, (_, n) => ({ id: `kind${n}`, parameters: ['n'] }));
    await defineKinds(project, ...kinds);
    const [a, b] = [
      await ok(project.post('/kind3/unit', { n: 1 })),
      await ok(project.post('/kind9/unit', { n: 2 })),
    ] as { id: string }[];
    await ok(project.post(`/kind3/unit/${a?.id ?? ''}/link/link/kind9/unit/${b?.id ?? ''}`));
    await ok(project.post(`/kind9/unit/${b?.id ?? ''}/link/link/node/unit/${id(7)}`));
    const path = `/kind3/unit/${a?.id ?? ''}/link/child?depth=1&include=[kind_id,n]`;
    expect(await project.statements(() => project.get(path))).toBe(2);
    expect(await ok(project.get(path))).toMatchObject({
      count: 2,
      items: [
        { kind_id: 'kind9', n: 2 },
        { kind_id: 'node', n: 7 },
      ],
    });
  });
});
