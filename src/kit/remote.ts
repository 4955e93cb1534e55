/** Remote kinds, whose units are stored by another system. */
import type { AggregateFunction, GroupTerm } from '../filter/aggregate.ast.js';
import type { Filter } from '../filter/filter.ast.js';
import type { Context } from './context.js';
import type { AnyValues } from './kinds.js';

export type { Filter };

/**
 * The query of a list. It is valid: its parameters exist and the caller may read them, and operators and values fit
 * their types. Values are texts, as in the request. A path has one segment, or several inside a `json` parameter.
 */
export interface RemoteQuery {
  /** The parsed filter; null for none, and for `all()`. */
  readonly filter: Filter | null;
  /** The filter as an expression in canonical form; null for none. */
  readonly filterText: string | null;
  /** The order of the request; empty if the source may choose it. */
  readonly order: readonly { readonly parameter: string; readonly descending: boolean }[];
  readonly offset: number;
  /** At most 1000; 0 for the count alone. Items beyond it are ignored. */
  readonly limit: number;
}

/** A function over the units of a group. */
export interface RemoteFunction {
  /** The name in the answer. */
  readonly name: string;
  readonly function: AggregateFunction;
  /** The parameter, or keys inside a `json` parameter after it; null for a count of units. */
  readonly parameter: string | null;
  /** The units that the function takes; null for all. */
  readonly filter: Filter | null;
  readonly filterText: string | null;
}

/** What units are grouped by. */
export interface RemoteGroup {
  /** The name in the answer. */
  readonly name: string;
  readonly parameter: string;
  /** Null for the value of the parameter. */
  readonly function: GroupTerm['function'] | null;
  /** The size of a `bucket`, a decimal number above zero; null for other functions. */
  readonly size: string | null;
}

/** The query of an aggregation. It is valid: functions fit the types of their parameters. */
export interface RemoteAggregateQuery extends RemoteQuery {
  readonly select: readonly RemoteFunction[];
  readonly group: readonly RemoteGroup[];
  /** The filter of the groups, over the names of the answer, as is `order`; null for none. */
  readonly having: Filter | null;
  readonly havingText: string | null;
  /** Of periods of datetimes, such as `Europe/Rome`. */
  readonly timezone: string;
}

/** A page of groups. Each item has a value for each name of `group` and `select`; a missing one is null. */
export interface RemoteGroups {
  /** The number of all groups. */
  readonly count: number;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/**
 * A unit: its `id`, which for a kind with a primary parameter is the value of that as text, and its parameters. Unknown
 * properties are ignored and missing ones are null. `metadata`, `inserted_at` and `updated_at` are optional.
 */
export type RemoteUnit = Readonly<Record<string, unknown>> & { readonly id: string };

/** A page of units. */
export interface RemotePage {
  /** The number of all units that match the filter; -1 if unknown. */
  readonly count: number;
  readonly items: readonly RemoteUnit[];
}

/**
 * The source of a remote kind. Access is checked before it is called.
 *
 * - An operation that it lacks is rejected with 404 `kind.not_allowed_here`.
 * - If it throws anything but a FunctionError, or returns something that does not fit the kind, the response is 503
 *   `kind.remote_unavailable`, and the log has the cause.
 * - If it exceeds the time limit, the response is 504 `function.timeout`.
 */
export interface Remote {
  /** Returns a page of units. */
  list(query: RemoteQuery, context: Context): Promise<RemotePage> | RemotePage;
  /** Returns a page of groups of units. Without it, an aggregation is rejected with 400 `kind.no_aggregate`. */
  aggregate?(query: RemoteAggregateQuery, context: Context): Promise<RemoteGroups> | RemoteGroups;
  /** Returns a unit, or null if it does not exist. Needed by `update`, `delete` and all hooks but `before_create`. */
  get?(id: string, context: Context): Promise<RemoteUnit | null | undefined> | RemoteUnit | null | undefined;
  /** Creates a unit and returns it. `values` are valid and complete, with defaults and run-time parameters. */
  create?(values: AnyValues, context: Context): Promise<RemoteUnit> | RemoteUnit;
  /** Edits a unit and returns it with all parameters; null if it does not exist. `values` are those that change. */
  update?(
    id: string,
    values: AnyValues,
    context: Context,
  ): Promise<RemoteUnit | null | undefined> | RemoteUnit | null | undefined;
  /** Deletes a unit. Returns false if it does not exist. */
  delete?(id: string, context: Context): Promise<boolean | void> | boolean | void;
}
