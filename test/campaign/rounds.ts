/** Rounds of a load that is disturbed, and of a check of what is stored afterwards. */
import { setTimeout as pause } from 'node:timers/promises';
import { throwFaults, type CampaignOptions, type Figures } from './campaign.js';
import { checkRound, clearRound, type Checked } from './check.js';
import { shown, type Client } from './client.js';
import { Deployment, type DeploymentOptions } from './deployment.js';
import { Load, makeFixed, type Fixed } from './load.js';
import { Random } from './random.js';
import { MODEL } from './writes.js';

export interface Disturbed {
  readonly deployment: Deployment;
  readonly random: Random;
  readonly load: Load;
}

export interface Plan extends DeploymentOptions {
  readonly writers: number;
  /** Whether the process may go away, so that there is no answer. */
  readonly mayVanish: boolean;
  /** Whether the load keeps its connections. */
  readonly keepAlive?: boolean;
  /** Each disturbs the service and lets it be; they take turns. */
  readonly disturbances: Readonly<Record<string, (context: Disturbed) => Promise<void>>>;
  /** More that must be right after a round. */
  readonly afterwards?: (checked: Checked, load: Load) => readonly string[];
}

/** Milliseconds of load before a disturbance, and after the recovery from it. */
const BEFORE = [20, 350] as const;
const AFTER = 80;
const RECOVERY = 90_000;
/** Rounds between two lines of progress. */
const REPORTED = 10;

export async function disturbedRounds(options: CampaignOptions, plan: Plan): Promise<Figures> {
  const deployment = await Deployment.start(options, plan);
  try {
    return await new Rounds(options, plan, deployment).run();
  } finally {
    await deployment.stop();
  }
}

class Rounds {
  readonly #random: Random;
  readonly #sums: Record<string, number> = {};
  readonly #recoveries: number[] = [];
  readonly #client: Client;

  constructor(
    private readonly options: CampaignOptions,
    private readonly plan: Plan,
    private readonly deployment: Deployment,
  ) {
    this.#random = new Random(options.seed);
    this.#client = deployment.client();
  }

  async run(): Promise<Figures> {
    for (const sent of MODEL) await this.#client.ok(sent);
    const fixed = await makeFixed(this.#client);
    const disturbances = Object.entries(this.plan.disturbances);
    for (let round = 1; round <= this.options.rounds; round += 1) {
      const [name, disturb] = disturbances[(round - 1) % disturbances.length] ?? [];
      if (name === undefined || !disturb) throw new Error('nothing disturbs');
      await this.#round(round, name, disturb, fixed);
      if (round % REPORTED === 0) this.options.say(`round ${round}: ${JSON.stringify(this.#figures())}`);
    }
    return this.#figures();
  }

  async #round(round: number, name: string, disturb: (context: Disturbed) => Promise<void>, fixed: Fixed) {
    const clients = Array.from({ length: this.plan.writers }, () => this.#client);
    const { mayVanish, keepAlive } = this.plan;
    const random = this.#random.branch();
    const load = new Load({ clients, round, random, mayVanish, keepAlive, fixed, pause: this.options.pause });
    await load.start();
    try {
      await pause(this.#random.from(...BEFORE));
      const began = performance.now();
      await disturb({ deployment: this.deployment, random: this.#random, load });
      await this.#recovered(fixed);
      this.#recoveries.push(performance.now() - began);
      await pause(AFTER);
    } finally {
      await load.stop();
    }
    const checked = await checkRound(this.#client, round, load.entries);
    const more = this.plan.afterwards?.(checked, load) ?? [];
    const faults = [...load.faults, ...checked.faults, ...more, ...this.deployment.errors()];
    throwFaults(faults, `round ${round} (${name}), seed ${this.options.seed}`);
    this.#add({ [`rounds: ${name}`]: 1, ...load.counts, ...checked });
    await clearRound(this.#client, round);
  }

  /** Waits until a read and a write succeed. */
  async #recovered({ units }: Fixed): Promise<void> {
    const [[id, value] = ['', 0]] = units;
    const deadline = performance.now() + RECOVERY;
    for (;;) {
      const answer = await this.#client.send({ method: 'PUT', path: `/fixed/unit/${id}`, body: { value } });
      if (answer.status === 200) return;
      if (performance.now() > deadline) {
        throwFaults([`${RECOVERY / 1000} seconds later: ${shown(answer)}`, ...this.deployment.errors()], 'no recovery');
      }
      await pause(10);
    }
  }

  #add(counts: Readonly<Record<string, unknown>>): void {
    for (const [name, count] of Object.entries(counts)) {
      if (typeof count === 'number') this.#sums[name] = (this.#sums[name] ?? 0) + count;
    }
  }

  #figures(): Figures {
    const times = [...this.#recoveries].sort((a, b) => a - b).map(Math.round);
    const middle = times[Math.floor(times.length / 2)] ?? 0;
    return { ...this.#sums, 'ms until it serves again': `median ${middle}, at most ${times.at(-1) ?? 0}` };
  }
}
