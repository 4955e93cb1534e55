/** Builds filters, and what is computed of units, in the language of the service (docs/filter.md, docs/aggregation.md). */
import type { Checked, Field, JsonObject, LinkType, OrderOf, Shapes, Show } from './kinds.js';

/** A filter of units of a kind, made by the builder. */
export interface Filter<K> {
  readonly text: string;
  readonly of?: K;
}
/** A value of each unit of a kind, or of a group of them, made by the builder. */
export interface Term<K, T> {
  readonly term: string;
  readonly of?: K;
  readonly value?: T;
}
/** Of large whole numbers and of decimals it is a text. */
type Num = number | string | null;
type Value<T> = T extends readonly (infer E)[] ? readonly E[] : T;
type Item<T> = T extends readonly (infer E)[] ? E : T;
export type Build<S extends Shapes<S>, K extends keyof S> = (f: Filters<S, K>) => Filter<K>;
/** The value of a path; a number where a term stands in its place. */
type Of<S extends Shapes<S>, K extends keyof S, P extends string> = string extends P
  ? number
  : NonNullable<Field<S, K, P>>;

interface Compare<S extends Shapes<S>, K extends keyof S> {
  <P extends string>(path: Checked<S, K, P> | Term<K, Num>, value: Value<Of<S, K, P>>): Filter<K>;
}
interface CompareText<S extends Shapes<S>, K extends keyof S> {
  <P extends string>(path: Checked<S, K, P>, value: Item<NonNullable<Field<S, K, P>>>): Filter<K>;
}
interface CompareFields<S extends Shapes<S>, K extends keyof S> {
  <P extends string, Q extends string>(
    path: Checked<S, K, P> | Term<K, Num>,
    other: Checked<S, K, Q> | Term<K, Num>,
  ): Filter<K>;
}
type Referring<S, R> = R extends `${infer L}.${string}` ? L & keyof S : never;
type Related<S extends Shapes<S>, R> = Build<S, Referring<S, R>>;
/** Kinds, in whose filters `link.` leads to the link. */
type Linked<S, L extends keyof S> = S & { readonly [K in L]: { readonly unit: { readonly link: JsonObject } } };

/** Numbers that stand in place of a parameter. */
interface Numbers<S extends Shapes<S>, K extends keyof S> {
  count_related<R extends S[K]['from']>(relation: R, filter?: Related<S, R>): Term<K, number>;
  /** @param summed a parameter, or `(e) => e.mul('quantity', 'price')` */
  sum_related<R extends S[K]['from'], P extends string>(
    relation: R,
    summed: Checked<S, Referring<S, R>, P> | ((e: Expressions<S, Referring<S, R>>) => Term<Referring<S, R>, Num>),
    filter?: Related<S, R>,
  ): Term<K, Num>;
  count_linked(
    link_id: LinkType<S, K>,
    direction: 'parent' | 'child',
    filter?: Build<Linked<S, keyof S>, keyof S>,
  ): Term<K, number>;
  count_linked<L extends keyof S & string>(
    link_id: LinkType<S, K>,
    direction: 'parent' | 'child',
    kinds: L | readonly L[],
    filter?: Build<Linked<S, L>, L>,
  ): Term<K, number>;
}

