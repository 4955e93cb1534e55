/** Parses query parameters, in every accepted spelling: those of lists become a `ListQuery`. */
import { isRelatedTerm } from '../../filter/include.parser.js';
import { EMPTY_QUERY, type ListQuery } from '../../filter/queries.js';
import { Faults, KindError, refusal, type Message } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { FUNCTIONS_QUERY, LOADED_NAMES, NO_QUERY, PAGE_QUERY, type QueryName } from './query-names.js';
import { QueryReader } from './query-reader.js';

/** Names and texts of query parameters in their order: those of a URL, or the options of a function's call. */
export type QueryParameters = readonly (readonly [name: string, text: string])[];

/** A parsed query. Its faults are thrown when it is planned, because rights and existence are checked before. */
export interface Parsed<Query> {
  /** Without the parts that have faults. */
  readonly query: Query;
  readonly faults: readonly Message[];
}

export interface RepeatableQuery<Query> extends Parsed<Query> {
  /** What it was parsed from; undefined if it was made in another way. */
  readonly parameters?: QueryParameters;
}

export type ParsedQuery = RepeatableQuery<ListQuery>;

const NO_PARAMETERS: QueryParameters = [];
const NO_TEXTS: ReadonlyMap<string, readonly string[]> = new Map();
const NO_FLAGS: ReadonlySet<QueryName> = new Set();
const NO_QUERY_PARAMETERS: ParsedQuery = { query: EMPTY_QUERY, faults: [], parameters: NO_PARAMETERS };

/** The query parameters of a URL; `name[]` and `name[0]` count as `name`, those with a number in its order. */
export function urlQueryParameters(url: string): QueryParameters {
  const start = url.indexOf('?');
  if (start < 0) return NO_PARAMETERS;
  const given = [...new URLSearchParams(url.slice(start + 1))];
  if (given.every(([key]) => !key.endsWith(']'))) return given;
  const numbered = given.map(([key, text]) => {
    const [, name = key, number = ''] = BRACKETS.exec(key) ?? [];
    return { name, text, number: Number(number) };
  });
  return numbered.sort((a, b) => a.number - b.number).map(({ name, text }) => [name, text] as const);
}

/** Whether a query has none but some names. */
export function isPlainQuery(parameters: QueryParameters, plain: readonly string[]): boolean {
  return parameters.every(([name]) => plain.includes(name));
}

const BRACKETS = /^(.*)\[(\d{0,4})\]$/s;

export function withoutBrackets(key: string): string {
  return BRACKETS.exec(key)?.[1] ?? key;
}

/**
 * The texts of each query parameter of a URL.
 * @param asIs whether `name[]` is another name than `name` @throws KindError 400 for unknown names, with the nearest known
 * one
 */
export function readQuery(
  url: string,
  known: readonly QueryName[],
  { asIs = false } = {},
): ReadonlyMap<string, readonly string[]> {
  const start = url.indexOf('?');
  if (start < 0) return NO_TEXTS;
  const faults = new Faults();
  const parameters = asIs ? [...new URLSearchParams(url.slice(start + 1))] : urlQueryParameters(url);
  const query = textsByName(parameters, known, faults);
  faults.throwIfAny();
  return query;
}

