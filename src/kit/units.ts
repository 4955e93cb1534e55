/** Units as functions see them. */

/**
 * The kinds of a project by id. It is empty until `kind types <project>` has written a declaration file that fills it;
 * a kind that is not in it has units with whatever parameters.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- declaration merging fills it
export interface Kinds {}

/** A unit of a kind that is not in `Kinds`. */
export interface AnyUnit {
  readonly id: string;
  readonly kind_id: string;
  readonly [parameter: string]: unknown;
}

export type AnyValues = Readonly<Record<string, unknown>>;

/** A unit of a kind. */
export type UnitOf<K extends string> = K extends keyof Kinds
  ? Kinds[K] extends { unit: infer U }
    ? U
    : AnyUnit
  : AnyUnit;

/** The values of a unit of a kind, as hooks have them: of a reference an id. */
export type ValuesFor<K extends string> = K extends keyof Kinds
  ? Kinds[K] extends { values: infer V }
    ? V
    : AnyValues
  : AnyValues;

/** Values of which any may be left out; undefined is as good as left out. */
export type SomeOf<V> = { readonly [P in keyof V]?: V[P] | undefined };

/** The kinds that the references of a kind lead to, by parameter. */
type ReferencesOf<K extends string> = K extends keyof Kinds
  ? Kinds[K] extends { references: infer R }
    ? R
    : unknown
  : unknown;

/** The values that create or edit a unit of a kind: instead of an id also a unit, which is created with this one. */
export type GivenFor<K extends string> = {
  readonly [P in keyof ValuesFor<K>]: P extends keyof ReferencesOf<K>
    ? ValuesFor<K>[P] | GivenFor<ReferencesOf<K>[P] & string>
    : ValuesFor<K>[P];
};

/** A kind's id: a known one is completed by the editor, others are allowed. */
// eslint-disable-next-line @typescript-eslint/no-redundant-type-constituents -- `Kinds` is filled by declaration merging
export type KindId = keyof Kinds | (string & {});

/** What a list takes, as the query parameters of the same names do (docs/filter.md). */
export interface ListOptions {
  /** An expression of the filter language; put values in with the tag `filter`. Hidden parameters may be named. */
  readonly filter?: string;
  /** `population;desc`, or several of them. */
  readonly order?: string | readonly string[];
  /** 100 where it is left out, at most 1000. */
  readonly limit?: number;
  readonly offset?: number;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** `none` saves counting all of them; `count` is then -1. */
  readonly count?: 'exact' | 'none' | 'estimated';
}

export interface Page<U> {
  /** Of all units that the filter lets through. */
  readonly count: number;
  readonly items: readonly U[];
}

/**
 * The units of one kind. Every operation goes the way of the REST API, rules, checks and hooks included, in the one
 * transaction of the call. What it refuses it throws, as an error with `status` and `code`; nothing of the operation is
 * stored then, and the call may go on.
 *
 * Hidden parameters are there, as properties that are not enumerable: `unit.secret` reads one, but neither a spread nor
 * the answer has it.
 */
export interface Units<U, V> {
  /** @throws 400 for a bad query, 403 */
  list(options?: ListOptions): Promise<Page<U>>;
  /** @throws 404 where there is none, or none that may be read */
  get(id: string): Promise<U>;
  /** Null where there is none, or none that may be read. */
  find(id: string): Promise<U | null>;
  /** @throws 400 with all that is wrong, 403, 409 */
  create(values: V): Promise<U>;
  /** All of them or none; at most 1000. */
  createAll(values: readonly V[]): Promise<readonly U[]>;
  /** Changes what is given and leaves the rest. @throws 400, 403, 404, 409 */
  update(id: string, values: SomeOf<V>): Promise<U>;
  /** @throws 403, 404, 409 where other units refer to it */
  remove(id: string): Promise<void>;
}
