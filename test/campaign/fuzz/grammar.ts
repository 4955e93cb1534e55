/** Requests of the whole grammar, right and nearly right: paths, queries, headers and bodies. */
import type { Random } from '../random.js';
import { mutatedJson, mutatedText, TOKENS } from './mutate.js';
import type { FuzzCaller, World } from './world.js';

export interface FuzzRequest {
  readonly method: string;
  /** From the root of the service, as it goes over the wire. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

const NAMES = [
  ...[
    'id',
    'kind_id',
    'inserted_at',
    'code',
    'title',
    'size',
    'price',
    'shape',
    'tags',
    'at_place',
    'before',
    'metadata',
  ],
  ...['a_string', 'a_text', 'a_integer', 'a_json', 'a_json.color', 'a_unit', 'a_unit.id', 'some_string', 'some_json'],
];
const KINDS = ['scratch', 'scratch', 'thing', 'thing', 'place', 'person', 'nowhere', 'kind_admin', 'api_key'];
const DEFINITIONS = ['kind', 'group', 'link', 'string', 'integer', 'json', 'unit'];
const LEFT_ALONE = 0.7;

export class Grammar {
  /** A cursor that was answered. */
  cursor = '';

  constructor(
    private readonly world: World,
    private readonly random: Random,
    private readonly filterText: () => string,
  ) {}

  request(caller: FuzzCaller): FuzzRequest {
    const { random } = this;
    const drawn = random.next();
    const made = drawn < 0.5 ? this.#read() : drawn < 0.9 ? this.#write() : this.#define();
    // Only who may change no definition is sent where chance leads.
    const strays = caller.admin !== true && random.chance(0.15);
    const path = strays ? mutatedText(made.path, random) : made.path;
    const query = [...made.query, ...(made.dry ? ['dry_run=true'] : [])].join('&');
    const text = made.body === undefined ? undefined : this.#text(made.body);
    return {
      method: random.chance(0.02) && strays ? random.pick(['PATCH', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']) : made.method,
      path: wire(`/api/lib${path}${query === '' ? '' : '?'}${query}`),
      headers: this.#headers(caller, text !== undefined, made.type),
      ...(text !== undefined && { body: text }),
    };
  }

  #headers({ headers }: FuzzCaller, hasBody: boolean, type = 'application/json'): Record<string, string> {
    const { random } = this;
    const odd: Record<string, string> = {};
    if (random.chance(0.1)) {
      const name = random.pick([
        ...['kind-project-key', 'authorization', 'if-match', 'if-none-match', 'idempotency-key', 'accept-encoding'],
        ...['x-request-id', 'origin', 'accept-language', 'accept', 'prefer', 'content-encoding'],
      ]);
      const value = random.pick(['other', 'W/"1"', '"1"', '*', 'k1', 'Bearer x', 'gzip', random.pick(TOKENS)]);
      odd[name] = value.replace(/[^\x20-\x7e]/g, '?').trim();
    }
    const contentType = random.chance(0.03)
      ? random.pick(['text/plain', 'text/csv', 'application/json;charset=x'])
      : type;
    return { ...headers, ...(hasBody && { 'content-type': contentType }), ...odd };
  }

  #text(body: unknown): string {
    const { random } = this;
    if (typeof body === 'string') return random.chance(LEFT_ALONE) ? body : mutatedText(body, random);
    const value = random.chance(0.5) ? body : mutatedJson(body, random);
    const text = JSON.stringify(value) ?? 'null';
    return random.chance(0.95) ? text : mutatedText(text, random);
  }

  #read(): Made {
    const { random } = this;
    const kind = random.chance(0.2) ? random.pick(DEFINITIONS) : random.pick(KINDS);
    const unit = this.#unitOf(kind);
    const path = random.pick([
      ...[`/${kind}/unit`, `/${kind}/unit`, `/${kind}/unit`, `/${kind}/unit/${unit}`, `/${kind}/aggregate`],
      ...[`/${kind}/aggregate`, `/${kind}/struct`, `/${kind}/export`, `/${kind}/unit/${unit}/access`],
      ...[`/${kind}/unit/${unit}/link/child`, `/${kind}/unit/${unit}/link/parent`, `/${kind}/unit/${unit}/link/path`],
      ...['/group/things/unit', '/group/things/aggregate', '/group/things/struct', '/group/things/kind'],
      ...['/group/unit', '/link/unit', '/auth/me', '/auth/session', `/group/things/unit/${unit}`],
    ]);
    const query = Array.from({ length: random.from(0, 4) }, () => this.#parameter());
    return { method: 'GET', path, query };
  }

