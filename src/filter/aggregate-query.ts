/** The parsed query of an aggregation. */
import { LIMITS } from '../shared/limits.js';
import type { GroupTerm, SelectTerm } from './aggregate.ast.js';
import type { Filter } from './filter.ast.js';
import type { OrderBy } from './order.ast.js';

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
