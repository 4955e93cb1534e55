/**
 * Random rules, masks and filters over random writes: what the feed, live lists and histories answer to each of five
 * callers is compared with a naive evaluator of every event (`access/sight.ts`). Texts of hidden and closed parameters are
 * looked for in all that is answered, sent and logged.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Filter } from '../../src/filter/filter.ast.js';
import { parseFilter } from '../../src/filter/filter.parser.js';
import { openLive } from '../support/live.js';
import { canonical, type Json } from '../support/naive-filter.js';
import type { NaiveCaller } from '../support/naive-rules.js';
import { Receiver } from '../support/receiver.js';
import { CLOSED, CODES, Papers, HIDDEN, TEXTS } from './access/papers.js';
import { Sight, type Recorded, type Rules } from './access/sight.js';
import { throwFaults, type Campaign, type CampaignOptions, type Figures } from './campaign.js';
import { FeedReader, type FeedEvent } from './changes.js';
import { Client, isAnswer, shown, type Sent } from './client.js';
import { Deployment } from './deployment.js';
import { randomRules } from './fuzz/oracle.js';
import { memberKind, signUp } from './members.js';
import { Random } from './random.js';

const WRITES = 12;
/** Batches of writes whose events are asked for. */
const WINDOW = 3;
/** Rules under which the events of a batch are read. */
const RULES_OF_BATCH = 4;
/** Milliseconds in which a live list has to be right. */
const LIVE = 15_000;
const LOOK = 100;
const REPORTED = 5;

const ATOMS = [
  ...[
    'eq(a_flag,true)',
    'gte(a_num,5)',
    'isnull(a_text)',
    'isnull(place)',
    'eq(place.open,true)',
    'contains(a_text,b)',
  ],
  ...['eq(a_text,@member.p_text)', 'ne(a_text,@member.p_text)', 'lt(a_num,@member.p_num)', 'eq(owner,@member.id)'],
  ...['eq(h_code,@member.p_code)', 'in(a_text,[abc,@member.p_text])'],
];
const FILTERS = [
  ...['eq(a_flag,true)', 'gt(a_num,3)', 'not(eq(a_flag,false))', 'in(a_text,[a,abc])', 'isnull(a_text,false)'],
  ...['eq(place.open,true)', 'and(lt(a_num,7),ne(a_text,b))', 'eq(m_two,2)', 'or(eq(m_one,one),isnull(a_num))'],
];

const OF_EVERY_KIND = new Set(['kind_id', 'metadata', 'inserted_at', 'updated_at']);
const NOBODY_ELSE = { create: 'admin', delete: 'admin', link: 'admin' };
const MODEL: readonly Sent[] = [
  ...memberKind([
    { id: 'p_text', kind_id: 'string' },
    { id: 'p_num', kind_id: 'integer' },
    { id: 'p_code', kind_id: 'string' },
  ]),
  post('/kind/unit', {
    id: 'place',
    public: true,
    changes: 'feed',
    access: { ...NOBODY_ELSE, read: 'anyone', update: 'admin' },
    parameters: [{ id: 'open', kind_id: 'boolean' }],
  }),
  post('/kind/unit', {
    id: 'paper',
    public: true,
    changes: 'history',
    // What a rule tests is recorded, from now on.
    access: { ...NOBODY_ELSE, update: 'eq(h_code,none)' },
    parameters: [
      { id: 'a_text', kind_id: 'string' },
      { id: 'a_num', kind_id: 'integer' },
      { id: 'a_flag', kind_id: 'boolean' },
      { id: 'owner', kind_id: 'string' },
      { id: 'place', kind_id: 'unit', reference_kind: 'place' },
      { id: 'm_one', kind_id: 'string' },
      { id: 'm_two', kind_id: 'integer' },
      { id: 'm_admin', kind_id: 'string', read_access: 'admin' },
      { id: 'h_code', kind_id: 'string', hidden: true },
      { id: 'h_text', kind_id: 'string', hidden: true },
    ],
  }),
  post('/link/unit', { id: 'about' }),
];

function post(path: string, body: unknown): Sent {
  return { method: 'POST', path, body };
}

interface Caller extends NaiveCaller {
  readonly name: string;
  readonly client: Client;
}

interface Asked {
  readonly text: string;
  readonly filter: Filter | undefined;
  readonly names: readonly string[];
}

class Fuzzer {
  readonly counts: Record<string, number> = { 'judged events': 0, seen: 0, 'events of live lists': 0, rules: 0 };
  readonly #faults: string[] = [];
  readonly #random: Random;
  readonly #feed: FeedReader;
  #rules: Rules = { read: 'anyone', history: 'admin', masks: {} };
  #rulesText = '';

