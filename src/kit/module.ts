/** Declarations of the functions and hooks of a kind, and of its source, if another system stores its units. */
import type { Readable } from 'node:stream';
import type { Context, UnitRef } from './context.js';
import type {
  KnownLinkType,
  LinkValuesFor,
  LinkValuesOf,
  KindId,
  SomeOf,
  UnitOf,
  ValuesFor,
  AnyValues,
} from './kinds.js';
import type { ParameterDeclarations, ValuesOf } from './parameter.js';
import type { AggregateFunction, GroupTerm } from '../filter/aggregate.ast.js';
import type { Filter } from '../filter/filter.ast.js';

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
   * Whether agents may call it, if their key has the right. One that takes GET alone promises to write nothing: keys that
   * may only read call it too. False if omitted.
   */
  readonly agents?: boolean;
  /**
   * What the function returns, for the API document. Another answer is a 500; with `NODE_ENV=production` it is sent and
   * logged. Any answer if omitted.
   */
  readonly returns?: R;
  /** Runs the call. The return value, which must be serializable as JSON, is the `content` of the response. */
  run(context: C & { readonly parameters: ValuesOf<P> }): Result<Returned<R>>;
}

/** The declaration of a function of a kind. */
export interface FunctionOptions<
  P extends ParameterDeclarations,
  R extends Returns | undefined = undefined,
> extends CallableOptions<P, R, Context & ScheduledRun> {
  /**
   * When it runs by itself, once per tick in each project that has the kind: minute, hour, day, month and weekday
   * (`30 2 * * mon-fri`), in UTC unless it names a time zone. Nobody may call it then, unless it has `access`, and it has
   * no required parameters and a `timeout` of at most ten minutes.
   */
  readonly schedule?: string | { readonly cron: string; readonly timezone?: string };
}

/** What a run by a schedule has. `member` is null, `units` may what `anyone` may, and `system` everything. */
export interface ScheduledRun {
  /** The tick, as `2027-01-31T09:30:00.000000Z`; undefined for a call. */
  readonly tick?: string;
}

/** The declaration of a function of a unit. `unit` is the unit of the path, as the caller may read it. */
export type UnitFunctionOptions<
  K extends string,
  P extends ParameterDeclarations,
  R extends Returns | undefined = undefined,
> = CallableOptions<P, R, Context & { readonly unit: UnitOf<K> }>;

/** An HTTP method of an endpoint. */
export type EndpointMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A request of another service, as it came. */
export interface InboundRequest {
  readonly method: EndpointMethod;
  /** By name in lower case, without `cookie`. Anyone can send any of them. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** By name; a list if a name is given more than once. */
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes of the body, as they came: signatures are computed from them. Empty for GET and DELETE. */
  readonly body: Buffer;
}

/** What an endpoint answers. */
export interface InboundAnswer {
  /** 200 to 599; 200 if omitted. The transaction is committed whatever it is: throw an error to store nothing. */
  readonly status?: number;
  /** The content type; `text/plain; charset=utf-8` if omitted, `application/octet-stream` for bytes. */
  readonly type?: string;
  readonly body?: string | Uint8Array;
}

/** The declaration of an endpoint: a request of a service that knows neither the project's header nor a token. */
export interface EndpointOptions {
  /** A sentence for the API document. */
  readonly description?: string;
  /** The HTTP methods; POST alone if omitted. */
  readonly methods?: readonly EndpointMethod[];
  /** Why anyone may call it (`Stripe calls it`): `access report --strict` passes it then. */
  readonly accepted?: string;
  /**
   * Runs the call. Anyone may call it: check who does. `member` is null, and `units` may what `anyone` may. Nothing
   * returned is answered with 204.
   */
  run(context: Context & { readonly request: InboundRequest }): Result<InboundAnswer | void>;
}

/** A declared endpoint. `stack` is the stack trace of the declaration. */
export interface EndpointDeclaration {
  readonly declares: 'endpoint';
  readonly kind: string;
  readonly options: EndpointOptions;
  readonly stack: string;
}

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
 * The way by which a unit is written: a request to the API (a batch too), code of a module (a function, an endpoint or
 * another hook), `after_commit` or a run by a schedule with all that it sets off, an import, a unit that is put back as it
 * was, or a sign-up.
 */
