/** Random aggregations of units of every type, asked over HTTP, against the naive evaluator. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PERIODS, type GroupTerm, type AggregateTerm } from '../../../src/filter/aggregate.ast.js';
import type { Filter } from '../../../src/filter/filter.ast.js';
import { printFilter, printPath } from '../../../src/filter/filter.printer.js';
import { defineKinds } from '../../support/callers.js';
import { JSON_KEYS, PARAMETERS, PLACE, THING, UNIT_PARAMETERS } from '../../support/every-type.js';
import { aggregated, type NaiveGroup } from '../../support/naive-aggregate.js';
import { canonical, matches, type Json, type UnitRecord } from '../../support/naive-filter.js';
import { randomFilters, randomThings } from '../../support/random-filters.js';
import { runs } from '../../support/runs.js';
import { sharedService } from '../../support/service.js';

const RUNS = runs(150);
const UNITS = 120;
const service = await sharedService();
const project = await service.project();
await defineKinds(project, PLACE, THING);
const places = ((await project.post('/place/unit', [{}, {}])).body.content.items as { id: string }[]).map(
  ({ id }) => id,
);
const created = await project.post('/thing/unit', randomThings(UNITS, places));
if (created.status !== 200) throw new Error(created.text);
const units = (await project.get('/thing/unit?limit=1000')).body.content.items as UnitRecord[];
const filter = randomFilters(units, places);

const names = [...PARAMETERS].map(([id, { type, multiple = false }]) => ({ id, type, multiple }));
const named = (allows: (type: string, multiple: boolean) => boolean) =>
  fc.constantFrom(...names.filter(({ type, multiple }) => allows(type, multiple)).map(({ id }) => [id]));
const SCALAR_KEYS = JSON_KEYS.filter(([key = '-']) => ['size', 'a.b', '', '0', 'it"s', 'nothing'].includes(key));
const inJson = fc.constantFrom(...SCALAR_KEYS.map((keys) => ['a_json', ...keys]));
const path = (segments: fc.Arbitrary<string[]>) => segments.map((found) => ({ segments: found, at: 0 }));

const group: fc.Arbitrary<GroupTerm> = fc
  .oneof(
    { weight: 3, arbitrary: fc.record({ function: fc.constant(undefined), path: path(named(() => true)) }) },
    fc.record({ function: fc.constant(undefined), path: path(inJson) }),
    fc.record({ function: fc.constant('each' as const), path: path(named((_, multiple) => multiple)) }),
    fc.record({
      function: fc.constant('lower' as const),
      path: path(
        fc.oneof(
          named((type, multiple) => !multiple && ['string', 'text'].includes(type)),
          inJson,
        ),
      ),
    }),
    fc.record({
      function: fc.constantFrom(...PERIODS.filter((each) => each !== 'hour')),
      path: path(named((type, multiple) => !multiple && ['date', 'datetime'].includes(type))),
    }),
    fc.record({ function: fc.constant('hour' as const), path: path(fc.constant(['a_datetime'])) }),
    fc.record({
      function: fc.constant('bucket' as const),
      path: path(named((type, multiple) => !multiple && ['integer', 'decimal'].includes(type))),
      size: fc.constantFrom('1', '10', '0.25', '3.5', '1000000000000'),
    }),
  )
  .map((term) => ({ ...term, name: undefined, at: 0 }));

const isSortable = (type: string, multiple: boolean) => !multiple && !['json', 'binary'].includes(type);
const isNumber = (type: string, multiple: boolean) => !multiple && ['integer', 'decimal', 'float'].includes(type);
const call = <F extends AggregateTerm['function']>(called: F, segments: fc.Arbitrary<string[]>) =>
  fc.record({ function: fc.constant(called), path: path(segments) });
const select: fc.Arbitrary<AggregateTerm> = fc
  .tuple(
    fc.oneof(
      fc.constant({ function: 'count' as const, path: undefined }),
      call(
        'count',
        fc.oneof(
          named(() => true),
          inJson,
        ),
      ),
      call(
        'count_distinct',
        fc.oneof(
          named(() => true),
          inJson,
        ),
      ),
      ...(['sum', 'avg'] as const).map((each) => call(each, named(isNumber))),
      ...(['min', 'max'] as const).map((each) => call(each, fc.oneof(named(isSortable), inJson))),
      ...(['first', 'last'] as const).map((each) =>
        call(
          each,
          fc.oneof(
            named(() => true),
            inJson,
          ),
        ),
      ),
    ),
    fc.option(filter, { nil: undefined }),
  )
  .map(([term, condition]) => ({ ...term, filter: condition, name: undefined, at: 0 }));

interface Question {
  readonly group: readonly GroupTerm[];
  readonly select: readonly AggregateTerm[];
  readonly filter: Filter | undefined;
}
const question: fc.Arbitrary<Question> = fc
  .record({
    group: fc.array(group, { maxLength: 2 }),
    select: fc.array(select, { maxLength: 4 }),
    filter: fc.option(filter, { nil: undefined }),
  })
  .filter((asked) => asked.group.length + asked.select.length > 0)
  .filter((asked) => queryOf(asked).length < 7000)
  .map((asked) => ({
    ...asked,
    group: asked.group.map((term, at) => ({ ...term, name: `g${at}` })),
    select: asked.select.map((term, at) => ({ ...term, name: `s${at}` })),
  }));

function groupText(term: GroupTerm): string {
  const text = printPath(term.path.segments);
  const size = term.function === 'bucket' ? `,${term.size}` : '';
  return `${term.name}:${term.function === undefined ? text : `${term.function}(${text}${size})`}`;
}

function selectText({ name, path: of, function: called, filter: condition }: AggregateTerm): string {
  const given = [...(of ? [printPath(of.segments)] : []), ...(condition ? [printFilter(condition)] : [])];
  return `${name}:${called}(${given.join(',')})`;
}

function queryOf({ group: groups, select: functions, filter: condition }: Question): string {
  const texts = [
    ...groups.map((term) => ['group', groupText(term)] as const),
    ...functions.map((term) => ['select', selectText(term)] as const),
    ...(condition ? [['filter', printFilter(condition)] as const] : []),
  ];
  return texts.map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join('&');
}

/** Sums of floats depend on the order of addition, and averages on the digits that PostgreSQL keeps. */
function isClose(a: Json, b: Json): boolean {
  if (a === null || b === null) return a === b;
  const [x, y] = [Number(a), Number(b)];
  return x === y || Math.abs(x - y) <= 1e-300 + 1e-9 * Math.max(Math.abs(x), Math.abs(y));
}