  #write(): Made {
    const { random } = this;
    const unit = this.#unitOf('scratch');
    const other = this.#unitOf('scratch');
    const some = () => this.#scratch();
    const link = `/scratch/unit/${unit}/link/about`;
    const made: Made = random.pick<() => Made>([
      () => ({ method: 'POST', path: '/scratch/unit', query: [], body: some() }),
      () => ({ method: 'POST', path: '/scratch/unit', query: [], body: [some(), some(), some()] }),
      () => ({
        method: 'POST',
        path: '/scratch/unit',
        query: [
          `on_conflict=${random.pick(['update', 'ignore', 'x'])}`,
          `by=${random.pick(['code', '[code]', 'size'])}`,
        ],
        body: random.pick([some(), [some(), some()]]),
      }),
      () => ({ method: 'PUT', path: `/scratch/unit/${unit}`, query: [], body: some() }),
      () => ({
        method: 'PUT',
        path: `/scratch/unit/${unit}`,
        query: [],
        body: { size: { $inc: 1 }, tags: { $add: ['x'] } },
      }),
      () => ({ method: 'DELETE', path: `/scratch/unit/${unit}`, query: random.chance(0.5) ? ['cascade=true'] : [] }),
      () => ({
        method: random.pick(['PUT', 'DELETE']),
        path: '/scratch/unit',
        query: [`filter=${encoded(this.#filter(0.3))}`, `max_affected=${random.pick([1, 5, 1000, 'x'])}`],
        body: { title: 'x' },
      }),
      () => ({
        method: random.pick(['POST', 'PUT', 'DELETE']),
        path: `${link}/scratch/unit/${other}`,
        query: [],
        body: { weight: 1 },
      }),
      () => ({
        method: 'POST',
        path: `${link}/${random.pick(['child', 'parent'])}`,
        query: [],
        body: {
          items: [
            { kind_id: 'scratch', id: other, weight: 2 },
            { kind_id: 'thing', id: unit },
          ],
          replace: random.chance(0.5),
        },
      }),
      () => ({
        method: 'POST',
        path: '/scratch/import',
        query: [`format=${random.pick(['csv', 'ndjson'])}`, `errors=${random.pick(['stop', 'skip'])}`],
        body: random.pick(['code,size\na,1\n"b",\n', '{"size":1}\n\n{"code":"x","tags":["a"]}', 'code\n"']),
        type: random.pick(['text/csv', 'application/x-ndjson']),
      }),
      () => ({
        method: 'POST',
        path: '/batch',
        query: [],
        body: { operations: [this.#operation('a'), this.#operation('b')] },
      }),
    ])();
    const query = random.chance(0.15) ? [...made.query, this.#parameter()] : made.query;
    return { ...made, query };
  }

  #operation(as: string): object {
    const { method, path, query, body } = this.random.chance(0.5)
      ? this.#read()
      : { method: 'POST', path: '/scratch/unit', query: [] as string[], body: this.#scratch() };
    return { as, method, path: `${path}${query.length > 0 ? '?' : ''}${query.join('&')}`, body };
  }

  /** Definitions: always a dry run, so that the oracle stays right. */
  #define(): Made {
    const { random } = this;
    const id = random.pick(['fresh', 'scratch', 'thing', 'kind', random.pick(TOKENS)]);
    const parameters = [
      'code',
      { id: 'new_one', kind_id: random.pick(DEFINITIONS), default_string: 'x', values: ['x'] },
    ];
    const access = { read: [this.#filter(0.5)], create: random.pick(['anyone', 'member', 'nobody', 'x']) };
    const kind = random.pick(['kind', 'kind', 'string', 'integer', 'group', 'link']);
    const body = random.pick<object>([
      { id, parameters },
      { id, access },
      { id, label: 'x', kind_list: ['thing'] },
      { max_length: 1 },
    ]);
    return random.pick<Made>([
      { method: 'POST', path: `/${kind}/unit`, query: [], body, dry: true },
      {
        method: 'PUT',
        path: `/${kind}/unit/${random.pick(['scratch', 'thing', 'code', 'size', 'things', 'about'])}`,
        query: [],
        body,
        dry: true,
      },
      {
        method: 'DELETE',
        path: `/${kind}/unit/${random.pick(['scratch', 'code', 'about'])}`,
        query: ['cascade=true'],
        dry: true,
      },
    ]);
  }

  #scratch(): Record<string, unknown> {
    const { random, world } = this;
    const all = {
      code: `c${random.from(0, 60)}`,
      title: random.pick(['big cat', '', 'x', random.pick(TOKENS)]),
      size: random.from(-1100, 1100),
      price: random.pick(['1.50', 2, '-0.01', '1.234']),
      shape: random.pick<unknown>([{ a: [1] }, 'x', null, [[]]]),
      tags: random.pick([[], ['a'], ['a', 'b', 'a']]),
      at_place: random.pick(world.places),
      before: random.pick<unknown>([this.#unitOf('scratch'), null, { code: `n${random.from(0, 60)}` }]),
    };
    return Object.fromEntries(Object.entries(all).filter(() => random.chance(0.5)));
  }

  #unitOf(kind: string): string {
    const { random, world } = this;
    if (random.chance(0.1)) return encoded(random.pick(TOKENS));
    if (kind === 'thing') return random.pick(world.things)['id'] as string;
    if (kind === 'place') return random.pick(world.places);
    return random.pick(DEFINED[kind] ?? world.scratch);
  }

  #filter(mutated: number): string {
    const text = this.random.chance(0.5) ? this.filterText() : this.random.pick(FILTERS);
    return this.random.chance(mutated) ? mutatedText(text, this.random) : text;
  }

  #parameter(): string {
    const { random } = this;
    const [name, make] = random.pick(Object.entries(this.#values));
    const value = make();
    const changed = random.chance(LEFT_ALONE) ? value : mutatedText(value, random);
    return `${random.chance(0.02) ? mutatedText(name, random) : name}=${encoded(changed)}`;
  }

  readonly #values: Readonly<Record<string, () => string>> = {
    filter: () => this.#filter(0.2),
    having: () => `gt(count,${this.random.from(0, 5)})`,
    order: () => `${this.#name()};${this.random.pick(['asc', 'desc', ''])}`,
    limit: () => this.#number(),
    offset: () => this.#number(),
    depth: () => this.#number(),
    max_affected: () => this.#number(),
    cursor: () => this.cursor,
    count: () => this.random.pick(['none', 'exact', 'true']),
    include: () => `[${this.#name()},${this.random.pick(INCLUDES)}]`,
    exclude: () => this.#name(),
    include_linked: () => this.#name(),
    search: () => this.random.pick(['big cat -dog', '"', 'x or', '']),
    load_links: () => this.random.pick(['true', 'count', 'false']),
    link_id: () => this.random.pick(['about', 'group', 'nothing']),
    kind_id: () => this.random.pick(KINDS),
    direction: () => this.random.pick(['child', 'parent', 'up']),
    to_kind: () => this.random.pick(KINDS),
    to_id: () => this.#unitOf('scratch'),
    select: () => this.random.pick(SELECTS),
    group: () => this.random.pick(GROUPS),
    timezone: () => this.random.pick(['Europe/Rome', 'UTC', 'Mars']),
    format: () => this.random.pick(['csv', 'ndjson', 'xml']),
    safe: () => this.random.pick(['true', 'false', '1']),
    explain: () => this.random.pick(['true', 'false']),
    nest: () => this.random.pick(['true', 'x']),
    dry_run: () => this.random.pick(['true', 'false']),
    kinds: () => '[scratch,thing]',
    member: () => this.#unitOf('scratch'),
  };

  #name(): string {
    return this.random.chance(0.9) ? this.random.pick(NAMES) : this.random.pick(TOKENS);
  }

  #number(): string {
    return this.random.pick(['0', '1', '10', '1000', '1001', '-1', '1e3', '9007199254740993', 'x', '1.5']);
  }
}

