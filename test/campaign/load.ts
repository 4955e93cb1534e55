/** Writers and readers that go on until they are stopped, and the ledger of what was answered to them. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  isAnswer,
  refusalFault,
  shown,
  storedBy,
  type Answer,
  type Client,
  type NoAnswer,
  type Sent,
  type Stored,
} from './client.js';
import type { Random } from './random.js';
import { randomWrite, type Write } from './writes.js';

export interface Entry {
  readonly write: Write;
  readonly stored: Stored;
  /** Undefined for a refusal, and without one. */
  readonly content: unknown;
}

export interface LoadOptions {
  /** One for each writer: at a process of its own, or all at the same. */
  readonly clients: readonly Client[];
  readonly round: number;
  readonly random: Random;
  /** Whether the process may go away, so that there is no answer. */
  readonly mayVanish: boolean;
  /** Whether connections are kept. */
  readonly keepAlive?: boolean | undefined;
  /** Units that do not change in any round. */
  readonly fixed: Fixed;
  /** Milliseconds between two requests of a writer or reader. */
  readonly pause?: number | undefined;
}

export interface Fixed {
  readonly units: ReadonlyMap<string, number>;
}

const FIXED = 40;
const READERS = 2;
/** Milliseconds that a client waits after a refusal. */
const BACKOFF = 20;

/** Makes the units that readers read. */
export async function makeFixed(client: Client): Promise<Fixed> {
  const parameters = [{ id: 'value', kind_id: 'integer' }];
  await client.ok({ method: 'POST', path: '/kind/unit', body: { id: 'fixed', parameters } });
  const body = Array.from({ length: FIXED }, (_, value) => ({ value }));
  const made = (await client.ok({ method: 'POST', path: '/fixed/unit', body })) as { items: { id: string }[] };
  return { units: new Map(made.items.map(({ id }, value) => [id, value])) };
}

export class Load {
  readonly entries: Entry[] = [];
  readonly faults: string[] = [];
  /** Requests that were sent, and got no answer. */
  readonly lost: string[] = [];
  readonly counts = { requests: 0, refused: 0, unanswered: 0, reads: 0 };
  #stopped = false;
  #tags = 0;
  #running: Promise<unknown> = Promise.resolve();
  /** When the last request succeeded. */
  lastSuccess = 0;

  constructor(private readonly options: LoadOptions) {}

  async start(): Promise<void> {
    const { clients, random } = this.options;
    const writers = await Promise.all(
      clients.map(async (client) => ({ client: this.#watched(client), journal: await this.#journal(client) })),
    );
    const readers = clients.slice(0, READERS).map((client) => this.#watched(client));
    this.#running = Promise.all([
      ...writers.map(({ client, journal }) => this.#write(client, journal, random.branch())),
      ...readers.map((client) => this.#read(client, random.branch())),
    ]);
  }

  #watched(client: Client): Client {
    return client.observed((sent, answer) => this.#judge(sent, answer), this.options.keepAlive);
  }

  /** Waits for the requests under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #journal(client: Client): Promise<string> {
    const body = { round: this.options.round };
    return ((await client.ok({ method: 'POST', path: '/journal/unit', body })) as { id: string }).id;
  }

  async #write(client: Client, journal: string, random: Random): Promise<void> {
    const { round } = this.options;
    const nextTag = (): string => `r${round}t${(this.#tags += 1)}`;
    while (!this.#stopped) {
      const write = await randomWrite({ client, round, journal, nextTag }, random);
      if (!write) {
        if (await this.#rest(client)) return;
        continue;
      }
      const answer = await client.send(write.request);
      const content = isAnswer(answer) && answer.status === 200 ? answer.body?.content : undefined;
      this.entries.push({ write, stored: storedBy(answer), content });
      if (answer.status !== 200 && (await this.#rest(client))) return;
      await this.#pause();
    }
  }

  /** After a refusal. @returns whether the process is away for good */
  async #rest(client: Client): Promise<boolean> {
    await pause(BACKOFF);
    if (!this.options.mayVanish) return false;
    const [first = ''] = this.options.fixed.units.keys();
    return !isAnswer(await client.send({ method: 'GET', path: `/fixed/unit/${first}` }));
  }

  async #pause(): Promise<void> {
    if (this.options.pause !== undefined) await pause(this.options.pause);
  }

  /** Reads what does not change, and nothing else is a right answer. */
  async #read(client: Client, random: Random): Promise<void> {
    const { units } = this.options.fixed;
    const ids = [...units.keys()];
    while (!this.#stopped) {
      const id = random.pick(ids);
      const one = random.chance(0.7);
      const path = one ? `/fixed/unit/${id}` : '/fixed/unit?include=[id,value]&limit=1000';
      const answer = await client.send({ method: 'GET', path });
      this.counts.reads += 1;
      if (answer.status === 200 && !this.#isRight(answer, one ? id : undefined)) {
        this.faults.push(`GET ${path} → ${shown(answer)}`);
      }
      if (answer.status !== 200 && (await this.#rest(client))) return;
      await this.#pause();
    }
  }

  #isRight({ body }: Answer, id: string | undefined): boolean {
    const { units } = this.options.fixed;
    if (id !== undefined) return (body?.content as { value: number }).value === units.get(id);
    const { count, items } = body?.content as { count: number; items: { id: string; value: number }[] };
    return count === units.size && items.length === count && items.every((each) => units.get(each.id) === each.value);
  }

  #judge(sent: Sent, answer: Answer | NoAnswer): void {
    this.counts.requests += 1;
    const where = `${sent.method} ${sent.path}`;
    if (!isAnswer(answer)) {
      this.counts.unanswered += 1;
      if (!answer.refused) this.lost.push(`${where} → ${shown(answer)}`);
      if (!this.options.mayVanish) this.faults.push(`${where} → ${shown(answer)}`);
    } else if (answer.status === 503) {
      this.counts.refused += 1;
      const fault = refusalFault(answer);
      if (fault !== undefined) this.faults.push(`${where}: ${fault}`);
    } else if (answer.status === 200) this.lastSuccess = performance.now();
    else this.faults.push(`${where} → ${shown(answer)}`);
  }
}