export type Via = 'api' | 'function' | 'after_commit' | 'schedule' | 'import' | 'revert' | 'signup';

/** How a unit or link is written. Of several ways inside one another, `via` is the innermost. */
export interface WriteEvent {
  readonly via: Via;
  /** Whether code of a module writes by `system`, or a command of the service. */
  readonly asSystem: boolean;
}

/** An edit that is to be made: the stored unit, and the edited values. */
export interface UnitChange<K extends string> {
  readonly unit: UnitOf<K>;
  readonly values: HookValues<K>;
}

/** An edit that was made: the unit after and before it, and the edited values as stored, with the run-time ones. */
export interface UnitChanged<K extends string> extends UnitChange<K> {
  readonly before: UnitOf<K>;
}

/** A link of a change: its type and its child. The parent is the unit of the change. */
export interface ChangedLink {
  readonly link_id: string;
  readonly child_kind_id: string;
  readonly child_id: string;
}

/** A change that was recorded (docs/changes.md). */
export interface CommitEvent<K extends string> {
  /** The same in every attempt, and of no other change: the key for what is done elsewhere. */
  readonly id: string;
  readonly operation: 'create' | 'update' | 'delete' | 'link' | 'unlink';
  readonly kind_id: K;
  readonly unit_id: string;
  /** That of the unit's ETag after the change; of a deletion or a link its time. In microseconds. */
  readonly version: number;
  /** The same as a time: `2027-01-31T09:30:00.123456Z`. */
  readonly at: string;
  /** The id and the kind of the member who wrote; null if there was no token. */
  readonly member: string | null;
  readonly member_kind: string | null;
  /** The way of the write, the outermost of several. */
  readonly via: Via | 'command';
  /** What differs, as values before and after, without hidden parameters. */
  readonly changes: Readonly<Partial<Record<keyof UnitOf<K> & string, readonly [before: unknown, after: unknown]>>>;
  /** The unit as it was after the change, a deleted one as it was last, of a link the parent; without hidden parameters. */
  readonly unit: UnitOf<K>;
  /** Of `link` and `unlink`; null otherwise. */
  readonly link: ChangedLink | null;
}