const approximate = ({ function: called, path: of }: AggregateTerm) =>
  called === 'avg' || (called === 'sum' && of?.segments[0] === 'a_float');

/** The groups without approximate values, and these apart. */
function split(groups: readonly NaiveGroup[], functions: readonly AggregateTerm[]) {
  const apart = functions.filter(approximate).map(({ name }) => name ?? '');
  return groups
    .map((each) => ({
      exact: canonical(Object.fromEntries(Object.entries(each).filter(([name]) => !apart.includes(name)))),
      close: apart.map((name) => each[name] ?? null),
    }))
    .sort((a, b) => (a.exact < b.exact ? -1 : a.exact > b.exact ? 1 : 0));
}

it(
  `a random aggregation answers what the naive evaluator does (${RUNS})`,
  { timeout: 60_000 + RUNS * 50 },
  async () => {
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const { status, body, text } = await project.get(`/thing/aggregate?limit=1000&${queryOf(asked)}`);
        const condition = asked.filter;
        const taken = condition ? units.filter((unit) => matches(condition, unit, UNIT_PARAMETERS)) : units;
        const naive = aggregated(taken, asked.group, asked.select, UNIT_PARAMETERS);
        if (naive.some((each) => Object.values(each).some((value) => value === Infinity))) {
          expect(text).toContain('beyond the range');
          return;
        }
        expect(status, text).toBe(200);
        const [found, expected] = [split(body.content.items as NaiveGroup[], asked.select), split(naive, asked.select)];
        expect(found.map(({ exact }) => exact)).toEqual(expected.map(({ exact }) => exact));
        expect(body.content.count).toBe(naive.length);
        if (new Set(found.map(({ exact }) => exact)).size < found.length) return;
        for (const [at, { close }] of found.entries())
          for (const [n, value] of close.entries())
            expect([value, isClose(value, expected[at]?.close[n] ?? null)]).toEqual([value, true]);
      }),
      { numRuns: RUNS },
    );
  },
);
