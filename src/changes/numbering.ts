/**
 * Gives changes their numbers: before somebody reads them, and otherwise soon after they are committed, so that few wait.
 * No process is special; those that do it at once wait for each other.
 */
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Database, type Executor } from '../database/database.js';
import { causeText, isDatabaseAway, isStaleModel } from '../database/statement/sqlstate.js';
import { CHANGES_KEEP } from '../model/changes.js';
import { projectOfSchema } from '../model/names.js';
import { lruCache } from '../shared/maps.js';
import { SharedRuns } from '../shared/shared-runs.js';
import { ProjectStore } from '../tenancy/project-store.js';
import { ChangeNotices } from './change-notices.js';
import { Waiting } from './waiting/waiting.js';
import {
  feedStatement,
  FORGOTTEN_AT_ONCE,
  forgetChangesStatement,
  forgetHistoryStatement,
  NUMBERED_AT_ONCE,
  numberChangesStatement,
  vacuumOutboxStatement,
  type FeedRow,
} from '../sql/changes/number.sql.js';

/** Milliseconds after a change in which it gets its number, if nobody waits for it. */
const LATER = 1000;
/** The pause before changes of a project are numbered again, as a multiple of the time that it took. */
const PAUSE = 4;
/** Changes of a project that are moved before their space is freed. */
const VACUUM_AFTER = 2000;
/** Milliseconds between two deletions of old changes of a project. */
const FORGET_EVERY = 600_000;
/** Projects that are remembered. */
const MAX_REMEMBERED = 5000;

@Injectable()
export class Numbering implements OnModuleInit, OnModuleDestroy {
  readonly #log = new Logger('changes');
  /** Projects whose changes will be numbered, by schema. */
  readonly #planned = new Map<string, NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #runs = new SharedRuns();
  /** Changes that were moved since the last VACUUM, by schema. */
  readonly #moved = lruCache<number>(MAX_REMEMBERED);
  /** When the changes of a project are numbered again at the earliest, as `performance.now()` tells it. */
  readonly #notBefore = lruCache<number>(MAX_REMEMBERED);
  /** When old changes of a project were deleted last, by schema. */
  readonly #forgotten = lruCache<number>(MAX_REMEMBERED);
  #stopped = false;

  constructor(
    private readonly database: Database,
    private readonly waiting: Waiting,
    private readonly notices: ChangeNotices,
    private readonly projects: ProjectStore,
  ) {}

  onModuleInit(): void {
    this.database.whenRecorded((schema) => {
      this.waiting.wake(schema);
      this.notices.tell(schema);
      this.#plan(schema);
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#planned.values()) clearTimeout(timer);
    this.#planned.clear();
    await Promise.all(this.#running);
  }

  /** Gives all changes that are committed now their numbers. Returns the state after it. */
  async number(schema: string): Promise<FeedRow> {
    const executor = this.database.ofProject({ id: projectOfSchema(schema), schema });
    const feed = await readFeed(executor, schema);
    if (!feed.waiting) return feed;
    await this.#runs.run(schema, () => this.#numberAll(executor, schema));
    return readFeed(executor, schema);
  }

  /** The same in a transaction, with the changes that it has made itself. Until its end nobody else gives numbers. */
  async numberWithin(tx: Executor, schema: string): Promise<FeedRow> {
    const feed = await readFeed(tx, schema);
    if (!feed.waiting) return feed;
    await this.#numberAll(tx, schema);
    return readFeed(tx, schema);
  }

  async #numberAll(executor: Executor, schema: string): Promise<void> {
    for (let numbered = NUMBERED_AT_ONCE; numbered === NUMBERED_AT_ONCE;) {
      const rows = await executor.run<{ numbered?: number }>(numberChangesStatement(schema));
      numbered = rows.find((row) => row.numbered !== undefined)?.numbered ?? 0;
      this.#moved.set(schema, (this.#moved.get(schema) ?? 0) + numbered);
    }
  }

  /** Deletes what is older than the project keeps its changes, from time to time. */
  async #forget(schema: string): Promise<void> {
    const now = performance.now();
    if (now - (this.#forgotten.get(schema) ?? -Infinity) < FORGET_EVERY) return;
    this.#forgotten.set(schema, now);
    const project = await this.projects.find(projectOfSchema(schema));
    if (!project) return;
    const statement = forgetChangesStatement(schema, project.settings.changesKeep ?? CHANGES_KEEP);
    for (let looked = FORGOTTEN_AT_ONCE; looked === FORGOTTEN_AT_ONCE && !this.#stopped;) {
      const [row] = await this.database.ofProject(project).run<{ looked: number }>(statement);
      looked = row?.looked ?? 0;
    }
    for (let forgotten = 1; forgotten > 0 && !this.#stopped;) {
      const [row] = await this.database.ofProject(project).run<{ forgotten: number }>(forgetHistoryStatement(schema));
      forgotten = row?.forgotten ?? 0;
    }
  }

  #plan(schema: string): void {
    if (this.#stopped || this.#planned.has(schema)) return;
    const delay = Math.max(LATER, (this.#notBefore.get(schema) ?? 0) - performance.now());
    const timer = setTimeout(() => {
      this.#planned.delete(schema);
      const running = this.#numberLater(schema).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }, delay).unref();
    this.#planned.set(schema, timer);
  }

  async #numberLater(schema: string): Promise<void> {
    const began = performance.now();
    try {
      await this.number(schema);
      if ((this.#moved.get(schema) ?? 0) >= VACUUM_AFTER) {
        this.#moved.delete(schema);
        await this.database.run(vacuumOutboxStatement(schema));
      }
      await this.#forget(schema);
    } catch (error) {
      // The schema of a deleted project is gone; after other failures, a later change tries again.
      if (!isStaleModel(error) && !isDatabaseAway(error))
        this.#log.warn(`${schema}: changes were not numbered: ${causeText(error)}`);
    }
    const now = performance.now();
    this.#notBefore.set(schema, now + (now - began) * PAUSE);
  }
}

async function readFeed(executor: Executor, schema: string): Promise<FeedRow> {
  const [feed] = await executor.run<FeedRow>(feedStatement(schema));
  if (!feed) throw new Error(`${schema} has no feed`);
  return feed;
}
