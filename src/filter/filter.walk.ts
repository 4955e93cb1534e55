/** The tests of a filter, and their paths and values, in the order of the expression. */
import type { Filter, Path, RelatedUnits, Test, Value } from './filter.ast.js';

/** The tests of the unit itself: not those of its related units. */
export function filterTests(filter: Filter): Test[] {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.flatMap(filterTests);
    case 'not':
      return filterTests(filter.filter);
    case 'exists':
    case 'all':
      return [];
    default:
      return [filter];
  }
}

/** The path of each test that begins at the unit itself. */
export function pathsOf(filter: Filter): Path[] {
  return filterTests(filter)
    .flatMap(filterOperands)
    .filter(({ counted, member }) => !counted && !member);
}

/** What a test compares: one parameter, or two, and those of the unit before an edit. */
export function filterOperands(test: Test): readonly Path[] {
  if ('other' in test) return [test.path, test.other];
  return [test.path, ...testValues(test).flatMap((value) => (value.type === 'before' ? value.path : []))];
}

/** The paths from the unit before an edit, also those in tests of related units. */
export function beforePathsOf(filter: Filter): Path[] {
  const own = filterTests(filter).flatMap(filterOperands);
  const inner = relatedOf(filter).flatMap((related) => (related.filter ? beforePathsOf(related.filter) : []));
  return [...own.filter(({ before }) => before), ...inner];
}

/** The values of a test: several for a list, none for `isnull`. */
export function testValues(test: Test): readonly Value[] {
  if (test.op === 'isnull' || 'other' in test) return [];
  return test.value.type === 'list' ? test.value.items : [test.value];
}

/** The related units that a filter tests or counts, without those in their filters. */
export function relatedOf(filter: Filter): RelatedUnits[] {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.flatMap(relatedOf);
    case 'not':
      return relatedOf(filter.filter);
    case 'exists':
      return [filter.related];
    case 'all':
      return [];
    default:
      return filterOperands(filter).flatMap(({ counted }) => counted ?? []);
  }
}

/** How many functions over related units there are, including those in their filters. */
export function countRelated(related: readonly RelatedUnits[]): number {
  return related.reduce((sum, { filter }) => sum + 1 + (filter ? countRelated(relatedOf(filter)) : 0), 0);
}

/** The paths from the calling member, as segments, also in tests of related units. */
export function memberPathsOf(filter: Filter): (readonly string[])[] {
  const tests = filterTests(filter);
  const values = tests.flatMap(testValues).flatMap((value) => (value.type === 'member' ? [[value.name]] : []));
  const tested = tests.flatMap(filterOperands).flatMap(({ member, segments }) => (member ? [segments] : []));
  const inner = relatedOf(filter).flatMap((related) => (related.filter ? memberPathsOf(related.filter) : []));
  return [...values, ...tested, ...inner];
}

/** How many functions over related units are inside one another at most. */
export function depthOfRelated(related: readonly RelatedUnits[]): number {
  return related.reduce((most, { filter }) => Math.max(most, 1 + (filter ? depthOfRelated(relatedOf(filter)) : 0)), 0);
}

/** The first segment of these paths. The path `link` alone is a parameter of the unit. */
export const LINK_PREFIX = 'link';

export function isLinkPath(segments: Path['segments']): boolean {
  return segments.length > 1 && segments[0] === LINK_PREFIX;
}

/** A filter in two parts that both have to match: tests of the link alone, and all others. */
interface SplitFilter {
  readonly ofLink: Filter | undefined;
  readonly others: Filter | undefined;
}

export function splitByLink(filter: Filter): SplitFilter {
  const parts = conjunctsOf(filter);
  const ofLink = parts.filter(testsLinkAlone);
  if (ofLink.length === 0) return { ofLink: undefined, others: filter };
  return { ofLink: conjunction(ofLink), others: conjunction(parts.filter((part) => !ofLink.includes(part))) };
}

function conjunctsOf(filter: Filter): readonly Filter[] {
  return filter.op === 'and' ? filter.filters.flatMap(conjunctsOf) : [filter];
}

function testsLinkAlone(filter: Filter): boolean {
  return relatedOf(filter).length === 0 && pathsOf(filter).every(({ segments }) => isLinkPath(segments));
}

function conjunction(filters: readonly Filter[]): Filter | undefined {
  const [first] = filters;
  return filters.length > 1 && first ? Object.freeze({ op: 'and', filters, at: first.at }) : first;
}
