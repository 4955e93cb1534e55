/** Parses the query parameters of the shortest path between two units. */
import { EMPTY_QUERY, type ListQuery } from '../../filter/queries.js';
import { LIMITS } from '../../shared/limits.js';
import { parseQuery, type Parsed, type QueryParameters } from './parse-list-query.js';
import { PATH_QUERY } from './query-names.js';
import type { QueryReader } from './query-reader.js';

export interface PathQuery {
  /** The unit to which the path leads; undefined if the query does not name it. */
  readonly target: { readonly kind: string; readonly unit: string } | undefined;
  readonly direction: 'child' | 'parent';
  /** The links to follow, and the fields to return. */
  readonly list: ListQuery;
}

/** The units of the longest path. */
const MAX_UNITS = LIMITS.walkDepth + 1;
const EMPTY_LIST: ListQuery = { ...EMPTY_QUERY, depth: LIMITS.walkDepth, limit: MAX_UNITS, count: 'none' };
const EMPTY_PATH: PathQuery = { target: undefined, direction: 'child', list: EMPTY_LIST };

export function parsePathQuery(parameters: QueryParameters): Parsed<PathQuery> {
  return parseQuery(parameters, PATH_QUERY, readPathQuery, EMPTY_PATH);
}

function readPathQuery(reader: QueryReader): PathQuery {
  const [kind, unit] = [reader.required('to_kind', 'a kind'), reader.required('to_id', 'a unit')];
  const list: ListQuery = {
    ...EMPTY_LIST,
    include: reader.names('include'),
    exclude: reader.names('exclude'),
    nest: reader.flag('nest'),
    depth: reader.number('depth', LIMITS.walkDepth, LIMITS.walkDepth),
    linkIds: reader.names('link_id'),
  };
  if (list.include && list.exclude) reader.conflict('include', 'exclude');
  return {
    target: kind === undefined || unit === undefined ? undefined : { kind, unit },
    direction: reader.choice('direction', ['child', 'parent'], 'child'),
    list,
  };
}
