/**
 * Random filters, orders and includes over chains of references, asked over HTTP by one who may read all and by one who
 * may read some, against a naive walk in memory. Units are random, references lead anywhere, to themselves too.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Comparator, Filter, Path, Scalar } from '../../../src/filter/filter.ast.js';
import { printFilter, printPath } from '../../../src/filter/filter.printer.js';
import { combinedFilters } from '../../support/combined-filters.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { matches, sorted, type Json, type NaiveKind, type UnitRecord } from '../../support/naive-filter.js';
import { runs } from '../../support/runs.js';
import { sharedService, type TestProject } from '../../support/service.js';

const UNITS = 60;
const KINDS = ['a', 'b', 'c'];
const REFERENCES = KINDS.map((kind) => `to_${kind}`);
/** Every field that a path can end in, and the operators that are worth a try there. */
const FIELDS: ReadonlyMap<string, { type: string; multiple?: boolean; ops: readonly string[] }> = new Map([
  ['name', { type: 'string', ops: ['eq', 'ne', 'lt', 'gte', 'in', 'isnull', 'contains', 'istartswith'] }],
  ['size', { type: 'integer', ops: ['eq', 'ne', 'lt', 'lte', 'gt', 'in', 'isnull'] }],
  ['flag', { type: 'boolean', ops: ['eq', 'ne', 'isnull'] }],
  ['meta', { type: 'json', ops: ['eq', 'ne', 'in', 'isnull'] }],
  ['tags', { type: 'string', multiple: true, ops: ['eq', 'ne', 'contains', 'in', 'isnull'] }],
  ['to_b', { type: 'unit', ops: ['isnull'] }],
  ['id', { type: 'unit', ops: ['isnull'] }],
  ['kind_id', { type: 'string', ops: ['eq', 'ne', 'isnull'] }],
]);
const TEXTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['name', ['x', 'y', 'Xy', 'z']],
  ['size', ['1', '2', '3']],
  ['flag', ['true', 'false']],
  ['meta', ['1', 'x', 'true']],
  ['tags', ['x', 'y']],
  ['kind_id', ['a', 'b', 'c']],
]);

const service = await sharedService();
const project = await service.project();
const member = await asMember(project);
const parameters = [
  { id: 'name', kind_id: 'string' },
  { id: 'size', kind_id: 'integer' },
  { id: 'flag', kind_id: 'boolean' },
  { id: 'meta', kind_id: 'json' },
  { id: 'tags', kind_id: 'string', multiple: true },
];
const names = parameters.map(({ id }) => id);
await defineKinds(
  project,
  { id: 'a', parameters },
  { id: 'b', parameters: names },
  { id: 'c', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }, ...names] },
);
for (const kind of KINDS) await ok(project.post('/unit/unit', { id: `to_${kind}`, reference_kind: kind }));
// Members see some units of each kind; in one of them that depends on another unit.
const READ: Readonly<Record<string, string>> = {
  a: 'ne(size,3)',
  b: 'ne(flag,false)',
  c: 'or(isnull(to_b.name),eq(to_b.flag,true))',
};
for (const kind of KINDS) {
  const first = kind === 'c' ? ['code', ...names] : names;
  await ok(project.put(`/kind/unit/${kind}`, { parameters: [...first, ...REFERENCES], access: { read: READ[kind] } }));
}

const option = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { freq: 4 });
const body = fc.record({
  name: option('x', 'y', 'Xy', 'z'),
  size: option(1, 2, 3),
  flag: option(true, false),
  meta: option<Json>({ k: 1 }, { k: 'x' }, { k: { l: 'x' } }, { k: true }, { k: null }),
  tags: option(['x'], ['x', 'y'], []),
});
const bodies = fc.sample(body, { numRuns: UNITS * 3, seed: 20240131 });
const ids = new Map<string, string[]>();
for (const [at, kind] of KINDS.entries()) {
  const some = bodies.slice(at * UNITS, (at + 1) * UNITS);
  const made = await ok(
    project.post(`/${kind}/unit`, kind === 'c' ? some.map((each, i) => ({ ...each, code: `c${i}` })) : some),
  );
  ids.set(
    kind,
    (made as { items: { id: string }[] }).items.map(({ id }) => id),
  );
}
const to = (kind: string) => option(...(ids.get(kind) ?? []));
const ties = fc.sample(fc.record({ to_a: to('a'), to_b: to('b'), to_c: to('c') }), { numRuns: UNITS * 3, seed: 1 });
const all = KINDS.flatMap((kind) => (ids.get(kind) ?? []).map((id) => [kind, id] as const));
await Promise.all(all.map(([kind, id], at) => ok(project.put(`/${kind}/unit/${id}`, ties[at]))));

