/** Random filters over units of every type, asked over HTTP, against the naive evaluator. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printFilter } from '../../../src/filter/filter.printer.js';
import { defineKinds } from '../../support/callers.js';
import { PLACE, THING, UNIT_PARAMETERS } from '../../support/every-type.js';
import { matches, type UnitRecord } from '../../support/naive-filter.js';
import { randomFilters, randomThings } from '../../support/random-filters.js';
import { runs } from '../../support/runs.js';
import { sharedService } from '../../support/service.js';

const UNITS = 300;
const service = await sharedService();
const project = await service.project();
await defineKinds(project, PLACE, THING);
const places = ((await project.post('/place/unit', [{}, {}, {}, {}])).body.content.items as { id: string }[]).map(
  ({ id }) => id,
);

const bodies = randomThings(UNITS, places);
for (let at = 0; at < UNITS; at += 100) {
  const made = await project.post('/thing/unit', bodies.slice(at, at + 100));
  if (made.status !== 200) throw new Error(made.text);
}
const units = (await project.get('/thing/unit?limit=1000')).body.content.items as UnitRecord[];

const filter = randomFilters(units, places);

async function ask(text: string): Promise<{ count: number; ids: string[] }> {
  const reply = await project.get(`/thing/unit?limit=1000&include=id&filter=${encodeURIComponent(text)}`);
  if (reply.status !== 200) throw new Error(`${text} → ${reply.text}`);
  return {
    count: reply.body.content.count as number,
    ids: (reply.body.content.items as { id: string }[]).map(({ id }) => id),
  };
}

const ids = (some: readonly UnitRecord[]) => some.map((unit) => String(unit['id'] as string));

describe('a random filter', () => {
  it(`finds what the naive evaluator finds among ${UNITS} units, and counts it`, { timeout: 60_000 }, async () => {
    let [found, left] = [0, 0];
    await fc.assert(
      fc.asyncProperty(filter, async (tree) => {
        const text = printFilter(tree);
        fc.pre(Buffer.byteLength(text) <= 8192);
        const expected = ids(units.filter((unit) => matches(tree, unit, UNIT_PARAMETERS)));
        const answer = await ask(text);
        expect(answer.ids, text).toEqual(expected);
        expect(answer.count).toBe(expected.length);
        found += expected.length;
        left += UNITS - expected.length;
      }),
      { numRuns: runs(150) },
    );
    // The filters are no use where nearly all of them match all or nothing.
    expect(Math.min(found, left)).toBeGreaterThan(runs(UNITS * 20));
  });

  it('and its negation divide the units between them', async () => {
    await fc.assert(
      fc.asyncProperty(filter, async (tree) => {
        const text = printFilter(tree);
        fc.pre(Buffer.byteLength(text) <= 8000);
        const [positive, negative] = await Promise.all([ask(text), ask(`not(${text})`)]);
        expect([...positive.ids, ...negative.ids].sort(), text).toEqual(ids(units).sort());
        expect(positive.count + negative.count).toBe(UNITS);
      }),
      { numRuns: runs(50) },
    );
  });

  it('counts the same with limit=0, with a cursor and page by page', async () => {
    await fc.assert(
      fc.asyncProperty(
        filter,
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 0, max: 80 }),
        async (tree, limit, offset) => {
          const query = `filter=${encodeURIComponent(printFilter(tree))}&include=id`;
          const { count, ids: all } = await ask(printFilter(tree));
          const [none, page, cursor] = await Promise.all(
            [`limit=0`, `limit=${limit}&offset=${offset}`, `limit=${limit}&cursor=`].map((more) =>
              project.get(`/thing/unit?${query}&${more}`),
            ),
          );
          expect(none?.body.content).toEqual({ count, items: [] });
          expect(page?.body.content).toEqual({ count, items: all.slice(offset, offset + limit).map((id) => ({ id })) });
          expect(cursor?.body.content).toMatchObject({ count, items: all.slice(0, limit).map((id) => ({ id })) });
          expect(cursor?.body.content.next === null).toBe(count <= limit);
        },
      ),
      { numRuns: runs(40) },
    );
  });
});