/** Builds filters, with the names of the service. */
export interface Filters<S extends Shapes<S>, K extends keyof S> extends Numbers<S, K> {
  and(...filters: readonly Filter<K>[]): Filter<K>;
  or(...filters: readonly Filter<K>[]): Filter<K>;
  not(filter: Filter<K>): Filter<K>;
  all(): Filter<K>;
  eq: Compare<S, K>;
  ne: Compare<S, K>;
  lt: Compare<S, K>;
  lte: Compare<S, K>;
  gt: Compare<S, K>;
  gte: Compare<S, K>;
  contains: CompareText<S, K>;
  icontains: CompareText<S, K>;
  startswith: CompareText<S, K>;
  istartswith: CompareText<S, K>;
  endswith: CompareText<S, K>;
  iendswith: CompareText<S, K>;
  eq_field: CompareFields<S, K>;
  ne_field: CompareFields<S, K>;
  lt_field: CompareFields<S, K>;
  lte_field: CompareFields<S, K>;
  gt_field: CompareFields<S, K>;
  gte_field: CompareFields<S, K>;
  in<P extends string>(path: Checked<S, K, P> | Term<K, Num>, values: readonly Item<Of<S, K, P>>[]): Filter<K>;
  isnull<P extends string>(path: Checked<S, K, P> | Term<K, Num>, is?: boolean): Filter<K>;
  near<P extends string, Q extends string>(
    latitude: Checked<S, K, P>,
    longitude: Checked<S, K, Q>,
    north: number,
    east: number,
    kilometres: number,
  ): Filter<K>;
  similar<P extends string>(path: Checked<S, K, P>, text: string, least?: number): Filter<K>;
  exists<R extends S[K]['from']>(relation: R, filter?: Related<S, R>): Filter<K>;
  linked(
    link_id: LinkType<S, K>,
    direction: 'parent' | 'child',
    filter?: Build<Linked<S, keyof S>, keyof S>,
  ): Filter<K>;
  linked<L extends keyof S & string>(
    link_id: LinkType<S, K>,
    direction: 'parent' | 'child',
    kinds: L | readonly L[],
    filter?: Build<Linked<S, L>, L>,
  ): Filter<K>;
  referred(): Filter<K>;
  referred<L extends keyof S & string>(kind: L, filter?: Build<S, L>): Filter<K>;
  referred<R extends S[K]['from']>(relation: R, filter?: Related<S, R>): Filter<K>;
}

export interface Compute<S extends Shapes<S>, K extends keyof S> {
  <P extends string, Q extends string>(
    a: Checked<S, K, P> | Term<K, Num> | number,
    b: Checked<S, K, Q> | Term<K, Num> | number,
  ): Term<K, Num>;
}
/** What is computed of numbers and dates. */
export interface Expressions<S extends Shapes<S>, K extends keyof S> extends Numbers<S, K> {
  add: Compute<S, K>;
  sub: Compute<S, K>;
  mul: Compute<S, K>;
  div: Compute<S, K>;
  days: Compute<S, K>;
}

/** What a term of `include` answers. */
export interface Terms<S extends Shapes<S>, K extends keyof S> extends Numbers<S, K> {
  /** The units themselves, as the caller may read them: 20, if `limit` is left out. */
  related<R extends S[K]['from'], const O extends string = never>(
    relation: R,
    query?: {
      readonly filter?: Related<S, R>;
      readonly order?: readonly OrderOf<S, Referring<S, R>, O>[];
      readonly limit?: number;
    },
  ): Term<K, readonly S[Referring<S, R>]['unit'][]>;
  can(): Term<K, Rights>;
}
/** What the caller may do with a unit. */
export interface Rights {
  readonly update: boolean;
  readonly delete: boolean;
  readonly link: boolean;
  readonly functions: readonly string[];
  readonly transitions: { readonly [parameter: string]: readonly unknown[] };
}

interface OfPath<S extends Shapes<S>, K extends keyof S> {
  <P extends string>(
    path: Checked<S, K, P> | Term<K, Num>,
    filter?: Build<S, K>,
  ): Term<K, string extends P ? Num : NonNullable<Field<S, K, P>> | null>;
}
interface OfNumber<S extends Shapes<S>, K extends keyof S> {
  <P extends string>(path: Checked<S, K, P> | Term<K, Num>, filter?: Build<S, K>): Term<K, Num>;
}
/** Functions over the units of a group. */
export interface Selects<S extends Shapes<S>, K extends keyof S> extends Expressions<S, K> {
  count(filter?: Build<S, K>): Term<K, number>;
  count<P extends string>(path: Checked<S, K, P>, filter?: Build<S, K>): Term<K, number>;
  count_distinct<P extends string>(path: Checked<S, K, P>, filter?: Build<S, K>): Term<K, number>;
  sum: OfNumber<S, K>;
  avg: OfNumber<S, K>;
  min: OfPath<S, K>;
  max: OfPath<S, K>;
  first: OfPath<S, K>;
  last: OfPath<S, K>;
}
interface Period<S extends Shapes<S>, K extends keyof S> {
  <P extends string>(path: Checked<S, K, P>): Term<K, string | null>;
}
/** What units are grouped by. */
export interface Groups<S extends Shapes<S>, K extends keyof S> extends Numbers<S, K> {
  value<P extends string>(path: Checked<S, K, P>): Term<K, NonNullable<Field<S, K, P>> | null>;
  year: Period<S, K>;
  quarter: Period<S, K>;
  month: Period<S, K>;
  week: Period<S, K>;
  day: Period<S, K>;
  hour: Period<S, K>;
  lower: Period<S, K>;
  each<P extends string>(path: Checked<S, K, P>): Term<K, Item<NonNullable<Field<S, K, P>>> | null>;
  bucket<P extends string>(path: Checked<S, K, P>, size: number): Term<K, Num>;
}

