/**
 * Two hundred live lists, begun at random moments while four writers write: different filters, orders and members with
 * rules. When it is quiet, what each reader was sent makes exactly the list that a request answers.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { openLive, type LiveEvent, type LiveReader } from '../support/live.js';
import { sorted, type NaiveKind, type NaiveOrder, type UnitRecord } from '../support/naive-filter.js';
import { throwFaults, type Campaign, type CampaignOptions, type Figures } from './campaign.js';
import { Client, isAnswer, shown, type Sent } from './client.js';
import { Deployment } from './deployment.js';
import { memberKind, signUp, type Member } from './members.js';
import { Random } from './random.js';

const LISTS = 200;
/** Streams of one member; it may have six. */
const OF_MEMBER = 5;
const WRITERS = 4;
/** Milliseconds in which the lists begin, and of writes after them. */
const BEGINNING = 12_000;
const AFTERWARDS = 3000;
/** Milliseconds in which a list has to be right after the last write: three seconds, on a machine that has time. */
const QUIET = 20_000;
const LOOK = 500;
const CITIES = ['Rome', 'Oslo', 'Lima', 'Cairo', 'Quito'];
const TITLES = ['a', 'ab', 'b', 'Ba', 'ä', 'c d', '', '"', '_%'];
const TEAMS = 6;
const KINDS = ['task', 'job'] as const;

const TYPES: NaiveKind = new Map([
  ['id', { type: 'unit' }],
  ['title', { type: 'string' }],
  ['n', { type: 'integer' }],
]);

const PARAMETERS = [
  { id: 'title', kind_id: 'string' },
  { id: 'n', kind_id: 'integer' },
  { id: 'done', kind_id: 'boolean' },
  { id: 'owner', kind_id: 'string' },
  { id: 'place', kind_id: 'string' },
  { id: 'pay', kind_id: 'integer', read_access: 'eq(owner,@member.id)' },
  { id: 'team', kind_id: 'unit', reference_kind: 'team', on_delete: 'set_null' },
];
/** Of what a unit has itself; of the member's own values and of the team too, one of which holds at a time. */
const RULES: Readonly<Record<(typeof KINDS)[number], readonly (readonly string[])[]>> = {
  task: [['eq(owner,@member.id)', 'gt(n,40)']],
  job: [
    ['eq(place,@member.city)', 'eq(team.open,true)'],
    ['and(eq(team.open,true),lte(n,@member.level))', 'eq(owner,@member.id)'],
  ],
};
const FILTERS = [
  ...[
    'eq(done,true)',
    'gt(n,20)',
    'not(eq(done,false))',
    'in(place,[Rome,Oslo])',
    'icontains(title,b)',
    'isnull(team)',
  ],
  ...['eq(team.open,true)', 'startswith(title,a)', 'and(lt(n,80),ne(place,Lima))', 'or(isnull(done),eq(n,7))', ''],
];
const ORDERS = ['', 'n;asc', 'n;desc', 'title;asc', 'title;desc'];
const INCLUDES = ['', 'include=[id,title,n]', 'include=[id,n,title,pay]', 'include=[id,title,n,team.name,team.open]'];
/** A list with an order and a limit is asked for more than is shown. */
const ASKED = 60;
const SHOWN = 40;

const kindOf = (id: (typeof KINDS)[number], rules: readonly string[]): Sent => ({
  method: 'POST',
  path: '/kind/unit',
  body: {
    id,
    changes: 'feed',
    access: { read: rules },
    parameters: id === 'task' ? PARAMETERS : PARAMETERS.map((each) => each.id),
  },
});

interface Question {
  readonly path: string;
  readonly order: readonly NaiveOrder[];
  readonly limit: number;
  /** Whether other units, or the member's values, decide what is in it. */
  readonly looksBeyond: boolean;
}

