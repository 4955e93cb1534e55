/**
 * The streams of one project in this process. When something was written, one transaction reads what it was and judges,
 * for all lists at once, what their readers are sent; a list that may have changed in another way is read again.
 */
import { Logger } from '@nestjs/common';
import type { Catalog } from '../../catalog/catalog.service.js';
import type { Deployments } from '../../catalog/session/session.js';
import type { Database, Executor } from '../../database/database.js';
import { causeText, isDatabaseAway } from '../../database/statement/sqlstate.js';
import type { Model } from '../../model/model.js';
import { RestartError } from '../../database/transaction/contention.js';
import { isCallerError, KindError, refusal, retryLater } from '../../shared/errors.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { getOrInsert } from '../../shared/maps.js';
import {
  judgedStatement,
  livePageStatement,
  newsStatement,
  type JudgedRow,
  type LivePosition,
  type NewsRow,
} from '../../sql/changes/live.sql.js';
import type { Opened } from '../../run/command.js';
import type { CallerResolver, MemberCaller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { checkVersion } from '../../unit/table/unit.repository.js';
import type { UnitStores } from '../../unit/unit-stores.js';
import type { Waiting } from '../waiting/waiting.js';
import { Cohorts, type Cohort } from './cohorts.js';
import { planList, type LivePlan } from './live.plan.js';
import { readLivePage } from './live-page.js';
import { changeText, isWorthSending, type LiveQuery } from './live-query.js';
import type { LiveStream } from './live-stream.js';

export interface LiveParts {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly deployments: Deployments;
  readonly stores: UnitStores;
  readonly callers: CallerResolver;
  readonly waiting: Waiting;
}

/** Milliseconds between two looks whether sessions and keys are still valid. */
const CALLERS_EVERY = 1000;
/** Milliseconds after a failure. */
const AFTER_FAILURE = 1000;
/** Pages that are read at once. */
const PAGES_AT_ONCE = 2;
/** Pages that are planned together, so that those that are equal are read once. */
const PAGES_TOGETHER = 50;
/** Units and readers that one statement judges. */
const JUDGED_AT_ONCE = 100_000;

/** The queries that are being judged, whose statement may fail. */
interface Failing {
  queries: readonly LiveQuery[] | undefined;
}

/** Milliseconds of sending between two pauses: a pause may take several times as long, for which all others wait. */
const SENDING = { alone: 10, shared: 10 };
/** Positions of new lists that are told at once, besides those that were told before. */
const NEW_AT_ONCE = 10;

/** What the lists at one position are told. */
interface News {
  readonly queries: readonly LiveQuery[];
  readonly rows: readonly NewsRow[];
  /** What was judged, with the readers by their positions in it. */
  readonly judged: readonly { readonly rows: readonly JudgedRow[]; readonly readers: readonly LiveQuery[][] }[];
  /** Kinds with so many changes that pages are sent instead. */
  readonly tooMany: ReadonlySet<string>;
}

export class LiveProject {
  readonly #log = new Logger('changes');
  readonly #streams = new Map<LiveStream, readonly LiveQuery[]>();
  readonly #cohorts = new Cohorts();
  readonly #gone = new AbortController();
  readonly #toRead: LiveQuery[] = [];
  #reading = 0;
  #callersAt = performance.now() + CALLERS_EVERY;
  #pausedUntil = 0;
  /** Seconds from the notice of a change to the end of what it was sent for, the longest of late. */
  delay = 0;

  constructor(
    readonly project: Project,
    private readonly parts: LiveParts,
  ) {}

  get isEmpty(): boolean {
    return this.#streams.size === 0;
  }

  add(stream: LiveStream, queries: readonly LiveQuery[]): void {
    const first = this.isEmpty;
    this.#streams.set(stream, queries);
    stream.onReadOn = () => {
      for (const query of queries) query.readOn();
      this.#wake();
    };
    if (first) void this.#follow();
    // What was written since its pages were read.
    this.#wake();
  }

  remove(stream: LiveStream): void {
    this.#streams.delete(stream);
    if (this.isEmpty) this.#gone.abort();
  }

  /** Sends all pages again. */
  readAgain(): void {
    for (const query of this.#queries) query.miss();
    this.#wake();
  }

  #opened(model: Model, { caller }: Pick<LiveStream, 'caller'>): Opened {
    const { project } = this;
    const deployment = this.parts.deployments.current;
    return { project, caller, model, ...(deployment && { deployment }) };
  }

  get #queries(): LiveQuery[] {
    return [...this.#streams.values()].flat();
  }

  #wake(): void {
    this.parts.waiting.wake(this.project.schema);
  }

  async #follow(): Promise<void> {
    const { waiting } = this.parts;
    const wait = waiting.waiter(this.project.schema);
    while (!this.isEmpty) {
      const written = await wait(this.#timeLeft(), this.#gone.signal);
      if (waiting.stopped) return this.#endAll(retryLater('server.stopping', 'The service stops'));
      if (this.isEmpty) return;
      const began = performance.now();
      try {
        await this.#checkCallers();
        if (written) await this.#tellNews();
        if (written) this.delay = Math.max(this.delay * 0.9, (performance.now() - began) / 1000);
        this.#queuePages();
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  /** Milliseconds until there is something to do, if nothing is written. */
  #timeLeft(): number {
    const due = this.#queries.reduce((first, { dueAt }) => Math.min(first, dueAt), this.#callersAt);
    return Math.max(0, this.#pausedUntil - performance.now(), due - performance.now());
  }

  #fail(error: unknown): void {
    if (error instanceof KindError && isCallerError(error)) return this.#endAll(error);
    this.#pausedUntil = performance.now() + AFTER_FAILURE;
    // What was not told is told then.
    setTimeout(() => this.#wake(), AFTER_FAILURE).unref();
  }

  #endAll(error: KindError): void {
    for (const stream of [...this.#streams.keys()]) stream.end(error);
  }

  async #checkCallers(): Promise<void> {
    if (performance.now() >= this.#callersAt) await this.#renewCallers();
  }

  /** Ends the streams whose session or key is no longer valid, and notes what callers are now. */
  async #renewCallers(): Promise<void> {
    this.#callersAt = performance.now() + CALLERS_EVERY;
    this.#cohorts.sweep();
    const members = new Set<MemberCaller>();
    for (const { caller } of this.#streams.keys()) if (caller.type === 'member') members.add(caller);
    if (members.size === 0) return;
    const current = await this.parts.callers.current(this.project, members);
    for (const [stream, queries] of [...this.#streams]) {
      const { caller } = stream;
      if (caller.type !== 'member' || !members.has(caller)) continue;
      const now = current.get(caller);
      if (!now) stream.end(refusal('token.revoked', 'The session was ended, or the API key deleted'));
      else if (now !== caller) {
        stream.caller = now;
        for (const query of queries) {
          query.planned = undefined;
          query.doubt();
        }
      }
    }
  }

  /** Tells the lists what has changed since they were told last. */
  #tellNews(): Promise<void> {
    const { catalog, database } = this.parts;
    const { project } = this;
    return catalog.withModel({ project }, async (model) => {
      await this.#planAgain(model);
      const failing: Failing = { queries: undefined };
      const read = () =>
        database.transaction(
          async (tx) => {
            const told: News[] = [];
            for (const queries of this.#byPosition()) told.push(await this.#news(tx, model, queries, failing));
            return told;
          },
          { isolation: 'repeatable read', readOnly: true, project },
        );
      for (;;) {
        try {
          const told = await read();
          const position = positionIn(told);
          // One object for all, which are told together from now on.
          if (position) for (const news of told) await this.#tell(news, position);
          return;
        } catch (error) {
          const { queries } = failing;
          if (!queries || error instanceof RestartError || isDatabaseAway(error)) throw error;
          // The others are told; these find out with their pages what is wrong.
          this.#log.warn(
            `${project.id}: changes of ${queries[0]?.planned?.kindId} were not judged: ${causeText(error)}`,
          );
          failing.queries = undefined;
          for (const query of queries) query.miss();
        }
      }
    });
  }

  /** Plans the queries with a newer model. Those that it refuses end their streams. */
  async #planAgain(model: Model): Promise<void> {
    const hasKind = ({ caller }: LiveStream) => caller.type !== 'member' || model.kinds.has(caller.kindId);
    // One may have another id.
    if (![...this.#streams.keys()].every(hasKind)) await this.#renewCallers();
    const pauses = new EventLoopYield(this.project.schema);
    for (const query of this.#queries) {
      const { planned } = query;
      if (planned?.version === model.version) continue;
      if (planned) query.doubt();
      this.#planOne(query, model);
      if (pauses.due) await pauses.pause();
    }
  }

  /** Undefined if it is refused, which ends its stream. */
  #planOne(query: LiveQuery, model: Model): LivePlan | undefined {
    const { stream, asked } = query;
    if (stream.hasEnded) return undefined;
    try {
      const plan = planList(this.#opened(model, stream), asked, this.parts.stores);
      const { list, looksAt } = plan;
      const { version } = model;
      query.planned = { version, kindId: list.kind.id, looksAt, ...this.#cohorts.of(list, version) };
      return plan;
    } catch (error) {
      if (!isCallerError(error)) throw error;
      stream.end(error, asked.as);
      return undefined;
    }
  }

  /** Those that are told something, by what they were told last; they share one object of it. */
  #byPosition(): readonly LiveQuery[][] {
    const groups = new Map<LivePosition, LiveQuery[]>();
    for (const query of this.#queries) {
      if (query.follows && query.planned) getOrInsert(groups, query.position, (): LiveQuery[] => []).push(query);
    }
    const [most = [], ...others] = [...groups.values()].sort((a, b) => b.length - a.length);
    if (others.length > NEW_AT_ONCE) this.#wake();
    return most.length > 0 ? [most, ...others.slice(0, NEW_AT_ONCE)] : [];
  }

  /** What has changed since the position of queries, judged for each of them. */
  async #news(tx: Executor, model: Model, queries: readonly LiveQuery[], failing: Failing): Promise<News> {
    const [position] = queries.map((query) => query.position);
    if (!position) throw new Error('a position is that of some queries');
    const { kinds, members } = kindsOf(queries);
    const since = { position, kinds: [...kinds] };
    const rows = await tx.run<NewsRow>(newsStatement(this.project.schema, since, [...members]));
    checkVersion(rows[0], model);
    const judged: News['judged'][number][] = [];
    const tooMany = new Set<string>();
    for (const { kind, units } of rows) {
      if (kind === null || units === 0) continue;
      if (!isWorthSending(units)) tooMany.add(kind);
      else {
        for (const [cohort, readers] of cohortsOf(queries, kind)) {
          failing.queries = readers.flat();
          judged.push(...(await judge(tx, { cohort, readers, position, units })));
          failing.queries = undefined;
        }
      }
    }
    return { queries, rows, judged, tooMany };
  }

  async #tell({ queries, rows, judged, tooMany }: News, position: LivePosition): Promise<void> {
    const pauses = new EventLoopYield(this.project.schema, SENDING);
    const [first] = queries;
    const restored = first !== undefined && !isBefore(first.position, position);
    const counts = new Map<LiveQuery, number>();
    for (const query of judged.flatMap((each) => each.rows.flatMap((row) => readersOf(row, each.readers)))) {
      counts.set(query, (counts.get(query) ?? 0) + 1);
    }
    for (const { rows: changes, readers } of judged) {
      for (const row of changes) {
        const text = changeText(row);
        for (const query of readersOf(row, readers)) {
          if (!query.follows) continue;
          if (isWorthSending(counts.get(query) ?? 0)) query.sendChange(row, text);
          else query.miss();
          if (pauses.due) await pauses.pause();
        }
      }
    }
    for (const query of queries) {
      if (restored || tooMany.has(query.planned?.kindId ?? '')) query.miss();
      if (rows.some((row) => concerns(query, row))) query.doubt();
      if (restored) query.planned = undefined;
      // One whose reader became too slow meanwhile is told again, or sent a page.
      if (query.follows) query.moveTo(position);
    }
  }

  /** Has the pages that are due read, while the others go on to be told what is new. */
  #queuePages(): void {
    const now = performance.now();
    for (const query of this.#queries) {
      if (query.dueAt > now) continue;
      query.beginPage();
      this.#toRead.push(query);
    }
    this.#readQueued();
  }

  #readQueued(): void {
    while (this.#reading < PAGES_AT_ONCE && this.#toRead.length > 0) {
      this.#reading += 1;
      void this.#readSome().finally(() => {
        this.#reading -= 1;
        // What was written while the pages were read.
        this.#wake();
        this.#readQueued();
      });
    }
  }

  async #readSome(): Promise<void> {
    const { project } = this;
    const some = this.#toRead.splice(0, PAGES_TOGETHER);
    try {
      await this.parts.catalog.withModel({ project }, (model) => this.#readTogether(some, model));
    } catch (error) {
      if (error instanceof KindError && isCallerError(error)) this.#endAll(error);
      for (const query of some) if (query.reading) query.failPage();
    }
  }

  async #readTogether(queries: readonly LiveQuery[], model: Model): Promise<void> {
    const pages = new Map<string, { readonly plan: LivePlan; readonly queries: LiveQuery[] }>();
    for (const query of queries) {
      const plan = query.reading ? this.#planOne(query, model) : undefined;
      if (!plan) continue;
      const { text, values } = livePageStatement(plan.list);
      getOrInsert(pages, `${text} ${JSON.stringify(values)}`, () => ({ plan, queries: [] })).queries.push(query);
    }
    for (const { plan, queries: equal } of pages.values()) {
      try {
        const page = await readLivePage(this.#executorFor(equal), plan, model);
        for (const query of equal) query.sendPage(page);
      } catch (error) {
        if (!isCallerError(error)) throw error;
        for (const { stream, asked } of equal) stream.end(error, asked.as);
      }
    }
  }

  #executorFor([first]: readonly LiveQuery[]): Executor {
    return this.parts.database.ofProject(this.project, { part: first?.planned?.kindId });
  }
}