type Units = ReadonlyMap<string, ReadonlyMap<string, UnitRecord>>;
async function unitsFor(caller: TestProject): Promise<Units> {
  const read = KINDS.map(async (kind) => {
    const { items } = (await ok(caller.get(`/${kind}/unit?limit=1000`))) as { items: UnitRecord[] };
    return [kind, new Map(items.map((unit) => [unit['id'] as string, unit]))] as const;
  });
  return new Map(await Promise.all(read));
}
const CALLERS = {
  admin: { api: project, units: await unitsFor(project) },
  member: { api: member, units: await unitsFor(member) },
};

/** What a path leads to, without JSON keys. */
function valueAt(unit: UnitRecord, [name = '', ...rest]: readonly string[], units: Units): Json {
  const value = unit[name] ?? null;
  if (rest.length === 0 || value === null) return value;
  const next = typeof value === 'string' ? units.get(name.slice(3))?.get(value) : undefined;
  return next ? valueAt(next, rest, units) : null;
}

/** References, a field, keys. */
const way = fc
  .tuple(
    fc.array(fc.constantFrom(...REFERENCES), { maxLength: 3 }),
    fc.constantFrom(...FIELDS.keys()),
    fc.constantFrom<string[]>([], ['k'], ['k', 'l']),
  )
  .map(([references, field, keys]) => ({ references, field, keys: field === 'meta' ? keys : [] }));

const test: fc.Arbitrary<Filter> = way.chain(({ references, field, keys }) => {
  const { ops, multiple = false } = FIELDS.get(field) ?? { ops: [] };
  const scalar: fc.Arbitrary<Scalar> = fc.record({
    type: fc.constant('quoted' as const),
    text: fc.constantFrom(...(TEXTS.get(field) ?? [''])),
    at: fc.constant(0),
  });
  const list = fc
    .array(scalar, { minLength: 1, maxLength: 3 })
    .map((items) => ({ type: 'list' as const, items, at: 0 }));
  return fc.tuple(fc.constantFrom(...ops), scalar, list, fc.boolean()).map(([op, one, several, value]): Filter => {
    const path: Path = { segments: [...references, field, ...keys], at: 0 };
    if (op === 'isnull') return { op, path, value, at: 0 };
    if (op === 'in') return { op, path, value: several, at: 0 };
    return { op: op as Comparator, path, value: multiple && op !== 'contains' ? several : one, at: 0 };
  });
});

const filter = combinedFilters([{ weight: 3, arbitrary: test }], { maxDepth: 3, maxLength: 3 });

/** What has no order among structures of JSON is not asked for. */
const order = fc.array(
  fc.record({
    way: way.filter(({ field, keys }) => !['tags', 'kind_id'].includes(field) && (field !== 'meta' || keys.length > 1)),
    descending: fc.boolean(),
  }),
  { maxLength: 3 },
);

/** The segments of a path as the naive evaluator has them: the way to a field is one name. */
function flat(segments: readonly string[]): string[] {
  const end = segments.findIndex((segment) => segment === 'meta');
  return end < 0 ? [segments.join('.')] : [segments.slice(0, end + 1).join('.'), ...segments.slice(end + 1)];
}