/** What `after_commit` receives. `units` acts as the member who wrote, with its rights of now. */
export interface CommitContext<K extends string> extends Context {
  readonly event: CommitEvent<K>;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

/** What every hook receives. */
export type HookContext = Context & WriteEvent;

/** What is found in the content of a file. */
export interface ContentFacts {
  readonly media_type: string;
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** Of a picture, upright, in pixels. */
  readonly width: number | null;
  readonly height: number | null;
}

/** The values of a write as hooks get them. Those of a file have what was found in its new content, in place of that. */
export type HookValues<K extends string> = K extends 'file' ? SetValues<K> & Partial<ContentFacts> : SetValues<K>;

/** The values that hooks set. None replaces the content of a file. */
export type SetValues<K extends string> = SomeOf<K extends 'file' ? Omit<ValuesFor<K>, 'content'> : ValuesFor<K>>;

/** The content of a new file, as a stream of what is stored by then; nothing for other kinds. */
export type NewContent<K extends string> = K extends 'file' ? { readonly content: Readable } : unknown;

/** The same for an edit, if it has a new content. */
export type ChangedContent<K extends string> = K extends 'file' ? { readonly content?: Readable } : unknown;

/**
 * Hooks run in the transaction of every write of a unit: a single write, a bulk write, a unit nested in another one, a
 * write of a function, and a deletion through a reference. Access and values are checked before hooks run. The values
 * that a `before_` hook returns override those of the request and are checked again; one that is undefined is removed
 * from the write. If a hook throws, the whole write is rolled back. `before_create` and `before_update`
 * of files that get a new content run before it, in a transaction of their own (docs/functions.md#hooks-of-files).
 */
export interface Hooks<K extends string> {
  /**
   * Runs before a unit is created. `values` are those of the request. Returns values to change, or nothing. It can set
   * the primary key and required parameters, which `fills` of the module names; defaults are applied afterwards.
   */
  before_create?(
    context: HookContext & NewContent<K> & { readonly values: HookValues<K> },
  ): Result<SetValues<K> | void>;
  /** Runs after a unit was created. `values` are as stored, with the run-time parameters of the request. */
  after_create?(context: HookContext & { readonly unit: UnitOf<K>; readonly values: HookValues<K> }): Result<void>;
  /**
   * Runs before an edit. `unit` is the stored unit, `values` are the edited ones. Returns values to change, or nothing.
   */
  before_update?(
    context: HookContext & ChangedContent<K> & { readonly unit: UnitOf<K>; readonly values: HookValues<K> },
  ): Result<SetValues<K> | void>;
  /**
   * Runs after an edit. `before` is the unit before it, `values` are the edited ones as stored, with the run-time
   * parameters of the request.
   */
  after_update?(
    context: HookContext & {
      readonly unit: UnitOf<K>;
      readonly before: UnitOf<K>;
      readonly values: HookValues<K>;
    },
  ): Result<void>;
  /**
   * In place of `before_update`, and for all units that are edited at once, of which each call gets at most 1,000. Returns
   * a list with the values to change of each, in the same order, or nothing.
   */
  before_update_many?(
    context: HookContext & { readonly changes: readonly UnitChange<K>[] },
  ): Result<readonly (SetValues<K> | undefined | null)[] | void>;
  /** The same in place of `after_update`. */
  after_update_many?(context: HookContext & { readonly changes: readonly UnitChanged<K>[] }): Result<void>;
  /** Runs before a unit is deleted. */
  before_delete?(context: HookContext & { readonly unit: UnitOf<K> }): Result<void>;
  /** Runs after a unit was deleted. `unit` is the deleted unit. */
  after_delete?(context: HookContext & { readonly unit: UnitOf<K> }): Result<void>;
  /**
   * Runs before a link from a unit of the kind is created. `values` are those of the request. Returns values to change, or
   * nothing. It can set required parameters; defaults are applied afterwards. Not when a link is already there, nor when
   * its values are changed.
   */
  before_link?(context: HookContext & NewLinkEvent): Result<NewLinkEvent['values'] | void>;
  /** Runs after a link was created. */
  after_link?(context: HookContext & LinkEvent): Result<void>;
  /** Runs before a link is deleted, also with one of its units. If it throws, neither is. */
  before_unlink?(context: HookContext & LinkEvent): Result<void>;
  /** Runs after a link was deleted. */
  after_unlink?(context: HookContext & LinkEvent): Result<void>;
  /**
   * Runs once for each recorded change of the kind, after the commit, in a transaction of its own, which also marks the
   * change as done: what it writes is stored exactly once, and what it does elsewhere is done at least once. The changes of
   * a unit run one after the other. If it throws, it is tried again, ten times within some eight hours. The kind needs
   * `changes` other than `none`.
   */
  after_commit?(context: CommitContext<K>): Result<void>;
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
  /** Addresses for other services, by name: `/api/lib/project/{project}/hook/{kind}/{name}`. At most 20. */
  readonly endpoints?: Readonly<Record<string, EndpointDeclaration>>;
  /** The hooks of the kind. */
  readonly hooks?: Hooks<K>;
  /**
   * The required parameters that `before_create` sets where a create leaves them out. In the API document, and in the types
   * of functions, they are optional in creates; others are required there.
   */
  readonly fills?: readonly (keyof ValuesFor<K> & string)[];
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
  /** Declares an address of the kind that another service calls. */
  endpoint(options: EndpointOptions): EndpointDeclaration;
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
    endpoint: (options) => declared({ declares: 'endpoint', kind: id, options }),
    module: (options) => declared({ declares: 'module', kind: id, options }),
  };
}

export type { Filter };

