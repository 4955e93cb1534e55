/**
 * Who does what follows changes, and when: soon after a commit in this process, when a next attempt is due, and from time
 * to time what a process that died has left. A project is a row of the registry (`WorkClaims`), which one service at a
 * time has; projects take turns.
 */
import { setMaxListeners } from 'node:events';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { readSchemas } from '../../catalog/model/model-store.js';
import { Database } from '../../database/database.js';
import { ProjectRepository } from '../../database/registry/project.repository.js';
import { WorkClaims, type ClaimedWork } from '../../database/registry/work-claims.js';
import { causeText, isDatabaseAway } from '../../database/statement/sqlstate.js';
import { LOGGER } from '../../http/log/logger.js';
import { projectOfSchema, schemaName } from '../../model/names.js';
import { retryLater } from '../../shared/errors.js';
import { lruCache } from '../../shared/maps.js';
import { PeriodicWork } from '../../shared/periodic-work.js';
import { lookForChangesStatement } from '../../sql/changes/follow.sql.js';
import { FOLLOW } from '../../sql/server/work.sql.js';
import { ProjectStore } from '../../tenancy/project-store.js';
import type { FollowerSource } from './follower.js';
import { FollowedProject, type TurnEnd } from './followed-project.js';

/** The name of the look at all projects in the registry. */
const LOOK = 'look';

/** Milliseconds between two looks at what is due. */
const POLL_INTERVAL = 2000;
/** Milliseconds between two looks for what is left of processes that died, and for followers that have not begun. */
const LOOK_INTERVAL = 30_000;
/** Milliseconds after a commit in which others are waited for. */
const SOON = 20;
/** Milliseconds before a project is asked for again that another service has, or that has no followers. */
const HELD_PAUSE = 500;
const NONE_PAUSE = 5000;
/** Milliseconds of one project until others have their turn; and until another service has it that knows more of it. */
const [TURN, LONGEST_TURN] = [5000, 20_000];
/** Milliseconds for which a project is left to others that has a follower which this service does not know. */
const LEFT = 60_000;
/** Projects that one process does at the same time. */
const AT_ONCE = 32;
/** Milliseconds before a project is tried again whose turn has failed. */
const RETRY_DELAY = 30_000;
/** When a project is due in which nothing waits: a commit makes it due. */
const NEVER = 10 * 365 * 24 * 3600 * 1000;
/** Milliseconds up to which a next attempt has a timer in the process that has made the last one. */
const OWN_TIMER = 60_000;
const MAX_REMEMBERED = 10_000;

@Injectable()
export class Followers implements OnModuleInit {
  readonly #work: WorkClaims;
  readonly #looks: WorkClaims;
  readonly #polls = new PeriodicWork(() => this.#poll(), POLL_INTERVAL);
  /** The turns of this process, by project. */
  readonly #running = new Map<string, Promise<void>>();
  /** Projects with commits during their turn. */
  readonly #again = new Set<string>();
  /** Projects that are asked for soon. */
  readonly #timers = new Map<string, { readonly timer: NodeJS.Timeout; readonly at: number }>();
  /** When projects are asked for again at the earliest, as `performance.now()` tells it. */
  readonly #notBefore = lruCache<number>(MAX_REMEMBERED);
  /** Projects whose work is in the registry. */
  readonly #planned = lruCache<true>(MAX_REMEMBERED);
  /** Projects that are left to services which know more of their followers. */
  readonly #left = lruCache<true>(MAX_REMEMBERED, { ttl: LEFT });
  readonly #stopping = new AbortController();
  readonly #giveUp = new AbortController();
  #lookPlanned = false;
  /** Set in a service; a command leaves to services what follows its changes. */
  #watches = false;

