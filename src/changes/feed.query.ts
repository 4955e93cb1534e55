/** Which changes are asked for. Pure. */
import { EMPTY_QUERY, type ListQuery } from '../filter/queries.js';
import { type Parsed, parseQuery, urlQueryParameters } from '../http/route/parse-list-query.js';
import { CHANGES_QUERY } from '../http/route/query-names.js';
import type { QueryReader } from '../http/route/query-reader.js';
import { FEED_OPERATIONS } from '../model/changes.js';
import { LIMITS } from '../shared/limits.js';

export interface FeedQuery {
  /** The part of the query that lists have too. */
  readonly list: ListQuery;
  /** Kinds by their ids; `*` stands for all. */
  readonly kinds: readonly string[];
  readonly operations: ReadonlySet<string>;
  /** A cursor; empty for the oldest changes, undefined for those from now on. */
  readonly since: string | undefined;
  readonly limit: number;
  /** Milliseconds. */
  readonly wait: number;
}

const EMPTY: FeedQuery = {
  list: EMPTY_QUERY,
  kinds: [],
  operations: new Set(FEED_OPERATIONS),
  since: undefined,
  limit: LIMITS.pageDefault,
  wait: 0,
};

/** Its faults are thrown when it is planned. */
export function parseFeedQuery(url: string): Parsed<FeedQuery> {
  return parseQuery(urlQueryParameters(url), CHANGES_QUERY, readFeedQuery, EMPTY);
}

function readFeedQuery(reader: QueryReader): FeedQuery {
  // Quotes as of JSON: ["*"].
  const kinds = (reader.names('kinds') ?? []).map((id) => id.replace(/^"(.+)"$/, '$1'));
  const operations = reader.names('operations') ?? FEED_OPERATIONS;
  const filter = reader.filter('filter');
  const isOneKind = kinds.length === 1 && kinds[0] !== '*';
  const list = {
    ...EMPTY_QUERY,
    filter: isOneKind ? filter : undefined,
    include: reader.names('include'),
    exclude: reader.names('exclude'),
  };
  const limit = reader.number('limit', LIMITS.pageDefault, LIMITS.pageMax, 1);
  if (kinds.length === 0)
    reader.bad('kinds', 'wants ids of kinds, such as [task,list], or [*] for all that are recorded');
  if (list.include && list.exclude) reader.conflict('include', 'exclude');
  for (const each of operations) {
    if (FEED_OPERATIONS.some((known) => known === each)) continue;
    reader.bad('operations', `wants some of ${FEED_OPERATIONS.join(', ')}, got '${each.slice(0, 40)}'`);
  }
  if (filter && !isOneKind) reader.bad('filter', 'needs exactly one kind in kinds');
  return {
    list,
    kinds,
    operations: new Set(operations),
    since: reader.single('since'),
    limit,
    wait: reader.number('wait', 0, LIMITS.waitSeconds) * 1000,
  };
}