function flatFilter(tree: Filter): Filter {
  switch (tree.op) {
    case 'and':
    case 'or':
      return { ...tree, filters: tree.filters.map(flatFilter) };
    case 'not':
      return { ...tree, filter: flatFilter(tree.filter) };
    case 'all':
    case 'exists':
      return tree;
    default:
      return { ...tree, path: { ...tree.path, segments: flat(tree.path.segments) } };
  }
}

/** Units with a value for every way. */
function flatUnits(units: Units): UnitRecord[] {
  return [...(units.get('a')?.values() ?? [])].map((unit) => {
    const named = [...NAIVE.keys()].map((name) => [name, valueAt(unit, name.split('.'), units)]);
    return { ...unit, ...(Object.fromEntries(named) as UnitRecord) };
  });
}

const chains = (length: number): string[][] =>
  length === 0 ? [[]] : [[], ...REFERENCES.flatMap((first) => chains(length - 1).map((rest) => [first, ...rest]))];
const NAIVE: NaiveKind = new Map(
  chains(3).flatMap((chain) =>
    [...FIELDS].map(([id, { type, multiple }]) => [[...chain, id].join('.'), { type, ...(multiple && { multiple }) }]),
  ),
);

describe.each(Object.entries(CALLERS))('as %s', (_, { api, units }) => {
  const known = flatUnits(units);

  it('finds, counts and sorts like the naive evaluator', { timeout: 120_000 }, async () => {
    let [found, left] = [0, 0];
    await fc.assert(
      fc.asyncProperty(filter, order, fc.integer({ min: 1, max: 40 }), async (tree, terms, limit) => {
        const text = printFilter(tree);
        const written = terms.map(
          ({ way: { references, field, keys }, descending }) =>
            `&order[]=${encodeURIComponent(`${printPath([...references, field, ...keys])};${descending ? 'desc' : 'asc'}`)}`,
        );
        const query = `filter=${encodeURIComponent(text)}${written.join('')}&include=id`;
        const naive = terms.map(({ way: { references, field, keys }, descending }) => ({
          path: flat([...references, field, ...keys]),
          descending,
        }));
        const matching = known.filter((unit) => matches(flatFilter(tree), unit, NAIVE));
        const expected = sorted(matching, naive, NAIVE).map(({ id }) => id);
        const { count, items } = (await ok(api.get(`/a/unit?limit=1000&${query}`))) as {
          count: number;
          items: UnitRecord[];
        };
        expect(
          items.map(({ id }) => id),
          query,
        ).toEqual(expected);
        expect(count).toBe(expected.length);
        const paged: unknown[] = [];
        for (let next: string | null = ''; next !== null;) {
          const page = (await ok(api.get(`/a/unit?limit=${limit}&${query}&cursor=${next}`))) as {
            items: UnitRecord[];
            next: string | null;
          };
          paged.push(...page.items.map(({ id }) => id));
          next = page.next;
        }
        expect(paged, query).toEqual(expected);
        found += expected.length;
        left += known.length - expected.length;
      }),
      { numRuns: runs(40) },
    );
    expect(Math.min(found, left)).toBeGreaterThan(runs(known.length * 10));
  });

  it('returns under a path what the naive evaluator finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(way, { minLength: 1, maxLength: 5, selector: (each) => JSON.stringify(each) }),
        async (ways) => {
          const asked = ways.map(({ references, field, keys }) => [...references, field, ...keys]);
          const include = asked.map((segments) => printPath(segments)).join();
          const { items } = (await ok(api.get(`/a/unit?limit=1000&include=id,${include}`))) as { items: UnitRecord[] };
          for (const [at, item] of items.entries()) {
            const unit = known[at] ?? {};
            const expected = asked.map((segments) => {
              const [name = '', ...keys] = flat(segments);
              const inner = keys.reduce<Json>((value, key) => {
                const object = value as Record<string, Json> | null;
                return typeof object === 'object' && object !== null ? (object[key] ?? null) : null;
              }, unit[name] ?? null);
              return [printPath(segments), inner];
            });
            expect(item).toEqual({ id: unit['id'], ...(Object.fromEntries(expected) as object) });
          }
        },
      ),
      { numRuns: runs(15) },
    );
  });
});
