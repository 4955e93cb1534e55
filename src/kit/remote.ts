/** Remote kinds, whose units are stored by another system. */
import type { Filter } from '../filter/filter.ast.js';
import type { Context } from './context.js';
import type { AnyValues } from './units.js';

export type { Filter };

/**
 * The query of a list. It is valid: its parameters exist and the caller may read them, and operators and values fit
 * their types. Values are texts, as in the request. A path has one segment, or several inside a `json` parameter.
 */
export interface RemoteQuery {
  /** The parsed filter; null for none. */
  readonly filter: Filter | null;
  /** The filter as an expression in canonical form; null for none. */
  readonly filterText: string | null;
  /** The order of the request; empty if the source may choose it. */
  readonly order: readonly { readonly parameter: string; readonly descending: boolean }[];
  readonly offset: number;
  /** At most 1000; 0 for the count alone. Items beyond it are ignored. */
  readonly limit: number;
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
