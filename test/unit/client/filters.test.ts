/** What the client's builder prints, read by the service's own parser. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { build } from '../../../packages/client/filters.js';
import {
  COMPARATORS,
  EXPRESSION_FUNCTIONS,
  FIELD_OPERATORS,
  type Filter,
  type Path,
  type RelatedUnits,
  type Scalar,
} from '../../../src/filter/filter.ast.js';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { runs } from '../../support/runs.js';
import { withoutPositions } from '../filter/filter.support.js';

/** A call of the builder, which is a function for each name. */
type Builder = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
/** What the builder is asked for, and the tree that its text has to have. */
interface Case<Tree = Filter> {
  readonly make: (f: Builder) => unknown;
  readonly tree: Tree;
}

const at = 0;
const HOSTILE = [
  ...'"\\()[],. @\t\n\'%',
  '\u00a0',
  '\u2028',
  '🙂',
  'and(',
  'not(',
  '@now',
  '@member.id',
  'null',
  'true',
];
const text = fc.oneof(
  fc.string({ maxLength: 10 }),
  fc.string({ unit: 'binary', maxLength: 6 }).map((each) => each.replaceAll('\0', '')),
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 6 }).map((parts) => parts.join('')),
);
const identifier = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
/** A name, and keys of JSON, which the builder separates by dots. */
const path: fc.Arbitrary<{ readonly given: string; readonly tree: Path }> = fc
  .tuple(identifier, fc.array(fc.oneof(identifier, text), { maxLength: 3 }))
  .map(([first, others]) => [first, ...others.join('.').split('.').slice(0, others.length)])
  .map((segments) => ({ given: segments.join('.'), tree: { segments, at } }));
const number = fc.oneof(fc.integer(), fc.double({ noDefaultInfinity: true, noNaN: true }));
const value: fc.Arbitrary<{ readonly given: unknown; readonly tree: Scalar }> = fc.oneof(
  text.map((given) => ({ given, tree: { type: 'quoted' as const, text: given, at } })),
  fc.oneof(number, fc.boolean()).map((given) => ({ given, tree: { type: 'bare' as const, text: String(given), at } })),
);
const values = fc.array(value, { minLength: 1, maxLength: 4 }).map((all) => ({
  given: all.map(({ given }) => given),
  tree: { type: 'list' as const, items: all.map(({ tree }) => tree), at },
}));
const bare = (given: number): Scalar => ({ type: 'bare', text: String(given), at });

interface Relation {
  /** The functions that test for it, and that have a number of it. */
  readonly names: readonly [string | undefined, string | undefined];
  readonly args: readonly unknown[];
  readonly relation: object;
  readonly inner?: Filter | undefined;
  readonly summed?: Path;
}

/** An expression: names of parameters, numbers and functions of them. */
const expression: fc.Arbitrary<Case<Path>> = fc.letrec<{ term: Case<Path | Scalar>; call: Case<Path> }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 2 },
    path.map(({ given, tree }) => ({ make: () => given, tree })),
    fc.integer().map((given) => ({ make: () => given, tree: bare(given) })),
    tie('call'),
  ),
  call: fc.tuple(fc.constantFrom(...EXPRESSION_FUNCTIONS), tie('term'), tie('term')).map(([name, a, b]) => ({
    make: (f: Builder) => f[name]?.(a.make(f), b.make(f)),
    tree: { segments: [], computed: { function: name, operands: [a.tree, b.tree] as const }, at },
  })),
})).call;

const related = (filter: fc.Arbitrary<Case>): fc.Arbitrary<Relation> => {
  const inner = fc.option(filter, { nil: undefined });
  const reference = fc.tuple(identifier, identifier).map(([kind, parameter]) => ({
    name: `${kind}.${parameter}`,
    relation: { type: 'reference', kind, parameter, at },
  }));
  return fc.oneof(
    fc.tuple(reference, inner).map(([{ name, relation }, of]) => ({
      names: ['exists', 'count_related'] as const,
      args: [name, of?.make],
      relation,
      inner: of?.tree,
    })),
    fc
      .tuple(
        reference,
        fc.oneof(
          path.map(({ given, tree }) => ({ make: given, tree })),
          expression,
        ),
        inner,
      )
      .map(([{ name, relation }, { make, tree }, of]) => ({
        names: [undefined, 'sum_related'] as const,
        args: [name, make, of?.make],
        relation,
        summed: tree,
        inner: of?.tree,
      })),
    fc
      .tuple(
        identifier,
        fc.constantFrom('parent', 'child'),
        fc.option(fc.oneof(identifier, fc.uniqueArray(identifier, { minLength: 1, maxLength: 3 })), { nil: undefined }),
        inner,
      )
      .map(([link, direction, kinds, of]) => ({
        names: ['linked', 'count_linked'] as const,
        args: [link, direction, kinds, of?.make],
        relation: { type: 'link', link, direction, ...(kinds !== undefined && { kinds: [kinds].flat() }), at },
        inner: of?.tree,
      })),
    fc.tuple(identifier, fc.option(identifier, { nil: undefined }), inner).map(([kind, parameter, of]) => ({
      names: ['referred', undefined] as const,
      args: [parameter === undefined ? kind : `${kind}.${parameter}`, of?.make],
      relation: { type: 'any', kind, ...(parameter !== undefined && { parameter }), at },
      inner: of?.tree,
    })),
  );
};
const relatedTree = ({ relation, inner, summed }: Relation) =>
  ({ relation, ...(inner && { filter: inner }), ...(summed && { summed }) }) as unknown as RelatedUnits;

