/** The types of groups in aggregations, by what `group` and `select` name. */
import type { Trim } from './trim.js';

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
type SelectName<F extends string, P extends string> = F extends SelectFunction
  ? P extends ''
    ? F
    : P extends `${infer Head}(${string}`
      ? [F, Head] extends ['count', Exclude<Head, CountFunction>]
        ? F
        : never
      : `${F}_${WithoutDots<P>}`
  : never;

type SelectFunction = 'count' | 'count_distinct' | 'sum' | 'avg' | 'min' | 'max' | 'first' | 'last';
type GroupFunction = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour' | 'each' | 'bucket';
type CountFunction = 'count_related' | 'count_linked';

type WithoutDots<P extends string> = P extends `${infer A}.${infer B}` ? `${A}_${WithoutDots<B>}` : P;

type SelectValue<U, C extends Call> = C[1] extends 'count' | 'count_distinct'
  ? number
  : C[1] extends 'sum' | 'avg'
    ? NumberOf<ValueOf<U, C[2]>>
    : ValueOf<U, C[2]> | null;

type GroupValue<U, C extends Call> = C[1] extends ''
  ? ValueOf<U, C[2]>
  : C[1] extends CountFunction
    ? number
    : C[1] extends 'each'
      ? ElementOf<NonNullable<ValueOf<U, C[2]>>> | null
      : C[1] extends 'bucket'
        ? NumberOf<ValueOf<U, C[2]>>
        : string | null;

type ValueOf<U, P extends string> = [Extract<keyof U, P>] extends [never]
  ? P extends `${CountFunction}(${string}`
    ? number
    : unknown
  : Exclude<U[Extract<keyof U, P>], undefined>;

/** Decimals are texts; sums and averages of integers may be. */
type NumberOf<T> = [NonNullable<T>] extends [string] ? string | null : number | string | null;

type ElementOf<T> = T extends readonly (infer E)[] ? E : unknown;
