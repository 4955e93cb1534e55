/** Declarations of the functions, hooks and remote source of a kind. */
import type { Context, UnitRef } from './context.js';
import type { KnownLinkType, LinkValuesFor, LinkValuesOf } from './link-types.js';
import type { ParameterDeclarations, ValuesOf } from './parameter.js';
import type { Remote } from './remote.js';
import type { KindId, SomeOf, UnitOf, ValuesFor } from './kinds.js';

/** An HTTP method of a function. */
export type Method = 'GET' | 'POST';

/**
 * Who may call a function: a level (`anyone`, `member`, `admin`, `nobody`). For functions of a unit also rules, one of
 * which the unit has to satisfy (docs/access.md).
 */
export type FunctionAccess = string | readonly string[];

type Result<T> = T | Promise<T>;

/** What a function returns: an object of values, declared like parameters, or a unit of a kind, by its id. */
export type Returns = ParameterDeclarations | KindId;

/** The value of a declared answer; any if there is no declaration. */
export type Returned<R> = R extends string
  ? Partial<UnitOf<R>>
  : R extends ParameterDeclarations
    ? ValuesOf<R>
    : unknown;

interface CallableOptions<P extends ParameterDeclarations, R extends Returns | undefined, C> {
  /** A sentence for callers, shown in the API documentation. */
  readonly description: string;
  /** The parameters of the function, by name. */
  readonly parameters?: P;
  /** The HTTP methods; both if omitted. GET takes parameters from the query string, POST from the body. */
  readonly methods?: readonly Method[];
  /** Who may call the function. The kind's access for `function` if omitted. */
  readonly access?: FunctionAccess;
  /** The time limit in milliseconds, after which the call fails with 504. `FUNCTION_TIMEOUT` if omitted. */
  readonly timeout?: number;
  /**
   * What the function returns, for the API document. Another answer is a 500; with `NODE_ENV=production` it is sent and
   * logged. Any answer if omitted.
   */
  readonly returns?: R;
  /** Runs the call. The return value, which must be serializable as JSON, is the `content` of the response. */
  run(context: C & { readonly parameters: ValuesOf<P> }): Result<Returned<R>>;
}

/** The declaration of a function of a kind. */
export type FunctionOptions<
  P extends ParameterDeclarations,
  R extends Returns | undefined = undefined,
> = CallableOptions<P, R, Context>;

/** The declaration of a function of a unit. `unit` is the unit of the path, as the caller may read it. */
export type UnitFunctionOptions<
  K extends string,
  P extends ParameterDeclarations,
  R extends Returns | undefined = undefined,
> = CallableOptions<P, R, Context & { readonly unit: UnitOf<K> }>;

/** A declared function. `stack` is the stack trace of the declaration. */
export interface FunctionDeclaration<S extends 'kind' | 'unit' = 'kind' | 'unit'> {
  readonly declares: 'function';
  readonly scope: S;
  readonly kind: string;
  readonly options: CallableOptions<
    ParameterDeclarations,
    Returns | undefined,
    Context & { readonly unit: UnitOf<string> }
  >;
  readonly stack: string;
}

/**
 * Hooks run in the transaction of every write of a unit: a single write, a bulk write, a unit nested in another one, a
 * write of a function, and a deletion through a reference. Access and values are checked before hooks run. The values
 * that a `before_` hook returns override those of the request and are checked again; one that is undefined is removed
 * from the write. If a hook throws, the whole write is rolled back.
 */
