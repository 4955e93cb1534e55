/** The parsed query of a list: filter, order, page and fields. */
import { LIMITS } from '../shared/limits.js';
import type { Filter } from './filter.ast.js';
import type { OrderBy } from './order.ast.js';

export interface ListQuery {
  readonly offset: number;
  readonly limit: number;
  readonly order: readonly OrderBy[];
  readonly filter: Filter | undefined;
  /** A text in the syntax of web searches. */
  readonly search: string | undefined;
  /** `*` stands for all fields. */
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
  /** Whether included paths are objects inside one another, instead of flat keys. */
  readonly nest: boolean;
  readonly count: 'exact' | 'none' | 'estimated';
  /** Undefined without keyset pagination, empty for the first page. */
  readonly cursor: string | undefined;
  /** Whether the linked units are added to each unit, or their numbers. */
  readonly loadLinks: LoadLinks;
  readonly depth: number;
  /** The link types to follow, of a traversal or of `load_links`; undefined for all. */
  readonly linkIds: readonly string[] | undefined;
  /** The kinds whose units a traversal returns or `load_links` adds; undefined for all. */
  readonly kindIds: readonly string[] | undefined;
  /** The links that `load_links` adds: those from parents or those to children; undefined for both. */
  readonly direction: 'parent' | 'child' | undefined;
  /** The fields of linked units. */
  readonly includeLinked: readonly string[] | undefined;
}

type LoadLinks = 'units' | 'count' | false;

/** The name in `include` for all fields. */
export const ALL_FIELDS = '*';

export const EMPTY_QUERY: ListQuery = {
  offset: 0,
  limit: LIMITS.pageDefault,
  order: [],
  filter: undefined,
  search: undefined,
  include: undefined,
  exclude: undefined,
  nest: false,
  count: 'exact',
  cursor: undefined,
  loadLinks: false,
  depth: 0,
  linkIds: undefined,
  kindIds: undefined,
  direction: undefined,
  includeLinked: undefined,
};
