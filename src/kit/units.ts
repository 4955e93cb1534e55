/** Units, and the operations on them. */

/**
 * The kinds of a project by id. It is empty until `kind types <project>` writes a declaration file that extends it.
 * Units of kinds that are not in it can have any parameters.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- declaration merging fills it
export interface Kinds {}

/** A unit of a kind that is not in `Kinds`. */
export interface AnyUnit {
  readonly id: string;
  readonly kind_id: string;
  readonly [parameter: string]: unknown;
}

/** The values of a unit of a kind that is not in `Kinds`. */
export type AnyValues = Readonly<Record<string, unknown>>;

/** A unit of a kind. */
export type UnitOf<K extends string> = K extends keyof Kinds
  ? Kinds[K] extends { unit: infer U }
    ? U
    : AnyUnit
  : AnyUnit;

/** The values of a unit of a kind, as hooks receive them. The value of a reference is an id. */
export type ValuesFor<K extends string> = K extends keyof Kinds
  ? Kinds[K] extends { values: infer V }
    ? V
    : AnyValues
  : AnyValues;

/** Values of which any can be omitted or undefined. */
export type SomeOf<V> = { readonly [P in keyof V]?: V[P] | undefined };

/** The referenced kinds of a kind, by parameter. */
type ReferencesOf<K extends string> = K extends keyof Kinds
  ? Kinds[K] extends { references: infer R }
    ? R
    : unknown
  : unknown;

/**
 * The values to create or edit a unit. The value of a reference is an id, or the values of a unit to create with this
 * one.
 */
export type GivenFor<K extends string> = {
  readonly [P in keyof ValuesFor<K>]: P extends keyof ReferencesOf<K>
    ? ValuesFor<K>[P] | GivenFor<ReferencesOf<K>[P] & string>
    : ValuesFor<K>[P];
};

/** The id of a kind. Editors complete those in `Kinds`; others are allowed. */
// eslint-disable-next-line @typescript-eslint/no-redundant-type-constituents -- `Kinds` is filled by declaration merging
export type KindId = keyof Kinds | (string & {});

/** Options of a list: the query parameters of the same names (docs/filter.md). */
export interface ListOptions {
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
  readonly include?: readonly string[];
  /** The parameters not to return. */
  readonly exclude?: readonly string[];
  /** Whether included paths are objects inside one another: `unit.author.name`, not `unit['author.name']`. */
  readonly nest?: boolean;
  /** How the units are counted; `exact` by default. With `none` they are not, and `count` is -1. */
  readonly count?: 'exact' | 'none' | 'estimated';
}

/** Options of an aggregation: the query parameters of the same names (docs/aggregation.md). */
export interface AggregateOptions {
  /** Functions such as `count()`, `paid:sum(total,eq(state,paid))`. */
  readonly select?: string | readonly string[];
  /** What units are grouped by, such as `country.name`, `year(inserted_at)`; all are one group if omitted. */
  readonly group?: string | readonly string[];
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

/** A group of units: a value for each name of `group` and `select`. */
export type AnyGroup = Readonly<Record<string, unknown>>;

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
  /** Lists units. @throws 400 for a bad query, 403 */
  list(options?: ListOptions): Promise<Page<U>>;
  /** Groups and counts units. Values of hidden parameters are not enumerable. @throws 400 for a bad query, 403 */
  aggregate(options: AggregateOptions): Promise<Page<AnyGroup>>;
  /** Returns a unit. @throws 404 if it does not exist or the caller may not read it */
  get(id: string): Promise<U>;
  /** Returns a unit, or null if it does not exist or the caller may not read it. */
  find(id: string): Promise<U | null>;
  /** Creates a unit and returns it. @throws 400 with all errors of the values, 403, 409 */
  create(values: V): Promise<U>;
  /** Creates at most 1000 units, all or none, and returns them. */
  createAll(values: readonly V[]): Promise<readonly U[]>;
  /** Edits a unit and returns it. Values that are omitted stay as they are. @throws 400, 403, 404, 409 */
  update(id: string, values: SomeOf<V>): Promise<U>;
  /** Deletes a unit. @throws 403, 404, 409 if other units refer to it */
  remove(id: string): Promise<void>;
}
