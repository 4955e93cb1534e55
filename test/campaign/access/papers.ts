/** The units of the fuzzer of changes: each write is remembered as it must be recorded. */
import type { Client, Sent } from '../client.js';
import type { FeedEvent } from '../changes.js';
import type { Random } from '../random.js';
import type { UnitRecord } from '../../support/naive-filter.js';
import { SHOWN, type Present, type Recorded } from './sight.js';

/** Texts that nobody may find: of hidden parameters in no answer, of closed ones in none but the administrator's. */
export const HIDDEN = 'hidden-canary';
export const CLOSED = 'closed-canary';
export const CODES = [`${HIDDEN}-code-1`, `${HIDDEN}-code-2`];
export const TEXTS = ['a', 'b', 'abc', null];
const MOST = 16;

type Unit = UnitRecord & { readonly id: string };

interface Paper {
  readonly unit: Unit;
  readonly version: number;
  readonly there: boolean;
}

export class Papers implements Present {
  readonly papers = new Map<string, Paper>();
  readonly open = new Map<string, boolean>();
  readonly log: Recorded[] = [];
  /** Links there are, as `parent child`. */
  readonly #links = new Set<string>();
  /** Those that had a link stay: events of links to what is gone are shown to nobody. */
  readonly #parents = new Set<string>();
  #texts = 0;

  constructor(
    private readonly admin: Client,
    private readonly random: Random,
    private readonly owners: readonly string[],
  ) {}

  async makePlaces(count: number): Promise<void> {
    for (let at = 0; at < count; at += 1) {
      const { id } = (await this.#send('POST', '/place/unit', { open: at % 2 === 0 })) as { id: string };
      this.open.set(id, at % 2 === 0);
    }
  }

  /** One random write. */
  async write(): Promise<void> {
    const there = [...this.papers.values()].filter((paper) => paper.there);
    const gone = [...this.papers.values()].filter((paper) => !paper.there);
    const drawn = this.random.next();
    if (there.length === 0 || (drawn < 0.2 && there.length < MOST)) return this.#create();
    const { unit } = this.random.pick(there);
    const { id } = unit;
    if (drawn < 0.28 && gone.length > 0) return this.#bringBack(this.random.pick(gone).unit.id);
    if (drawn < 0.36 && !this.#parents.has(id)) return this.#delete(unit);
    if (drawn < 0.41) return this.#togglePlace();
    if (drawn < 0.5) return this.#link(id);
    return this.#edit(unit);
  }

  async #send(method: string, path: string, body?: unknown): Promise<unknown> {
    const sent: Sent = { method, path, body };
    return this.admin.ok(sent);
  }

  #values(): UnitRecord {
    const { random } = this;
    return {
      a_text: random.pick(TEXTS),
      a_num: random.chance(0.2) ? null : random.from(0, 9),
      a_flag: random.pick([true, false, null]),
      owner: random.pick([...this.owners, null]),
      place: random.pick([...this.open.keys(), null]),
      m_one: random.pick(['one', 'two', null]),
      m_two: random.pick([1, 2, null]),
      m_admin: `${CLOSED}-${(this.#texts += 1)}`,
      h_code: random.pick(CODES),
      h_text: `${HIDDEN}-${this.#texts}`,
    };
  }

  #set(unit: Unit, there: boolean, change: Omit<Recorded, 'version' | 'id'>): void {
    const { id } = unit;
    this.papers.set(id, { unit, there, version: this.papers.get(id)?.version ?? 0 });
    this.log.push({ ...change, id, version: 0 });
  }

  async #create(): Promise<void> {
    const values = this.#values();
    const { id } = (await this.#send('POST', '/paper/unit', values)) as { id: string };
    const unit = { id, ...values };
    this.#set(unit, true, { operation: 'create', after: unit });
  }

  async #edit(before: Unit): Promise<void> {
    const values = Object.fromEntries(Object.entries(this.#values()).filter(() => this.random.chance(0.25)));
    await this.#send('PUT', `/paper/unit/${before.id}`, values);
    const after = { ...before, ...values };
    this.#set(after, true, { operation: 'update', before, after });
  }

  async #delete(before: Unit): Promise<void> {
    await this.#send('DELETE', `/paper/unit/${before.id}`);
    this.#set(before, false, { operation: 'delete', before });
  }

  /** As it was after one of its versions; hidden values do not come back. */
  async #bringBack(id: string): Promise<void> {
    const versions = this.log.filter((each) => each.id === id && each.after && each.version > 0);
    if (versions.length === 0) return;
    const { version, after: then = {} } = this.random.pick(versions);
    await this.#send('POST', `/paper/unit/${id}/revert`, { version });
    const values = Object.fromEntries(SHOWN.map((name) => [name, then[name] ?? null]));
    const after = { id, ...values, h_code: null };
    this.#set(after, true, { operation: 'create', after });
  }

  async #togglePlace(): Promise<void> {
    const [id, open] = this.random.pick([...this.open]);
    await this.#send('PUT', `/place/unit/${id}`, { open: !open });
    this.open.set(id, !open);
  }

  async #link(id: string): Promise<void> {
    const child = this.random.pick([...this.open.keys()]);
    const key = `${id} ${child}`;
    this.#parents.add(id);
    const operation = this.#links.has(key) ? 'unlink' : 'link';
    await this.#send(operation === 'link' ? 'POST' : 'DELETE', `/paper/unit/${id}/link/about/place/unit/${child}`);
    if (operation === 'link') this.#links.add(key);
    else this.#links.delete(key);
    this.log.push({ operation, id, child, version: 0 });
  }

  /** Takes the versions from the events of the administrator. @returns what does not fit what was written */
  date(events: readonly FeedEvent[]): string[] {
    const undated = this.log.filter(({ version }) => version === 0);
    const texts = (list: readonly { operation: string }[], idOf: (at: number) => string | undefined): string => {
      return list.map(({ operation }, at) => `${operation} ${idOf(at) ?? ''}`).join();
    };
    const written = texts(undated, (at) => undated[at]?.id);
    const told = texts(events, (at) => events[at]?.unit_id);
    if (written !== told) return [`written: ${written}\n    of the feed: ${told}`];
    for (const [at, { version, unit_id: id, child_id: child }] of events.entries()) {
      const recorded = undated[at];
      const paper = this.papers.get(id);
      if (recorded) recorded.version = version;
      if (paper && child === undefined) this.papers.set(id, { ...paper, version });
    }
    return [];
  }
}
