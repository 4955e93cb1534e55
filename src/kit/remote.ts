/** Remote kinds: their units come from somewhere else. */
import type { Filter } from '../filter/filter.ast.js';
import type { Context } from './context.js';
import type { AnyValues } from './units.js';

export type { Filter };

/**
 * What a list asks for, checked by the parameters of the kind: names are there and may be read, operators and values fit
 * their types. Values are texts, as they were written. A path has one segment, or inside a `json` parameter several.
 */
export interface RemoteQuery {
  /** The parsed filter, null for none; `filterText` is the same in canonical spelling. */
  readonly filter: Filter | null;
  readonly filterText: string | null;
  /** As it was asked: empty for the source's own order. */
  readonly order: readonly { readonly parameter: string; readonly descending: boolean }[];
  readonly offset: number;
  /** At most 1000; 0 asks for the count alone. What a page has beyond it is left out. */
  readonly limit: number;
}

/**
 * The parameters of a unit, and its id; of a kind with a primary parameter that one's value as text. What the kind does
 * not have is left out of the answer, what is missing is null. `metadata`, `inserted_at` and `updated_at` may be there.
 */
export type RemoteUnit = Readonly<Record<string, unknown>> & { readonly id: string };

export interface RemotePage {
  /** Of all units that the filter lets through; -1 where that is not known. */
  readonly count: number;
  readonly items: readonly RemoteUnit[];
}

/**
 * The source of a remote kind. Levels of access were checked before it is asked. What it leaves out can not be done
 * (404 `kind.not_allowed_here`); what it throws, other than a FunctionError, and an answer that does not fit the kind, is
 * 503 `kind.remote_unavailable`, and the log says why; past the time limit the answer is 504 `function.timeout`.
 */
export interface Remote {
  list(query: RemoteQuery, context: Context): Promise<RemotePage> | RemotePage;
  /** Null or undefined where there is none. Needed by `update`, `delete` and all hooks but `before_create`. */
  get?(id: string, context: Context): Promise<RemoteUnit | null | undefined> | RemoteUnit | null | undefined;
  /** Values are whole and checked, with defaults and run-time parameters, as records show them. */
  create?(values: AnyValues, context: Context): Promise<RemoteUnit> | RemoteUnit;
  /** Values are those that change. Answers the whole unit; null or undefined where there is none. */
  update?(
    id: string,
    values: AnyValues,
    context: Context,
  ): Promise<RemoteUnit | null | undefined> | RemoteUnit | null | undefined;
  /** False where there is none. */
  delete?(id: string, context: Context): Promise<boolean | void> | boolean | void;
}
