/** What can be done with the units of a kind. */
import type { Call, EditOptions, Options, WriteOptions } from './call.js';
import { CODES, type Code, type Operation } from './codes.js';
import { functionQuery, type Answer, type Reference, type Sent } from './connection.js';
import {
  build,
  termsOf,
  type Build,
  type Compute,
  type Groups,
  type Named,
  type Selects,
  type Terms,
  type TermValues,
} from './filters.js';
import type { Include, LinkType, Name, OrderOf, Row, Shapes, Show } from './kinds.js';

export interface Page<T> {
  /** How many match. */
  readonly count: number;
  readonly items: readonly T[];
  /** The cursor of the next page, where there is a cursor and another page. */
  readonly next?: string | null;
}
/** For `ifMatch`. It is not enumerable. */
export interface Versioned {
  readonly etag: string;
}

/** `['title', {author: ['name']}, (t) => ({comments: t.count_related('comment.article')})]` */
type Included<S extends Shapes<S>, K extends keyof S> = readonly (
  Include<S, K>[number] | ((t: Terms<S, K>) => Named<K>)
)[];
/** What the functions in `include` answer. */
type Termed<I> = I extends readonly (infer E)[]
  ? (E extends (t: never) => infer N ? (told: TermValues<N>) => void : never) extends (told: infer A) => void
    ? A
    : never
  : never;
interface Selection<S extends Shapes<S>, K extends keyof S, I, X> {
  /** The fields of the answer: all where it is left out. */
  readonly include?: I | Included<S, K>;
  readonly exclude?: readonly X[];
}
interface Matching<S extends Shapes<S>, K extends keyof S, O extends string> {
  readonly filter?: Build<S, K>;
  /** `['-views', 'author.name']` */
  readonly order?: readonly OrderOf<S, K, O>[];
  readonly limit?: number;
  readonly offset?: number;
}
interface Query<S extends Shapes<S>, K extends keyof S, I, X, O extends string>
  extends Selection<S, K, I, X>, Matching<S, K, O> {
  readonly search?: string;
  readonly cursor?: string;
}
type Selected<S extends Shapes<S>, K extends keyof S, I, X> = [I] extends [never]
  ? [X] extends [never]
    ? S[K]['unit']
    : Show<Omit<S[K]['unit'], X & PropertyKey>>
  : Row<S, K, I> & Termed<I>;
/** Who may not read what it has written is answered its id alone. */
type Written<S extends Shapes<S>, K extends keyof S> = S[K]['all'] extends true
  ? S[K]['unit']
  : { readonly id: string; readonly kind_id: K } & Partial<S[K]['unit']>;
type Changes<S extends Shapes<S>, K extends keyof S> = {
  readonly [P in keyof S[K]['create']]?: S[K]['create'][P] | (P extends keyof S[K]['edit'] ? S[K]['edit'][P] : never);
};
type UpsertResult = 'created' | 'updated' | 'unchanged' | 'ignored';
interface UpsertOptions<S extends Shapes<S>, K extends keyof S> extends WriteOptions {
  readonly on_conflict?: 'update' | 'ignore';
  readonly by?: readonly (keyof S[K]['create'] & string)[];
}
interface ManyOptions extends WriteOptions {
  readonly max_affected?: number;
}

type Nothing = Readonly<Record<never, never>>;
/** The fields of an answer as those of a kind, so that its filters are checked like others. */
interface Answered<F extends object> {
  readonly answer: {
    readonly unit: F;
    readonly refs: object;
    readonly from: never;
    readonly create: object;
    readonly edit: object;
    readonly all: true;
    readonly can: never;
    readonly functions: object;
    readonly links: object;
  };
}
type Computing<F extends object> = {
  readonly [N in 'add' | 'sub' | 'mul' | 'div' | 'days']: Compute<Answered<F>, 'answer'>;
};
/** By names of the answer: `{group: (g) => ({state: g.value('state')}), select: (s) => ({most: s.max('views')})}` */
export interface AggregateQuery<S extends Shapes<S>, K extends keyof S, G, A, C> {
  readonly group?: (g: Groups<S, K>) => G;
  readonly select?: (s: Selects<S, K>) => A;
  /** Of fields of the answer: `(c) => ({mean: c.div('total', 'count')})`. The service has them in `select`. */
  readonly compute?: (c: Computing<TermValues<G & A>>) => C;
  readonly filter?: Build<S, K>;
  readonly having?: Build<Answered<TermValues<G & A & C>>, 'answer'>;
  readonly order?: readonly Ordered<keyof TermValues<G & A & C> & string>[];
  readonly limit?: number;
  readonly offset?: number;
  readonly timezone?: string;
  readonly search?: string;
}
/** Names of the answer. The compiler looks at them first before it knows of any, and would give up. */
type Ordered<N extends string> = [N] extends [never] ? string : N | `-${N}`;

