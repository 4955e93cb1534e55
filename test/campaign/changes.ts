/** The feed as a reader gets it who goes on with one cursor, and the units as its events alone make them. */
import { setTimeout as pause } from 'node:timers/promises';
import { isAnswer, shown, type Client } from './client.js';

export interface FeedEvent {
  readonly cursor: string;
  readonly operation: string;
  readonly kind_id: string;
  readonly unit_id: string;
  readonly version: number;
  readonly at: string;
  readonly unit?: Readonly<Record<string, unknown>> | null;
  readonly unit_version?: number;
  readonly changes?: Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
  readonly link_id?: string;
  readonly child_kind_id?: string;
  readonly child_id?: string;
  readonly member?: string | null;
}

/** What makes an event this one, for every reader; a cursor is another text each time. */
export function nameOf({
  kind_id: kind,
  unit_id: unit,
  operation,
  version,
  child_id: child = '',
}: Pick<FeedEvent, 'kind_id' | 'unit_id' | 'operation' | 'version' | 'child_id'>): string {
  return [kind, unit, operation, version, child].join(' ');
}

interface Page {
  readonly items: readonly FeedEvent[];
  readonly next: string;
  readonly more: boolean;
}

/** Milliseconds before a reader asks again that got no answer. */
const BACKOFF = 50;

export class FeedReader {
  readonly events: FeedEvent[] = [];
  #next: string | undefined;

  /**
   * @param client the process that is asked, at each page
   * @param since where it begins; now, if it is left out
   */
  constructor(
    private readonly client: () => Client,
    private readonly query: string,
    since?: string,
  ) {
    this.#next = since;
  }

  get next(): string | undefined {
    return this.#next;
  }

  /** @returns whether there is another page now; undefined without an answer */
  async page(more = '&limit=1000'): Promise<boolean | undefined> {
    const since = this.#next === undefined ? '' : `&since=${this.#next}`;
    const path = `/changes?${this.query}${since}${more}`;
    const answer = await this.client().send({ method: 'GET', path });
    if (!isAnswer(answer) || answer.status === 503) return undefined;
    if (answer.status !== 200) throw new Error(`GET ${path} → ${shown(answer)}`);
    const page = answer.body?.content as Page;
    this.events.push(...page.items);
    this.#next = page.next;
    return page.more;
  }

  /** Reads until nothing more is there. */
  async readAll(): Promise<void> {
    for (let more: boolean | undefined = true; more !== false;) {
      more = await this.page();
      if (more === undefined) await pause(BACKOFF);
    }
  }

  /** Reads on, also while the service is away. */
  async follow(isOver: () => boolean, query: () => string): Promise<void> {
    while (!isOver()) if ((await this.page(query())) === undefined) await pause(BACKOFF);
  }
}

type Values = Readonly<Record<string, unknown>>;

/** What a reader has that knows nothing but events: each must fit what it has. */
export class Replay {
  /** By kind and id. */
  readonly units = new Map<string, Values>();
  /** The ends of each link, by its parent. */
  readonly links = new Map<string, Set<string>>();
  readonly faults: string[] = [];
  readonly #versions = new Map<string, number>();
  readonly #names = new Set<string>();

  take(event: FeedEvent): void {
    const { kind_id: kind, unit_id: id, operation, version, unit, unit_version: now = version } = event;
    const fault = (text: string): void => void this.faults.push(`${nameOf(event)}: ${text}`);
    const key = `${kind} ${id}`;
    if (this.#names.has(nameOf(event))) fault('a second time');
    this.#names.add(nameOf(event));
    if (version < (this.#versions.get(key) ?? 0)) fault('after a later version');
    if (unit && now < version) fault(`its unit has version ${now}`);
    this.#versions.set(key, version);
    if (operation === 'link' || operation === 'unlink') this.#link(event, fault);
    else this.#unit(event, key, fault);
  }

  #unit({ operation, changes = {} }: FeedEvent, key: string, fault: (text: string) => void): void {
    const had = this.units.get(key);
    if ((operation === 'create') === (had !== undefined)) fault(had ? 'it is there' : 'it is not there');
    if (operation === 'delete') {
      // Nobody sees the ends of its links, as nobody may read it now.
      this.units.delete(key);
      this.links.delete(key);
      return;
    }
    const after: Record<string, unknown> = { ...had };
    for (const [name, [was, is]] of Object.entries(changes)) {
      if (!same(had?.[name], was)) fault(`${name} was ${JSON.stringify(had?.[name])}, not ${JSON.stringify(was)}`);
      after[name] = is;
    }
    this.units.set(key, after);
  }

  #link(event: FeedEvent, fault: (text: string) => void): void {
    const { kind_id: kind, unit_id: id, operation, link_id: type, child_kind_id: childKind, child_id: child } = event;
    const of = this.links.get(`${kind} ${id}`) ?? new Set();
    this.links.set(`${kind} ${id}`, of);
    const end = `${type} ${childKind} ${child}`;
    if ((operation === 'link') === of.has(end)) fault(of.has(end) ? 'it is linked' : 'it is not linked');
    if (operation === 'link') of.add(end);
    else of.delete(end);
  }

  /** What differs from the units of a kind as a list answers them. */
  differences(kind: string, items: readonly (Values & { readonly id: string })[], names: readonly string[]): string[] {
    const there = new Set(items.map(({ id }) => `${kind} ${id}`));
    const gone = [...this.units.keys()].filter((key) => key.startsWith(`${kind} `) && !there.has(key));
    return [
      ...gone.map((key) => `${key}: of the events, but not stored`),
      ...items.flatMap((item) => {
        const own = this.units.get(`${kind} ${item.id}`);
        if (!own) return [`${kind} ${item.id}: stored, but not of the events`];
        const wrong = names.filter((name) => !same(own[name], item[name]));
        return wrong.map((name) => `${kind} ${item.id}: ${name} of the events is ${JSON.stringify(own[name])}`);
      }),
    ];
  }
}

/** A value that was never told is null. */
function same(a: unknown = null, b: unknown = null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
