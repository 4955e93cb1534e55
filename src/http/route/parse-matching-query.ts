/** Parses the query of an edit or deletion by filter. */
import { EMPTY_MATCHING_QUERY, type MatchingQuery } from '../../filter/queries.js';
import { LIMITS } from '../../shared/limits.js';
import { parseQuery, type Parsed, type QueryParameters } from './parse-list-query.js';
import { MATCHING_QUERY } from './query-names.js';
import type { QueryReader } from './query-reader.js';

export function parseMatchingQuery(parameters: QueryParameters): Parsed<MatchingQuery> {
  return parseQuery(parameters, MATCHING_QUERY, readMatchingQuery, EMPTY_MATCHING_QUERY);
}

function readMatchingQuery(reader: QueryReader): MatchingQuery {
  if (!reader.has('filter')) reader.bad('filter', 'must be given; all() matches every unit');
  return {
    filter: reader.filter('filter'),
    most: reader.number('max_affected', LIMITS.affectedDefault, LIMITS.affectedMax),
    include: reader.names('include'),
    nest: reader.flag('nest'),
  };
}