function randomQuestion(random: Random): Question {
  const [filter, order, include] = [random.pick(FILTERS), random.pick(ORDERS), random.pick(INCLUDES)];
  const limit = order !== '' && random.chance(0.4) ? ASKED : 1000;
  const [path = '', direction] = order.split(';');
  const query = [
    filter && `filter=${encodeURIComponent(filter)}`,
    order && `order=${order}`,
    include,
    `limit=${limit}`,
  ];
  const kind = random.pick(KINDS);
  return {
    path: `/${kind}/unit?${query.filter(Boolean).join('&')}`,
    order: path ? [{ path: [path], descending: direction === 'desc' }] : [],
    limit,
    looksBeyond: kind === 'job' || filter.includes('team.'),
  };
}

type Unit = UnitRecord & { readonly id: string };

interface Page {
  readonly count: number;
  readonly items: readonly Unit[];
}

/** What a reader has of a list, as docs/changes.md says. */
class LiveList {
  readonly faults: string[] = [];
  readonly #units = new Map<string, UnitRecord>();
  #versions = new Map<string, number>();
  #last: UnitRecord | undefined;
  #count = 0;

  constructor(private readonly question: Question) {}

  take(event: LiveEvent): void {
    const { items, versions = [], version = 0 } = event;
    if (event.event === 'page') {
      const units = (items ?? []) as unknown as readonly Unit[];
      this.#last = units.length === this.question.limit ? units.at(-1) : undefined;
      this.#count = event.count ?? 0;
      this.#units.clear();
      for (const unit of units) this.#units.set(unit.id, unit);
      this.#versions = new Map(units.map(({ id }, at) => [id, versions[at] ?? 0]));
      return;
    }
    if (event.event === 'end') return void this.faults.push(`it ended: ${JSON.stringify(event)}`);
    const id = event.unit?.id ?? event.id ?? '';
    // What comes after the end of a full page is not known, nor what comes into sight otherwise before the next page.
    const isKnown = this.#last === undefined && !this.question.looksBeyond;
    const isNew = event.event === 'insert';
    if (isKnown && isNew === this.#units.has(id))
      this.faults.push(`${event.event} of ${id}, which is ${isNew ? '' : 'not '}there`);
    if (version <= (this.#versions.get(id) ?? 0))
      this.faults.push(`${event.event} of ${id}: not newer than what was sent`);
    this.#versions.set(id, version);
    this.#units.delete(id);
    if (event.unit) {
      const unit = event.unit as unknown as UnitRecord;
      if (this.#last === undefined || this.#sorted([unit, this.#last])[0] === unit) this.#units.set(id, unit);
      if (isNew) this.#count += 1;
    } else this.#count -= 1;
  }

  #sorted(units: readonly UnitRecord[]): UnitRecord[] {
    return sorted(units, this.question.order, TYPES);
  }

  /** Undefined where it is the page that a request answers. */
  difference({ count, items }: Page): [string] | undefined {
    if (count !== this.#count) return [`the count is ${this.#count}, not ${count}`];
    const isShort = this.#last !== undefined && this.#units.size < SHOWN;
    if (isShort) return undefined;
    const shown = this.#last === undefined ? items.length : SHOWN;
    const [own, right] = [this.#sorted([...this.#units.values()]), this.#sorted(items)].map((units) => {
      return units.slice(0, shown).map((unit) => JSON.stringify(unit));
    }) as [string[], string[]];
    if (this.#last === undefined && own.length !== right.length) return [`${own.length} units, not ${right.length}`];
    const wrong = right.findIndex((text, at) => text !== own[at]);
    return wrong === -1 ? undefined : [`${own[wrong] ?? 'nothing'}, not ${right[wrong] ?? ''}`];
  }
}

interface Followed {
  readonly question: Question;
  readonly client: Client;
  readonly reader: LiveReader;
}

class Writers {
  readonly faults: string[] = [];
  writes = 0;
  isOver = false;
  readonly #ids: Record<string, string[]> = { task: [], job: [] };

  constructor(
    private readonly client: Client,
    private readonly members: readonly Member[],
    private readonly teams: readonly string[],
  ) {}

  async write(random: Random, wait = 5): Promise<void> {
    while (!this.isOver) {
      const request = this.#request(random);
      const answer = await this.client.send(request);
      this.writes += 1;
      if (isAnswer(answer) && request.method === 'POST' && answer.status === 200) this.#keep(answer.body?.content);
      else if (![200, 404, 503].includes(answer.status)) this.faults.push(shown(answer));
      await pause(wait);
    }
  }

  #keep(content: unknown): void {
    const {
      id,
      kind_id: kind = '',
      items = [],
    } = content as { id?: string; kind_id?: string; items?: { id: string; kind_id: string }[] };
    for (const each of items) this.#ids[each.kind_id]?.push(each.id);
    if (id !== undefined) this.#ids[kind]?.push(id);
  }

  values(random: Random): Record<string, unknown> {
    return {
      title: random.pick(TITLES),
      n: random.chance(0.1) ? null : random.from(0, 100),
      done: random.pick([true, false, null]),
      owner: random.pick(this.members).id,
      place: random.pick(CITIES),
      pay: random.from(1, 9),
      team: random.chance(0.2) ? null : random.pick(this.teams),
    };
  }

  #request(random: Random): Sent {
    const kind = random.pick(KINDS);
    const ids = this.#ids[kind] ?? [];
    const some = Object.fromEntries(Object.entries(this.values(random)).filter(() => random.chance(0.3)));
    const drawn = random.next();
    if (drawn < 0.01) {
      const body = { access: { read: random.pick(RULES.job) } };
      return { method: 'PUT', path: '/kind/unit/job', body };
    }
    if (drawn < 0.02) {
      return { method: 'PUT', path: `/team/unit/${random.pick(this.teams)}`, body: { open: random.chance(0.5) } };
    }
    if (drawn < 0.03) {
      const body = { city: random.pick(CITIES), level: random.from(0, 100) };
      return { method: 'PUT', path: `/person/unit/${random.pick(this.members).id}`, body };
    }
    if (drawn < 0.06) {
      return {
        method: 'PUT',
        path: `/${kind}/unit?filter=eq(n,${random.from(0, 100)})&max_affected=1000`,
        body: { n: { $inc: 1 } },
      };
    }
    if (drawn < 0.08) {
      const body = Array.from({ length: random.from(2, 30) }, () => this.values(random));
      return { method: 'POST', path: `/${kind}/unit`, body };
    }
    const at = random.from(0, Math.max(0, ids.length - 1));
    if (ids.length === 0 || drawn < 0.3) return { method: 'POST', path: `/${kind}/unit`, body: this.values(random) };
    if (drawn < 0.75) return { method: 'PUT', path: `/${kind}/unit/${ids[at] ?? ''}`, body: some };
    return { method: 'DELETE', path: `/${kind}/unit/${ids.splice(at, 1)[0] ?? ''}` };
  }
}

async function run(options: CampaignOptions): Promise<Figures> {
  const deployment = await Deployment.start(options);
  try {
    const random = new Random(options.seed);
    const admin = deployment.client();
    for (const sent of memberKind([
      { id: 'city', kind_id: 'string' },
      { id: 'level', kind_id: 'integer' },
    ])) {
      await admin.ok(sent);
    }
    const team = [
      { id: 'name', kind_id: 'string' },
      { id: 'open', kind_id: 'boolean' },
    ];
    await admin.ok({
      method: 'POST',
      path: '/kind/unit',
      body: { id: 'team', changes: 'feed', access: { read: 'member' }, parameters: team },
    });
    for (const kind of KINDS) await admin.ok(kindOf(kind, RULES[kind][0] ?? []));
    const members: Member[] = [];
    for (let at = 1; at < LISTS / OF_MEMBER; at += 1) {
      members.push(await signUp(deployment, `member${at}`, { city: random.pick(CITIES), level: random.from(0, 100) }));
    }
    const body = Array.from({ length: TEAMS }, (_, at) => ({ name: `team ${at}`, open: at % 2 === 0 }));
    const { items: teams } = (await admin.ok({ method: 'POST', path: '/team/unit', body })) as {
      items: { id: string }[];
    };
    const counts: Record<string, number> = { lists: 0, writes: 0 };
    for (let round = 1; round <= options.rounds; round += 1) {
      const writers = new Writers(
        admin,
        members,
        teams.map(({ id }) => id),
      );
      await runRound(deployment, { random, admin, members, writers, counts, wait: options.pause });
      options.say(`round ${round}: ${JSON.stringify(counts)}`);
    }
    throwFaults(deployment.errors(), 'errors in the log');
    return counts;
  } finally {
    await deployment.stop();
  }
}

interface Round {
  readonly random: Random;
  readonly admin: Client;
  readonly members: readonly Member[];
  readonly writers: Writers;
  readonly counts: Record<string, number>;
  readonly wait: number | undefined;
}

async function runRound(
  deployment: Deployment,
  { random, admin, members, writers, counts, wait }: Round,
): Promise<void> {
  for (const kind of KINDS) {
    const first = Array.from({ length: 100 }, () => writers.values(random));
    await admin.ok({ method: 'POST', path: `/${kind}/unit`, body: first });
  }
  const writing = Array.from({ length: WRITERS }, () => writers.write(random.branch(), wait));
  const { url } = deployment.service;
  const follow = async (at: number): Promise<Followed> => {
    const own = random.branch();
    await pause(own.from(0, BEGINNING));
    const question = randomQuestion(own);
    const member = members[Math.floor(at / OF_MEMBER)];
    const headers = member?.headers ?? admin.headers;
    const reader = await openLive(url, headers, { list: question.path });
    return { question, client: new Client(() => url, headers), reader };
  };
  const followed = await Promise.all(Array.from({ length: LISTS }, (_, at) => follow(at)));
  await pause(AFTERWARDS);
  writers.isOver = true;
  await Promise.all(writing);
  const began = performance.now();
  const wrong = await untilRight(followed);
  add(counts, { lists: LISTS, writes: writers.writes });
  for (const { reader, client } of followed) {
    for (const { event } of reader.events) add(counts, { [event]: 1 });
    reader.close();
    client.close();
  }
  counts['ms until all were right, at most'] = Math.max(
    counts['ms until all were right, at most'] ?? 0,
    Math.round(performance.now() - began),
  );
  throwFaults([...writers.faults, ...wrong], 'live lists');
  for (const kind of KINDS)
    await admin.ok({ method: 'DELETE', path: `/${kind}/unit?filter=all()&max_affected=100000` });
}

/** What is wrong in the end. */
async function untilRight(followed: readonly Followed[]): Promise<string[]> {
  const deadline = performance.now() + QUIET;
  let left = followed;
  for (;;) {
    const faults: string[] = [];
    const wrong = new Set<Followed>();
    for (const each of left) {
      const { question, client, reader } = each;
      const list = new LiveList(question);
      for (const event of [...reader.events]) list.take(event);
      const page = (await client.ok({ method: 'GET', path: question.path })) as Page;
      const difference = list.difference(page);
      const all = [...list.faults, ...(difference ?? []), ...(reader.ended ? ['it is closed'] : [])];
      if (all.length > 0) wrong.add(each);
      const last = JSON.stringify(reader.events.slice(-3)).slice(0, 600);
      faults.push(...all.map((fault) => `${question.path}: ${fault}\n    ${last}`));
    }
    left = [...wrong];
    if (left.length === 0 || performance.now() > deadline) return faults;
    await pause(LOOK);
  }
}

function add(counts: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + count;
}

export const lists: Campaign = {
  about: 'two hundred live lists, begun during writes, compared with what a request answers when it is quiet',
  rounds: 10,
  run,
};