/**
 * The query of a list. It is valid: its parameters exist and the caller may read them, and operators and values fit
 * their types. Values are texts, as in the request. A path has one segment, or several inside a `json` parameter.
 */
export interface RemoteQuery {
  /** The parsed filter; null for none, and for `all()`. */
  readonly filter: Filter | null;
  /** The filter as an expression in canonical form; null for none. */
  readonly filterText: string | null;
  /** The order of the request; empty if the source may choose it. */
  readonly order: readonly { readonly parameter: string; readonly descending: boolean }[];
  readonly offset: number;
  /** At most 1000; 0 for the count alone. Items beyond it are ignored. */
  readonly limit: number;
}

/** A function over the units of a group. */
export interface RemoteFunction {
  /** The name in the answer. */
  readonly name: string;
  readonly function: AggregateFunction;
  /** The parameter, or keys inside a `json` parameter after it; null for a count of units. */
  readonly parameter: string | null;
  /** The units that the function takes; null for all. */
  readonly filter: Filter | null;
  readonly filterText: string | null;
}

/** What units are grouped by. */
export interface RemoteGroup {
  /** The name in the answer. */
  readonly name: string;
  readonly parameter: string;
  /** Null for the value of the parameter. */
  readonly function: GroupTerm['function'] | null;
  /** The size of a `bucket`, a decimal number above zero; null for other functions. */
  readonly size: string | null;
}

/** The query of an aggregation. It is valid: functions fit the types of their parameters. */
export interface RemoteAggregateQuery extends RemoteQuery {
  readonly select: readonly RemoteFunction[];
  readonly group: readonly RemoteGroup[];
  /** The filter of the groups, over the names of the answer, as is `order`; null for none. */
  readonly having: Filter | null;
  readonly havingText: string | null;
  /** Of periods of datetimes, such as `Europe/Rome`. */
  readonly timezone: string;
}

/** A page of groups. Each item has a value for each name of `group` and `select`; a missing one is null. */
export interface RemoteGroups {
  /** The number of all groups. */
  readonly count: number;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/**
 * A unit: its `id`, which for a kind with a primary parameter is the value of that as text, and its parameters. Unknown
 * properties are ignored and missing ones are null. `metadata`, `inserted_at` and `updated_at` are optional.
 */
export type RemoteUnit = Readonly<Record<string, unknown>> & { readonly id: string };

/** A page of units. */
export interface RemotePage {
  /** The number of all units that match the filter; -1 if unknown. */
  readonly count: number;
  readonly items: readonly RemoteUnit[];
}

/**
 * The source of a remote kind. Access is checked before it is called.
 *
 * - An operation that it lacks is rejected with 404 `kind.not_allowed_here`.
 * - If it throws anything but a FunctionError, or returns something that does not fit the kind, the response is 503
 *   `kind.remote_unavailable`, and the log has the cause.
 * - If it exceeds the time limit, the response is 504 `function.timeout`.
 */
export interface Remote {
  /** Returns a page of units. */
  list(query: RemoteQuery, context: Context): Promise<RemotePage> | RemotePage;
  /** Returns a page of groups of units. Without it, an aggregation is rejected with 400 `kind.no_aggregate`. */
  aggregate?(query: RemoteAggregateQuery, context: Context): Promise<RemoteGroups> | RemoteGroups;
  /** Returns a unit, or null if it does not exist. Needed by `update`, `delete` and all hooks but `before_create`. */
  get?(id: string, context: Context): Promise<RemoteUnit | null | undefined> | RemoteUnit | null | undefined;
  /** Creates a unit and returns it. `values` are valid and complete, with defaults and run-time parameters. */
  create?(values: AnyValues, context: Context): Promise<RemoteUnit> | RemoteUnit;
  /** Edits a unit and returns it with all parameters; null if it does not exist. `values` are those that change. */
  update?(
    id: string,
    values: AnyValues,
    context: Context,
  ): Promise<RemoteUnit | null | undefined> | RemoteUnit | null | undefined;
  /** Deletes a unit. Returns false if it does not exist. */
  delete?(id: string, context: Context): Promise<boolean | void> | boolean | void;
}
