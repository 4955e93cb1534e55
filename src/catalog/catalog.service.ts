/** Gives requests the model to work with, and starts them over when it turns out to be stale. */
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.token.js';
import { Database, type Executor } from '../database/database.js';
import { isStaleModel } from '../database/statement/sqlstate.js';
import type { Model } from '../model/model.js';
import { retryLater, KindError } from '../shared/errors.js';
import { FairQueue } from '../shared/fair-queue.js';
import { LIMITS } from '../shared/limits.js';
import { readStateStatement, type ModelState } from '../sql/model.sql.js';
import type { Project } from '../tenancy/project.js';
import { ModelStore } from './model/model-store.js';
import { StaleModelError } from './model/stale-model-error.js';

/** Times a request starts over before it gives up: each time the model changed under it. */
const ATTEMPTS = 5;

/** The part of the pool that a project may have of what the others leave: two slow ones leave a place to a third. */
const SHARE = 0.8;
/**
 * The part of those places that one kind may have of what the other kinds leave: requests that wait for a kind whose table
 * is locked leave places to the others.
 */
const SHARE_OF_KIND = 0.75;

/** What is left to be done when the place of the work is free again: once, whatever becomes of the model meanwhile. */
export class AfterRelease<T> {
  constructor(readonly run: () => Promise<T>) {}
}

@Injectable()
export class Catalog {
  /** A project has only a part of what the others leave of the pool, and the next place when it has none. */
  readonly #shares: FairQueue;

  constructor(
    private readonly models: ModelStore,
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
  ) {
    this.#shares = new FairQueue({
      concurrency: config.databasePool,
      keyShare: SHARE,
      partShare: SHARE_OF_KIND,
      maxWaitingPerKey: LIMITS.requestsWaiting,
      // As long as for a connection.
      timeout: 5000,
      refusal: () => retryLater('server.busy', 'Too many requests of this project are under way'),
    });
  }

  /**
   * Runs `work` with the model in memory. Its statements carry the version, so that an answer never comes from a stale
   * model; and before a refusal is given, the version is checked, so that a kind made a moment ago by another process
   * is found and a right that was given is had. Not to be nested: a project has only a share of places.
   */
  withModel<T>(project: Project, work: (model: Model) => Promise<T | AfterRelease<T>>): Promise<T> {
    return this.withModelOf(project, '', work);
  }

  /** The same for what is about a kind, or another part of the project: each has only a share of its places. */
  async withModelOf<T>(
    project: Project,
    part: string,
    work: (model: Model) => Promise<T | AfterRelease<T>>,
  ): Promise<T> {
    const done = await this.#shares.run(project.id, () => this.withModelUnqueued(project, work), part);
    return done instanceof AfterRelease ? done.run() : done;
  }

  /**
   * The same without a place: for work that waits for what is not the database, and sees itself to how many connections
   * it holds.
   */
  async withModelUnqueued<T>(project: Project, work: (model: Model) => Promise<T>): Promise<T> {
    let model = await this.models.get(project);
    // The version at which a table or column was missing: after a restore, another model has the same.
    let fruitless: number | undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(model);
      } catch (error) {
        const missing = isStaleModel(error);
        const stale = missing || error instanceof StaleModelError;
        if (!stale && !(isOfModel(error) && (await this.#isStale(project, model)))) throw error;
        // What is missing by a model that was just read is missing for another reason than its age.
        if (attempt === ATTEMPTS || (missing && model.version === fruitless)) {
          throw error instanceof StaleModelError ? changing() : error;
        }
        fruitless = missing ? model.version : undefined;
        model = await this.models.reload(project);
      }
    }
  }

  /** For work that asks the database nothing: the version is checked before it answers. */
  withCheckedModel<T>(
    project: Project,
    work: (model: Model) => T | AfterRelease<T> | Promise<T | AfterRelease<T>>,
  ): Promise<T> {
    return this.withModel(project, async (model) => {
      await this.check(project, model);
      return work(model);
    });
  }

  /** @throws StaleModel where there is a newer one */
  async check(project: Project, model: Model, executor: Executor = this.database): Promise<void> {
    if (await this.#isStale(project, model, executor)) throw new StaleModelError();
  }

  /** For work without a model: where a table is missing, the project may be gone. @throws KindError 401 where it is */
  async inProject<T>(project: Project, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isStaleModel(error)) await this.models.reload(project);
      throw error;
    }
  }

  async #isStale(project: Project, model: Model, executor: Executor = this.database): Promise<boolean> {
    try {
      const [row] = await executor.run<ModelState>(readStateStatement(project.schema));
      return !row || !isOf(model, row);
    } catch (error) {
      return isStaleModel(error);
    }
  }
}

/** By the version, and for a model that was read while its schema was restored, by how much there is of it. */
function isOf({ version, kinds, parameters, groups, linkTypes }: Model, state: ModelState): boolean {
  const counts = [state.kinds, state.parameters, state.groups, state.links];
  const own = [kinds.size, parameters.size, groups.size, linkTypes.size];
  return Number(state.v) === version && counts.every((count, at) => count === own[at]);
}

/** A refusal that a newer model may not give: of the caller's fault, or of the state of a kind. */
function isOfModel(error: unknown): boolean {
  return error instanceof KindError && (error.status < 500 || error.code === 'kind.remote_unavailable');
}

function changing(): KindError {
  return retryLater('database.busy', 'The definitions of the project change all the time');
}