function textsByName(parameters: QueryParameters, known: readonly string[], faults: Faults): Map<string, string[]> {
  const query = new Map<string, string[]>();
  const unknown = new Set<string>();
  for (const [name, text] of parameters) {
    if (!known.includes(name)) {
      if (unknown.has(name)) continue;
      unknown.add(name);
      const parameter = name.slice(0, 60);
      const hint = faults.hint(name.replace(/\[.*/s, ''), known);
      faults.add('query.unknown', `No query parameter '${parameter}' here${hint}`, { parameter });
      continue;
    }
    const texts = query.get(name);
    if (texts) texts.push(text);
    else query.set(name, [text]);
  }
  return query;
}

/** The text of a query parameter that is given once at most. @throws KindError 400 */
export function singleText(query: ReadonlyMap<string, readonly string[]>, name: QueryName): string | undefined {
  const [text, ...more] = query.get(name) ?? [];
  if (more.length > 0) throw refusal('query.bad_value', `${name}: given more than once`, { parameter: name });
  return text;
}

/** For endpoints without query parameters, called when their input is validated. @throws KindError 400 */
export function refuseQuery(url: string): void {
  readQuery(url, NO_QUERY);
}

/** Parses the query of an endpoint for lists, units or structs, which takes the parameters `names`. */
export function parseListQuery(parameters: QueryParameters, names: readonly QueryName[]): ParsedQuery {
  if (parameters.length === 0) return NO_QUERY_PARAMETERS;
  const read = names.includes('include_linked') ? readUnitsQuery : readListQuery;
  return new LazyQuery(parameters, () => parseQuery(parameters, names, read, EMPTY_QUERY));
}

/** Is parsed when it is planned: the plan of a repeated query is known. */
export class LazyQuery<Query> implements RepeatableQuery<Query> {
  #parsed: Parsed<Query> | undefined;

  constructor(
    readonly parameters: QueryParameters,
    private readonly parse: () => Parsed<Query>,
  ) {}

  get query(): Query {
    return (this.#parsed ??= this.parse()).query;
  }

  get faults(): readonly Message[] {
    return (this.#parsed ??= this.parse()).faults;
  }
}

/** Parses a query with `read`. @param empty stands for a query with too many faults */
export function parseQuery<Query>(
  parameters: QueryParameters,
  names: readonly QueryName[],
  read: (reader: QueryReader) => Query,
  empty: Query,
): Parsed<Query> {
  const faults = new Faults();
  try {
    const query = read(new QueryReader(textsByName(parameters, names, faults), faults));
    return { query, faults: faults.messages };
  } catch (error) {
    if (error instanceof KindError) return { query: empty, faults: error.messages };
    throw error;
  }
}

const LOAD_LINKS = { true: 'units', false: false, count: 'count' } as const;

function readListQuery(reader: QueryReader): ListQuery {
  const cursor = reader.single('cursor');
  const read: ListQuery = {
    offset: reader.number('offset', 0, LIMITS.offsetMax),
    limit: reader.number('limit', LIMITS.pageDefault, LIMITS.pageMax),
    order: reader.order(),
    filter: reader.filter('filter'),
    search: reader.single('search'),
    include: reader.names('include'),
    exclude: reader.names('exclude'),
    nest: reader.flag('nest'),
    count: reader.choice('count', ['exact', 'none', 'estimated'], 'exact'),
    cursor,
    loadLinks: LOAD_LINKS[reader.choice('load_links', ['true', 'false', 'count'], 'false')],
    depth: reader.number('depth', 0, LIMITS.walkDepth),
    linkIds: reader.names('link_id'),
    kindIds: reader.names('kind_id'),
    direction: undefined,
    includeLinked: reader.names('include_linked'),
  };
  if (read.include && read.exclude) reader.conflict('include', 'exclude');
  if (cursor !== undefined && read.offset > 0) reader.conflict('cursor', 'offset');
  if (cursor !== undefined && read.limit === 0) reader.bad('limit', 'at least 1 with a cursor');
  // `load_links` adds the field `links` anyway.
  return read.loadLinks ? { ...read, include: read.include?.filter((name) => name !== 'links') } : read;
}

/** The part of a list to return. */
export type PageQuery = Pick<ListQuery, (typeof PAGE_QUERY)[number]>;

/** The functions to list. */
export type FunctionsQuery = PageQuery & Pick<ListQuery, 'kindIds'>;

/** Parses the query of a list that can't be filtered. @throws KindError 400 */
export function parsePageQuery(url: string): PageQuery {
  return parsedNow(url, PAGE_QUERY);
}

/** @throws KindError 400 */
export function parseFunctionsQuery(url: string): FunctionsQuery {
  return parsedNow(url, FUNCTIONS_QUERY);
}

function parsedNow(url: string, names: readonly QueryName[]): ListQuery {
  const { query, faults } = parseListQuery(urlQueryParameters(url), names);
  const [first, ...more] = faults;
  if (first) throw new KindError([first, ...more]);
  return query;
}

/** The query of a list of units or of one unit, where `link_id` and `kind_id` are those of `load_links`. */
function readUnitsQuery(reader: QueryReader): ListQuery {
  const read = readListQuery(reader);
  const { loadLinks, includeLinked } = read;
  if (!loadLinks) for (const name of LOADED_NAMES) if (reader.has(name)) reader.bad(name, 'only with load_links');
  if (loadLinks === 'count' && includeLinked) reader.bad('include_linked', 'only with load_links=true, not with count');
  if (includeLinked?.some(isRelatedTerm)) reader.bad('include_linked', 'wants names and dotted paths');
  const direction = reader.has('direction') ? reader.choice('direction', ['parent', 'child'], 'child') : undefined;
  return { ...read, direction };
}

/** Parses a query that has only flags, such as `?cascade=true`. Returns those that are true. */
export function parseFlags(
  url: string,
  names: readonly QueryName[],
  others: readonly QueryName[] = [],
): ReadonlySet<QueryName> {
  const query = readQuery(url, others.length > 0 ? [...names, ...others] : names);
  if (query.size === 0) return NO_FLAGS;
  const set = new Set<QueryName>();
  for (const name of names) {
    const [value, ...more] = query.get(name) ?? [];
    if (value === undefined) continue;
    if (more.length > 0 || (value !== 'true' && value !== 'false')) {
      throw refusal('query.bad_value', `${name}: wants true or false`, { parameter: name });
    }
    if (value === 'true') set.add(name);
  }
  return set;
}
