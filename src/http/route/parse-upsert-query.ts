/** Parses the query of an upsert. */
import { EMPTY_UPSERT_QUERY, type UpsertQuery } from '../../filter/queries.js';
import { parseQuery, urlQueryParameters, type Parsed, type QueryParameters } from './parse-list-query.js';
import { UPSERT_QUERY } from './query-names.js';
import type { QueryReader } from './query-reader.js';

/** Whether the URL of a create has query parameters of an upsert. */
export function isUpsert(url: string): boolean {
  return urlQueryParameters(url).some(([name]) => isUpsertName(name));
}

export function isUpsertName(name: string): boolean {
  return UPSERT_QUERY.some((known) => known === name);
}

export function parseUpsertQuery(parameters: QueryParameters): Parsed<UpsertQuery> {
  return parseQuery(parameters, UPSERT_QUERY, readUpsertQuery, EMPTY_UPSERT_QUERY);
}

export function readUpsertQuery(reader: QueryReader): UpsertQuery {
  if (!reader.has('on_conflict')) reader.bad('by', 'only with on_conflict');
  return { onConflict: reader.choice('on_conflict', ['update', 'ignore'], 'ignore'), by: reader.names('by') };
}
