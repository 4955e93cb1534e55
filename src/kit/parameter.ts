/** Parameters of functions: declared as those of kinds are, read and checked by the same code. */

import type { Json } from '../shared/json.js';

export type { Json };

/** The JSON value of each parameter type: `decimal` is exact and hence a string, `binary` is base64, `unit` an id. */
export interface ValueTypes {
  string: string;
  text: string;
  integer: number;
  float: number;
  decimal: string;
  boolean: boolean;
  date: string;
  time: string;
  datetime: string;
  binary: string;
  json: Json;
  unit: string;
}

/**
 * A parameter of a function. The fields are those of a parameter record (docs/model.md), and each type has those that it
 * has there. What is not `required` and has no default is null where it is not given; `nullable` says otherwise.
 */
export interface ParameterDeclaration {
  readonly type: keyof ValueTypes;
  readonly label?: string;
  /** A sentence for whoever calls the function; it stands in the API documentation. */
  readonly helper_text?: string;
  /** Must be given, unless it has a default. */
  readonly required?: boolean;
  /** Whether null may be given; where this is left out, what is required or has a default may not be null. */
  readonly nullable?: boolean;
  /** A list; in a query string the parameter is repeated. */
  readonly multiple?: boolean;
  /** Of a list: no element twice. */
  readonly unique?: boolean;
  /** Holds where the parameter is not given. */
  readonly default?: Json;
  /** Code points; bytes of a `binary`. */
  readonly min_length?: number;
  readonly max_length?: number;
  readonly min_value?: number | string;
  readonly max_value?: number | string;
  /** Decimals of a `decimal`. */
  readonly scale?: number;
  /** White space at both ends is removed before all else. */
  readonly strip?: boolean;
  /** The values that are allowed. */
  readonly values?: readonly (string | number)[];
  /** A regular expression of the RE2 dialect. */
  readonly pattern?: string;
  /** Of a `unit`: the kind of which it must be a unit. */
  readonly reference_kind?: string;
}

export type ParameterDeclarations = Readonly<Record<string, ParameterDeclaration>>;

type ElementValue<D extends ParameterDeclaration> = D extends { readonly values: readonly (infer V)[] }
  ? V
  : ValueTypes[D['type']];

type DeclaredValue<D extends ParameterDeclaration> = D extends { readonly multiple: true }
  ? readonly ElementValue<D>[]
  : ElementValue<D>;

type OrNull<D extends ParameterDeclaration> = D extends { readonly nullable: infer N }
  ? N extends false
    ? never
    : null
  : D extends { readonly required: true }
    ? never
    : D extends { readonly default: infer V }
      ? undefined extends V
        ? null
        : Extract<V, null>
      : null;

/** What a handler gets: a declared `integer` is a number, `multiple` a list, and what may be absent null. */
export type ValuesOf<P extends ParameterDeclarations> = { readonly [K in keyof P]: DeclaredValue<P[K]> | OrNull<P[K]> };
