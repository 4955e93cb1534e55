/** Rounds of a load that is disturbed, and of a check of what is stored afterwards. */
import { setTimeout as pause } from 'node:timers/promises';
import { throwFaults, type CampaignOptions, type Figures } from './campaign.js';
import { FeedReader, Replay, type FeedEvent } from './changes.js';
import { checkRound, clearRound, listed, type Checked } from './check.js';
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
  /** What follows changes: begins before the first round, and is asked after the last one for what is wrong. */
  readonly followers?: {
    readonly begin: (client: Client) => Promise<void>;
    readonly end: (client: Client, events: readonly FeedEvent[]) => Promise<FollowersEnd>;
  };
}

export interface FollowersEnd {
  readonly faults: readonly string[];
  readonly figures: Figures;
}

/** The parameters of recorded kinds. */
export const RECORDED = {
  item: ['tag', 'round', 'n'],
  note: ['tag', 'round', 'item'],
  journal: ['round', 'marks', 'total'],
} as const;

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

interface Counted extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly links?: { readonly child?: Readonly<Record<string, number>> };
}

class Rounds {
  readonly #random: Random;
  readonly #sums: Record<string, number> = {};
  readonly #recoveries: number[] = [];
  readonly #client: Client;
  /** One reader for all rounds, with one cursor. */
  readonly #feed: FeedReader;
  readonly #replay = new Replay();
  #replayed = 0;

  constructor(
    private readonly options: CampaignOptions,
    private readonly plan: Plan,
    private readonly deployment: Deployment,
  ) {
    this.#random = new Random(options.seed);
    this.#client = deployment.client();
    this.#feed = new FeedReader(() => this.#client, `kinds=[${Object.keys(RECORDED).join()}]`);
  }

  async run(): Promise<Figures> {
    for (const sent of MODEL) await this.#client.ok(sent);
    const fixed = await makeFixed(this.#client);
    await this.plan.followers?.begin(this.#client);
    await this.#feed.page();
    const disturbances = Object.entries(this.plan.disturbances);
    for (let round = 1; round <= this.options.rounds; round += 1) {
      const [name, disturb] = disturbances[(round - 1) % disturbances.length] ?? [];
      if (name === undefined || !disturb) throw new Error('nothing disturbs');
      await this.#round(round, name, disturb, fixed);
      if (round % REPORTED === 0) this.options.say(`round ${round}: ${JSON.stringify(this.#figures())}`);
    }
    await this.#feed.readAll();
    const { faults = [], figures } = (await this.plan.followers?.end(this.#client, this.#feed.events)) ?? {};
    throwFaults([...faults, ...this.deployment.errors()], `what follows changes, seed ${this.options.seed}`);
    return { ...this.#figures(), 'events of the feed': this.#feed.events.length, ...figures };
  }

  async #round(round: number, name: string, disturb: (context: Disturbed) => Promise<void>, fixed: Fixed) {
    const clients = Array.from({ length: this.plan.writers }, () => this.#client);
    const { mayVanish, keepAlive } = this.plan;
    const random = this.#random.branch();
    const load = new Load({ clients, round, random, mayVanish, keepAlive, fixed, pause: this.options.pause });
    await load.start();
    let isOver = false;
    const limits = random.branch();
    const reading = this.#feed.follow(
      () => isOver,
      () => `&wait=1&limit=${limits.from(1, 300)}`,
    );
    try {
      await pause(this.#random.from(...BEFORE));
      const began = performance.now();
      await disturb({ deployment: this.deployment, random: this.#random, load });
      await this.#recovered(fixed);
      this.#recoveries.push(performance.now() - began);
      await pause(AFTER);
    } finally {
      isOver = true;
      await Promise.all([load.stop(), reading]);
    }
    const checked = await checkRound(this.#client, round, load.entries);
    const more = this.plan.afterwards?.(checked, load) ?? [];
    const faults = [
      ...load.faults,
      ...checked.faults,
      ...(await this.#checkFeed()),
      ...more,
      ...this.deployment.errors(),
    ];
    throwFaults(faults, `round ${round} (${name}), seed ${this.options.seed}`);
    this.#add({ [`rounds: ${name}`]: 1, ...load.counts, ...checked });
    await clearRound(this.#client, round);
  }

  /** The events alone make the units and links that there are. */
  async #checkFeed(): Promise<string[]> {
    await this.#feed.readAll();
    const { events } = this.#feed;
    for (const event of events.slice(this.#replayed)) this.#replay.take(event);
    this.#replayed = events.length;
    const faults = this.#replay.faults.splice(0);
    for (const [kind, names] of Object.entries(RECORDED)) {
      const path = `/${kind}/unit?include=[id,${names.join()}]&load_links=count`;
      const items = await listed<Counted>(this.#client, path);
      faults.push(...this.#replay.differences(kind, items, names));
      for (const { id, links } of items) {
        const [told, stored] = [this.#replay.links.get(`${kind} ${id}`)?.size ?? 0, links?.child?.['about'] ?? 0];
        if (told !== stored) faults.push(`${kind} ${id}: ${told} links of the events, ${stored} stored`);
      }
    }
    return faults;
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
