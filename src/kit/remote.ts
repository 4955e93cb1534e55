/** Remote kinds: their units come from somewhere else. */
import type { Filter } from '../filter/filter.ast.js';
import type { Context } from './context.js';
import type { AnyValues } from './units.js';

export type { Filter };

/** What a list asks for, checked against the parameters of the kind. */
export interface RemoteQuery {
  /** The parsed filter, null for none; `filterText` is the same as text. */
  readonly filter: Filter | null;
  readonly filterText: string | null;
  readonly order: readonly { readonly parameter: string; readonly descending: boolean }[];
  readonly offset: number;
  readonly limit: number;
}

/** The parameters of a unit, and its id; what the kind does not have is left out of the answer. */
export type RemoteUnit = Readonly<Record<string, unknown>> & { readonly id: string };

export interface RemotePage {
  /** Of all units that the filter lets through; -1 where that is not known. */
  readonly count: number;
  readonly items: readonly RemoteUnit[];
}

/**
 * The source of a remote kind. Levels of access were checked before it is asked. What it leaves out can not be done
 * (404 `kind.not_allowed_here`); what it throws, other than a FunctionError, is answered 503 `kind.remote_unavailable`;
 * past the time limit the answer is 504 `function.timeout`.
 */
export interface Remote {
  list(query: RemoteQuery, context: Context): Promise<RemotePage> | RemotePage;
  /** Null or undefined where there is none. */
  get?(id: string, context: Context): Promise<RemoteUnit | null | undefined> | RemoteUnit | null | undefined;
  create?(values: AnyValues, context: Context): Promise<RemoteUnit> | RemoteUnit;
  /** Null or undefined where there is none. */
  update?(
    id: string,
    values: AnyValues,
    context: Context,
  ): Promise<RemoteUnit | null | undefined> | RemoteUnit | null | undefined;
  /** False where there is none. */
  delete?(id: string, context: Context): Promise<boolean | void> | boolean | void;
}
