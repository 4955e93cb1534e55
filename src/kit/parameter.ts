/** Parameters of functions, which are declared, read and validated like those of kinds. */
import type { PARAMETER_TYPE_LIST } from '../model/parameter-type/parameter-types.js';
import type { Json } from '../shared/json.js';

export type { Json };

type DeclarableType = (typeof PARAMETER_TYPE_LIST)[number];

/** The TypeScript types that parameter types name. */
interface TypesByName {
  string: string;
  number: number;
  boolean: boolean;
  Json: Json;
}

/**
 * The value of each parameter type: `decimal` is a string, because it is exact; `binary` is base64; `unit` is an id.
 */
export type ValueTypes = { [T in DeclarableType as T['id']]: TypesByName[T['typescript']] };

/**
 * A parameter of a function. The fields are those of a parameter record, and each type allows the same ones
 * (docs/model.md). An optional parameter without a default is null if it is missing.
 */
export interface ParameterDeclaration {
  readonly type: keyof ValueTypes;
  /** A name for people. */
  readonly label?: string;
  /** A sentence for callers, shown in the API documentation. */
  readonly helper_text?: string;
  /** Whether the parameter has to be present, unless it has a default. */
  readonly required?: boolean;
  /** Whether null is allowed. If omitted, it is unless the parameter is required or has a default. */
  readonly nullable?: boolean;
  /** Whether the value is a list. In a query string the parameter is repeated. */
  readonly multiple?: boolean;
  /** Whether the elements of a list have to be distinct. */
  readonly unique?: boolean;
  /** The value if the parameter is missing. */
  readonly default?: Json;
  /** The shortest length, in code points; for `binary` in bytes. */
  readonly min_length?: number;
  /** The greatest length, in code points; for `binary` in bytes. */
  readonly max_length?: number;
  /** The least value. */
  readonly min_value?: number | string;
  /** The greatest value. */
  readonly max_value?: number | string;
  /** The number of decimals of a `decimal`. */
  readonly scale?: number;
  /** Whether white space at both ends is removed before validation. */
  readonly strip?: boolean;
  /** The allowed values. */
  readonly values?: readonly (string | number)[];
  /** A regular expression in RE2 syntax that the value has to match. */
  readonly pattern?: string;
  /** The kind that a `unit` has to be of. */
  readonly reference_kind?: string;
}

/** Parameters by name. */
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

/** The values of parameters as `run` receives them: an `integer` is a number, a `multiple` parameter a list. */
export type ValuesOf<P extends ParameterDeclarations> = { readonly [K in keyof P]: DeclaredValue<P[K]> | OrNull<P[K]> };
