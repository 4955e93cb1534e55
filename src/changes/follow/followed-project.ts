/**
 * Does what is due of the changes of one project, by whoever has its claim: numbers what is committed, takes it for each
 * follower, and runs what may run now, until nothing is left or the turn is over.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database, type Executor } from '../../database/database.js';
import { causeText, isDatabaseAway } from '../../database/statement/sqlstate.js';
import { getOrInsert, lruCache } from '../../shared/maps.js';
import type { Statement } from '../../sql/fragment.js';
import {
  beginFollowersStatement,
  beginTasksStatement,
  BEGUN_AT_ONCE,
  countLostStatement,
  endAttemptStatement,
  followersStatement,
  forgetTasksStatement,
  giveBackStatement,
  restStatement,
  takeChangesStatement,
  type RestRow,
  type TaskEnd,
  type TakenRow,
  type TaskRow,
} from '../../sql/changes/follow.sql.js';
import type { Project } from '../../tenancy/project.js';
import { ProjectStore } from '../../tenancy/project-store.js';
import { Numbering } from '../numbering.js';
import { chainsOf, MOST_ATTEMPTS, nextAttempt, type Follower, type FollowerSource, type RunTask } from './follower.js';

/** Milliseconds between two deletions of what is no longer kept of a project. */
const FORGET_EVERY = 600_000;
const MAX_REMEMBERED = 5000;
/** Milliseconds between two looks for what is due while some followers take their time. */
const LOOK_WHILE_BUSY = 250;

/** How a turn ends. */
export interface TurnEnd {
  /** Milliseconds until something is due; undefined if nothing is. */
  readonly next: number | undefined;
  /** The followers that were looked for. */
  readonly ids: readonly string[];
  /** Whether there is something for followers that this service does not know. */
  readonly others: boolean;
}

/** When a turn ends before all is done. */
interface TurnLimit {
  /** Whether other projects wait for theirs. */
  readonly isOver: () => boolean;
  /** Whether it has lasted long enough where another service may have something to do. */
  readonly isLong: () => boolean;
  /** With the service. */
  readonly stopping: AbortSignal;
  readonly giveUp: AbortSignal;
}

@Injectable()
export class FollowedProject {
  readonly log = new Logger('changes');
  readonly sources: FollowerSource[] = [];
  /** When what is no longer kept was deleted last, by schema. */
  readonly #forgotten = lruCache<number>(MAX_REMEMBERED);

  constructor(
    private readonly database: Database,
    private readonly catalog: Catalog,
    private readonly numbering: Numbering,
    private readonly projects: ProjectStore,
  ) {}

  async turn(project: Project, limit: TurnLimit): Promise<TurnEnd> {
    const executor = this.database.ofProject(project);
    const turn = new Turn(this, { project, executor, limit });
    try {
      for (;;) {
        const followers = (await this.#followersOf(project)).filter(({ id }) => !turn.paused.has(id));
        const ids = followers.map(({ id }) => id);
        if (ids.length > 0) {
          await this.#take(project, executor, followers);
          await turn.begin(followers);
        }
        const isDone = await turn.wait();
        const { more, next, others } = await this.rest(project, ids);
        if (ids.length === 0 && isDone) return { next: undefined, ids, others };
        await this.#forget(project, executor);
        const isLeft = others && limit.isLong();
        // While something takes its time, all else goes on: the turn does not end for it.
        if (turn.isOver || isLeft || (isDone && !more && (next === null || next > 0))) {
          await turn.end();
          return { next: more ? 0 : (next ?? undefined), ids, others };
        }
      }
    } finally {
      await turn.end();
    }
  }

  /** The followers that a project has now. */
  async followerIds(id: string): Promise<readonly string[]> {
    const project = await this.projects.find(id);
    return project ? (await this.#followersOf(project)).map(({ id: follower }) => follower) : [];
  }

  /** What is left for followers of a project. */
  async rest({ id, schema }: Pick<Project, 'id' | 'schema'>, ids: readonly string[]): Promise<RestRow> {
    const [rest] = await this.database.ofProject({ id, schema }).run<RestRow>(restStatement(schema, ids));
    return rest ?? { more: false, next: null, others: false };
  }

  /** Whether anything runs by itself in a project, as far as this process knows. */
  runs({ id }: Project): boolean {
    const found = this.projects.find(id);
    return found instanceof Promise || (found !== undefined && found.settings.background !== false);
  }

  /** The service, as tasks that it has begun name it. */
  get me(): string {
    return this.database.serviceId;
  }

  async #followersOf(project: Project): Promise<readonly Follower[]> {
    return this.catalog.withCheckedModel({ project }, async (model) => {
      const followers: Follower[] = [];
      for (const source of this.sources) followers.push(...(await source.list(project, model)));
      return followers;
    });
  }

  /** Gives followers the changes that are committed now. */
  async #take({ schema }: Project, executor: Executor, followers: readonly Follower[]): Promise<void> {
    const { last } = await this.numbering.number(schema);
    const known = await executor.run<{ id: string }>(followersStatement(schema));
    const begun = new Set(known.map(({ id }) => id));
    const added = followers.filter(({ id }) => !begun.has(id));
    if (added.length > 0) await executor.run(beginFollowersStatement(schema, added));
    const wanted = followers.map(({ id, kinds, operations, passesOld }) => {
      return { id, kinds, operations, passes: passesOld };
    });
    const taken = await executor.run<TakenRow>(takeChangesStatement(schema, wanted, BigInt(last)));
    for (const { follower, passed, lost } of taken) {
      if (passed > 0 || lost > 0) followers.find(({ id }) => id === follower)?.missed({ passed, lost });
    }
  }

