/** Random filters over units of every type, asked over HTTP, against the naive evaluator. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMPARATORS, type Comparator, type Filter, type Path, type Scalar } from '../../../src/filter/filter.ast.js';
import { printFilter } from '../../../src/filter/filter.printer.js';
import { defineKinds } from '../../support/callers.js';
import {
  JSON_KEYS,
  MORE_TEXTS,
  PARAMETERS,
  PLACE,
  THING,
  UNIT_PARAMETERS,
  VALUES,
  type TypeId,
} from '../../support/every-type.js';
import { matches, type UnitRecord } from '../../support/naive-filter.js';
import { runs } from '../../support/runs.js';
import { sharedService } from '../../support/service.js';

const UNITS = 300;
const service = await sharedService();
const project = await service.project();
await defineKinds(project, PLACE, THING);
const places = ((await project.post('/place/unit', [{}, {}, {}, {}])).body.content.items as { id: string }[]).map(
  ({ id }) => id,
);

const valuesOf = (type: TypeId): readonly unknown[] => (type === 'unit' ? places : VALUES[type]);
const body = fc.record(
  Object.fromEntries(
    [...PARAMETERS].map(([id, { type, multiple }]) => {
      const value = fc.constantFrom(...valuesOf(type as TypeId));
      return [id, fc.option(multiple ? fc.array(value, { maxLength: 3 }) : value, { freq: 5 })];
    }),
  ),
);
const bodies = fc.sample(fc.record({ body, metadata: fc.constantFrom({}, { color: 'red' }, { color: 1 }) }), {
  numRuns: UNITS,
  seed: 20240131,
});
for (let at = 0; at < UNITS; at += 100) {
  const made = await project.post(
    '/thing/unit',
    bodies.slice(at, at + 100).map((each) => ({ ...each.body, metadata: each.metadata })),
  );
  if (made.status !== 200) throw new Error(made.text);
}
const units = (await project.get('/thing/unit?limit=1000')).body.content.items as UnitRecord[];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
/** Values of the units themselves, whole and in parts, and some that no unit has. */
const textsOf = new Map<string, fc.Arbitrary<string>>(
  [...UNIT_PARAMETERS].map(([id, { type }]) => {
    const stored = units.flatMap((unit) => [unit[id] ?? []].flat()).map(textOf);
    return [
      id,
      fc.constantFrom(
        ...new Set([...stored, ...valuesOf(type as TypeId).map(textOf), ...(MORE_TEXTS[type as TypeId] ?? [])]),
      ),
    ];
  }),
);

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  ordered: ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'isnull'],
  equality: ['eq', 'ne', 'in', 'isnull'],
  text: [...COMPARATORS, 'in', 'isnull'],
  multiple: ['eq', 'ne', 'contains', 'in', 'isnull'],
};

function operatorsOf(id: string, type: string, multiple: boolean): readonly string[] {
  if (multiple) return OPERATORS['multiple'] ?? [];
  if (type === 'string' || type === 'text') return OPERATORS['text'] ?? [];
  return OPERATORS[['boolean', 'json', 'unit', 'binary'].includes(type) && id !== 'id' ? 'equality' : 'ordered'] ?? [];
}

const test: fc.Arbitrary<Filter> = fc.constantFrom(...UNIT_PARAMETERS).chain(([id, { type, multiple = false }]) => {
  const keys = type === 'json' && !multiple ? fc.constantFrom(...JSON_KEYS) : fc.constant([]);
  const scalar: fc.Arbitrary<Scalar> = fc.record({
    type: fc.constantFrom('bare' as const, 'quoted' as const),
    text: textsOf.get(id) ?? fc.constant(''),
    at: fc.constant(0),
  });
  const list = fc
    .array(scalar, { minLength: 1, maxLength: 4 })
    .map((items) => ({ type: 'list' as const, items, at: 0 }));
  return fc
    .tuple(fc.constantFrom(...operatorsOf(id, type, multiple)), keys, scalar, list, fc.boolean())
    .map(([op, segments, one, several, value]): Filter => {
      const path: Path = { segments: [id, ...segments], at: 0 };
      if (op === 'isnull') return { op, path, value, at: 0 };
      if (op === 'in') return { op, path, value: several, at: 0 };
      return { op: op as Comparator, path, value: multiple && op !== 'contains' ? several : one, at: 0 };
    });
});

const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 3, arbitrary: test },
    {
      weight: 2,
      arbitrary: fc.record({
        op: fc.constantFrom('and' as const, 'or' as const),
        filters: fc.array(tie('filter'), { minLength: 1, maxLength: 4 }),
        at: fc.constant(0),
      }),
    },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('not' as const), filter: tie('filter'), at: fc.constant(0) }) },
  ),
}));

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
      { numRuns: runs(250) },
    );
    // The filters are no use where nearly all of them match all or nothing.
    expect(Math.min(found, left)).toBeGreaterThan(UNITS * 20);
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
      { numRuns: runs(80) },
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
