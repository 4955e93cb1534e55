/** The query parameters of lists, in every spelling that is accepted, as one value. */
import { parseFilter } from '../../filter/filter.parser.js';
import type { Filter } from '../../filter/filter.ast.js';
import { Faults, KindError, refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { LIST_QUERY, NO_QUERY, type QueryName } from './query-names.js';

export interface OrderBy {
  readonly path: string;
  readonly descending: boolean;
}

export interface ListQuery {
  readonly offset: number;
  readonly limit: number;
  readonly order: readonly OrderBy[];
  readonly filter: Filter | undefined;
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
  readonly count: 'exact' | 'none' | 'estimated';
  /** Undefined without keyset pagination, empty for the first page. */
  readonly cursor: string | undefined;
  readonly loadLinks: boolean;
  readonly depth: number;
  /** The link types that are followed, and the kinds whose units are answered; undefined for all. */
  readonly linkIds: readonly string[] | undefined;
  readonly kindIds: readonly string[] | undefined;
}

/** The query of a URL by name; `name[]` counts as `name`. Unknown names are refused with the nearest known one. */
export function readQuery(url: string, known: readonly QueryName[]): ReadonlyMap<string, readonly string[]> {
  const faults = new Faults();
  const query = namedOf(url, known, faults);
  faults.throwIfAny();
  return query;
}

function namedOf(url: string, known: readonly string[], faults: Faults): Map<string, string[]> {
  const query = new Map<string, string[]>();
  if (!url.includes('?')) return query;
  const unknown = new Set<string>();
  for (const [name, value] of pairsOf(url)) {
    if (!known.includes(name)) {
      if (unknown.has(name)) continue;
      unknown.add(name);
      faults.add('query.unknown', `No query parameter '${name.slice(0, 60)}' here${faults.hint(name, known)}`, {
        parameter: name.slice(0, 60),
      });
      continue;
    }
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return query;
}

/** Names and values of a query, in their order; `name[]` counts as `name`. */
export function* pairsOf(url: string): Generator<readonly [name: string, value: string]> {
  const start = url.indexOf('?');
  if (start < 0) return;
  for (const [key, value] of new URLSearchParams(url.slice(start + 1))) {
    yield [key.endsWith('[]') ? key.slice(0, -2) : key, value];
  }
}

/** For endpoints that take no query, at the point where their input is judged. @throws KindError 400 */
export function refuseQuery(url: string): void {
  readQuery(url, NO_QUERY);
}

export const EMPTY_QUERY: ListQuery = {
  offset: 0,
  limit: LIMITS.pageDefault,
  order: [],
  filter: undefined,
  include: undefined,
  exclude: undefined,
  count: 'exact',
  cursor: undefined,
  loadLinks: false,
  depth: 0,
  linkIds: undefined,
  kindIds: undefined,
};

/** Reads the query of a list, get or struct, which takes these names. All faults are told at once. @throws KindError 400 */
export function parseListQuery(url: string, names: readonly QueryName[] = LIST_QUERY): ListQuery {
  const { query, faults } = readListQuery(url, names);
  faults.throwIfAny();
  return query;
}

/** The same with the faults that it has; of what they are about the query has nothing. */
export function readListQuery(url: string, names: readonly QueryName[]): { query: ListQuery; faults: Faults } {
  const faults = new Faults();
  if (!url.includes('?')) return { query: EMPTY_QUERY, faults };
  const named = namedOf(url, names, faults);
  return { query: new ListQueryReader(named, faults).read(), faults };
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
      depth: this.#number('depth', 0, 10),
      linkIds: this.#names('link_id'),
      kindIds: this.#names('kind_id'),
    };
    if (read.include && read.exclude) this.#conflict('include', 'exclude');
    if (cursor !== undefined && read.offset > 0) this.#conflict('cursor', 'offset');
    if (cursor !== undefined && read.limit === 0) this.#bad('limit', 'at least 1 with a cursor');
    // The field that load_links adds is there already.
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

  /** One term; `[a;asc,b;desc]` is taken apart too. */
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

/** `[a,b]` and `a,b` as their parts. */
export function unbracket(text: string): string[] {
  const inner = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1] ?? text;
  return inner.split(',').map((part) => part.trim());
}

/** Reads a query that has flags only, such as `?cascade=true`. */
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
