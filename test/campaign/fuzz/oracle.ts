/**
 * Random questions about units whose right answer is known: what the administrator reads, less what the rules keep from
 * the caller, as the naive evaluators of the tests say it.
 */
import type { Filter } from '../../../src/filter/filter.ast.js';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { printFilter } from '../../../src/filter/filter.printer.js';
import { UNIT_PARAMETERS } from '../../support/every-type.js';
import { matches, sorted, type NaiveOrder, type UnitRecord } from '../../support/naive-filter.js';
import { may, type NaiveAccess } from '../../support/naive-rules.js';
import { randomFilters } from '../../support/random-filters.js';
import type { Random } from '../random.js';
import { CLOSED, sampled, type FuzzCaller, type World } from './world.js';

/** A request to read, and what is wrong with an answer to it. */
export interface Question {
  readonly path: string;
  readonly fault: (status: number, text: string) => string | undefined;
}

/** Rules are combined of these. */
const RULES = [
  ...['eq(a_boolean,true)', 'gte(a_integer,0)', 'isnull(a_date)', 'eq(a_integer,@member.p_num)', 'isnull(a_unit)'],
  ...['lt(a_integer,@member.p_num)', 'eq(a_string,@member.p_text)', 'contains(some_string,@member.p_text)'],
  ...['in(a_string,[abc,@member.p_text])', 'ne(a_string,@member.p_text)', 'gt(a_datetime,2024-01-31)'],
  ...['isnull(a_decimal,false)', 'contains(some_string,a)'],
];
type Level = 'anyone' | 'member' | 'admin' | 'nobody';
const LEVELS: readonly Level[] = ['anyone', 'member', 'admin', 'nobody'];

export interface Rules {
  /** As it is stored. */
  readonly read: string | readonly string[];
  readonly naive: NaiveAccess;
}

/** @param atoms of which rules are combined */
export function randomRules(random: Random, atoms = RULES, levels: readonly Level[] = LEVELS): Rules {
  if (random.chance(0.1)) {
    const level = random.pick(levels);
    return { read: level, naive: level };
  }
  const one = (): string => {
    const [a, b] = [random.pick(atoms), random.pick(atoms)];
    return random.pick([a, `not(${a})`, `and(${a},${b})`, `or(${a},${b})`, `and(${a},not(${b}))`]);
  };
  const texts = random.chance(0.3) ? [one(), one()] : [one()];
  return { read: texts, naive: texts.map((text) => parseFilter(text, { members: true })) };
}

const SORTABLE = [...UNIT_PARAMETERS]
  .filter(([id, { type, multiple }]) => !multiple && !['binary', 'json'].includes(type) && id !== 'kind_id')
  .map(([id]) => id);
const SAMPLES = 300;
const MAX_FILTER = 8000;

export class Oracle {
  #filters: Filter[] = [];
  #batch = 0;

  constructor(
    private readonly world: World,
    private readonly random: Random,
    private readonly seed: number,
  ) {}

  /** @param rules of reading, as they are now */
  question(caller: FuzzCaller, { naive }: Rules): Question {
    const { random, world } = this;
    const readable = world.things.filter((unit) => may(naive, caller, unit, UNIT_PARAMETERS));
    if (random.chance(0.15)) return this.#get(caller, new Set(readable.map(({ id }) => textOf(id))));
    const filter = random.chance(0.85) ? this.#filter() : undefined;
    const order = random.chance(0.6) ? this.#order() : [];
    const found = filter ? readable.filter((unit) => matches(filter, unit, UNIT_PARAMETERS)) : readable;
    const names = [...(filter ? namesOf(filter) : []), ...order.map(({ path }) => path[0] ?? '')];
    const query = [
      ...(filter ? [`filter=${encodeURIComponent(printFilter(filter))}`] : []),
      ...order.map(({ path, descending }) => `order[]=${path.join('.')};${descending ? 'desc' : 'asc'}`),
    ];
    const barred = caller.admin !== true && names.includes(CLOSED);
    if (random.chance(0.1)) {
      const barredCount = caller.admin !== true && filter !== undefined && namesOf(filter).includes(CLOSED);
      return this.#count(found.length, filter ? query.slice(0, 1) : [], barredCount);
    }
    return this.#list(caller, sorted(found, order, UNIT_PARAMETERS), query, barred);
  }

