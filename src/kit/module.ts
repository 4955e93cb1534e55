/** Declarations: what the default export of a file in `functions/` is made of. */
import type { Context } from './context.js';
import type { ParameterDeclarations, ValuesOf } from './parameter.js';
import type { Remote } from './remote.js';
import type { KindId, SomeOf, UnitOf, ValuesFor } from './units.js';

export type Method = 'GET' | 'POST';

/** Who may call a function: a level, or for functions of a unit also rules, of which any lets in (docs/access.md). */
export type FunctionAccess = string | readonly string[];

type Result<T> = T | Promise<T>;

interface CallableOptions<P extends ParameterDeclarations, C> {
  /** A sentence for whoever calls it; it stands in the API documentation. */
  readonly description: string;
  readonly parameters?: P;
  /** Both where it is left out. GET takes parameters from the query string, POST from the body. */
  readonly methods?: readonly Method[];
  /** The kind's access for `function` where it is left out. */
  readonly access?: FunctionAccess;
  /** Milliseconds until the call is aborted with 504; FUNCTION_TIMEOUT where it is left out. */
  readonly timeout?: number;
  /** What it returns is the `content` of the answer: anything that JSON can tell; undefined is null. */
  run(context: C & { readonly parameters: ValuesOf<P> }): unknown;
}

export type FunctionOptions<P extends ParameterDeclarations> = CallableOptions<P, Context>;

/** `unit` is the unit of the path, as the caller may read it. */
export type UnitFunctionOptions<K extends string, P extends ParameterDeclarations> = CallableOptions<
  P,
  Context & { readonly unit: UnitOf<K> }
>;

/** A function that was declared, and the stack of where. */
export interface FunctionDeclaration<S extends 'kind' | 'unit' = 'kind' | 'unit'> {
  readonly declares: 'function';
  readonly scope: S;
  readonly kind: string;
  readonly options: CallableOptions<ParameterDeclarations, Context & { readonly unit: UnitOf<string> }>;
  readonly stack: string;
}

/**
 * Run in the transaction of every write of a unit, whichever way it comes: single, in bulk, inside another one, by a
 * function, by a deletion that reaches it. Rights and values were checked before; what a `before_` hook returns is laid
 * over the values, and checked again; a value that it returns as undefined is left out of the write. What a hook throws
 * undoes the whole write.
 */
export interface Hooks<K extends string> {
  /**
   * `values` are those that were given: what is absent is undefined. Returns values to change, or nothing. It may make the
   * key and what is required; defaults are laid in after it.
   */
  before_create?(context: Context & { readonly values: SomeOf<ValuesFor<K>> }): Result<SomeOf<ValuesFor<K>> | void>;
  after_create?(context: Context & { readonly unit: UnitOf<K> }): Result<void>;
  /** `unit` as it is stored, `values` what is edited. Returns values to change, or nothing. */
  before_update?(
    context: Context & { readonly unit: UnitOf<K>; readonly values: SomeOf<ValuesFor<K>> },
  ): Result<SomeOf<ValuesFor<K>> | void>;
  after_update?(context: Context & { readonly unit: UnitOf<K>; readonly before: UnitOf<K> }): Result<void>;
  before_delete?(context: Context & { readonly unit: UnitOf<K> }): Result<void>;
  /** `unit` as it was. */
  after_delete?(context: Context & { readonly unit: UnitOf<K> }): Result<void>;
}

export interface ModuleOptions<K extends string> {
  /** `/api/lib/{kind}/function/{name}` */
  readonly functions?: Readonly<Record<string, FunctionDeclaration<'kind'>>>;
  /** `/api/lib/{kind}/unit/{id}/function/{name}` */
  readonly unitFunctions?: Readonly<Record<string, FunctionDeclaration<'unit'>>>;
  readonly hooks?: Hooks<K>;
  /** The source of the units, where the kind is `remote`. */
  readonly remote?: Remote;
}

/** The default export of a file in `functions/`. */
export interface ModuleDeclaration {
  readonly declares: 'module';
  readonly kind: string;
  readonly options: ModuleOptions<string>;
  readonly stack: string;
}

/** What declares the functions of one kind. */
export interface KindAuthor<K extends string> {
  function<const P extends ParameterDeclarations = Record<never, never>>(
    options: FunctionOptions<P>,
  ): FunctionDeclaration<'kind'>;
  unitFunction<const P extends ParameterDeclarations = Record<never, never>>(
    options: UnitFunctionOptions<K, P>,
  ): FunctionDeclaration<'unit'>;
  /** To be the default export of `functions/<kind>.ts`, or of `functions/<project>/<kind>.ts` for one project. */
  module(options: ModuleOptions<K>): ModuleDeclaration;
}

/** Begins the declarations for a kind: the name of the file. */
export function kind<const K extends KindId & string>(id: K): KindAuthor<K> {
  const declared = <T extends object>(declaration: T): T & { stack: string } =>
    Object.freeze({ ...declaration, stack: new Error().stack ?? '' });
  const declaration = <S extends 'kind' | 'unit'>(scope: S, options: unknown): FunctionDeclaration<S> =>
    declared({ declares: 'function', scope, kind: id, options: options as FunctionDeclaration['options'] });
  return {
    function: (options) => declaration('kind', options),
    unitFunction: (options) => declaration('unit', options),
    module: (options) => declared({ declares: 'module', kind: id, options }),
  };
}