  constructor(
    private readonly options: CampaignOptions,
    private readonly papers: Papers,
    private readonly admin: Client,
    private readonly callers: readonly Caller[],
    random: Random,
  ) {
    this.#random = random;
    this.#feed = new FeedReader(() => admin, 'kinds=[paper]');
  }

  async run(): Promise<void> {
    await this.#feed.page();
    const begins = [{ since: this.#feed.next ?? '', at: 0 }];
    for (let batch = 1; batch <= this.options.rounds; batch += 1) {
      await this.#newRules();
      const live = await Promise.all(this.callers.map((caller) => this.#follow(caller)));
      for (let write = 0; write < WRITES; write += 1) await this.papers.write();
      await this.#feed.readAll();
      const told = this.papers.date(this.#feed.events.splice(0));
      throwFaults(told, `batch ${batch}, seed ${this.options.seed}`);
      for (const check of live) await check();
      const begin = begins.slice(-WINDOW)[0] ?? { since: '', at: 0 };
      for (let turn = 0; turn < RULES_OF_BATCH; turn += 1) {
        if (turn > 0) await this.#newRules();
        await Promise.all(this.callers.map((caller) => this.#ask(caller, begin)));
        throwFaults(this.#faults, `batch ${batch}, seed ${this.options.seed}, rules ${this.#rulesText}`);
      }
      begins.push({ since: this.#feed.next ?? '', at: this.papers.log.length });
      if (batch % REPORTED === 0) this.options.say(`batch ${batch}: ${JSON.stringify(this.counts)}`);
    }
  }

  async #newRules(): Promise<void> {
    const draw = (levels: readonly ('anyone' | 'member' | 'admin')[]) => randomRules(this.#random, ATOMS, levels);
    const [read, history] = [draw(['anyone', 'member']), draw(['anyone', 'member', 'admin'])];
    const [one, two] = [draw(['anyone', 'member', 'admin']), draw(['anyone', 'member', 'admin'])];
    const access = { ...NOBODY_ELSE, update: 'eq(h_code,none)', read: read.read, history: history.read };
    await this.admin.ok({ method: 'PUT', path: '/kind/unit/paper', body: { access } });
    await this.admin.ok({ method: 'PUT', path: '/string/unit/m_one', body: { read_access: one.read } });
    await this.admin.ok({ method: 'PUT', path: '/integer/unit/m_two', body: { read_access: two.read } });
    this.#rules = {
      read: read.naive,
      history: history.naive,
      masks: { m_one: one.naive, m_two: two.naive, m_admin: 'admin' },
    };
    this.#rulesText = JSON.stringify({ read: read.read, history: history.read, m_one: one.read, m_two: two.read });
    this.counts['rules'] = (this.counts['rules'] ?? 0) + 1;
  }

  #filter(): Asked {
    const text = this.#random.chance(0.4) ? '' : this.#random.pick(FILTERS);
    const names = ['m_one', 'm_two'].filter((name) => text.includes(name));
    return { text, filter: text === '' ? undefined : parseFilter(text), names };
  }

  #sight(caller: Caller): Sight {
    return new Sight(this.papers, this.#rules, caller);
  }

  async #ask(caller: Caller, { since, at }: { since: string; at: number }): Promise<void> {
    const recorded = this.papers.log.slice(at);
    const sight = this.#sight(caller);
    await this.#askFeed(caller, sight, since, recorded);
    await this.#askHistory(caller, sight, recorded);
    for (let turn = 0; turn < 2; turn += 1) await this.#askUnit(caller, sight, this.#random.pick(recorded));
  }

  async #askFeed(caller: Caller, sight: Sight, since: string, recorded: readonly Recorded[]): Promise<void> {
    const asked = this.#filter();
    const limit = this.#random.pick([3, 1000]);
    const path = `/changes?kinds=[paper]${filterQuery(asked.text)}&limit=${limit}`;
    const expected = recorded.flatMap<object>((each) => sight.event(each, asked.filter) ?? []);
    const events: FeedEvent[] = [];
    for (let [cursor, more] = [since, true]; more;) {
      const content = await this.#get(caller, `${path}&since=${cursor}`, expected.length, asked, sight);
      if (!content) return;
      const page = content as { items: FeedEvent[]; next: string; more: boolean };
      events.push(...page.items);
      [cursor, more] = [page.next, page.more];
    }
    this.#compare(`${caller.name}: ${path}`, events.map(seenEvent), expected);
    this.#judged(recorded.length, expected.length);
  }

  async #askHistory(caller: Caller, sight: Sight, recorded: readonly Recorded[]): Promise<void> {
    const all = recorded.flatMap((each) => sight.version(each) ?? []);
    const since = recorded.find(({ child }) => child === undefined)?.version ?? 0;
    const name = this.#random.pick(['', 'a_num', 'm_one', 'm_two', 'm_admin']);
    const expected = all.filter(({ changes }) => name === '' || Object.hasOwn(changes, name)).reverse();
    const filter = name === '' ? `gte(version,${since})` : `and(gte(version,${since}),contains(changed,${name}))`;
    const path = `/paper/history?limit=1000&order=version;desc&filter=${encodeURIComponent(filter)}`;
    const content = await this.#get(caller, path, expected.length);
    if (!content) return;
    const { count, items } = content as { count: number; items: FeedEvent[] };
    if (count !== items.length) this.#faults.push(`${caller.name}: ${path}: the count is ${count}`);
    this.#compare(`${caller.name}: ${path}`, items.map(seenVersion), expected);
    this.#judged(recorded.length, expected.length);
  }

  /** The history of one unit, and the unit as it was. */
  async #askUnit(caller: Caller, sight: Sight, recorded: Recorded): Promise<void> {
    const { id, version, child } = recorded;
    const own = this.papers.log.filter((each) => each.id === id);
    const expected = own.flatMap((each) => sight.version(each) ?? []).reverse();
    const path = `/paper/unit/${id}/history?limit=1000`;
    const content = await this.#get(caller, path, expected.length);
    if (content)
      this.#compare(`${caller.name}: ${path}`, (content as { items: FeedEvent[] }).items.map(seenVersion), expected);
    this.#judged(own.length, expected.length);
    if (child !== undefined) return;
    const past = sight.past(recorded);
    const asOf = `/paper/unit/${id}?as_of=${version}`;
    const then = await this.#get(caller, asOf, past ? 1 : 0);
    if (then) this.#compare(`${caller.name}: ${asOf}`, [ownFields(then)], past ? [past] : []);
    this.#judged(1, past ? 1 : 0);
  }

  /** @returns undefined for a refusal, which is right where nothing is expected, or the filter names what it may not */
  async #get(caller: Caller, path: string, expected: number, asked?: Asked, sight?: Sight): Promise<unknown> {
    const answer = await caller.client.send({ method: 'GET', path });
    const where = `${caller.name}: ${path} → ${shown(answer)}`;
    const mayName = asked?.names.every((name) => sight?.mayName(name)) ?? true;
    if (!isAnswer(answer) || answer.status >= 500) throw new Error(where);
    this.#look(caller.name, where, answer.text);
    if (answer.status !== 200) {
      if (expected > 0 && mayName) this.#faults.push(`${where}, but ${expected} expected`);
      return undefined;
    }
    if (mayName) return answer.body?.content;
    this.#faults.push(`${where}, although the filter names what it may not`);
    return undefined;
  }

  /** Follows a list. @returns what compares it in the end */
  async #follow(caller: Caller): Promise<() => Promise<void>> {
    const [asked, rules] = [this.#filter(), this.#rulesText];
    const path = `/paper/unit?limit=1000${filterQuery(asked.text)}`;
    const reader = await openLive(caller.client.url, caller.client.headers, { list: path }).catch(() => undefined);
    return async () => {
      const sight = this.#sight(caller);
      const expected = byId(sight.list(asked.filter));
      const mayName = asked.names.every((name) => sight.mayName(name));
      if (!reader || !mayName) {
        if (reader ? !mayName : mayName && expected.length > 0)
          this.#faults.push(`${caller.name}: live ${path}, rules ${rules}`);
        return reader?.close();
      }
      const deadline = performance.now() + LIVE;
      const now = () => byId([...(reader.lists.get('list')?.values() ?? [])].map(ownFields));
      while (textOf(now()) !== textOf(expected) && performance.now() < deadline) await pause(LOOK);
      this.#compare(`${caller.name}: live ${path}`, now(), expected);
      this.#look(caller.name, `live ${path}`, JSON.stringify(reader.events));
      this.counts['events of live lists'] = (this.counts['events of live lists'] ?? 0) + reader.events.length;
      reader.close();
    };
  }

  #judged(events: number, seen: number): void {
    this.counts['judged events'] = (this.counts['judged events'] ?? 0) + events;
    this.counts['seen'] = (this.counts['seen'] ?? 0) + seen;
  }

  #compare(where: string, got: readonly object[], expected: readonly object[]): void {
    const [one, other] = [got.map(textOf), expected.map(textOf)];
    const at = Array.from({ length: Math.max(one.length, other.length) }).findIndex(
      (_, place) => one[place] !== other[place],
    );
    if (at >= 0) this.#faults.push(`${where}\n    answered: ${one[at]}\n    expected: ${other[at]}`);
  }

  #look(name: string, where: string, text: string): void {
    if (text.includes(HIDDEN)) this.#faults.push(`${where}: a hidden value`);
    if (name !== 'admin' && text.includes(CLOSED)) this.#faults.push(`${where}: a value for administrators`);
  }
}