  async #forget({ schema }: Project, executor: Executor): Promise<void> {
    const now = performance.now();
    if (now - (this.#forgotten.get(schema) ?? -Infinity) < FORGET_EVERY) return;
    this.#forgotten.set(schema, now);
    await executor.run(forgetTasksStatement(schema));
  }
}

interface TurnOptions {
  readonly project: Project;
  readonly executor: Executor;
  readonly limit: TurnLimit;
}

/** What is done in a turn: of each follower some tasks together, whatever time other followers and units take. */
class Turn {
  /** The followers that get nothing more in this turn. */
  readonly paused = new Set<string>();
  /** What was begun and has not ended. */
  readonly #left = new Map<string, TaskRow>();
  /** What runs: tasks that were begun together. */
  readonly #running = new Set<Promise<void>>();
  /** How many units of each follower have tasks that run. */
  readonly #taken = new Map<string, number>();
  /** The units of which something was begun that may still run. */
  readonly #units = new Set<string>();
  #failed: PromiseRejectedResult | undefined;

  constructor(
    private readonly of: FollowedProject,
    private readonly options: TurnOptions,
  ) {}

  /** Begins what is due of the followers that have a place left, of other units than those that have one. */
  async begin(followers: readonly Follower[]): Promise<void> {
    const free = followers.filter((follower) => this.#placesOf(follower) > 0);
    if (free.length === 0 || this.isOver) return;
    const ids = free.map(({ id }) => id);
    const units = new Set(this.#units);
    const begun = await this.options.executor.run<TaskRow>(beginTasksStatement(this.#schema, ids, this.of.me));
    const tasks = new Map<string, TaskRow[]>();
    for (const task of begun) {
      this.#left.set(task.id, task);
      if (!units.has(unitOf(task))) getOrInsert(tasks, task.follower, (): TaskRow[] => []).push(task);
    }
    for (const follower of free) {
      const own = tasks.get(follower.id);
      if (!own) continue;
      const running = this.#follow(follower, own)
        .catch((reason: unknown) => this.#fail(follower, reason))
        .finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /**
   * Waits for what was begun together to end, or for a moment. Returns whether nothing runs. @throws what one of them has
   * thrown
   */
  async wait(): Promise<boolean> {
    if (this.#running.size > 0) {
      const moment = new AbortController();
      const later = delay(LOOK_WHILE_BUSY, undefined, { signal: moment.signal }).catch(() => undefined);
      await Promise.race([...this.#running, later]);
      moment.abort();
    }
    if (this.#failed) throw this.#failed.reason;
    return this.#running.size === 0;
  }

  /** Waits for all, and gives back what has not run. @throws what one of them has thrown */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    const left = [...this.#left.values()].filter(({ lost }) => !lost).map(({ id }) => id);
    this.#left.clear();
    if (left.length > 0) await this.#send(giveBackStatement(this.#schema, left, this.of.me));
    if (this.#failed) throw this.#failed.reason;
  }

  get #schema(): string {
    return this.options.project.schema;
  }

  /** Whether nothing more may begin. */
  get isOver(): boolean {
    const { limit, project } = this.options;
    return limit.isOver() || limit.stopping.aborted || !this.of.runs(project);
  }

  #placesOf({ id, atOnce }: Follower): number {
    return Math.min(atOnce, BEGUN_AT_ONCE) - (this.#taken.get(id) ?? 0);
  }

  #take({ id }: Follower, places: number): void {
    this.#taken.set(id, (this.#taken.get(id) ?? 0) + places);
  }

  /** The others of the project go on, and this one when the project is looked at again. */
  #fail(follower: Follower, reason: unknown): void {
    if (isDatabaseAway(reason) || this.options.limit.giveUp.aborted) {
      this.#failed ??= { status: 'rejected', reason };
      return;
    }
    this.paused.add(follower.id);
    this.of.log.warn(`${this.options.project.id}: '${follower.id}' could not go on: ${causeText(reason)}`);
  }

  /** Each worker has a place, and leaves it when no further unit waits here. */
  async #follow(follower: Follower, tasks: readonly TaskRow[]): Promise<void> {
    const chains = chainsOf(tasks);
    for (const task of tasks) this.#units.add(unitOf(task));
    const places = Math.min(this.#placesOf(follower), chains.length);
    this.#take(follower, places);
    const run = await follower.prepare(tasks);
    const left = chains.values();
    const worker = async (): Promise<void> => {
      for (const chain of left) if (!(await this.#runChain(follower, chain, run))) break;
      this.#take(follower, -1);
    };
    await allEnded(Array.from({ length: places }, worker));
  }

  /** Returns whether another unit may have its place. */
  async #runChain(follower: Follower, chain: readonly TaskRow[], run: RunTask): Promise<boolean> {
    for (const task of chain) {
      if (this.isOver || this.paused.has(follower.id)) return false;
      if (!(await this.#runTask(follower, task, run))) break;
    }
    for (const task of chain) this.#units.delete(unitOf(task));
    return true;
  }

  /** Returns whether the next one of its unit may run. */
  async #runTask(follower: Follower, begun: TaskRow, run: RunTask): Promise<boolean> {
    const task = begun.lost ? await this.#countLost(follower, begun) : begun;
    if (!task) return false;
    const { giveUp } = this.options.limit;
    const outcome = await run(task, giveUp);
    if (giveUp.aborted && outcome.type === 'failed') return false;
    if (outcome.type === 'paused') {
      this.paused.add(follower.id);
      return false;
    }
    this.#left.delete(task.id);
    if (outcome.type === 'ended' || outcome.type === 'gone') return outcome.type === 'ended';
    const { type, report } = outcome;
    if (type === 'done') return this.#end(task, { state: 'done', report });
    const next = outcome.forGood ? undefined : nextAttempt(task.attempts + 1);
    if (next === undefined) return this.#end(task, { state: 'failed', report });
    await this.#end(task, { state: 'waiting', next, report });
    return false;
  }

  /** The task with the attempt that was lost with its service; undefined if it has no further one. */
  async #countLost(follower: Follower, begun: TaskRow): Promise<TaskRow | undefined> {
    this.#left.delete(begun.id);
    const report = follower.reportOfLost(begun);
    if (begun.attempts + 1 >= MOST_ATTEMPTS) {
      await this.#end(begun, { state: 'failed', report });
      return undefined;
    }
    if (!(await this.#send(countLostStatement(this.#schema, begun, this.of.me)))) return undefined;
    const task = { ...begun, attempts: begun.attempts + 1, lost: false, report };
    this.#left.set(task.id, task);
    return task;
  }

  #end(task: TaskRow, end: TaskEnd): Promise<boolean> {
    return this.#send(endAttemptStatement(this.#schema, task, end));
  }

  /** Returns whether a row was found. */
  async #send(statement: Statement): Promise<boolean> {
    return (await this.options.executor.run(statement)).length > 0;
  }
}

function unitOf({ follower, kind, unit }: TaskRow): string {
  return `${follower} ${kind} ${unit}`;
}

/** Waits for all, and throws the error of the first that has failed. */
async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}
