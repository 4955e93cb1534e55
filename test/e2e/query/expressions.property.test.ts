/** Random expressions, in aggregations and in sums of related units, asked over HTTP, against the naive evaluator. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Computation, Path, Scalar } from '../../../src/filter/filter.ast.js';
import { printOperand } from '../../../src/filter/filter.printer.js';
import { defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import {
  BeyondRange,
  computed,
  exactOf,
  isLess,
  isOfFloats,
  quotientOf,
  sumOf,
  toNumber,
  type Computed,
  type Exact,
} from '../../support/naive-expression.js';
import { jsonText, type Json, type UnitRecord } from '../../support/naive-filter.js';
import { runs } from '../../support/runs.js';
import { sharedService } from '../../support/service.js';

const RUNS = runs(120);
const ITEMS = 40;
const service = await sharedService();
const project = await service.project();

const VALUES: Readonly<Record<string, readonly Json[]>> = {
  integer: [0, 1, -7, 12, 123_456_789, 9_007_199_254_740_991],
  decimal: ['0', '0.1', '-2.5', '3', '99999999999999999999.000001', '-0.00000000000000000001'],
  float: [0, 0.5, -2.25, 3e10],
  date: ['2026-01-31', '1999-12-31', '2024-02-29'],
  datetime: ['2026-01-31T00:00:00Z', '2024-02-29T23:59:59.999999Z', '1999-12-31T12:30:00Z'],
};
const TYPES = {
  whole: 'integer',
  other: 'integer',
  price: 'decimal',
  rate: 'decimal',
  weight: 'float',
  day: 'date',
  due: 'date',
  began: 'datetime',
  ended: 'datetime',
} as const;
await defineKinds(
  project,
  { id: 'box', parameters: [{ id: 'number', kind_id: 'integer' }] },
  {
    id: 'item',
    parameters: [
      { id: 'box', kind_id: 'unit', reference_kind: 'box' },
      ...Object.entries(TYPES).map(([id, kind_id]) => ({ id, kind_id })),
    ],
  },
);
const { items: boxes } = (await ok(project.post('/box/unit', [{ number: 1 }, { number: 2 }, { number: 3 }]))) as {
  items: { id: string }[];
};
const body = fc.record({
  box: fc.option(fc.constantFrom(...boxes.slice(0, 2).map(({ id }) => id)), { freq: 6 }),
  ...Object.fromEntries(
    Object.entries(TYPES).map(([id, type]) => [id, fc.option(fc.constantFrom(...(VALUES[type] ?? [])), { freq: 8 })]),
  ),
});
await ok(project.post('/item/unit', fc.sample(body, { numRuns: ITEMS, seed: 20260131 })));
const { items: units } = (await ok(project.get('/item/unit?limit=1000'))) as { items: UnitRecord[] };

const leaf = (allowed: readonly string[]): fc.Arbitrary<Path> =>
  fc
    .constantFrom(...Object.entries(TYPES).flatMap(([id, type]) => (allowed.includes(type) ? [id] : [])))
    .map((id) => ({ segments: [id], at: 0 }));
const number: fc.Arbitrary<Scalar> = fc
  .constantFrom('0', '2', '-0.5', '+3', '.25', '1000000')
  .map((text) => ({ type: 'bare', text, at: 0 }));
const simple = (numbers: readonly string[]) => fc.oneof({ weight: 4, arbitrary: leaf(numbers) }, number);
const call = (operation: fc.Arbitrary<Computation>): fc.Arbitrary<Path> =>
  operation.map((each) => ({ segments: [], computed: each, at: 0 }));
const days = call(
  fc
    .tuple(leaf(['date', 'datetime']), leaf(['date', 'datetime']))
    .map((operands) => ({ function: 'days' as const, operands })),
);

/** Divisors are plain, so that what rounding adds stays small. */
function expressions(depth: number, numbers: readonly string[]): fc.Arbitrary<Path> {
  const operand: fc.Arbitrary<Path | Scalar> =
    depth === 1 ? simple(numbers) : fc.oneof(simple(numbers), expressions(depth - 1, numbers), days);
  return call(
    fc.oneof(
      fc
        .tuple(fc.constantFrom('add' as const, 'sub' as const, 'mul' as const), operand, operand)
        .map(([called, a, b]) => ({ function: called, operands: [a, b] as const })),
      fc.tuple(operand, simple(numbers)).map((operands) => ({ function: 'div' as const, operands })),
    ),
  );
}
const expression = fc.oneof(
  ...[1, 2, 3, 5].flatMap((depth) => [
    expressions(depth, ['integer', 'decimal']),
    expressions(Math.min(depth, 3), ['integer', 'decimal', 'float']),
  ]),
);

/** Whether nothing in an expression is rounded. */
function isExact(each: Path | Scalar): boolean {
  if (!('segments' in each) || !each.computed) return true;
  const { function: called, operands } = each.computed;
  return called !== 'div' && called !== 'days' && operands.every(isExact);
}

const FUNCTIONS = ['sum', 'avg', 'min', 'max'] as const;
type Answer = Exact | number | null;

