/**
 * The order of the feed: three processes give numbers to what ten writers write, and readers change the process with each
 * page of one cursor. All of them get the same events in the same order, each once, and none before one that was answered
 * before its request was sent.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { throwFaults, type Campaign, type CampaignOptions, type Figures } from './campaign.js';
import { FeedReader, nameOf, Replay, type FeedEvent } from './changes.js';
import { listed } from './check.js';
import { isAnswer, refusalFault, shown, type Client, type Sent } from './client.js';
import { Deployment } from './deployment.js';
import { Random } from './random.js';
import { PROJECT } from './service-process.js';

const PROCESSES = 3;
const WRITERS = 10;
/** Of each writer in a round. */
const WRITES = 25;
/** One with `wait` each; a member may have six. */
const READERS = 5;
const SHARED = 4;
const REPORTED = 10;
const QUERY = 'kinds=[task]';

/** Writes, waits, and writes again: its transaction ends long after others that began later. */
const MODULE = `
  import { kind } from 'kind';
  const task = kind('task');
  const slow = task.function({
    description: 'Two units, and a pause between them',
    parameters: { tag: { type: 'string', required: true }, wait: { type: 'integer', required: true } },
    methods: ['POST'],
    async run({ units, parameters: { tag, wait } }) {
      await units('task').create({ tag, n: 0 });
      await new Promise((resolve) => setTimeout(resolve, wait));
      await units('task').create({ tag, n: 1 });
    },
  });
  export default task.module({ functions: { slow } });
`;

const MODEL: readonly Sent[] = [
  post('/kind/unit', {
    id: 'task',
    changes: 'feed',
    parameters: [
      { id: 'tag', kind_id: 'string' },
      { id: 'n', kind_id: 'integer' },
    ],
  }),
  post('/link/unit', { id: 'about' }),
];

function post(path: string, body?: unknown): Sent {
  return { method: 'POST', path, body };
}

/** A write, with its events in their order, and when it was sent and answered. */
interface Write {
  readonly tag: string;
  readonly request: Sent;
  readonly events: readonly string[];
  readonly began: number;
  ended: number;
  stored: boolean;
}

type Planned = Pick<Write, 'request' | 'events'>;

class Writing {
  /** By the tag that its events have. */
  readonly writes = new Map<string, Write>();
  readonly faults: string[] = [];
  /** The tags of writes whose events have no values: by unit, of links by both ends. */
  readonly #tags = new Map<string, string>();
  #next = 0;

  /** @param shared units that all writers edit */
  constructor(
    private readonly clients: readonly Client[],
    private readonly shared: readonly string[],
  ) {}

  /** One writer, with units of its own. */
  async write(random: Random, count: number, wait: number | undefined): Promise<void> {
    const own: string[] = [];
    for (let left = count; left > 0; left -= 1) {
      const tag = `t${(this.#next += 1)}`;
      const write: Write = { tag, ...this.#plan(tag, own, random), began: performance.now(), ended: 0, stored: false };
      this.writes.set(tag, write);
      const answer = await random.pick(this.clients).send(write.request);
      write.ended = performance.now();
      write.stored = answer.status === 200;
      if (isAnswer(answer) && write.stored && write.request.method === 'POST')
        own.push(...madeBy(answer.body?.content));
      const fault = isAnswer(answer) && answer.status === 503 ? refusalFault(answer) : shown(answer);
      if (!write.stored && fault !== undefined) this.faults.push(`${write.request.path}: ${fault}`);
      if (wait !== undefined) await pause(wait);
    }
  }

  #plan(tag: string, own: string[], random: Random): Planned {
    const units = (count: number) => Array.from({ length: count }, (_, n) => ({ tag, n }));
    const made = (count: number) => units(count).map(({ n }) => `create ${n}`);
    const edit: Sent = { method: 'PUT', path: `/task/unit/${random.pick(this.shared)}`, body: { tag } };
    const drawn = random.next();
    if (drawn < 0.25) return { request: edit, events: ['update'] };
    if (drawn < 0.4) return { request: post('/task/unit', units(1)[0]), events: made(1) };
    if (drawn < 0.55) return { request: post('/task/unit', units(10)), events: made(10) };
    if (drawn < 0.65) {
      const operations = [post('/task/unit', units(1)[0]), edit, post('/task/unit', { tag, n: 2 })];
      return { request: post('/batch', { operations }), events: ['create 0', 'update', 'create 2'] };
    }
    if (drawn < 0.75) {
      return { request: post('/task/function/slow', { tag, wait: random.from(0, 300) }), events: made(2) };
    }
    const [one, other] = [own.pop(), own.at(-1)];
    if (one === undefined || other === undefined) {
      const body = units(50).map((unit) => JSON.stringify(unit));
      const headers = { 'content-type': 'application/x-ndjson' };
      return { request: { ...post('/task/import', body.join('\n')), headers }, events: made(50) };
    }
    if (drawn < 0.87) {
      this.#tags.set(`delete ${one}`, tag);
      return { request: { method: 'DELETE', path: `/task/unit/${one}` }, events: ['delete'] };
    }
    // Both stay: events of links to units that are gone are shown to nobody.
    own.pop();
    this.#tags.set(`link ${one} ${other}`, tag);
    return { request: post(`/task/unit/${one}/link/about/task/unit/${other}`), events: ['link'] };
  }