const cases = fc.letrec<{ filter: Case; test: Case; number: Case<Path> }>((tie) => ({
  number: fc.oneof(
    { weight: 8, arbitrary: path.map(({ given, tree }) => ({ make: () => given, tree })) },
    {
      weight: 1,
      arbitrary: related(tie('filter'))
        .filter(({ names: [, name] }) => name !== undefined)
        .map((one) => ({
          make: (f: Builder) => f[one.names[1] ?? '']?.(...one.args),
          tree: { segments: [], counted: relatedTree(one), at },
        })),
    },
  ),
  test: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(fc.constantFrom(...COMPARATORS), tie('number'), fc.oneof(value, values)).map(([op, of, compared]) => ({
      make: (f: Builder) => f[op]?.(of.make(f), compared.given),
      tree: { op, path: of.tree, value: compared.tree, at },
    })),
    fc.tuple(path, values).map(([of, list]) => ({
      make: (f: Builder) => f['in']?.(of.given, list.given),
      tree: { op: 'in' as const, path: of.tree, value: list.tree, at },
    })),
    fc.tuple(path, fc.option(fc.boolean(), { nil: undefined })).map(([of, is]) => ({
      make: (f: Builder) => f['isnull']?.(of.given, is),
      tree: { op: 'isnull' as const, path: of.tree, value: is ?? true, at },
    })),
    fc.tuple(fc.constantFrom(...FIELD_OPERATORS), path, path).map(([op, one, other]) => ({
      make: (f: Builder) => f[op]?.(one.given, other.given),
      tree: { op, path: one.tree, other: other.tree, at },
    })),
    fc.tuple(path, path, fc.tuple(number, number, number)).map(([one, other, [north, east, radius]]) => ({
      make: (f: Builder) => f['near']?.(one.given, other.given, north, east, radius),
      tree: {
        op: 'near' as const,
        path: one.tree,
        other: other.tree,
        point: [bare(north), bare(east)],
        radius: bare(radius),
        at,
      },
    })),
    fc.tuple(path, text, fc.option(number, { nil: undefined })).map(([of, like, least]) => ({
      make: (f: Builder) => f['similar']?.(of.given, like, least),
      tree: {
        op: 'similar' as const,
        path: of.tree,
        value: { type: 'quoted', text: like, at },
        ...(least !== undefined && { least: bare(least) }),
        at,
      },
    })),
    related(tie('filter'))
      .filter(({ names: [name] }) => name !== undefined)
      .map((one) => ({
        make: (f: Builder) => f[one.names[0] ?? '']?.(...one.args),
        tree: { op: 'exists' as const, related: relatedTree(one), at },
      })),
  ) as fc.Arbitrary<Case>,
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('test'),
    fc.constant<Case>({ make: (f) => f['all']?.(), tree: { op: 'all', at } }),
    tie('filter').map((inner): Case => ({
      make: (f) => f['not']?.(inner.make(f)),
      tree: { op: 'not', filter: inner.tree, at },
    })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 1, maxLength: 3 }))
      .map(([op, inner]): Case => ({
        make: (f) => f[op]?.(...inner.map(({ make }) => make(f))),
        tree: { op, filters: inner.map(({ tree }) => tree), at },
      })),
  ),
}));

/** The levels of functions over related units, of which the service takes three. */
function relatedLevels(tree: unknown): number {
  if (typeof tree !== 'object' || tree === null) return 0;
  return Math.max(0, ...Object.values(tree).map(relatedLevels)) + ('relation' in tree ? 1 : 0);
}

describe('filters of the client', () => {
  it('are what the service reads', { timeout: 120_000 }, () => {
    let read = 0;
    fc.assert(
      fc.property(cases.filter, ({ make, tree }) => {
        fc.pre(relatedLevels(tree) <= 3);
        expect(withoutPositions(parseFilter(build(make)))).toEqual(tree);
        read += 1;
      }),
      { numRuns: runs(10_000) },
    );
    expect(read).toBeGreaterThanOrEqual(runs(10_000));
  });

  it.each([
    ['eq("a b","c\\"")', (f: Builder) => f['eq']?.('a b', 'c"')],
    ['in(size,[1,2])', (f: Builder) => f['in']?.('size', [1, 2])],
    ['eq(meta."a,1)",true)', (f: Builder) => f['eq']?.('meta.a,1)', true)],
    [
      'linked(borders,child,city,eq(name,"x"))',
      (f: Builder) => f['linked']?.('borders', 'child', 'city', (c: Builder) => c['eq']?.('name', 'x')),
    ],
    ['gt(count_related(comment.article),5)', (f: Builder) => f['gt']?.(f['count_related']?.('comment.article'), 5)],
  ])('%s', (printed, make) => {
    expect(build(make)).toBe(printed);
  });
});
