/** Parses the queries of writes: of an edit or deletion by filter, and of an upsert. */
import {
  EMPTY_MATCHING_QUERY,
  EMPTY_UPSERT_QUERY,
  type MatchingQuery,
  type UpsertQuery,
} from '../../filter/queries.js';
import { LIMITS } from '../../shared/limits.js';
import {
  parseListQuery,
  parseQuery,
  type Parsed,
  type ParsedQuery,
  type QueryParameters,
  urlQueryParameters,
} from './parse-list-query.js';
import { MATCHING_QUERY, NO_QUERY, UPSERT_QUERY, WRITTEN_QUERY } from './query-names.js';
import type { KindDef } from '../../model/model.js';
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

/** What is answered of written units; undefined where the query does not say it. Units of some kinds are answered whole. */
export function parseWrittenQuery(parameters: QueryParameters, { storage }: KindDef): ParsedQuery | undefined {
  const given = parameters.filter(([name]) => isWrittenName(name));
  return given.length > 0 ? parseListQuery(given, storage.bulk ? WRITTEN_QUERY : NO_QUERY) : undefined;
}

function isWrittenName(name: string): boolean {
  return WRITTEN_QUERY.some((known) => known === name);
}

/** Whether the URL of a create has query parameters of an upsert. */
export function isUpsert(url: string): boolean {
  return urlQueryParameters(url).some(([name]) => isUpsertName(name));
}

export function isUpsertName(name: string): boolean {
  return UPSERT_QUERY.some((known) => known === name);
}

export function parseUpsertQuery(parameters: QueryParameters): Parsed<UpsertQuery> {
  const others = parameters.filter(([name]) => !isWrittenName(name));
  return parseQuery(others, UPSERT_QUERY, readUpsertQuery, EMPTY_UPSERT_QUERY);
}

export function readUpsertQuery(reader: QueryReader): UpsertQuery {
  if (!reader.has('on_conflict')) reader.bad('by', 'only with on_conflict');
  return { onConflict: reader.choice('on_conflict', ['update', 'ignore'], 'ignore'), by: reader.names('by') };
}
