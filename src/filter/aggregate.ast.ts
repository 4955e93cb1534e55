/** The syntax trees of the terms of an aggregation: what `select` and `group` name. `at` is a position from 1. */
import type { Filter, Path } from './filter.ast.js';

/** Functions that summarise the units of a group. */
export const AGGREGATE_FUNCTIONS = ['count', 'count_distinct', 'sum', 'avg', 'min', 'max', 'first', 'last'] as const;

/** Periods of dates and datetimes. */
export const PERIODS = ['year', 'quarter', 'month', 'week', 'day', 'hour'] as const;

/** Functions of `group`. */
export const GROUP_FUNCTIONS = [...PERIODS, 'lower', 'each', 'bucket'] as const;

export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number];
export type Period = (typeof PERIODS)[number];

interface NamedTerm {
  /** The name in the answer; undefined for the one that follows from the term. */
  readonly name: string | undefined;
  readonly at: number;
}

/** A term of `select`. */
export type SelectTerm = AggregateTerm | ComputedTerm;

/** `paid:sum(total,eq(state,paid))`. Only `count` can have no path. */
export interface AggregateTerm extends NamedTerm {
  readonly function: AggregateFunction;
  readonly path: Path | undefined;
  readonly filter: Filter | undefined;
}

/** `div(total,count)`: what is computed of fields of the answer that stand before it. */
export interface ComputedTerm extends NamedTerm {
  /** Its paths are names of the answer. */
  readonly computed: Path;
}

/** `country.name`, `year(inserted_at)`, `each(tags)`, `bucket(population,1000)`. */
export type GroupTerm = NamedTerm & { readonly path: Path } & (
    | { readonly function: undefined }
    | { readonly function: Period | 'lower' | 'each' }
    /** `size` is a decimal number above zero. */
    | { readonly function: 'bucket'; readonly size: string }
  );