function answerOf(called: (typeof FUNCTIONS)[number], values: readonly (Exact | number)[]): Answer {
  const [first] = values;
  if (first === undefined) return null;
  switch (called) {
    case 'sum':
      return sumOf(values);
    case 'avg':
      return quotientOf(sumOf(values), typeof first === 'number' ? values.length : exactOf(String(values.length)));
    case 'min':
      return values.reduce((a, b) => (isLess(b, a) ? b : a));
    case 'max':
      return values.reduce((a, b) => (isLess(a, b) ? b : a));
  }
}

/** @param digits how many digits are right at least; undefined for all @param size of the numbers that were added */
function expectNear(found: Json, expected: Answer, size: number, digits: number | undefined): void {
  if (expected === null || found === null) return void expect([found, expected]).toEqual([null, null]);
  if (typeof expected === 'number') {
    expect(typeof found).toBe('number');
    expect(Math.abs(Number(found) - expected)).toBeLessThanOrEqual(1e-9 * Math.max(size, 1e-300));
    return;
  }
  const exact = exactOf(jsonText(found) ?? '');
  const difference = exact.over * expected.under - expected.over * exact.under;
  if (digits === undefined) return void expect([found, difference]).toEqual([found, 0n]);
  const off = toNumber({ over: difference < 0n ? -difference : difference, under: exact.under * expected.under });
  expect([found, off <= 10 ** -digits * Math.max(size, 1)]).toEqual([found, true]);
}

const valuesIn = (among: readonly UnitRecord[], asked: Path): Computed[] =>
  among.flatMap((unit) => computed(asked, unit, TYPES) ?? []);

it(`random expressions answer what the naive evaluator does (${RUNS})`, { timeout: 60_000 + RUNS * 100 }, async () => {
  await fc.assert(
    fc.asyncProperty(expression, fc.constantFrom(...FUNCTIONS), async (asked, called) => {
      const text = printOperand(asked);
      const select = encodeURIComponent(`x:${called}(${text}),n:count(),y:div(x,n),z:add(y,y)`);
      const reply = await project.get(`/item/aggregate?group=box&select=${select}`);
      const include = encodeURIComponent(`x:sum_related(item.box,${text})`);
      const list = await project.get(`/box/unit?include=id,${include}`);
      let found: Computed[];
      try {
        found = valuesIn(units, asked);
        sumOf([0, ...found.map(({ bound }) => bound)]);
      } catch (error) {
        if (!(error instanceof BeyondRange)) throw error;
        expect(reply.text).toContain('beyond the range');
        return;
      }
      expect(reply.status, reply.text).toBe(200);
      const digits = isExact(asked) ? undefined : 12;
      for (const row of reply.body.content.items as Record<string, Json>[]) {
        const own = units.filter(({ box }) => box === row['box']);
        const values = valuesIn(own, asked);
        const size = values.reduce((sum, { bound }) => sum + bound, 0);
        const expected = answerOf(
          called,
          values.map(({ value }) => value),
        );
        expect(row['n']).toBe(own.length);
        expectNear(row['x'] ?? null, expected, size, called === 'avg' ? 12 : digits);
        const each =
          expected && quotientOf(expected, typeof expected === 'number' ? own.length : exactOf(`${own.length}`));
        expectNear(row['y'] ?? null, each, size, 12);
        expectNear(row['z'] ?? null, each && sumOf([each, each]), size * 2, 12);
      }
      expect(list.status, list.text).toBe(200);
      for (const { id, x } of list.body.content.items as Record<string, Json>[]) {
        const own = valuesIn(
          units.filter(({ box }) => box === id),
          asked,
        );
        const size = own.reduce((sum, { bound }) => sum + bound, 0);
        expectNear(
          x ?? null,
          answerOf(
            'sum',
            own.map(({ value }) => value),
          ),
          size,
          digits,
        );
      }
      // Whole numbers and decimals are texts or whole; with a float all is one.
      if (isOfFloats(asked, TYPES)) expect(reply.text).not.toMatch(/"x":"/);
    }),
    { numRuns: RUNS },
  );
});

it('a quotient has at least 16 significant digits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.bigInt({ min: 1n, max: 10n ** 29n }),
      fc.bigInt({ min: 1n, max: 10n ** 29n }),
      fc.integer({ min: 0, max: 20 }),
      async (a, b, scale) => {
        const under = `0.${'0'.repeat(scale)}${String(b).slice(0, 29 - scale)}`;
        const select = encodeURIComponent(`x:div(${a},${under}),y:div(${under},${a})`);
        const { items } = (await ok(project.get(`/item/aggregate?select=${select}`))) as {
          items: Record<string, string>[];
        };
        const [dividend, divisor] = [exactOf(String(a)), exactOf(under)];
        if (divisor.over === 0n) return;
        for (const [name, expected] of [
          ['x', quotientOf(dividend, divisor)],
          ['y', quotientOf(divisor, dividend)],
        ] as const) {
          const { over, under: base } = expected as Exact;
          const found = exactOf(items[0]?.[name] ?? '');
          const off = found.over * base - over * found.under;
          expect([name, (off < 0n ? -off : off) * 10n ** 16n <= over * found.under * 5n]).toEqual([name, true]);
        }
      },
    ),
    { numRuns: runs(25) },
  );
});
