/** Units, and the operations on them. */
import type { Grouped, Terms } from './grouped.js';
import type { Included } from './included.js';

/** Options of a list: the query parameters of the same names (docs/filter.md). */
export interface ListOptions<I extends readonly string[] = readonly string[], Nested extends boolean = boolean> {
  /** A filter expression. Insert values with the tag `filter`. Hidden parameters can be used. */
  readonly filter?: string;
  /** Words to search for, such as `big cat -dog` (docs/search.md). */
  readonly search?: string;
  /** The order, such as `population;desc`, or several terms. */
  readonly order?: string | readonly string[];
  /** The size of the page: 100 by default, at most 1000. */
  readonly limit?: number;
  /** The number of units to skip; 0 by default. */
  readonly offset?: number;
  /** The parameters to return; all if omitted. */
  readonly include?: I;
  /** The parameters not to return. */
  readonly exclude?: readonly string[];
  /** Whether included paths are objects inside one another: `unit.author.name`, not `unit['author.name']`. */
  readonly nest?: Nested;
  /** How the units are counted; `exact` by default. With `none` they are not, and `count` is -1. */
  readonly count?: 'exact' | 'none' | 'estimated';
}

/** Options of an aggregation: the query parameters of the same names (docs/aggregation.md). */
export interface AggregateOptions<S extends Terms = Terms, G extends Terms = Terms> {
  /** Functions such as `count()`, `paid:sum(total,eq(state,paid))`. */
  readonly select?: S;
  /** What units are grouped by, such as `country.name`, `year(inserted_at)`; all are one group if omitted. */
  readonly group?: G;
  /** The units, before they are grouped. */
  readonly filter?: string;
  /** Words to search for, as in lists. */
  readonly search?: string;
  /** The groups, by the names of the answer. */
  readonly having?: string;
  /** The order, by the names of the answer. */
  readonly order?: string | readonly string[];
  /** The size of the page: 100 by default, at most 1000. */
  readonly limit?: number;
  /** The number of groups to skip; 0 by default. */
  readonly offset?: number;
  /** The time zone of periods of datetimes; `UTC` by default. */
  readonly timezone?: string;
}

/** Options of `get` and `find`. */
export interface GetOptions {
  /**
   * Locks the unit until the transaction of the call ends: others that lock or change it wait, and then read what this
   * one stored. Not for remote kinds.
   */
  readonly lock?: boolean;
}

/** A condition for a write of one unit. */
export interface WriteCondition {
  /** The `etag` of the unit as it was read: if the unit has changed since, nothing is written (412). */
  readonly ifMatch?: string;
}

/**
 * A change of the stored value of a parameter, which is applied atomically (docs/writing.md): of a number, a list, or JSON.
 */
export type Expression<T> = T extends readonly (infer E)[]
  ? { readonly $remove?: readonly E[]; readonly $add?: readonly E[] }
  : T extends number | string
    ? { readonly $inc: number | string }
    : T extends object
      ? { readonly $merge: object } | { readonly $set: unknown }
      : never;

/** The values of an edit, of which any can be omitted. */
export type ChangesOf<V> = { readonly [P in keyof V]?: V[P] | Expression<V[P]> | undefined };

/** Options of an upsert: the query parameters of the same names (docs/writing.md). */
export interface UpsertOptions {
  /** Whether a unit that exists is edited, the default, or left as it is. */
  readonly on_conflict?: 'update' | 'ignore';
  /** The unique parameters by which units are looked up; the primary parameter if omitted. */
  readonly by?: string | readonly string[];
}

/** A unit after an upsert. */
export interface Upserted<U> {
  readonly result: 'created' | 'updated' | 'unchanged' | 'ignored';
  readonly unit: WithEtag<U>;
}

/** Options of an edit or deletion by filter. */
export interface AffectedOptions {
  /** More units than that are a 409: 1000 by default, at most 100,000. */
  readonly max_affected?: number;
}

/** A unit with its ETag, as in HTTP. The property is not enumerable; a parameter of this name is there instead. */
export type WithEtag<U> = U extends { readonly etag: unknown } ? U : U & { readonly etag: string };

/** A page of units, or of groups. */
export interface Page<U> {
  /** The number of all units that match the filter, or of all groups. */
  readonly count: number;
  readonly items: readonly U[];
}

/**
 * Operations on the units of a kind. They work as in the REST API, with access rules, validation and hooks, in the
 * transaction of the call. A rejected operation throws an error with `status` and `code`; it stores nothing, and the
 * call can go on.
 *
 * Hidden parameters are properties that are not enumerable: `unit.secret` reads one, but spreads and responses do not
 * contain it.
 */
export interface Units<U, V> {
  /** Lists units, with the fields that `include` names. @throws 400 for a bad query, 403 */
  list<const I extends readonly string[] = readonly string[], Nested extends boolean = false>(
    options?: ListOptions<I, Nested>,
  ): Promise<Page<Included<U, I, Nested>>>;
  /**
   * Groups and counts units; a group has the fields that `group` and `select` name. Values of hidden parameters are not
   * enumerable. @throws 400 for a bad query, 403
   */
  aggregate<const S extends Terms = readonly [], const G extends Terms = readonly []>(
    options: AggregateOptions<S, G>,
  ): Promise<Page<Grouped<U, S, G>>>;
  /** Returns a unit. @throws 404 if it does not exist or the caller may not read it */
  get(id: string, options?: GetOptions): Promise<WithEtag<U>>;
  /** Returns a unit, or null if it does not exist or the caller may not read it. */
  find(id: string, options?: GetOptions): Promise<WithEtag<U> | null>;
  /** Creates a unit and returns it. @throws 400 with all errors of the values, 403, 409 */
  create(values: V): Promise<WithEtag<U>>;
  /** Creates at most 1000 units, all or none, and returns them. */
  createAll(values: readonly V[]): Promise<readonly WithEtag<U>[]>;
  /** Edits a unit and returns it. Values that are omitted stay as they are. @throws 400, 403, 404, 409, 412 */
  update(id: string, values: ChangesOf<V>, condition?: WriteCondition): Promise<WithEtag<U>>;
  /**
   * Creates a unit, or edits or leaves the one that has the same values of unique parameters. @throws 400, 403, 409
   */
  upsert(values: V, options?: UpsertOptions): Promise<Upserted<U>>;
  /** The same for at most 1000 units, all or none. */
  upsertAll(values: readonly V[], options?: UpsertOptions): Promise<readonly Upserted<U>[]>;
  /** Edits all units that match a filter, or none, and returns how many. @throws 400, 403, 409 */
  updateAll(filter: string, values: ChangesOf<V>, options?: AffectedOptions): Promise<number>;
  /** Deletes all units that match a filter, or none, and returns how many. @throws 400, 403, 409 */
  removeAll(filter: string, options?: AffectedOptions): Promise<number>;
  /** Deletes a unit. @throws 403, 404, 409 if other units refer to it, 412 */
  remove(id: string, condition?: WriteCondition): Promise<void>;
}
