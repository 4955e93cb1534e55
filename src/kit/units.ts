/** Units, and the operations on them: what lists and aggregations answer by the texts of their queries. */
import type { AggregateFunction, GROUP_FUNCTIONS } from '../filter/aggregate.ast.js';
import type { ExpressionFunction } from '../filter/filter.ast.js';
import type { UnitOf } from './kinds.js';

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
  /** Functions such as `count()`, `paid:sum(total,eq(state,paid))`, `worth:sum(mul(quantity,price))`, `mean:div(worth,count)`. */
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
 * A change of the stored value of a parameter, which is applied atomically (docs/writing.md). T is the type of its value,
 * W are the words that its type allows.
 */
export type Expression<T, W> =
  | (W extends '$inc' ? { readonly $inc: number | string } : never)
  | (W extends '$remove'
      ? { readonly $remove?: readonly ElementOf<T>[]; readonly $add?: readonly ElementOf<T>[] }
      : never)
  | (W extends '$merge' ? { readonly $merge: object } : never)
  | (W extends '$set' ? { readonly $set: unknown } : never);

/** The values of an edit, of which any can be omitted. X are the words of expressions, by parameter. */
export type ChangesOf<V, X = unknown> = {
  readonly [P in keyof V]?: V[P] | (P extends keyof X ? Expression<NonNullable<V[P]>, X[P]> : never) | undefined;
};

/** Options of an upsert: the query parameters of the same names (docs/writing.md). */
export interface UpsertOptions {
  /** Whether a unit that exists is edited, the default, or left as it is. */
  readonly on_conflict?: 'update' | 'ignore';
  /** The unique parameters by which units are looked up; the primary parameter if omitted. */
  readonly by?: string | readonly string[];
}

