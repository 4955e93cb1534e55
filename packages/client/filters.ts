/** Builds filters in the language of the service (docs/filter.md). */
import type { Checked, Field, Shapes } from './kinds.js';

/** A filter of units of a kind, made by the builder. */
export interface Filter<K> {
  readonly text: string;
  readonly of?: K;
}
/** A number of related units, in place of a parameter. */
interface Counted<K> {
  readonly number: string;
  readonly of?: K;
}
type Value<T> = T extends readonly (infer E)[] ? readonly E[] : T;
type Item<T> = T extends readonly (infer E)[] ? E : T;
export type Build<S extends Shapes<S>, K extends keyof S> = (f: Filters<S, K>) => Filter<K>;

interface Compare<S extends Shapes<S>, K extends keyof S> {
  <P extends string>(
    path: Checked<S, K, P> | Counted<K>,
    value: string extends P ? number : Value<NonNullable<Field<S, K, P>>>,
  ): Filter<K>;
}
interface CompareText<S extends Shapes<S>, K extends keyof S> {
  <P extends string>(path: Checked<S, K, P>, value: Item<NonNullable<Field<S, K, P>>>): Filter<K>;
}
interface CompareFields<S extends Shapes<S>, K extends keyof S> {
  <P extends string, Q extends string>(path: Checked<S, K, P>, other: Checked<S, K, Q>): Filter<K>;
}
type Referring<S, R> = R extends `${infer L}.${string}` ? L & keyof S : never;

/** Builds filters (docs/filter.md), with the names of the service. */
export interface Filters<S extends Shapes<S>, K extends keyof S> {
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
  in<P extends string>(path: Checked<S, K, P>, values: readonly Item<NonNullable<Field<S, K, P>>>[]): Filter<K>;
  isnull<P extends string>(path: Checked<S, K, P>, is?: boolean): Filter<K>;
  near<P extends string, Q extends string>(
    latitude: Checked<S, K, P>,
    longitude: Checked<S, K, Q>,
    north: number,
    east: number,
    kilometres: number,
  ): Filter<K>;
  similar<P extends string>(path: Checked<S, K, P>, text: string, least?: number): Filter<K>;
  exists<R extends S[K]['from']>(relation: R, filter?: Build<S, Referring<S, R>>): Filter<K>;
  count_related<R extends S[K]['from']>(relation: R, filter?: Build<S, Referring<S, R>>): Counted<K>;
  linked<L extends keyof S & string>(
    link_id: string,
    direction: 'parent' | 'child',
    kind_id?: L,
    filter?: Build<S, L>,
  ): Filter<K>;
  count_linked<L extends keyof S & string>(
    link_id: string,
    direction: 'parent' | 'child',
    kind_id?: L,
    filter?: Build<S, L>,
  ): Counted<K>;
  referred<R extends S[K]['from']>(relation?: R, filter?: Build<S, Referring<S, R>>): Filter<K>;
}

const isWord = (text: string) => /^[^.,()[\]"\s]+$/.test(text);
const quoted = (text: unknown) => `"${String(text).replace(/["\\]/g, '\\$&')}"`;
const pathText = (path: string) =>
  path
    .split('.')
    .map((segment) => (isWord(segment) ? segment : quoted(segment)))
    .join('.');
/** How many of the arguments are parameters; of others it is the first. */
const PATHS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['eq', 'ne', 'lt', 'lte', 'gt', 'gte'].map((name) => [`${name}_field`, 2])),
  near: 2,
  linked: 3,
  count_linked: 3,
};

function argumentText(argument: unknown, isPath: boolean): string {
  if (typeof argument === 'function') return build(argument);
  if (Array.isArray(argument)) return `[${argument.map((each) => argumentText(each, false)).join(',')}]`;
  if (typeof argument === 'object' && argument !== null) {
    const { text, number } = argument as Partial<Filter<never> & Counted<never>>;
    return text ?? number ?? '';
  }
  if (typeof argument === 'string') return isPath ? pathText(argument) : quoted(argument);
  return String(argument);
}

/** Every property is a function that prints a call of its name. */
const BUILDER = new Proxy(
  {},
  {
    get: (_, name: string) => {
      const paths = PATHS[name] ?? 1;
      return (...all: readonly unknown[]) => {
        const text = `${name}(${all
          .filter((each) => each !== undefined)
          .map((each, at) => argumentText(each, at < paths))
          .join(',')})`;
        return name.startsWith('count_') ? { number: text } : { text };
      };
    },
  },
);

/** The text of a filter, in the language of the service. */
export function build(filter: unknown): string {
  return (filter as (f: unknown) => Filter<never>)(BUILDER).text;
}
