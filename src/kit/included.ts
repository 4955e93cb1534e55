/** The types of units in lists, by what `include` names. */
import type { UnitOf } from './kinds.js';
import type { Trim } from './trim.js';

/**
 * A unit of a list with `include`: the fields that it names, and its terms. All fields if the names are not known when the
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

type TermName<T extends string> = T extends `snippet(${infer F})`
  ? `snippet_${Trim<F>}`
  : T extends `${infer N}:${string}(${string}`
    ? Trim<N>
    : never;

type TermValue<T extends string> = T extends `snippet(${string}`
  ? string | null
  : T extends `${string}:${infer F}(${infer Rest}`
    ? TermResult<Trim<F>, Rest>
    : never;

/** @param Rest the text after the parenthesis, which begins with the kind of related units */
type TermResult<F extends string, Rest extends string> = F extends 'count_related' | 'count_linked'
  ? number
  : F extends 'related'
    ? Rest extends `${infer K}.${string}`
      ? readonly UnitOf<Trim<K>>[]
      : unknown
    : unknown;
