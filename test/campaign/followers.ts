/**
 * What follows changes: a webhook with its receiver, and `after_commit` of each recorded kind, which writes a unit for
 * each event. At the end each event has been sent at least once and written exactly once, in the order of its unit.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Receiver } from '../support/receiver.js';
import { nameOf, type FeedEvent } from './changes.js';
import { listed } from './check.js';
import type { Client } from './client.js';
import type { FollowersEnd } from './rounds.js';
import { PROJECT } from './service-process.js';

/** Milliseconds without anything new until what is missing is lost: a killed process keeps its work for half a minute. */
const LONGEST_PAUSE = 120_000;
const LOOK = 500;

const moduleOf = (kind: string): string => `
  import { kind } from 'kind';
  export default kind('${kind}').module({
    hooks: {
      async after_commit({ event, system }) {
        const { kind_id, unit_id, operation, version, link } = event;
        // Of units that are deleted, whose links the feed shows nobody.
        if (operation === 'unlink') return;
        const name = [kind_id, unit_id, operation, version, link?.child_id ?? ''].join(' ');
        await system.units('copy').create({ name });
      },
    },
  });
`;

export class ChangeFollowers {
  private constructor(
    private readonly folder: string,
    private readonly kinds: readonly string[],
    private readonly receiver: Receiver,
  ) {}

  static async start(folder: string, kinds: readonly string[]): Promise<ChangeFollowers> {
    const functions = join(folder, 'functions', PROJECT);
    mkdirSync(functions, { recursive: true });
    for (const kind of kinds) writeFileSync(join(functions, `${kind}.ts`), moduleOf(kind));
    return new ChangeFollowers(join(folder, 'functions'), kinds, await Receiver.listen());
  }

  /** Of the service. */
  get env(): Readonly<Record<string, string>> {
    return { FUNCTIONS_DIR: this.folder, WEBHOOK_ALLOW_HTTP: 'on', WEBHOOK_ALLOW_PRIVATE: 'on' };
  }

  stop(): void {
    this.receiver.close();
  }

  async begin(client: Client): Promise<void> {
    const copy = { id: 'copy', parameters: [{ id: 'name', kind_id: 'string', own: true }] };
    await client.ok({ method: 'POST', path: '/kind/unit', body: copy });
    const hook = { id: 'followed', url: this.receiver.url(), kinds: this.kinds };
    await client.ok({ method: 'POST', path: '/webhook/unit', body: hook });
  }

  /** Waits until all is done, or nothing more happens. */
  async end(client: Client, events: readonly FeedEvent[]): Promise<FollowersEnd> {
    const names = events.map(nameOf);
    // Links are sent where both ends may be read at that moment: not all of them.
    const ofUnits = events.filter(({ child_id: child }) => child === undefined).map(nameOf);
    const began = performance.now();
    let [left, last] = [Infinity, began];
    while (left > 0 && performance.now() - last < LONGEST_PAUSE) {
      await pause(LOOK);
      const { count } = (await client.ok({ method: 'GET', path: '/copy/unit?limit=0' })) as { count: number };
      const now = Math.max(0, names.length - count) + Math.max(0, ofUnits.length - new Set(this.#sent()).size);
      if (now < left) last = performance.now();
      left = Math.min(left, now);
    }
    const waited = Math.round(performance.now() - began);
    const copied = await listed<{ name: string }>(client, '/copy/unit?include=[id,name]&order=inserted_at');
    const written = copied.map(({ name }) => name);
    const sent = this.#sent();
    const failures = (await client.ok({ method: 'GET', path: '/function/failure' })) as { items: unknown[] };
    return {
      faults: [
        ...failures.items.slice(0, 3).map((each) => `a failure of after_commit: ${JSON.stringify(each)}`),
        ...faultsOf('after_commit', written, names, false),
        ...faultsOf('webhook', sent, ofUnits, true),
      ],
      figures: {
        'events written by after_commit': written.length,
        'events sent by the webhook': sent.length,
        'of them again': sent.length - new Set(sent).size,
        'ms until all was done': waited,
      },
    };
  }

  #sent(): string[] {
    return this.receiver.messages('/hook').map(({ data }) => nameOf(data as unknown as FeedEvent));
  }
}

/** @param repeats whether an event may come again, before the next one of its unit */
function faultsOf(what: string, got: readonly string[], names: readonly string[], repeats: boolean): string[] {
  const places = new Map(names.map((name, at) => [name, at]));
  const last = new Map<string, number>();
  const faults: string[] = [];
  for (const name of got) {
    const unit = name.split(' ', 2).join(' ');
    const [place, before] = [places.get(name), last.get(unit) ?? -1];
    if (place === undefined) faults.push(`${what}: ${name} is not in the feed`);
    else if (place < before || (place === before && !repeats)) faults.push(`${what}: ${name} came late or twice`);
    else last.set(unit, place);
  }
  const there = new Set(got);
  const missing = names.filter((name) => !there.has(name));
  return [...faults, ...missing.map((name) => `${what}: ${name} is missing`)];
}