/** The position of the snapshot in which the news were read. */
function positionIn([first]: readonly News[]): LivePosition | undefined {
  const [row] = first?.rows ?? [];
  return row && { epoch: row.epoch, last: row.last, pending: row.pending };
}

/** False after a restore. */
function isBefore(one: LivePosition, other: LivePosition): boolean {
  return one.epoch === other.epoch && BigInt(one.last) <= BigInt(other.last);
}

/** The kinds that queries look at, and those of their members. */
function kindsOf(queries: readonly LiveQuery[]) {
  const [kinds, members] = [new Set<string>(), new Set<string>()];
  for (const { planned } of queries) {
    if (!planned) continue;
    const { units, links, members: own } = planned.looksAt;
    for (const id of [planned.kindId, ...units.keys(), ...links.keys(), ...own.keys()]) kinds.add(id);
    for (const id of own.keys()) members.add(id);
  }
  return { kinds, members };
}

/** The cohorts of a kind, each with its queries, those of the same values together. */
function cohortsOf(queries: readonly LiveQuery[], kind: string): ReadonlyMap<Cohort, readonly LiveQuery[][]> {
  const cohorts = new Map<Cohort, Map<string, LiveQuery[]>>();
  for (const query of queries) {
    if (query.planned?.kindId !== kind) continue;
    const { cohort, values } = query.planned;
    const readers = getOrInsert(cohorts, cohort, () => new Map<string, LiveQuery[]>());
    getOrInsert(readers, JSON.stringify(values), (): LiveQuery[] => []).push(query);
  }
  return new Map([...cohorts].map(([cohort, readers]) => [cohort, [...readers.values()]]));
}