  /** The write that an event is of. */
  writeOf({ operation, unit_id: id, child_id: child, changes }: FeedEvent): Write | undefined {
    const key = [operation, id, ...(child === undefined ? [] : [child])].join(' ');
    return this.writes.get(String(this.#tags.get(key) ?? changes?.['tag']?.[1]));
  }

  /** Each stored write has its events, in their order, and others have none; none comes before an earlier one. */
  check(events: readonly FeedEvent[]): string[] {
    const faults = this.faults.splice(0);
    const found = new Map<string, string[]>();
    /** The earliest end of the writes whose events come later. */
    let earliest = Infinity;
    for (const event of [...events].reverse()) {
      const write = this.writeOf(event);
      if (!write) {
        faults.push(`${nameOf(event)}: of no write`);
        continue;
      }
      if (earliest < write.began) faults.push(`${nameOf(event)}: before one that was answered before it was sent`);
      earliest = Math.min(earliest, write.ended);
      found.set(write.tag, [labelOf(event), ...(found.get(write.tag) ?? [])]);
    }
    for (const { tag, stored, events: wanted, request } of this.writes.values()) {
      const got = found.get(tag) ?? [];
      if (got.join() !== (stored ? wanted : []).join()) {
        faults.push(`${request.method} ${request.path} ${tag}, ${stored ? 'stored' : 'refused'}: ${got.join()}`);
      }
    }
    this.writes.clear();
    return faults;
  }
}

function labelOf({ operation, changes }: FeedEvent): string {
  return operation === 'create' ? `create ${String(changes?.['n']?.[1])}` : operation;
}

/** The ids of units that a create of one or many answers. */
function madeBy(content: unknown): string[] {
  const { id, kind_id: kind, items } = (content ?? {}) as { id?: string; kind_id?: string; items?: { id?: string }[] };
  if (items) return items.flatMap((item) => item.id ?? []);
  return id !== undefined && kind === 'task' ? [id] : [];
}

async function run(options: CampaignOptions): Promise<Figures> {
  const functions = join(options.folder, 'functions', PROJECT);
  mkdirSync(functions, { recursive: true });
  writeFileSync(join(functions, 'task.ts'), MODULE);
  const env = { FUNCTIONS_DIR: join(options.folder, 'functions') };
  const deployment = await Deployment.start(options, { processes: PROCESSES, env });
  try {
    return await rounds(options, deployment);
  } finally {
    await deployment.stop();
  }
}

async function rounds(options: CampaignOptions, deployment: Deployment): Promise<Figures> {
  const clients = Array.from({ length: PROCESSES }, (_, at) => deployment.client(at));
  const [client] = clients as [Client];
  for (const sent of MODEL) await client.ok(sent);
  const begin = new FeedReader(() => client, QUERY);
  await begin.page();
  const shared = Array.from({ length: SHARED }, () => ({}));
  const { items } = (await client.ok(post('/task/unit', shared))) as { items: { id: string }[] };
  const units = items.map(({ id }) => id);
  await begin.readAll();
  const all = new Rounds(clients, new Writing(clients, units), new Random(options.seed), begin);
  for (let round = 1; round <= options.rounds; round += 1) {
    const faults = await all.round(options.pause);
    throwFaults([...faults, ...deployment.errors()], `round ${round}, seed ${options.seed}`);
    await all.clear();
    if (round % REPORTED === 0) options.say(`round ${round}: ${JSON.stringify(all.counts)}`);
  }
  return all.counts;
}

class Rounds {
  readonly counts = { writes: 0, refused: 0, events: 0, 'pages of readers': 0 };
  readonly #readers: readonly FeedReader[];
  readonly #replay = new Replay();
  /** Where the events of the next round begin. */
  #from: string;

  constructor(
    private readonly clients: readonly Client[],
    private readonly writing: Writing,
    private readonly random: Random,
    begin: FeedReader,
  ) {
    for (const event of begin.events) this.#replay.take(event);
    this.#from = begin.next ?? '';
    this.#readers = Array.from({ length: READERS }, () => this.#reader());
  }

  /** One that asks another process for each page. */
  #reader(): FeedReader {
    const own = this.random.branch();
    return new FeedReader(() => own.pick(this.clients), QUERY, this.#from);
  }

  /** @returns what is wrong */
  async round(wait: number | undefined): Promise<string[]> {
    let isOver = false;
    const reading = this.#readers.map((reader) => {
      const own = this.random.branch();
      return reader.follow(
        () => isOver,
        () => this.#page(own),
      );
    });
    const writers = Array.from({ length: WRITERS }, () => this.writing.write(this.random.branch(), WRITES, wait));
    await Promise.all(writers).finally(() => (isOver = true));
    await Promise.all(reading);
    const events = await this.#events();
    const names = events.map(nameOf).join();
    const others = this.#readers.filter((reader) => reader.events.splice(0).map(nameOf).join() !== names);
    this.#count(events.length);
    const ofWrites = this.writing.check(events);
    const ofUnits = await this.#differences(events);
    return [...others.map(() => 'a reader got other events'), ...ofWrites, ...ofUnits];
  }

