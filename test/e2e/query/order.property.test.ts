/** Random orders over units of every type against a naive sort, whole, page by page and by cursor. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { JSON_KEYS, PARAMETERS, PLACE, THING, UNIT_PARAMETERS, VALUES, type TypeId } from '../../support/every-type.js';
import { sorted, type NaiveOrder, type UnitRecord } from '../../support/naive-filter.js';
import { runs } from '../../support/runs.js';
import { sharedService } from '../../support/service.js';

const UNITS = 120;
const service = await sharedService();
const project = await service.project();
await defineKinds(project, PLACE, THING);
const places = ((await project.post('/place/unit', [{}, {}, {}])).body.content.items as { id: string }[]).map(
  ({ id }) => id,
);

const body = fc.record(
  Object.fromEntries(
    [...PARAMETERS]
      .filter(([, { multiple }]) => !multiple)
      .map(([id, { type }]) => {
        const values: readonly unknown[] = type === 'unit' ? places : VALUES[type as Exclude<TypeId, 'unit'>];
        // What has no order among structures of JSON is not asked for.
        return [id, fc.option(fc.constantFrom(...values), { freq: 4 })];
      }),
  ),
);
const bodies = fc.sample(body, { numRuns: UNITS, seed: 20240131 });
// In two bodies, so that inserted_at has two values.
for (let at = 0; at < UNITS; at += UNITS / 2) {
  const made = await project.post('/thing/unit', bodies.slice(at, at + UNITS / 2));
  if (made.status !== 200) throw new Error(made.text);
}
const units = (await project.get('/thing/unit?limit=1000')).body.content.items as UnitRecord[];

const SORTABLE = [...UNIT_PARAMETERS]
  .filter(([id, { type, multiple }]) => !multiple && type !== 'binary' && type !== 'json' && id !== 'kind_id')
  .map(([id]) => [id]);
const SCALAR_KEYS = JSON_KEYS.filter((keys) =>
  ['size', 'a.b', '', '0', 'it"s', 'nothing', 'constructor'].includes(keys[0] ?? '-'),
).map((keys) => ['a_json', ...keys]);
const term: fc.Arbitrary<NaiveOrder> = fc.record({
  path: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...SORTABLE) },
    { weight: 1, arbitrary: fc.constantFrom(...SCALAR_KEYS) },
  ),
  descending: fc.boolean(),
  nulls: fc.constantFrom(undefined, 'first', 'last'),
});
// Few values first, so that later terms and the id decide.
const order = fc.array(term, { maxLength: 4 });

function written(terms: readonly NaiveOrder[]): string {
  return terms
    .map(({ path, descending, nulls }) => {
      const [first = '', ...keys] = path;
      const text = [first, ...keys.map((key) => `"${key.replace(/["\\]/g, '\\$&')}"`)].join('.');
      return `order[]=${encodeURIComponent(`${text};${descending ? 'desc' : 'asc'}${nulls ? `;nulls_${nulls}` : ''}`)}`;
    })
    .join('&');
}

const idsOf = (some: readonly UnitRecord[]) => some.map((unit) => String(unit['id'] as string));

interface Page {
  readonly count: number;
  readonly items: UnitRecord[];
  readonly next?: string | null;
}

async function page(query: string): Promise<Page> {
  const reply = await project.get(`/thing/unit?include=id&${query}`);
  if (reply.status !== 200) throw new Error(`${query} → ${reply.text}`);
  return reply.body.content as Page;
}

async function walk(query: string, between: () => Promise<unknown> = () => Promise.resolve()): Promise<string[][]> {
  const pages: string[][] = [];
  let next: string | null = '';
  while (next !== null) {
    const answer: Page = await page(`${query}&cursor=${encodeURIComponent(next)}`);
    pages.push(idsOf(answer.items));
    next = answer.next ?? null;
    expect(pages.length).toBeLessThanOrEqual(UNITS * 10);
    await between();
  }
  return pages;
}

describe('a random order', () => {
  it(`sorts ${UNITS} units as the naive sort does`, { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(order, async (terms) => {
        const expected = idsOf(sorted(units, terms, UNIT_PARAMETERS));
        expect(idsOf((await page(`limit=1000&${written(terms)}`)).items)).toEqual(expected);
      }),
      { numRuns: runs(40) },
    );
  });

  it('has pages without gaps or overlaps', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        order,
        fc.integer({ min: 1, max: UNITS + 5 }),
        fc.integer({ min: 0, max: UNITS + 5 }),
        async (terms, limit, offset) => {
          const expected = idsOf(sorted(units, terms, UNIT_PARAMETERS)).slice(offset, offset + limit);
          const { count, items } = await page(`limit=${limit}&offset=${offset}&${written(terms)}`);
          expect(idsOf(items)).toEqual(expected);
          expect(count).toBe(UNITS);
        },
      ),
      { numRuns: runs(75) },
    );
  });

  it('is walked by cursor: each unit once, in order, in full pages', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(order, fc.integer({ min: 7, max: UNITS + 5 }), async (terms, limit) => {
        const pages = await walk(`limit=${limit}&count=none&${written(terms)}`);
        expect(pages.flat()).toEqual(idsOf(sorted(units, terms, UNIT_PARAMETERS)));
        for (const full of pages.slice(0, -1)) expect(full).toHaveLength(limit);
        expect(pages).toHaveLength(Math.ceil(UNITS / limit));
      }),
      { numRuns: runs(30) },
    );
  });

  it('is walked by cursor within a filter', async () => {
    await fc.assert(
      fc.asyncProperty(order, fc.integer({ min: 3, max: 40 }), async (terms, limit) => {
        const kept = units.filter((unit) => unit['a_integer'] !== null);
        const pages = await walk(`limit=${limit}&filter=isnull(a_integer,false)&${written(terms)}`);
        expect(pages.flat()).toEqual(idsOf(sorted(kept, terms, UNIT_PARAMETERS)));
      }),
      { numRuns: runs(10) },
    );
  });

  it(
    'is walked by cursor while others insert: each unit that was there once, in order',
    { timeout: 60_000 },
    async () => {
      const others: string[] = [];
      const insert = async () => {
        const made = await project.post('/thing/unit', fc.sample(body, 3));
        others.push(...idsOf(made.body.content.items as UnitRecord[]));
      };
      await fc.assert(
        fc.asyncProperty(order, fc.integer({ min: 20, max: 60 }), async (terms, limit) => {
          const seen = (await walk(`limit=${limit}&count=none&${written(terms)}`, insert)).flat();
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter((id) => !others.includes(id))).toEqual(idsOf(sorted(units, terms, UNIT_PARAMETERS)));
        }),
        { numRuns: runs(10), endOnFailure: true },
      );
      for (const id of others) await project.delete(`/thing/unit/${id}`);
    },
  );

  it('is walked by cursor while units before and behind are deleted', async () => {
    const made = (
      await project.post(
        '/thing/unit',
        Array.from({ length: 40 }, (_, at) => ({ a_string: 'doomed', a_integer: at })),
      )
    ).body.content.items as UnitRecord[];
    const left = new Set(idsOf(made));
    const seen: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const answer: Page = await page(`limit=10&filter=eq(a_string,doomed)&order=a_integer;desc&cursor=${next}`);
      const ids = idsOf(answer.items);
      seen.push(...ids);
      next = answer.next ?? null;
      // The last one, which the cursor stands on, goes too.
      for (const id of ids.slice(-2)) await project.delete(`/thing/unit/${id}`);
      for (const id of ids.slice(-2)) left.delete(id);
    }
    expect(seen).toEqual(idsOf(made).reverse());
    for (const id of left) await project.delete(`/thing/unit/${id}`);
  });
});

describe('units without an order', () => {
  it('come oldest first', async () => {
    expect(idsOf((await page('limit=1000')).items)).toEqual(idsOf(units));
    expect(idsOf(units)).toEqual(idsOf(sorted(units, [], UNIT_PARAMETERS)));
  });

  it('of a natural key come by inserted_at and id', async () => {
    await defineKinds(project, {
      id: 'land',
      label: 'Land',
      parameters: [{ id: 'code', kind_id: 'string', is_primary: true }],
    });
    for (const code of ['c', 'a', 'b']) await project.post('/land/unit', { code });
    await project.post('/land/unit', [{ code: 'z' }, { code: 'y' }]);
    const list = (await project.get('/land/unit')).body.content.items as UnitRecord[];
    expect(list.map(({ code }) => code)).toEqual(['c', 'a', 'b', 'y', 'z']);
    const walked: unknown[] = [];
    let next: string | null = '';
    while (next !== null) {
      const { items, next: following } = (await project.get(`/land/unit?limit=2&cursor=${next}`)).body.content as Page;
      walked.push(...items.map(({ code }) => code));
      next = following ?? null;
    }
    expect(walked).toEqual(['c', 'a', 'b', 'y', 'z']);
  });
});