  #get(caller: FuzzCaller, readable: ReadonlySet<string>): Question {
    const unit = this.random.pick(this.world.things);
    const path = `/thing/unit/${textOf(unit['id'])}`;
    return {
      path,
      fault(status, text) {
        if (!readable.has(textOf(unit['id']))) return isRefusal(status) ? undefined : 'a unit that may not be read';
        if (status !== 200) return 'no unit, although it may be read';
        return sameRecords([contentOf(text) as UnitRecord], [shownTo(caller, unit)]);
      },
    };
  }

  #count(expected: number, query: readonly string[], barred: boolean): Question {
    return {
      path: `/thing/aggregate?${['select=count()', ...query].join('&')}`,
      fault(status, text) {
        if (status !== 200) return isRefusal(status) && (barred || expected === 0) ? undefined : 'refused';
        if (barred) return 'answered, although it names what may not be read';
        const { items } = contentOf(text) as { items: { count: number }[] };
        return items[0]?.count === expected ? undefined : `the count is ${items[0]?.count}, not ${expected}`;
      },
    };
  }

  #list(caller: FuzzCaller, found: readonly UnitRecord[], query: readonly string[], barred: boolean): Question {
    const { random } = this;
    const [limit, offset] = [random.pick([0, 1, 7, 50, 1000]), random.pick([0, 0, 0, 1, 20, 200])];
    const include = random.chance(0.5) ? this.#include(caller) : undefined;
    // Groups are not for those without a token.
    const group = caller.headers['authorization'] !== undefined && random.chance(0.1);
    const paging = random.chance(0.2)
      ? [`limit=${Math.max(limit, 1)}`, 'cursor=']
      : [`limit=${limit}`, `offset=${offset}`];
    const from = paging.includes('cursor=') ? 0 : offset;
    const page = found.slice(from, from + (paging.includes('cursor=') ? Math.max(limit, 1) : limit));
    const expected = page.map((unit) => picked(shownTo(caller, unit), include));
    const more = include ? [`include=[${include.join()}]`] : [];
    return {
      path: `${group ? '/group/things/unit' : '/thing/unit'}?${[...query, ...paging, ...more].join('&')}`,
      fault(status, text) {
        if (status !== 200) return isRefusal(status) && (barred || found.length === 0) ? undefined : 'refused';
        if (group && found.length === 0) return undefined;
        if (barred) return 'answered, although it names what may not be read';
        const { count, items } = contentOf(text) as { count: number; items: UnitRecord[] };
        if (count !== found.length) return `the count is ${count}, not ${found.length}`;
        return sameRecords(items, expected);
      },
    };
  }

  #include(caller: FuzzCaller): string[] {
    const names = [...UNIT_PARAMETERS.keys()].filter((id) => id !== CLOSED || caller.admin);
    return [...new Set(['id', this.random.pick(names), this.random.pick(names)])];
  }

  #order(): NaiveOrder[] {
    return Array.from({ length: this.random.from(1, 3) }, () => {
      return { path: [this.random.pick(SORTABLE)], descending: this.random.chance(0.5) };
    });
  }

  /** A filter that also can be mutated. */
  #filter(): Filter {
    for (;;) {
      const filter = this.#filters.pop();
      if (filter && Buffer.byteLength(printFilter(filter)) <= MAX_FILTER) return filter;
      if (filter) continue;
      const { things, places } = this.world;
      this.#filters = sampled(randomFilters(things, places), SAMPLES, this.seed + (this.#batch += 1));
    }
  }

  filterText(): string {
    return printFilter(this.#filter());
  }
}

const textOf = (value: unknown): string => String(value);
const contentOf = (text: string): unknown => (JSON.parse(text) as { content: unknown }).content;
const isRefusal = (status: number): boolean => [400, 401, 403, 404].includes(status);

function shownTo({ admin }: FuzzCaller, unit: UnitRecord): UnitRecord {
  return admin === true ? unit : Object.fromEntries(Object.entries(unit).filter(([name]) => name !== CLOSED));
}

function picked(unit: UnitRecord, include: readonly string[] | undefined): UnitRecord {
  return include ? Object.fromEntries(Object.entries(unit).filter(([name]) => include.includes(name))) : unit;
}

/** The same records in the same order; their fields may be in another one. */
function sameRecords(got: readonly UnitRecord[], expected: readonly UnitRecord[]): string | undefined {
  const written = (records: readonly UnitRecord[]): string => {
    return JSON.stringify(records.map((record) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))));
  };
  if (written(got) === written(expected)) return undefined;
  const ids = (records: readonly UnitRecord[]) => records.map(({ id }) => textOf(id)).join();
  return `expected ${expected.length} units (${ids(expected).slice(0, 300)})`;
}

function namesOf(filter: Filter): string[] {
  if ('filters' in filter) return filter.filters.flatMap(namesOf);
  if ('filter' in filter && filter.op === 'not') return namesOf(filter.filter);
  const paths = ['path', 'other'].flatMap((key) => {
    const path = (filter as unknown as Record<string, { segments?: readonly string[] } | undefined>)[key];
    return path?.segments?.[0] ?? [];
  });
  return paths;
}
