/** Which versions are asked for, and how a unit was. Pure. */
import { EMPTY_QUERY, type ListQuery } from '../filter/queries.js';
import { type Parsed, parseListQuery, parseQuery, type QueryParameters } from '../http/route/parse-list-query.js';
import { HISTORY_QUERY, PAST_QUERY } from '../http/route/query-names.js';
import type { QueryReader } from '../http/route/query-reader.js';
import { inUtc, microsecondsOf, readInstant } from '../model/parameter-type/calendar.js';

export function parseHistoryQuery(parameters: QueryParameters): Parsed<ListQuery> {
  return parseListQuery(parameters, HISTORY_QUERY);
}

export interface PastQuery extends Pick<ListQuery, 'include' | 'exclude'> {
  /** Microseconds, as digits. */
  readonly asOf: string;
}

const EMPTY: PastQuery = { ...EMPTY_QUERY, asOf: '0' };

/** Its faults are thrown when it is planned. */
export function parsePastQuery(parameters: QueryParameters): Parsed<PastQuery> {
  return parseQuery(parameters, PAST_QUERY, readPastQuery, EMPTY);
}

function readPastQuery(reader: QueryReader): PastQuery {
  const [include, exclude] = [reader.names('include'), reader.names('exclude')];
  const text = reader.single('as_of') ?? '';
  if (include && exclude) reader.conflict('include', 'exclude');
  const own = include?.every((name) => /^(?:\*|[a-z0-9_]+)$/i.test(name)) ?? true;
  if (!own) reader.bad('include', 'wants fields of the unit itself: what it refers to is not known as it was');
  const time = /^\d{1,16}$/.test(text) ? undefined : readInstant(text);
  const asOf = time === undefined ? text : microsecondsOf(inUtc(time));
  if (/^-?\d{1,17}$/.test(asOf)) return { include, exclude, asOf };
  reader.bad('as_of', 'wants a time, such as 2026-01-31T09:30:00Z, or a version');
  return { ...EMPTY, include, exclude };
}
