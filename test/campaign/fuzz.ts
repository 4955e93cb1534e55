/**
 * Random requests over HTTP. To those about units that never change the right answer is known, for each caller and rule
 * (`fuzz/oracle.ts`); all others, right and nearly right, are held to what every answer has to be (`fuzz/answers.ts`).
 */
import { throwFaults, type Campaign, type CampaignOptions, type Figures } from './campaign.js';
import { Deployment } from './deployment.js';
import { answerFault, ask, written, type FuzzAnswer } from './fuzz/answers.js';
import { Grammar, type FuzzRequest } from './fuzz/grammar.js';
import { Oracle, randomRules, type Rules } from './fuzz/oracle.js';
import { makeWorld, type World } from './fuzz/world.js';
import { Random } from './random.js';

/** Requests under the same rules, and how many of them at the same time. */
const BATCH = 400;
const CLIENTS = 12;
/** Batches between two looks at the other project. */
const LOOKS = 25;
const REPORTED = 25;
/** Part of the requests whose right answers are known. */
const KNOWN = 0.4;
const SCRATCH_IDS = 40;

class Fuzzer {
  readonly #random: Random;
  readonly #oracle: Oracle;
  readonly #grammar: Grammar;
  readonly #faults: string[] = [];
  readonly #counts: Record<string, number> = { requests: 0, 'compared with the oracle': 0, 'units compared': 0 };
  #rules: Rules = { read: 'anyone', naive: 'anyone' };

  constructor(
    private readonly options: CampaignOptions,
    private readonly world: World,
  ) {
    this.#random = new Random(options.seed);
    this.#oracle = new Oracle(world, this.#random.branch(), options.seed);
    this.#grammar = new Grammar(world, this.#random.branch(), () => this.#oracle.filterText());
  }

  async run(): Promise<Figures> {
    const { rounds, say } = this.options;
    const before = await this.world.neighbour();
    let left = rounds;
    for (let batch = 1; left > 0; batch += 1) {
      await this.#newRules();
      let inBatch = Math.min(BATCH, left);
      left -= inBatch;
      const work = async (): Promise<void> => {
        while ((inBatch -= 1) >= 0) await this.#one();
      };
      await Promise.all(Array.from({ length: CLIENTS }, work));
      if (batch % LOOKS === 0 || left === 0) await this.#look(before);
      throwFaults(this.#faults, `seed ${this.options.seed}, rules ${JSON.stringify(this.#rules.read)}`);
      if (batch % REPORTED === 0) say(JSON.stringify(this.#counts));
    }
    return this.#counts;
  }

  async #newRules(): Promise<void> {
    this.#rules = randomRules(this.#random);
    const access = { read: this.#rules.read, create: 'admin', update: 'admin', delete: 'admin', link: 'admin' };
    await this.world.admin.ok({ method: 'PUT', path: '/kind/unit/thing', body: { access } });
  }

  async #look(before: string): Promise<void> {
    if ((await this.world.neighbour()) !== before) this.#faults.push('the other project has changed');
  }

  async #one(): Promise<void> {
    const caller = this.#random.pick(this.world.callers);
    const question = this.#random.chance(KNOWN) ? this.#oracle.question(caller, this.#rules) : undefined;
    const { headers } = caller;
    const request: FuzzRequest = question
      ? { method: 'GET', path: `/api/lib${question.path}`, headers: { ...headers } }
      : this.#grammar.request(caller);
    const answer = await ask(this.world.url, request);
    const fault = answerFault(request, answer, this.world.check) ?? this.#compare(question?.fault, answer);
    if (fault !== undefined) {
      this.#faults.push(
        `${written(request, caller.name)}\n    → ${answer.status} ${answer.text.slice(0, 600)}\n    ${fault}`,
      );
    }
    this.#count(answer);
    if (!question) this.#remember(request, answer);
  }

  #compare(fault: ((status: number, text: string) => string | undefined) | undefined, answer: FuzzAnswer) {
    if (!fault || answer.status === 503) return undefined;
    this.#add('compared with the oracle');
    const { items } = ((answer.body as { content: unknown }).content ?? {}) as { items?: unknown[] };
    this.#add('units compared', items?.length ?? 1);
    return fault(answer.status, answer.text);
  }

  #count({ status }: FuzzAnswer): void {
    this.#add('requests');
    this.#add(`status ${status}`);
  }

  #add(name: string, more = 1): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + more;
  }

  /** Ids and cursors, for later requests. */
  #remember({ method, path }: FuzzRequest, { status, body }: FuzzAnswer): void {
    if (status !== 200 || typeof body !== 'object' || body === null) return;
    const { id, next } = ((body as { content?: unknown }).content ?? {}) as { id?: unknown; next?: unknown };
    if (typeof next === 'string') this.#grammar.cursor = next;
    if (method !== 'POST' || typeof id !== 'string' || !/^\/api\/lib\/scratch\/unit(\?|$)/.test(path)) return;
    const { scratch } = this.world;
    if (scratch.length >= SCRATCH_IDS) scratch.splice(this.#random.from(0, scratch.length - 1), 1);
    scratch.push(id);
  }
}

async function run(options: CampaignOptions): Promise<Figures> {
  const deployment = await Deployment.start(options);
  try {
    const figures = await new Fuzzer(options, await makeWorld(deployment)).run();
    throwFaults(deployment.errors(), 'errors in the log');
    return figures;
  } finally {
    await deployment.stop();
  }
}

export const fuzz: Campaign = {
  about: 'random requests, right and nearly right, with naive evaluators that know what each caller may read',
  rounds: 1_000_000,
  run,
};
