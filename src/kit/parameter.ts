/** Parameters of functions, which are declared, read and validated like those of kinds. */
import type { PARAMETER_TYPE_LIST } from '../model/parameter-type/parameter-types.js';
import type { DeclaredSetting } from '../model/parameter-setting/parameter-setting.js';
import type { PARAMETER_SETTINGS } from '../model/parameter-setting/parameter-settings.js';
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

type Settings = typeof PARAMETER_SETTINGS;
type DeclaredId = {
  [Id in keyof Settings]: Settings[Id] extends DeclaredSetting<string, unknown> ? Id : never;
}[keyof Settings];
type DeclaredSettings = Pick<Settings, DeclaredId>;

/**
 * A parameter of a function. The fields are those of a parameter record, and each type allows the same ones
 * (docs/model.md). An optional parameter without a default is null if it is missing.
 */
export type ParameterDeclaration = { readonly type: keyof ValueTypes } & {
  readonly [Id in keyof DeclaredSettings]?: Id extends 'default'
    ? Json
    : Exclude<DeclaredSettings[Id]['unset'], null | undefined>;
};

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