export interface Hooks<K extends string> {
  /**
   * Runs before a unit is created. `values` are those of the request. Returns values to change, or nothing. It can set
   * the primary key and required parameters; defaults are applied afterwards.
   */
  before_create?(context: Context & { readonly values: SomeOf<ValuesFor<K>> }): Result<SomeOf<ValuesFor<K>> | void>;
  /** Runs after a unit was created. */
  after_create?(context: Context & { readonly unit: UnitOf<K> }): Result<void>;
  /**
   * Runs before an edit. `unit` is the stored unit, `values` are the edited ones. Returns values to change, or nothing.
   */
  before_update?(
    context: Context & { readonly unit: UnitOf<K>; readonly values: SomeOf<ValuesFor<K>> },
  ): Result<SomeOf<ValuesFor<K>> | void>;
  /** Runs after an edit. `before` is the unit before it. */
  after_update?(context: Context & { readonly unit: UnitOf<K>; readonly before: UnitOf<K> }): Result<void>;
  /** Runs before a unit is deleted. */
  before_delete?(context: Context & { readonly unit: UnitOf<K> }): Result<void>;
  /** Runs after a unit was deleted. `unit` is the deleted unit. */
  after_delete?(context: Context & { readonly unit: UnitOf<K> }): Result<void>;
  /**
   * Runs before a link from a unit of the kind is created. `values` are those of the request. Returns values to change, or
   * nothing. It can set required parameters; defaults are applied afterwards. Not when a link is already there, nor when
   * its values are changed.
   */
  before_link?(context: Context & NewLinkEvent): Result<NewLinkEvent['values'] | void>;
  /** Runs after a link was created. */
  after_link?(context: Context & LinkEvent): Result<void>;
  /** Runs before a link is deleted, also with one of its units. If it throws, neither is. */
  before_unlink?(context: Context & LinkEvent): Result<void>;
  /** Runs after a link was deleted. */
  after_unlink?(context: Context & LinkEvent): Result<void>;
}

/**
 * A link that is to be created, with those values of its parameters that the request gives. The kind of `parent` is that
 * of the module. If several link types are known, `link_id` tells which values it has.
 */
export type NewLinkEvent<T extends string = KnownLinkType> = T extends string
  ? {
      readonly parent: UnitRef;
      readonly child: UnitRef;
      readonly link_id: T;
      readonly values: SomeOf<LinkValuesFor<T>>;
    }
  : never;

/** A link that was created, or that is or was deleted, with the values of its parameters. */
export type LinkEvent<T extends string = KnownLinkType> = T extends string
  ? { readonly parent: UnitRef; readonly child: UnitRef; readonly link_id: T; readonly values: LinkValuesOf<T> }
  : never;

/** The contents of a module. */
export interface ModuleOptions<K extends string> {
  /** Functions of the kind, by name: `/api/lib/{kind}/function/{name}`. */
  readonly functions?: Readonly<Record<string, FunctionDeclaration<'kind'>>>;
  /** Functions of a unit, by name: `/api/lib/{kind}/unit/{id}/function/{name}`. */
  readonly unitFunctions?: Readonly<Record<string, FunctionDeclaration<'unit'>>>;
  /** The hooks of the kind. */
  readonly hooks?: Hooks<K>;
  /** The source of the units of a `remote` kind. */
  readonly remote?: Remote;
}

/** A declared module: the default export of a file in `functions/`. `stack` is the stack trace of the declaration. */
export interface ModuleDeclaration {
  readonly declares: 'module';
  readonly kind: string;
  readonly options: ModuleOptions<string>;
  readonly stack: string;
}

/** Declares the functions and the module of a kind. */
export interface KindAuthor<K extends string> {
  /** Declares a function of the kind. */
  function<
    const P extends ParameterDeclarations = Record<never, never>,
    const R extends Returns | undefined = undefined,
  >(
    options: FunctionOptions<P, R>,
  ): FunctionDeclaration<'kind'>;
  /** Declares a function of a unit of the kind. */
  unitFunction<
    const P extends ParameterDeclarations = Record<never, never>,
    const R extends Returns | undefined = undefined,
  >(
    options: UnitFunctionOptions<K, P, R>,
  ): FunctionDeclaration<'unit'>;
  /** Declares the default export of `functions/<kind>.ts`, or of `functions/<project>/<kind>.ts` for one project. */
  module(options: ModuleOptions<K>): ModuleDeclaration;
}

/**
 * Starts the declarations for a kind.
 *
 * @param id the id of the kind, which is the name of the file
 */
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
