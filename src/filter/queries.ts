/** The parsed queries of routes. */
import { LIMITS } from '../shared/limits.js';
import type { GroupTerm, SelectTerm } from './aggregate.ast.js';
import type { Filter } from './filter.ast.js';
import type { OrderBy } from './order.js';

/** The parsed query of a list: filter, order, page and fields. */
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

/** The query of an edit or deletion by filter. */
export interface MatchingQuery {
  /** Undefined after a fault alone. */
  readonly filter: Filter | undefined;
  /** The most units that may be affected. */
  readonly most: number;
  /** The fields of the affected units in the answer; undefined to answer their number alone. */
  readonly include: readonly string[] | undefined;
  readonly nest: boolean;
}

export const EMPTY_MATCHING_QUERY: MatchingQuery = {
  filter: undefined,
  most: LIMITS.affectedDefault,
  include: undefined,
  nest: false,
};

/** The query of an upsert. */
export interface UpsertQuery {
  /** What happens to units that exist. */
  readonly onConflict: 'update' | 'ignore';
  /** The unique parameters by which units are looked up; undefined for the primary parameter. */
  readonly by: readonly string[] | undefined;
}

export const EMPTY_UPSERT_QUERY: UpsertQuery = { onConflict: 'ignore', by: undefined };

/** The parsed query of an aggregation. */
export interface AggregateQuery {
  readonly select: readonly SelectTerm[];
  readonly group: readonly GroupTerm[];
  /** The units that are aggregated. */
  readonly filter: Filter | undefined;
  /** A text in the syntax of web searches. */
  readonly search: string | undefined;
  /** The groups that are returned: a filter over the names of the answer. */
  readonly having: Filter | undefined;
  /** Over the names of the answer. */
  readonly order: readonly OrderBy[];
  readonly limit: number;
  readonly offset: number;
  /** The time zone of periods of datetimes: a name such as `Europe/Rome`. */
  readonly timezone: string;
}

export const EMPTY_AGGREGATE: AggregateQuery = {
  select: [],
  group: [],
  filter: undefined,
  search: undefined,
  having: undefined,
  order: [],
  limit: LIMITS.pageDefault,
  offset: 0,
  timezone: 'UTC',
};