const filterQuery = (text: string): string => (text === '' ? '' : `&filter=${encodeURIComponent(text)}`);
const textOf = (value: object): string => canonical(JSON.parse(JSON.stringify(value)) as Json);
const byId = <Unit extends object>(units: readonly Unit[]): Unit[] => {
  return [...units].sort((one, other) =>
    String((one as { id: unknown }).id) < String((other as { id: unknown }).id) ? -1 : 1,
  );
};

/** A unit, or what differs of it, without what every kind has. */
function ownFields(unit: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(unit).filter(([name]) => !OF_EVERY_KIND.has(name)));
}

function seenEvent(event: FeedEvent): object {
  const { operation, unit_id, version, unit, unit_version, changes, child_id: child } = event;
  const tells = 'via' in event;
  return {
    operation,
    unit_id,
    version,
    child,
    tells,
    unit_version,
    changes: changes && ownFields(changes),
    unit: unit ? ownFields(unit) : unit,
  };
}

/** Of the history of one unit, whose id is that of the question, only what differs between versions. */
function seenVersion({ operation, version, changes = {} }: FeedEvent): object {
  return { operation, version, changes: ownFields(changes) };
}

async function run(options: CampaignOptions): Promise<Figures> {
  const logged: string[] = [];
  const watch = (line: string): void =>
    void (line.includes(HIDDEN) || line.includes(CLOSED) ? logged.push(line) : undefined);
  const env = { LOG_LEVEL: 'debug', WEBHOOK_ALLOW_HTTP: 'on', WEBHOOK_ALLOW_PRIVATE: 'on' };
  const deployment = await Deployment.start(options, { env, watch });
  const receiver = await Receiver.listen();
  try {
    const random = new Random(options.seed);
    const admin = deployment.client();
    for (const sent of MODEL) await admin.ok(sent);
    const callers = await callersOf(deployment, admin, random);
    for (const { name, member } of callers.slice(0, 2)) {
      const hook = { id: `of_${name}`, url: receiver.url(`/${name}`), kinds: ['paper'], member: member?.['id'] };
      await admin.ok(post('/webhook/unit', hook));
    }
    await admin.ok(post('/webhook/unit', { id: 'of_admin', url: receiver.url('/admin'), kinds: ['paper'] }));
    const papers = new Papers(
      admin,
      random.branch(),
      callers.flatMap(({ member }) => (member?.['id'] as string | undefined) ?? []),
    );
    await papers.makePlaces(3);
    const fuzzer = new Fuzzer(options, papers, admin, callers, random);
    await fuzzer.run();
    const sent = receiver.received.flatMap(({ path, body }) => {
      const wrong = body.includes(HIDDEN) || (path !== '/admin' && body.includes(CLOSED));
      return wrong ? [`${path}: ${body.slice(0, 500)}`] : [];
    });
    const postgres = readFileSync(join(deployment.dataDir, 'postgres.log'), 'utf8');
    const inLog = postgres.split('\n').filter((line) => line.includes(HIDDEN) || line.includes(CLOSED));
    throwFaults([...sent, ...logged, ...inLog, ...deployment.errors()], 'what is sent and logged');
    return { ...fuzzer.counts, writes: papers.log.length, 'bodies of webhooks': receiver.received.length };
  } finally {
    receiver.close();
    await deployment.stop();
  }
}

async function callersOf(deployment: Deployment, admin: Client, random: Random): Promise<Caller[]> {
  const { url } = deployment.service;
  const member = async (name: string, values: Record<string, string | number | null>): Promise<Caller> => {
    const { id, headers } = await signUp(deployment, name, values);
    return { name, client: new Client(() => url, headers), member: { id, kind_id: 'person', ...values } };
  };
  const text = (): string | null => random.pick(TEXTS);
  return [
    await member('ann', { p_text: 'a', p_num: 5, p_code: CODES[0] ?? '' }),
    await member('bob', { p_text: text(), p_num: 8, p_code: CODES[1] ?? '' }),
    await member('cyd', { p_text: null, p_num: null, p_code: null }),
    { name: 'nobody', client: new Client(() => url, { 'kind-project-key': admin.headers['kind-project-key'] ?? '' }) },
    { name: 'admin', client: admin, admin: true, member: {} },
  ];
}

export const access: Campaign = {
  about: 'who sees what of changes: feed, live lists and histories under random rules, masks and filters',
  rounds: 100,
  run,
};