/** What a write answers of its units: the query parameters of the same names (docs/writing.md). Not for remote kinds. */
export interface WrittenOptions<I extends readonly string[] = readonly string[], Nested extends boolean = boolean> {
  /** The parameters to return, and terms, as in lists; all parameters if omitted. */
  readonly include?: I;
  /** Whether included paths are objects inside one another. */
  readonly nest?: Nested;
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
export interface Units<U, V, X = unknown> {
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
  create<const I extends readonly string[] = readonly string[], Nested extends boolean = false>(
    values: V,
    options?: WrittenOptions<I, Nested>,
  ): Promise<WithEtag<Included<U, I, Nested>>>;
  /** Creates at most 1000 units, all or none, and returns them. */
  createAll<const I extends readonly string[] = readonly string[], Nested extends boolean = false>(
    values: readonly V[],
    options?: WrittenOptions<I, Nested>,
  ): Promise<readonly WithEtag<Included<U, I, Nested>>[]>;
  /** Edits a unit and returns it. Values that are omitted stay as they are. @throws 400, 403, 404, 409, 412 */
  update<const I extends readonly string[] = readonly string[], Nested extends boolean = false>(
    id: string,
    values: ChangesOf<V, X>,
    options?: WriteCondition & WrittenOptions<I, Nested>,
  ): Promise<WithEtag<Included<U, I, Nested>>>;
  /**
   * Creates a unit, or edits or leaves the one that has the same values of unique parameters. @throws 400, 403, 409
   */
  upsert<const I extends readonly string[] = readonly string[], Nested extends boolean = false>(
    values: V,
    options?: UpsertOptions & WrittenOptions<I, Nested>,
  ): Promise<Upserted<Included<U, I, Nested>>>;
  /** The same for at most 1000 units, all or none. */
  upsertAll<const I extends readonly string[] = readonly string[], Nested extends boolean = false>(
    values: readonly V[],
    options?: UpsertOptions & WrittenOptions<I, Nested>,
  ): Promise<readonly Upserted<Included<U, I, Nested>>[]>;
  /** Edits all units that match a filter, or none, and returns how many. @throws 400, 403, 409 */
  updateAll(filter: string, values: ChangesOf<V, X>, options?: AffectedOptions): Promise<number>;
  /** Deletes all units that match a filter, or none, and returns how many. @throws 400, 403, 409 */
  removeAll(filter: string, options?: AffectedOptions): Promise<number>;
  /** Deletes a unit. @throws 403, 404, 409 if other units refer to it, 412 */
  remove(id: string, condition?: WriteCondition): Promise<void>;
}

/**
 * A unit with `include`: the fields that it names, and its terms. All fields if the names are not known when the
 * types are checked, and for units whose parameters are not known.
 */
export type Included<U, I extends readonly string[], Nested extends boolean = false> = string extends I[number]
  ? U
  : true extends Nested
    ? U & TermsOf<I[number]>
    : '*' extends I[number]
      ? U & TermsOf<I[number]>
      : string extends keyof U
        ? U & TermsOf<I[number]>
        : { readonly [P in Extract<keyof U, I[number]>]: Exclude<U[P], undefined> } & FarValuesOf<U, I[number]> &
            TermsOf<I[number]>;

/** Values over several references, and inside of JSON. */
type FarValuesOf<U, T extends string> = {
  readonly [P in Exclude<T, keyof U | `${string}(${string}`> & `${string}.${string}`]: unknown;
};

/** The terms among names of `include`: numbers of related units, related units, and snippets. */
type TermsOf<T extends string> = { readonly [P in T as TermName<P>]: TermValue<P> };

type TermName<T extends string> = T extends 'can()'
  ? 'can'
  : T extends `snippet(${infer F})`
    ? `snippet_${Trim<F>}`
    : T extends `${infer N}:${string}(${string}`
      ? Trim<N>
      : never;

/** What the caller may do with a unit: `can()` in `include` (docs/access.md). */
interface UnitRights {
  readonly update: boolean;
  readonly delete: boolean;
  readonly link: boolean;
  /** The names of functions. */
  readonly functions: readonly string[];
  /** By parameter, the values that may follow now. */
  readonly transitions: Readonly<Record<string, readonly string[]>>;
}

type TermValue<T extends string> = T extends 'can()' | `${string}:can()`
  ? UnitRights
  : T extends `snippet(${string}`
    ? string | null
    : T extends `${string}:${infer F}(${infer Rest}`
      ? TermResult<Trim<F>, Rest>
      : never;

/** @param Rest the text after the parenthesis, which begins with the kind of related units */
type TermResult<F extends string, Rest extends string> = F extends CountFunction
  ? number
  : F extends SumFunction
    ? number | string | null
    : F extends 'related'
      ? Rest extends `${infer K}.${string}`
        ? readonly UnitOf<Trim<K>>[]
        : unknown
      : unknown;

/** Terms of `group` or `select`: one or several in a text, or a list of such texts. */
export type Terms = string | readonly string[];

/** A group of units: a value for each name of `group` and `select`. */
export type AnyGroup = Readonly<Record<string, unknown>>;

/** A group with the fields that the terms name; any fields if these are not known when the types are checked. */
export type Grouped<U, S extends Terms, G extends Terms> = string extends TextOf<S> | TextOf<G>
  ? AnyGroup
  : // In quotes, commas and parentheses mean nothing.
    [Extract<TextOf<S> | TextOf<G>, `${string}"${string}`>] extends [never]
    ? GroupOf<U, TermOf<TextOf<S>>, TermOf<TextOf<G>>>
    : AnyGroup;

type TextOf<T extends Terms> = T extends readonly string[] ? T[number] : T;

type GroupOf<U, S extends string, G extends string> = [Nameless<S, 'select'> | Nameless<G, 'group'>] extends [never]
  ? { readonly [T in G as NameOf<CallOf<T>, 'group'>]: GroupValue<U, CallOf<T>> } & {
      readonly [T in S as NameOf<CallOf<T>, 'select'>]: SelectValue<U, CallOf<T>>;
    }
  : AnyGroup;

/** The terms whose names in the answer are not known here. */
type Nameless<T extends string, Parameter> = T extends string
  ? [NameOf<CallOf<T>, Parameter>] extends [never]
    ? T
    : never
  : never;

/** The terms of a text. A comma inside of parentheses belongs to its term. */
type TermOf<T extends string> = T extends string ? Split<Trim<T> extends `[${infer R}]` ? R : T> : never;

type Split<
  T extends string,
  Open extends 1[] = [],
  Term extends string = '',
  Found extends string = never,
> = T extends `${infer C}${infer R}`
  ? C extends '('
    ? Split<R, [...Open, 1], `${Term}${C}`, Found>
    : C extends ')'
      ? Split<R, Open extends [1, ...infer Outer extends 1[]] ? Outer : [], `${Term}${C}`, Found>
      : [C, Open] extends [',', []]
        ? Split<R, [], '', Found | Trim<Term>>
        : Split<R, Open, `${Term}${C}`, Found>
  : Found | Trim<Term>;

/** The name that a term gives itself, the function that it calls, and what of; the empty text for each that is not there. */
type CallOf<T extends string> = T extends `${infer F}(${infer A})`
  ? F extends `${infer N}:${infer C}`
    ? [Trim<N>, Trim<C>, FirstOf<A>]
    : ['', Trim<F>, FirstOf<A>]
  : T extends `${infer N}:${infer P}`
    ? [Trim<N>, '', Trim<P>]
    : ['', '', Trim<T>];

type FirstOf<A extends string> = Trim<A extends `${infer P},${string}` ? P : A>;

type Call = [name: string, called: string, path: string];

type NameOf<C extends Call, Parameter> = C[0] extends ''
  ? Parameter extends 'group'
    ? GroupName<C[1], C[2]>
    : SelectName<C[1], C[2]>
  : C[0];

type GroupName<F extends string, P extends string> = F extends ''
  ? WithoutDots<P>
  : F extends GroupFunction
    ? `${F}_${WithoutDots<P>}`
    : never;

/** Of a function of numbers of related units the name is not made here. */
type SelectName<F extends string, P extends string> = F extends AggregateFunction
  ? P extends ''
    ? F
    : P extends `${infer Head}(${string}`
      ? [F, Head] extends ['count', Exclude<Head, CountFunction | SumFunction>]
        ? F
        : never
      : `${F}_${WithoutDots<P>}`
  : never;

type GroupFunction = (typeof GROUP_FUNCTIONS)[number];
type CountFunction = 'count_related' | 'count_linked';
type SumFunction = 'sum_related';

type WithoutDots<P extends string> = P extends `${infer A}.${infer B}` ? `${A}_${WithoutDots<B>}` : P;

type SelectValue<U, C extends Call> = C[1] extends 'count' | 'count_distinct'
  ? number
  : C[1] extends ExpressionFunction
    ? number | string | null
    : C[1] extends 'sum' | 'avg'
      ? NumberOf<ValueOf<U, C[2]>>
      : ValueOf<U, C[2]> | null;

type GroupValue<U, C extends Call> = C[1] extends ''
  ? ValueOf<U, C[2]>
  : C[1] extends CountFunction
    ? number
    : C[1] extends SumFunction
      ? number | string | null
      : C[1] extends 'each'
        ? ElementOf<NonNullable<ValueOf<U, C[2]>>> | null
        : C[1] extends 'bucket'
          ? NumberOf<ValueOf<U, C[2]>>
          : string | null;

type ValueOf<U, P extends string> = [Extract<keyof U, P>] extends [never]
  ? P extends `${CountFunction}(${string}`
    ? number
    : P extends `${ExpressionFunction | SumFunction}(${string}`
      ? number | string | null
      : unknown
  : Exclude<U[Extract<keyof U, P>], undefined>;

/** Decimals are texts; sums and averages of integers may be. */
type NumberOf<T> = [NonNullable<T>] extends [string] ? string | null : number | string | null;

type ElementOf<T> = T extends readonly (infer E)[] ? E : unknown;

/** A text without spaces at its ends, as a type. */
export type Trim<T extends string> = T extends ` ${infer R}` ? Trim<R> : T extends `${infer R} ` ? Trim<R> : T;

/**
 * Builds a filter expression in which every value is quoted, whatever it contains. Always use it for values that come
 * from clients. A list becomes comma-separated values, for `in`.
 *
 * @throws TypeError if a list is empty
 * @example units('city').list({ filter: filter`and(eq(name,${name}),in(code,${codes}))` })
 */
export function filter(strings: TemplateStringsArray, ...values: readonly FilterValue[]): string {
  return strings.map((text, at) => text + (at < values.length ? quotedValue(values[at] as FilterValue) : '')).join('');
}

/** A value in a filter expression. */
export type FilterValue = string | number | boolean | readonly (string | number | boolean)[];

function quotedValue(value: FilterValue): string {
  if (Array.isArray(value) && value.length === 0)
    throw new TypeError('filter: a list of no values; no unit is one of them, so leave the question out');
  if (Array.isArray(value)) return value.map((each: string | number | boolean) => quotedValue(each)).join(',');
  return `"${String(value).replace(/["\\]/g, '\\$&')}"`;
}