/** Terms by their names in the answer. */
export type Named<K> = { readonly [name: string]: Term<K, unknown> };
/** What they answer. Terms of any name, which the compiler takes where it knows of none, are none. */
export type TermValues<N> = Show<{
  readonly [P in keyof N as string extends P ? never : P]: N[P] extends { readonly value?: infer T }
    ? Exclude<T, undefined>
    : never;
}>;

const isWord = (text: string) => /^[^.,()[\]{}"\s]+$/.test(text);
const quoted = (text: unknown) => `"${String(text).replace(/["\\]/g, '\\$&')}"`;
const pathText = (path: string) =>
  path
    .split('.')
    .map((segment) => (isWord(segment) ? segment : quoted(segment)))
    .join('.');
/** How many of the arguments are parameters; of others it is the first. */
const PATHS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ['eq_field', 'ne_field', 'lt_field', 'lte_field', 'gt_field', 'gte_field'].map((name) => [name, 2]),
  ),
  ...Object.fromEntries(['add', 'sub', 'mul', 'div', 'days', 'near', 'sum_related'].map((name) => [name, 2])),
  linked: 3,
  count_linked: 3,
};

function argumentText(argument: unknown, isPath: boolean): string {
  if (typeof argument === 'function') return build(argument);
  if (Array.isArray(argument)) return `[${argument.map((each) => argumentText(each, isPath)).join(',')}]`;
  if (typeof argument === 'object' && argument !== null) {
    const { text, $from, ...query } = argument as { readonly text?: string; readonly $from?: string };
    // What an earlier operation of a batch answers.
    return $from === undefined ? (text ?? relatedText(query)) : `{${$from}}`;
  }
  if (typeof argument === 'string') return isPath ? pathText(argument) : quoted(argument);
  return String(argument);
}

/** What follows the relation in `related`. */
function relatedText({ filter, order, limit }: Readonly<Record<string, unknown>>): string {
  return [
    ...(filter === undefined ? [] : [build(filter)]),
    ...(order === undefined ? [] : [`order=[${(order as readonly string[]).join()}]`]),
    ...(limit === undefined ? [] : [`limit=${limit as number}`]),
  ].join();
}

/** Every property is a function that prints a call of its name. */
const BUILDER = new Proxy(
  {},
  {
    get: (_, name: string) => {
      const paths = PATHS[name] ?? 1;
      return (...all: readonly unknown[]) => {
        const texts = all
          .filter((each) => each !== undefined)
          .map((each, at) => argumentText(each, at < paths))
          .filter((each) => each !== '');
        const text = name === 'value' ? texts.join() : `${name}(${texts.join()})`;
        return { text, term: text };
      };
    },
  },
);

/** The text of a filter, in the language of the service. */
export function build(filter: unknown): string {
  return (filter as (f: unknown) => Filter<never>)(BUILDER).text;
}

/** `['most:max(size)']` */
export function termsOf(make: unknown): readonly string[] {
  const terms = (make as (f: unknown) => Named<never>)(BUILDER);
  return Object.entries(terms).map(([name, { term }]) => `${name}:${term}`);
}