interface ToJudge {
  readonly cohort: Cohort;
  readonly readers: readonly LiveQuery[][];
  readonly position: LivePosition;
  readonly units: number;
}

async function judge(tx: Executor, { cohort, readers, position, units }: ToJudge): Promise<News['judged']> {
  const most = Math.max(1, Math.floor(JUDGED_AT_ONCE / units));
  const judged: News['judged'][number][] = [];
  for (let at = 0; at < readers.length; at += most) {
    const some = readers.slice(at, at + most);
    const values = some.map(([query]) => query?.planned?.values ?? []);
    const rows = await tx.run<JudgedRow>(judgedStatement(cohort.judgement, position, values));
    judged.push({ rows, readers: some });
  }
  return judged;
}

function readersOf({ readers }: JudgedRow, all: readonly LiveQuery[][]): readonly LiveQuery[] {
  return readers.flatMap((at) => all[at] ?? []);
}

/** Whether a list may have changed by what has happened to others than its units. */
function concerns({ planned, stream: { caller } }: LiveQuery, { kind, units, links, ids }: NewsRow): boolean {
  if (kind === null || !planned) return false;
  const { looksAt } = planned;
  if (units > 0 && looksAt.units.has(kind)) return true;
  if (links && looksAt.links.has(kind)) return true;
  const isOwn = caller.type === 'member' && caller.kindId === kind && ids?.includes(caller.id);
  return isOwn === true && looksAt.members.has(kind);
}
