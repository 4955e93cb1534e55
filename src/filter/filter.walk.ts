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

/** The paths that are read for an operand: itself, or those in an expression. */
export function pathsIn(operand: Path): readonly Path[] {
  if (!operand.computed) return [operand];
  return operand.computed.operands.flatMap((each) => ('segments' in each ? pathsIn(each) : []));
}

/** What a test compares: one parameter, or two, and those of the unit before an edit. */
export function filterOperands(test: Test): readonly Path[] {
  if ('other' in test) return [test.path, test.other];
  return [test.path, ...testValues(test).flatMap((value) => (value.type === 'before' ? value.path : []))];
}

/** The paths from the unit before an edit, also those in tests of related units. */
export function beforePathsOf(filter: Filter): Path[] {
  const own = filterTests(filter).flatMap(filterOperands);
  const inner = relatedOf(filter).flatMap(innerFilters).flatMap(beforePathsOf);
  return [...own.filter(({ before }) => before), ...inner];
}

/** The values of a test: several for a list, none for `isnull`. */
export function testValues(test: Test): readonly Value[] {
  if (test.op === 'isnull' || 'other' in test) return [];
  return test.value.type === 'list' ? test.value.items : [test.value];
}

/** The related units that a filter tests, counts or sums, without those inside of them. */
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

/** The same of an operand. */
export function relatedOfOperand(operand: Path): RelatedUnits[] {
  return pathsIn(operand).flatMap(({ counted }) => counted ?? []);
}

/** The functions over related units in the filter and in the sum of one. */
function innerRelated({ filter, summed }: RelatedUnits): RelatedUnits[] {
  return [...(filter ? relatedOf(filter) : []), ...(summed ? relatedOfOperand(summed) : [])];
}

/** The filter of related units, and those in what is summed of them. */
export function innerFilters({ filter, summed }: RelatedUnits): Filter[] {
  return [...(filter ? [filter] : []), ...(summed ? relatedOfOperand(summed).flatMap(innerFilters) : [])];
}

/** Functions over related units, with those inside of them. */
export function allRelated(related: readonly RelatedUnits[]): RelatedUnits[] {
  return related.flatMap((each) => [each, ...allRelated(innerRelated(each))]);
}

/** The paths from the calling member, as segments, also in tests of related units. */
export function memberPathsOf(filter: Filter): (readonly string[])[] {
  const tests = filterTests(filter);
  const values = tests.flatMap(testValues).flatMap((value) => (value.type === 'member' ? [[value.name]] : []));
  const tested = tests.flatMap(filterOperands).flatMap(({ member, segments }) => (member ? [segments] : []));
  const inner = relatedOf(filter).flatMap(innerFilters).flatMap(memberPathsOf);
  return [...values, ...tested, ...inner];
}

/** How many functions over related units are inside one another at most. */
export function depthOfRelated(related: readonly RelatedUnits[]): number {
  return related.reduce((most, each) => Math.max(most, 1 + depthOfRelated(innerRelated(each))), 0);
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