  constructor(
    private readonly database: Database,
    private readonly registry: ProjectRepository,
    private readonly projects: ProjectStore,
    private readonly followed: FollowedProject,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#work = new WorkClaims(database, FOLLOW.type);
    this.#looks = new WorkClaims(database, 'followers');
    // Each task that runs listens to it.
    setMaxListeners(0, this.#giveUp.signal);
  }

  onModuleInit(): void {
    this.database.whenRecorded((schema) => this.wake(projectOfSchema(schema)));
  }

  /** Call it before the service serves. */
  register(source: FollowerSource): void {
    this.followed.sources.push(source);
  }

  /** From now on until the stop, this process does what is due. */
  watch(): void {
    this.#watches = true;
    this.#polls.start();
    void this.#polls.run();
  }

  /** Looks for what is due now, and resolves when its turns are over. */
  async poll(): Promise<void> {
    await this.#polls.run({ all: true });
    await Promise.all(this.#running.values());
  }

  /** Looks soon for what is to be done in a project, if it has followers. */
  wake(project: string): void {
    if (this.#running.has(project)) {
      this.#again.add(project);
      return;
    }
    if (!this.#watches || this.#sources.length === 0) return;
    const delay = Math.max(SOON, (this.#notBefore.get(project) ?? 0) - performance.now());
    this.#startLater(project, delay);
  }

  /** Looks in a project that has a new follower, or one with something to do. Call it after the commit. */
  async begin(project: string): Promise<void> {
    this.#notBefore.delete(project);
    this.#left.delete(project);
    await this.#work.wake(FOLLOW.name, [project]);
    this.wake(project);
  }

  /** Call it when there may be other followers than before. */
  refresh(): void {
    this.#left.clear();
  }

  /** What runs has so many milliseconds; then it is given up, and done elsewhere. */
  async stop(grace: number): Promise<void> {
    this.#stopping.abort();
    for (const { timer } of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await this.#polls.stop();
    const time = setTimeout(() => {
      this.#giveUp.abort(retryLater('server.stopping', 'The service is shutting down'));
    }, grace);
    await Promise.all(this.#running.values());
    clearTimeout(time);
  }

  get #sources(): readonly FollowerSource[] {
    return this.followed.sources;
  }

  #expectedIn(project: string) {
    return this.#sources.flatMap((source) => source.expected?.(project) ?? []);
  }

  #startLater(project: string, delay: number): void {
    if (this.#stopping.signal.aborted) return;
    const at = performance.now() + delay;
    const planned = this.#timers.get(project);
    if (planned && planned.at <= at) return;
    clearTimeout(planned?.timer);
    const timer = setTimeout(() => {
      this.#timers.delete(project);
      this.#startNow(project).catch((error: unknown) => this.#tell(project, error));
    }, delay).unref();
    this.#timers.set(project, { timer, at });
  }

  /** Takes the project, unless another service has it: that one finds what is committed before its turn ends. */
  async #startNow(project: string): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    if (this.#running.has(project)) return void this.#again.add(project);
    const isExpected = this.#expectedIn(project).length > 0;
    if (this.#running.size >= AT_ONCE) {
      if (isExpected || this.#planned.has(project)) await this.#work.wake(FOLLOW.name, [project]);
      return;
    }
    if (isExpected && !this.#planned.has(project)) await this.#work.wake(FOLLOW.name, [project]);
    if ((await this.#claim(project)) || this.#running.has(project)) {
      this.#planned.set(project, true);
      return;
    }
    const isKnown = isExpected || this.#planned.has(project);
    this.#notBefore.set(project, performance.now() + (isKnown ? HELD_PAUSE : NONE_PAUSE));
  }

  /** Takes a project and begins its turn. @param now the project, due or not; if left out, the one that is due longest */
  async #claim(now?: string): Promise<boolean> {
    const claimed = await this.#work.claim(() => {
      if (now !== undefined && this.#running.has(now)) this.#again.add(now);
      const left = now === undefined ? this.#left.keys() : [];
      return { names: [FOLLOW.name], busy: [...this.#running.keys(), ...left], now };
    });
    if (claimed) this.#hold(claimed.project ?? '', claimed);
    return claimed !== undefined;
  }

  async #poll(): Promise<void> {
    if (this.#sources.length === 0) return;
    try {
      await this.#look();
      while (!this.#polls.signal.aborted && this.#running.size < AT_ONCE) {
        if (!(await this.#claim())) return;
      }
    } catch (error) {
      this.#tell(undefined, error);
    }
  }

  #hold(project: string, claimed: ClaimedWork): void {
    const running = this.#turn(project, claimed)
      .catch((error: unknown) => this.#tell(project, error))
      .finally(() => {
        this.#running.delete(project);
        if (this.#again.delete(project)) this.wake(project);
      });
    this.#running.set(project, running);
  }

  async #turn(id: string, claimed: ClaimedWork): Promise<void> {
    const began = performance.now();
    const limit = {
      isOver: () => this.#running.size >= AT_ONCE && performance.now() - began >= TURN,
      isLong: () => performance.now() - began >= LONGEST_TURN,
      stopping: this.#stopping.signal,
      giveUp: this.#giveUp.signal,
    };
    let end: TurnEnd | undefined;
    try {
      // One that is being deleted takes its work along.
      const project = await this.projects.find(id);
      if (project && this.followed.runs(project)) end = await this.followed.turn(project, limit);
    } catch (error) {
      this.#tell(id, error);
    }
    if (end?.others) this.#left.set(id, true);
    else this.#left.delete(id);
    const next = end ? (end.others ? 0 : (end.next ?? NEVER)) : RETRY_DELAY;
    await this.#work.release(claimed, claimed.now + (performance.now() - began) + Math.max(0, next));
    if (this.#stopping.signal.aborted || !end) return;
    // What others have committed during the turn, while they could not have the project; they may have begun to follow it.
    const ids = end.ids.length > 0 ? end.ids : await this.followed.followerIds(id);
    if (ids.length === 0) return;
    const rest = await this.followed.rest({ id, schema: schemaName(id) }, ids);
    if (rest.more) {
      // Also where another service, which knows less, has it meanwhile.
      this.#left.delete(id);
      this.#again.add(id);
    } else if (rest.next !== null && rest.next < OWN_TIMER) this.#startLater(id, Math.max(0, rest.next) + 1);
  }

  /** From time to time one of the services looks at all projects. */
  async #look(): Promise<void> {
    if (!this.#lookPlanned) {
      await this.#looks.plan([{ project: null, name: LOOK, detail: '', due: 0 }]);
      this.#lookPlanned = true;
    }
    const look = await this.#looks.claim(() => ({ names: [LOOK], busy: [] }));
    if (!look) return;
    try {
      await this.#lookAtAll();
    } finally {
      await this.#looks.release(look, look.now + LOOK_INTERVAL);
    }
  }

  async #lookAtAll(): Promise<void> {
    const known = await this.#work.projects();
    const looked = (await this.registry.list()).flatMap(({ id, status, settings }) => {
      const expected = this.#expectedIn(id);
      const isLooked = status === 'active' && settings.background !== false && (known.has(id) || expected.length > 0);
      return isLooked ? [{ schema: schemaName(id), expected }] : [];
    });
    const bySchema = new Map(looked.map((each) => [each.schema, each]));
    const read = (schemas: readonly string[]) =>
      lookForChangesStatement(schemas.flatMap((schema) => bySchema.get(schema) ?? []));
    const due = await readSchemas<{ schema: string }>(this.database, [...bySchema.keys()], read);
    await this.#work.wake(
      FOLLOW.name,
      due.map(({ schema }) => projectOfSchema(schema)),
    );
  }

  #tell(project: string | undefined, error: unknown): void {
    if (isDatabaseAway(error)) return;
    this.logger.warn(
      { project, reason: causeText(error) },
      'what follows changes could not be done, and is tried again',
    );
  }
}