interface Made {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body?: unknown;
  readonly type?: string;
  readonly dry?: boolean;
}

const DEFINED: Readonly<Record<string, readonly string[]>> = {
  kind: ['scratch', 'thing', 'kind'],
  group: ['things', 'kind_auth_member'],
  link: ['about', 'group'],
  string: ['code', 'a_string'],
  integer: ['size'],
};
const FILTERS = [
  ...['eq(size,1)', 'exists(scratch.before)', 'exists(scratch.before,gt(size,0))', 'linked(about,child)', 'all()'],
  ...[
    'gt(count_related(scratch.before),0)',
    'gt(count_linked(about,parent),0)',
    'linked(about,child,scratch,gt(link.weight,1))',
  ],
  ...[
    'eq(before.code,c1)',
    'eq(before.before.code,c1)',
    'eq(shape.a.0,1)',
    'near(size,size,1,2,30)',
    'lt_field(size,price)',
    'similar(title,x y,0.2)',
    'gt(sum_related(scratch.before,mul(size,price)),1)',
  ],
  ...['contains(tags,a)', 'icontains(title,X)', 'in(code,c1,c2)', 'not(isnull(at_place))', 'gt(link.weight,1)'],
];
const INCLUDES = [
  ...[
    'id',
    'code',
    'before.code',
    'x:related(scratch.before)',
    'x:related(scratch.before,gt(size,0),order=-size,limit=3)',
  ],
  ...[
    'n:count_related(scratch.before)',
    'm:count_linked(about,child)',
    's:sum_related(scratch.before,size)',
    'snippet(title)',
    'shape.a',
  ],
];
const SELECTS = [
  ...[
    'count()',
    '[count(),sum(size),avg(price)]',
    'count_distinct(code)',
    '[first(code),last(code)]',
    'x:max(size,gt(size,0))',
  ],
  ...['x:sum(mul(size,div(price,2)))', '[count(),m:max(size),d:div(m,count)]', 'max(sum_related(scratch.before,size))'],
  ...['min(a_string)', 'sum(count_related(scratch.before))', 'sum(title)', '[]'],
];
const GROUPS = [
  'code',
  'each(tags)',
  'bucket(size,10)',
  'year(inserted_at)',
  'shape.a',
  'before.code',
  'day(a_date)',
  'each(x)',
];

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Visible ASCII: all else is percent-encoded. */
function wire(path: string): string {
  return path.replace(/[^\x21-\x7e]/gu, (each) => encoded(each)).replace(/#/g, '%23');
}