  #page(random: Random): string {
    this.counts['pages of readers'] += 1;
    return `&limit=${random.from(1, 100)}&wait=${random.from(0, 1)}`;
  }

  #count(events: number): void {
    const written = [...this.writing.writes.values()];
    this.counts.writes += written.length;
    this.counts.refused += written.filter(({ stored }) => !stored).length;
    this.counts.events += events;
  }

  /** Those since the last call, read again by one who begins there: the order stays. */
  async #events(): Promise<readonly FeedEvent[]> {
    const again = this.#reader();
    for (const reader of [...this.#readers, again]) await reader.readAll();
    this.#from = again.next ?? '';
    return again.events;
  }

  /** The events alone make the units that there are. */
  async #differences(events: readonly FeedEvent[]): Promise<string[]> {
    for (const event of events) this.#replay.take(event);
    const [client] = this.clients as [Client];
    const items = await listed<{ id: string; [name: string]: unknown }>(client, '/task/unit?include=[id,tag,n]');
    return [...this.#replay.faults.splice(0), ...this.#replay.differences('task', items, ['tag', 'n'])];
  }

  /** Removes all but the shared units, so that the next rounds are as fast. */
  async clear(): Promise<void> {
    const [client] = this.clients as [Client];
    await client.ok({ method: 'DELETE', path: '/task/unit?filter=gte(n,0)&max_affected=100000' });
    for (const event of await this.#events()) this.#replay.take(event);
    for (const reader of this.#readers) reader.events.splice(0);
  }
}

export const order: Campaign = {
  about: 'the order of the feed: three processes number, ten writers write, readers change the process with each page',
  rounds: 100,
  run,
};
