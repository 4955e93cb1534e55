/** The size of predicates. What PostgreSQL needs to plan a statement grows with it. Pure. */
import {
  fieldTests,
  operandsOf,
  referredIn,
  sourcesOf,
  type Predicate,
  type Related,
  type Step,
  type Target,
} from './predicate.js';
import { filtersOf, relatedIn, relatedInSum } from './related.js';

interface Extent {
  /** A test with values of the member counts once for each of its values. */
  readonly tests: number;
  /** Referenced units that are looked up for each unit, and tests of the member. The same references in several tests count once. */
  readonly lookups: number;
  /** Tests and counts of related units. */
  readonly related: number;
  /**
   * The tests of linked units of several kinds, counted in each of these kinds, and four times for each referenced unit
   * that they look up. In the other numbers a filter counts once, however many kinds it is for.
   */
  readonly inKinds: number;
}

const NOTHING: Extent = { tests: 0, lookups: 0, related: 0, inKinds: 0 };

/** What a lookup costs, in tests. */
const TESTS_PER_LOOKUP = 4;

/** A key for each reference of a path: paths with the same first references have the same first keys. */
export function wayKeys(through: readonly Step[] = []): string[] {
  let key = '';
  // A rule may follow the same reference as a filter, but to all units, so the two are different lookups.
  return through.map(({ reference, access }) => (key += `.${reference.id}${access ? '!' : ''}`));
}

/**
 * The extent of predicates with the filters of related units, without the access predicates of the kinds that they lead
 * to.
 */
export function extentOf(predicates: readonly Predicate[]): Extent {
  const tests = predicates.flatMap(fieldTests);
  const counts = tests.map((test) => (test.op === 'member' ? test.values.length : 1));
  const all = predicates.flatMap(relatedIn);
  const related = all.filter(({ via }) => via.type !== 'member');
  const ofMember = all.length - related.length;
  // Each is one function, whatever it looks at.
  const more = predicates.flatMap(referredIn).reduce((sum, { tests: parts }) => sum + parts - 1, 0);
  const inner = all.map(extentOfRelated);
  const total = (own: number, of: (extent: Extent) => number) => inner.reduce((sum, each) => sum + of(each), own);
  return {
    tests: total(
      counts.reduce((sum, count) => sum + count, 0),
      (each) => each.tests,
    ),
    lookups: total(lookupsOf(tests.flatMap(operandsOf)) + ofMember, (each) => each.lookups),
    related: total(related.length - more, (each) => each.related),
    inKinds: total(0, (each) => each.inKinds),
  };
}

/** How much memory predicates take: their tests, each counted in each kind that it is for. */
export function testsInMemory(predicates: readonly Predicate[]): number {
  const related = predicates.flatMap(relatedIn).flatMap(withThoseInSums);
  const ofRelated = related.map((each) => each.kinds.length + sumSize(each) + testsInMemory(filtersOf(each)));
  return ofRelated.reduce((sum, each) => sum + each, predicates.flatMap(fieldTests).length);
}

/** A function over related units, and those in its sum. */
function withThoseInSums(related: Related): Related[] {
  return [related, ...relatedInSum(related).flatMap(withThoseInSums)];
}

/** What is read for a sum of related units, in tests. */
function sumSize({ summed }: Related): number {
  return summed ? sourcesOf(summed).length : 0;
}

/** The filters of a function over related units, and its sum. The filter of linked units is the same in all kinds. */
function extentOfRelated(related: Related): Extent {
  const { tests, lookups, related: inFilters, inKinds } = extentOfFilters(related);
  const inSum = relatedInSum(related).map(extentOfRelated);
  const total = (own: number, of: (extent: Extent) => number) => inSum.reduce((sum, each) => sum + of(each), own);
  return {
    tests: total(tests + sumSize(related), (each) => each.tests),
    lookups: total(lookups + lookupsOf(related.summed ? sourcesOf(related.summed) : []), (each) => each.lookups),
    related: total(inFilters + inSum.length, (each) => each.related),
    inKinds: total(inKinds, (each) => each.inKinds),
  };
}

function extentOfFilters({ via, kinds }: Related): Extent {
  const ofKinds = kinds.map(({ filter }) => (filter ? extentOf([filter]) : NOTHING));
  const ofLink = via.type === 'link' && via.where ? extentOf([via.where]) : NOTHING;
  const most = (of: (extent: Extent) => number) => of(ofLink) + Math.max(0, ...ofKinds.map(of));
  const several = ofKinds.length > 1;
  const inKinds = ofKinds.map((each) =>
    several ? each.tests + each.lookups * TESTS_PER_LOOKUP + each.inKinds : each.inKinds,
  );
  return {
    tests: most((each) => each.tests),
    lookups: most((each) => each.lookups),
    related: most((each) => each.related),
    inKinds: inKinds.reduce((sum, each) => sum + each, ofLink.inKinds),
  };
}

/** The targets of a predicate in referenced units. */
export function targetsOf(predicate: Predicate): Target[] {
  return fieldTests(predicate)
    .flatMap(operandsOf)
    .filter(({ through }) => through);
}

/** How many referenced units are looked up for the targets of one unit, including those in the middle of a path. */
export function lookupsOf(targets: readonly Target[]): number {
  return new Set(targets.flatMap(({ through }) => wayKeys(through))).size;
}