export interface LinksQuery {
  readonly depth?: number;
  readonly link_id?: readonly string[];
  readonly kind_id?: readonly string[];
  readonly include?: readonly string[];
  readonly order?: readonly string[];
  readonly limit?: number;
  readonly offset?: number;
  readonly cursor?: string;
}
/** A unit at the other end of a link. */
interface LinkEnd {
  readonly kind_id: string;
  readonly id: string;
}
type LinkValues<S extends Shapes<S>, K extends keyof S, T> = T extends keyof S[K]['links'] ? S[K]['links'][T] : never;
export interface LinkRecord {
  readonly link_id: string;
  readonly parent_id: string;
  readonly parent_kind_id: string;
  readonly child_id: string;
  readonly child_kind_id: string;
  readonly inserted_at: string;
  readonly [value: string]: unknown;
}
interface LinkManyOptions extends WriteOptions {
  /** Whether others of this type in this direction are taken away. */
  readonly replace?: boolean;
}

/** A unit that a walk has reached, and the link by which it did. */
export interface LinkedUnit {
  readonly id: string;
  readonly kind_id: string;
  readonly link: {
    readonly link_id: string;
    readonly parent_id: string;
    readonly child_id: string;
    readonly depth: number;
    readonly [value: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface LiveOptions extends Options {
  /** Called once, when the list is not kept any more. */
  readonly onError?: (error: unknown) => void;
}

export interface HistoryQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly cursor?: string;
  readonly order?: readonly string[];
  /** In the language of the service, over `version`, `at`, `operation`, `member`, `via`, `changed`. */
  readonly filter?: string;
}
export interface Version {
  readonly version: number;
  readonly at: string;
  readonly operation: 'create' | 'update' | 'delete';
  readonly member?: string | null;
  readonly member_kind?: string | null;
  readonly via?: string;
  readonly key?: string | null;
  readonly changes?: { readonly [parameter: string]: readonly [before: unknown, after: unknown] };
}

interface Operations<S extends Shapes<S>, K extends keyof S> {
  list<const I extends Included<S, K> = never, X extends Name<S, K> = never, const O extends string = never>(
    query?: Query<S, K, I, X, O>,
    options?: Options,
  ): Call<Page<Selected<S, K, I, X>>, Code<'list'>>;
  /** All that match, page by page. */
  each<const I extends Included<S, K> = never, X extends Name<S, K> = never, const O extends string = never>(
    query?: Omit<Query<S, K, I, X, O>, 'offset' | 'cursor'>,
    options?: Options,
  ): AsyncGenerator<Selected<S, K, I, X>, void, undefined>;
  get<const I extends Included<S, K> = never, X extends Name<S, K> = never>(
    id: string,
    query?: Selection<S, K, I, X> & { readonly as_of?: string | number },
    options?: Options,
  ): Call<Selected<S, K, I, X> & Versioned, Code<'get'>>;
  create(values: S[K]['create'], options?: WriteOptions): Call<Written<S, K> & Versioned, Code<'create'>>;
  create(
    values: readonly S[K]['create'][],
    options?: WriteOptions,
  ): Call<{ readonly count: number; readonly items: readonly Written<S, K>[] }, Code<'create'>>;
  upsert(
    values: S[K]['create'],
    options?: UpsertOptions<S, K>,
  ): Call<{ readonly unit: Written<S, K>; readonly result: UpsertResult }, Code<'upsert'>>;
  upsert(
    values: readonly S[K]['create'][],
    options?: UpsertOptions<S, K>,
  ): Call<
    {
      readonly count: number;
      readonly items: readonly Written<S, K>[];
      readonly results: readonly UpsertResult[];
    },
    Code<'upsert'>
  >;
  update(id: string, changes: Changes<S, K>, options?: EditOptions): Call<Written<S, K> & Versioned, Code<'update'>>;
  updateAll(
    filter: Build<S, K>,
    changes: Changes<S, K>,
    options?: ManyOptions,
  ): Call<{ readonly count: number }, Code<'updateAll'>>;
  remove(id: string, options?: EditOptions): Call<null, Code<'remove'>>;
  removeAll(filter: Build<S, K>, options?: ManyOptions): Call<{ readonly count: number }, Code<'removeAll'>>;
  aggregate<G extends Named<K> = Nothing, A extends Named<K> = Nothing, C extends Named<'answer'> = Nothing>(
    query: AggregateQuery<S, K, G, A, C>,
    options?: Options,
  ): Call<Page<TermValues<G & A & C>>, Code<'aggregate'>>;
  links(
    id: string,
    direction: 'parent' | 'child',
    query?: LinksQuery,
    options?: Options,
  ): Call<Page<LinkedUnit>, Code<'links'>>;
  /** Makes a link from a unit to another, which is its child. */
  link<const T extends LinkType<S, K>>(
    id: string,
    link_id: T,
    child: LinkEnd,
    values?: LinkValues<S, K, T>,
    options?: WriteOptions,
  ): Call<LinkRecord, Code<'link'>>;
  update_link<const T extends LinkType<S, K>>(
    id: string,
    link_id: T,
    child: LinkEnd,
    values: Partial<LinkValues<S, K, T>>,
    options?: WriteOptions,
  ): Call<LinkRecord, Code<'link'>>;
  unlink(id: string, link_id: LinkType<S, K>, child: LinkEnd, options?: WriteOptions): Call<null, Code<'link'>>;
  link_many<const T extends LinkType<S, K>>(
    id: string,
    link_id: T,
    direction: 'parent' | 'child',
    items: readonly (LinkEnd & Partial<LinkValues<S, K, T>>)[],
    options?: LinkManyOptions,
  ): Call<{ readonly count: number; readonly items: readonly LinkRecord[] }, Code<'link'>>;
  history(id: string, query?: HistoryQuery, options?: Options): Call<Page<Version>, Code<'history'>>;
  /** Calls `listener` with the list whenever it has changed. The answer ends that. */
  live<const I extends Included<S, K> = never, X extends Name<S, K> = never, const O extends string = never>(
    query: Omit<Query<S, K, I, X, O>, 'offset' | 'cursor' | 'search'>,
    listener: (page: Page<Selected<S, K, I, X>>) => void,
    options?: LiveOptions,
  ): () => void;
}

/** The answer of an operation of a batch: what is read of it may stand in later operations. */
type Later<T> = (T extends object ? T : unknown) & { readonly later?: T };
type Recordings<S extends Shapes<S>, K extends keyof S> = {
  list<const O extends string = never>(
    query?: Omit<Query<S, K, never, never, O>, 'include' | 'exclude'>,
  ): Later<Page<S[K]['unit']>>;
  get(id: string): Later<S[K]['unit']>;
  create(values: S[K]['create']): Later<Written<S, K>>;
  create(
    values: readonly S[K]['create'][],
  ): Later<{ readonly count: number; readonly items: readonly Written<S, K>[] }>;
  update(id: string, changes: Changes<S, K>, options?: { readonly ifMatch?: string }): Later<Written<S, K>>;
  updateAll(filter: Build<S, K>, changes: Changes<S, K>): Later<{ readonly count: number }>;
  upsert(values: S[K]['create'], options?: BatchedUpsert<S, K>): Later<Written<S, K>>;
  upsert(
    values: readonly S[K]['create'][],
    options?: BatchedUpsert<S, K>,
  ): Later<{
    readonly count: number;
    readonly items: readonly Written<S, K>[];
    readonly results: readonly UpsertResult[];
  }>;
  remove(id: string, options?: { readonly ifMatch?: string }): Later<null>;
  removeAll(filter: Build<S, K>): Later<{ readonly count: number }>;
  aggregate<G extends Named<K> = Nothing, A extends Named<K> = Nothing, C extends Named<'answer'> = Nothing>(
    query: AggregateQuery<S, K, G, A, C>,
  ): Later<Page<TermValues<G & A & C>>>;
  links(id: string, direction: 'parent' | 'child', query?: LinksQuery): Later<Page<LinkedUnit>>;
  link<const T extends LinkType<S, K>>(
    id: string,
    link_id: T,
    child: LinkEnd,
    values?: LinkValues<S, K, T>,
  ): Later<LinkRecord>;
  update_link<const T extends LinkType<S, K>>(
    id: string,
    link_id: T,
    child: LinkEnd,
    values: Partial<LinkValues<S, K, T>>,
  ): Later<LinkRecord>;
  unlink(id: string, link_id: LinkType<S, K>, child: LinkEnd): Later<null>;
  link_many<const T extends LinkType<S, K>>(
    id: string,
    link_id: T,
    direction: 'parent' | 'child',
    items: readonly (LinkEnd & Partial<LinkValues<S, K, T>>)[],
    options?: { readonly replace?: boolean },
  ): Later<{ readonly count: number; readonly items: readonly LinkRecord[] }>;
};
type BatchedUpsert<S extends Shapes<S>, K extends keyof S> = Omit<UpsertOptions<S, K>, keyof WriteOptions>;
/** A kind in a batch. */
export type Batched<S extends Shapes<S>, K extends keyof S> = Pick<
  Recordings<S, K>,
  S[K]['can'] & keyof Recordings<S, K>
> & { readonly call: LaterFunctions<S[K]['functions']> };

/** What `types.ts` says of a function. */
interface FunctionShape {
  readonly unit: boolean;
  readonly parameters: object;
  readonly returns: unknown;
}
type Callable<F> = F extends FunctionShape
  ? F['unit'] extends true
    ? (id: string, ...rest: Rest<F['parameters']>) => Call<F['returns'], Code<'call'>>
    : (...rest: Rest<F['parameters']>) => Call<F['returns'], Code<'call'>>
  : never;
type Given<P> = object extends P ? [parameters?: P] : [parameters: P];
type Rest<P> = [...Given<P>, options?: WriteOptions];
type Functions<F> = { readonly [N in keyof F]: Callable<F[N]> };
type LaterFunctions<F> = {
  readonly [N in keyof F]: F[N] extends FunctionShape
    ? (
        ...args: [...(F[N]['unit'] extends true ? [id: string] : []), ...Given<F[N]['parameters']>]
      ) => Later<F[N]['returns']>
    : never;
};

export type KindClient<S extends Shapes<S>, K extends keyof S> = Pick<
  Operations<S, K>,
  S[K]['can'] & keyof Operations<S, K>
> & { readonly call: Functions<S[K]['functions']> };

/** What the service says of kinds and a request has to know: `index.ts` brings it. */
export interface Facts {
  /** Kinds whose writes take no `Idempotency-Key`. */
  readonly keyless?: readonly string[];
  /** Functions that take no POST, with their parameters that are JSON: `{"city.near": ["shape", "shapes[]"]}` */
  readonly gets?: Readonly<Record<string, readonly string[]>>;
}

/** Sends a request, or records it for a batch. */
export type Ask = (sent: Sent, read: (answer: Answer) => unknown) => unknown;
export type Values = Readonly<Record<string, unknown>>;

function includeNames(include: readonly unknown[]): readonly string[] {
  return include.flatMap((each) =>
    typeof each === 'string'
      ? [each]
      : typeof each === 'function'
        ? termsOf(each)
        : Object.entries(each as Record<string, readonly unknown[]>).flatMap(([reference, names]) =>
            ['id', ...includeNames(names)].map((name) => `${reference}.${name}`),
          ),
  );
}

export function queryOf({ filter, include, exclude, ...others }: Values): Values {
  const isNested = (include as readonly unknown[] | undefined)?.some((each) => typeof each === 'object');
  return {
    ...others,
    ...(filter !== undefined && { filter: typeof filter === 'string' ? filter : build(filter) }),
    ...(include !== undefined && { include: includeNames(include as readonly unknown[]).join() }),
    ...(exclude !== undefined && { exclude: (exclude as readonly string[]).join() }),
    ...(isNested && { nest: true }),
  };
}

function aggregateOf({ group, select, compute, having, ...others }: Values): Values {
  const terms = (makers: readonly unknown[]) => {
    const given = makers.filter((make) => make !== undefined);
    return given.length > 0 ? given.flatMap(termsOf).join() : undefined;
  };
  return {
    ...others,
    group: terms([group]),
    select: terms([select, compute]),
    ...(having !== undefined && { having: build(having) }),
  };
}

export const contentOf = ({ content }: Answer) => content;

function unitOf({ content, headers }: Answer): unknown {
  const value = headers.get('etag');
  // A dry run has none.
  return value === null ? content : Object.defineProperty(content as object, 'etag', { value });
}

export function operationsOf(id: string, ask: Ask, { keyless, gets }: Facts) {
  const unit = [id, 'unit'];
  const keyed = !keyless?.includes(id);
  const read = (operation: Operation, path: Sent['path'], query: Values, options: Options, as = contentOf) =>
    ask({ method: 'GET', path, query: queryOf(query), codes: CODES[operation], ...options }, as);
  const write = (operation: Operation, sent: Omit<Sent, 'codes' | 'path'> & Partial<Sent>, as = contentOf) =>
    ask({ path: unit, keyed, codes: CODES[operation], ...sent }, as);
  const link = (of: string, link_id: string, { kind_id, id: child }: LinkEnd) =>
    [...unit, of, 'link', link_id, kind_id, 'unit', child] as const;
  const list = (query: Values = {}, options: Options = {}) => read('list', unit, query, options);
  return {
    list,
    async *each(query: Values = {}, options: Options = {}) {
      for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
        const page = (await list({ ...query, cursor }, options)) as Page<unknown>;
        yield* page.items;
        cursor = page.next;
      }
    },
    get: (of: string, query: Values = {}, options: Options = {}) => read('get', [...unit, of], query, options, unitOf),
    create: (body: unknown, options: WriteOptions = {}) =>
      write('create', { method: 'POST', body, ...options }, unitOf),
    upsert: (body: unknown, { on_conflict = 'update', by, ...options }: UpsertOptions<never, never> = {}) =>
      write(
        'upsert',
        { method: 'POST', query: { on_conflict, by: by?.join() }, body, ...options },
        ({ content, headers }) => {
          const result = headers.get('kind-result');
          // Of several, and in a batch, there is none.
          return result === null ? content : { unit: content, result };
        },
      ),
    update: (of: string, body: unknown, options: EditOptions = {}) =>
      write('update', { method: 'PUT', path: [...unit, of], body, ...options }, unitOf),
    updateAll: (filter: unknown, body: unknown, { max_affected, ...options }: ManyOptions = {}) =>
      write('updateAll', { method: 'PUT', query: queryOf({ filter, max_affected }), body, ...options }),
    remove: (of: string, options: EditOptions = {}) =>
      write('remove', { method: 'DELETE', path: [...unit, of], ...options }),
    removeAll: (filter: unknown, { max_affected, ...options }: ManyOptions = {}) =>
      write('removeAll', { method: 'DELETE', query: queryOf({ filter, max_affected }), ...options }),
    aggregate: (query: Values, options: Options = {}) =>
      read('aggregate', [id, 'aggregate'], aggregateOf(query), options),
    links: (of: string, direction: string, query: Values = {}, options: Options = {}) =>
      read('links', [...unit, of, 'link', direction], query, options),
    link: (of: string, type: string, child: LinkEnd, body?: object, options: WriteOptions = {}) =>
      write('link', { method: 'POST', path: link(of, type, child), body, ...options }),
    update_link: (of: string, type: string, child: LinkEnd, body: object, options: WriteOptions = {}) =>
      write('link', { method: 'PUT', path: link(of, type, child), body, ...options }),
    unlink: (of: string, type: string, child: LinkEnd, options: WriteOptions = {}) =>
      write('link', { method: 'DELETE', path: link(of, type, child), ...options }),
    link_many: (
      of: string,
      type: string,
      direction: string,
      items: unknown,
      { replace, ...options }: LinkManyOptions = {},
    ) =>
      write('link', {
        method: 'POST',
        path: [...unit, of, 'link', type, direction],
        body: { items, replace },
        ...options,
      }),
    history: (of: string, query: Values = {}, options: Options = {}) =>
      read('history', [...unit, of, 'history'], query, options),
    call: named((name) => (...args: readonly unknown[]) => {
      const [of] = args;
      const isOfUnit = typeof of === 'string' || (of as Partial<Reference> | undefined)?.$from !== undefined;
      const [parameters = {}, options] = (isOfUnit ? args.slice(1) : args) as [object?, WriteOptions?];
      const path = [...(isOfUnit ? [...unit, of as string] : [id]), 'function', name];
      const json = gets?.[`${id}.${name}`];
      const sent = json
        ? { method: 'GET', query: functionQuery(parameters as Values, json) }
        : { method: 'POST', body: parameters, keyed };
      return ask({ ...sent, path, codes: CODES.call, ...options }, contentOf);
    }),
  };
}

/** An object whose properties are made of their names. */
export function named(make: (name: string) => unknown, own: Values = {}): unknown {
  const made = new Map(Object.entries(own));
  return new Proxy(Object.freeze({}), {
    get: (_, name) => {
      // Who awaits or prints it asks for these.
      if (typeof name !== 'string' || !/^[A-Za-z]\w*$/.test(name) || name === 'then' || name === 'toJSON')
        return undefined;
      if (!made.has(name)) made.set(name, make(name));
      return made.get(name);
    },
  });
}
