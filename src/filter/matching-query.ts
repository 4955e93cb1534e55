/** The query of an edit or deletion by filter. */
import { LIMITS } from '../shared/limits.js';
import type { Filter } from './filter.ast.js';

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
