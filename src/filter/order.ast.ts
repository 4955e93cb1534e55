/** The syntax trees of the terms of an order. */
import type { Path, Place, RelatedUnits } from './filter.ast.js';

/** What a list is ordered by: a parameter, or the value of a function. `at` is a position in the parameter, from 1. */
export type OrderValue = OrderPath | OrderDistance | OrderRank;

/** `rank()`: how well a unit matches the search. */
interface OrderRank {
  readonly type: 'rank';
  readonly at: number;
}

/** `distance(latitude,longitude,41.9,12.5)`: in kilometres from a point. */
interface OrderDistance extends Place {
  readonly type: 'distance';
  readonly at: number;
}

/** `name`, `country.name`. */
interface OrderPath {
  readonly type: 'path';
  readonly path: Path;
  readonly at: number;
}

export interface OrderBy {
  readonly value: OrderValue;
  readonly descending: boolean;
}

/** The paths that a value names. */
export function pathsOfOrder(value: OrderValue): readonly Path[] {
  switch (value.type) {
    case 'path':
      return [value.path];
    case 'distance':
      return [value.path, value.other];
    case 'rank':
      return [];
  }
}

/** The related units whose number a list is ordered by. */
export function relatedOfOrder(order: readonly OrderBy[]): RelatedUnits[] {
  return order.flatMap(({ value }) => pathsOfOrder(value)).flatMap(({ counted }) => counted ?? []);
}
