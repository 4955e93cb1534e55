/** Parses query parameters, in every accepted spelling: those of lists become a `ListQuery`. */
import { parseFilter } from '../../filter/filter.parser.js';
import type { Filter } from '../../filter/filter.ast.js';
import { EMPTY_QUERY, type ListQuery, type OrderBy } from '../../filter/list-query.js';
import { Faults, KindError, refusal, type Message } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { NO_QUERY, type QueryName } from './query-names.js';

/** Names and texts of query parameters in their order: those of a URL, or the options of a function's call. */
export type QueryParameters = readonly (readonly [name: string, text: string])[];

/** A parsed query. Its faults are thrown when it is planned, because rights and existence are checked before. */
export interface ParsedQuery {
  /** Without the parts that have faults. */
  readonly query: ListQuery;
  readonly faults: readonly Message[];
}

const NO_PARAMETERS: QueryParameters = [];
const NO_QUERY_PARAMETERS: ParsedQuery = { query: EMPTY_QUERY, faults: [] };

/** The query parameters of a URL; `name[]` counts as `name`. */
export function urlQueryParameters(url: string): QueryParameters {
  const start = url.indexOf('?');
  if (start < 0) return NO_PARAMETERS;
  return Array.from(new URLSearchParams(url.slice(start + 1)), ([key, text]) => [withoutBrackets(key), text] as const);
}

export function withoutBrackets(key: string): string {
  return key.endsWith('[]') ? key.slice(0, -2) : key;
}

/** The texts of each query parameter of a URL. @throws KindError 400 for unknown names, with the nearest known one */
export function readQuery(url: string, known: readonly QueryName[]): ReadonlyMap<string, readonly string[]> {
  const faults = new Faults();
  const query = textsByName(urlQueryParameters(url), known, faults);
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
      faults.add('query.unknown', `No query parameter '${name.slice(0, 60)}' here${faults.hint(name, known)}`, {
        parameter: name.slice(0, 60),
      });
      continue;
    }
    const texts = query.get(name);
    if (texts) texts.push(text);
    else query.set(name, [text]);
  }
  return query;
}

/** For endpoints without query parameters, called when their input is validated. @throws KindError 400 */
export function refuseQuery(url: string): void {
  readQuery(url, NO_QUERY);
}

/** Parses the query of an endpoint for lists, units or structs, which takes the parameters `names`. */
export function parseListQuery(parameters: QueryParameters, names: readonly QueryName[]): ParsedQuery {
  if (parameters.length === 0) return NO_QUERY_PARAMETERS;
  const faults = new Faults();
  try {
    const query = new ListQueryReader(textsByName(parameters, names, faults), faults).read();
    return { query, faults: faults.messages };
  } catch (error) {
    // The maximum of faults was reached.
    if (error instanceof KindError) return { query: EMPTY_QUERY, faults: error.messages };
    throw error;
  }
}

class ListQueryReader {
  constructor(
    private readonly query: ReadonlyMap<string, readonly string[]>,
    private readonly faults: Faults,
  ) {}

  read(): ListQuery {
    const cursor = this.#single('cursor');
    const read: ListQuery = {
      offset: this.#number('offset', 0, LIMITS.offsetMax),
      limit: this.#number('limit', LIMITS.pageDefault, LIMITS.pageMax),
      order: this.#order(),
      filter: this.#filter(),
      include: this.#names('include'),
      exclude: this.#names('exclude'),
      count: this.#choice('count', ['exact', 'none', 'estimated'], 'exact'),
      cursor,
      loadLinks: this.#choice('load_links', ['true', 'false'], 'false') === 'true',
      depth: this.#number('depth', 0, LIMITS.walkDepth),
      linkIds: this.#names('link_id'),
      kindIds: this.#names('kind_id'),
    };
    if (read.include && read.exclude) this.#conflict('include', 'exclude');
    if (cursor !== undefined && read.offset > 0) this.#conflict('cursor', 'offset');
    if (cursor !== undefined && read.limit === 0) this.#bad('limit', 'at least 1 with a cursor');
    // `load_links` adds the field `links` anyway.
    return read.loadLinks ? { ...read, include: read.include?.filter((name) => name !== 'links') } : read;
  }

  #bad(name: string, wants: string): void {
    this.faults.add('query.bad_value', `${name}: ${wants}`, { parameter: name });
  }

  #conflict(a: string, b: string): void {
    this.faults.add('query.conflict', `${a} and ${b} exclude each other`, { parameter: b });
  }

  #single(name: string): string | undefined {
    const values = this.query.get(name);
    if (values && values.length > 1) this.#bad(name, 'given more than once');
    return values?.[0];
  }

  #number(name: string, absent: number, max: number): number {
    const text = this.#single(name);
    if (text === undefined) return absent;
    const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (value <= max) return value;
    this.#bad(name, `wants a whole number from 0 to ${max}, got '${text.slice(0, 40)}'`);
    return absent;
  }

  #choice<T extends string>(name: string, choices: readonly [T, ...T[]], absent: T): T {
    const text = this.#single(name);
    if (text === undefined) return absent;
    const found = choices.find((choice) => choice === text);
    if (!found) this.#bad(name, `wants ${choices.join(', ')}, got '${text.slice(0, 40)}'`);
    return found ?? absent;
  }

  #filter(): Filter | undefined {
    const text = this.#single('filter');
    if (text === undefined) return undefined;
    try {
      return parseFilter(text);
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      this.faults.addAll(error);
      return undefined;
    }
  }

  #order(): OrderBy[] {
    const terms = (this.query.get('order') ?? []).flatMap((text) => this.#orderTerms(text));
    if (terms.length > LIMITS.orderTerms) this.#bad('order', `at most ${LIMITS.orderTerms} terms`);
    return terms;
  }

  /** Terms in one parameter: one, or several as `[a;asc,b;desc]`. */
  #orderTerms(text: string): OrderBy[] {
    return unbracket(text).flatMap((term) => {
      const at = term.lastIndexOf(';');
      const path = term.slice(0, Math.max(0, at)).trim();
      const direction = term.slice(at + 1).trim();
      if (path !== '' && !path.includes(';') && (direction === 'asc' || direction === 'desc'))
        return [{ path, descending: direction === 'desc' }];
      this.#bad('order', `wants <parameter>;asc or <parameter>;desc, got '${term.slice(0, 80)}'`);
      return [];
    });
  }

  #names(name: 'include' | 'exclude' | 'link_id' | 'kind_id'): string[] | undefined {
    const texts = this.query.get(name);
    if (!texts) return undefined;
    const names = texts.flatMap(unbracket);
    if (names.some((each) => each === '')) this.#bad(name, 'wants ids, separated by commas');
    return [...new Set(names.filter((each) => each !== ''))];
  }
}

/** Splits `[a,b]` and `a,b`. */
export function unbracket(text: string): string[] {
  const inner = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1] ?? text;
  return inner.split(',').map((part) => part.trim());
}

/** Parses a query that has only flags, such as `?cascade=true`. Returns those that are true. */
export function parseFlags(url: string, names: readonly QueryName[]): ReadonlySet<QueryName> {
  const query = readQuery(url, names);
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
