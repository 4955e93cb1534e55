/** Paths to the values of links, such as `link.weight`, in filters of linked units and of traversals. */
import type { Filter, Path } from './filter.ast.js';
import { pathsOf, relatedOf } from './filter.walk.js';

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
