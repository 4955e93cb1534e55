/** Parses the query parameters of an aggregation. */
import { type AggregateQuery, EMPTY_AGGREGATE } from '../../filter/queries.js';
import { parseGroup, parseSelect } from '../../filter/aggregate.parser.js';
import { LIMITS } from '../../shared/limits.js';
import { LazyQuery, parseQuery, type QueryParameters, type RepeatableQuery } from './parse-list-query.js';
import { AGGREGATE_QUERY, type QueryName } from './query-names.js';
import type { QueryReader } from './query-reader.js';

/** @param names the parameters that the endpoint takes */
export function parseAggregateQuery(
  parameters: QueryParameters,
  names: readonly QueryName[] = AGGREGATE_QUERY,
): RepeatableQuery<AggregateQuery> {
  return new LazyQuery(parameters, () => parseQuery(parameters, names, readAggregateQuery, EMPTY_AGGREGATE));
}

function readAggregateQuery(reader: QueryReader): AggregateQuery {
  const select = reader.all('select', parseSelect);
  const group = reader.all('group', parseGroup);
  if (!select && !group) reader.bad('select', 'wants at least one function, such as count(), or a group');
  const fields = (select?.length ?? 0) + (group?.length ?? 0);
  if (fields > LIMITS.aggregateFields)
    reader.bad('select', `at most ${LIMITS.aggregateFields} fields with those of group`);
  const [offset, limit] = [
    reader.number('offset', 0, LIMITS.groupsMax),
    reader.number('limit', LIMITS.pageDefault, LIMITS.pageMax),
  ];
  if (offset + limit > LIMITS.groupsMax)
    reader.bad('offset', `offset and limit together are at most ${LIMITS.groupsMax}`);
  return {
    select: select ?? [],
    group: group ?? [],
    filter: reader.filter('filter'),
    search: reader.single('search'),
    having: reader.filter('having'),
    order: reader.order(),
    limit,
    offset,
    timezone: timezone(reader),
  };
}

function timezone(reader: QueryReader): string {
  const name = reader.single('timezone');
  if (name === undefined) return EMPTY_AGGREGATE.timezone;
  if (isTimezone(name)) return name;
  reader.bad('timezone', `wants the name of a time zone such as Europe/Rome, got '${name.slice(0, 40)}'`);
  return EMPTY_AGGREGATE.timezone;
}

/** Offsets such as +02:00 are refused, because PostgreSQL would read them with the other sign. */
function isTimezone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
