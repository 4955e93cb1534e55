/** Provides requests with the model, and runs them again if it was stale. */
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.token.js';
import { Database, type Executor } from '../database/database.js';
import { isStaleModel } from '../database/statement/sqlstate.js';
import type { Model } from '../model/model.js';
import { retryLater, KindError } from '../shared/errors.js';
import type { FairQueue } from '../shared/fair-queue.js';
import type { MaybePromise } from '../shared/maybe-promise.js';
import { readStateStatement, type ModelState } from '../sql/model.sql.js';
import type { Project } from '../tenancy/project.js';
import { connectionQueue } from './connection-queue.js';
import { ModelStore } from './model/model-store.js';
import { StaleModelError } from './model/stale-model-error.js';

/** Attempts of a request whose model changes each time. */
const MODEL_ATTEMPTS = 5;

/** Work to run once after the place of the project is released, whether or not the model has changed since. */
export class AfterRelease<T> {
  constructor(readonly run: () => Promise<T>) {}
}

@Injectable()
export class Catalog {
  readonly #queue: FairQueue;

  constructor(
    private readonly models: ModelStore,
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
  ) {
    this.#queue = connectionQueue(config.databasePool);
  }

  /**
   * Runs `work` with the cached model. Statements contain its version, so that stale answers are impossible. Before an
   * error is returned, the version is checked, so that kinds and rights created a moment ago by another process are
   * found. Must not be nested, because a project has a limited number of places.
   */
  withModel<T>(project: Project, work: (model: Model) => Promise<T | AfterRelease<T>>): Promise<T> {
    return this.withModelOf(project, '', work);
  }

  /** The same for work on a kind, or another part of the project, each of which has a share of the places. */
  withModelOf<T>(project: Project, part: string, work: (model: Model) => Promise<T | AfterRelease<T>>): Promise<T> {
    return this.#queue
      .run(project.id, () => this.withModelUnqueued(project, work), part)
      .then((done) => (done instanceof AfterRelease ? done.run() : done));
  }

  /**
   * The result of work without statements. With a cached model it takes no place. If the work throws, it is run again by
   * `withModelOf`, which checks the version of the model before it throws the error.
   */
  withCachedModel<T>(project: Project, part: string, work: (model: Model) => T): MaybePromise<T> {
    const cached = this.models.peek(project);
    if (cached) {
      try {
        return work(cached);
      } catch {
        // The model may be outdated.
      }
    }
    return this.withModelOf(project, part, async (model) => work(model));
  }

  /**
   * `withModelOf` without taking a place: for work that waits for something other than the database and limits its
   * connections itself.
   */
  withModelUnqueued<T>(project: Project, work: (model: Model) => Promise<T>): Promise<T> {
    const model = this.models.get(project);
    return model instanceof Promise
      ? model.then((loaded) => this.#firstRun(project, loaded, work))
      : this.#firstRun(project, model, work);
  }

  /** Callbacks instead of `async`, because all requests pass here and each promise has a cost. */
  #firstRun<T>(project: Project, model: Model, work: (model: Model) => Promise<T>): Promise<T> {
    try {
      return work(model).then(undefined, (error: unknown) => this.#runAgain(project, model, work, error));
    } catch (error) {
      return this.#runAgain(project, model, work, error);
    }
  }

  /** After the first run has failed: runs `work` again if its model was stale, else throws the error. */
  async #runAgain<T>(
    project: Project,
    firstModel: Model,
    work: (model: Model) => Promise<T>,
    firstError: unknown,
  ): Promise<T> {
    let model = firstModel;
    let error = firstError;
    // The model version at which a table or column was missing. (After a restore, another model can have the same
    // version.)
    let failedVersion: number | undefined;
    for (let attempt = 1; ; attempt++) {
      const missing = isStaleModel(error);
      const stale = missing || error instanceof StaleModelError;
      if (!stale && !(mayBeStale(error) && (await this.#isStale(project, model)))) throw error;
      // If it is missing again with a model that was just loaded, the model is not the reason.
      if (attempt === MODEL_ATTEMPTS || (missing && model.version === failedVersion)) {
        throw error instanceof StaleModelError ? changingTooOften() : error;
      }
      failedVersion = missing ? model.version : undefined;
      model = await this.models.reload(project);
      try {
        return await work(model);
      } catch (failure) {
        error = failure;
      }
    }
  }

  /** For work without database statements: checks the version first. */
  withCheckedModel<T>(
    project: Project,
    work: (model: Model) => T | AfterRelease<T> | Promise<T | AfterRelease<T>>,
  ): Promise<T> {
    return this.withModel(project, async (model) => {
      await this.check(project, model);
      return work(model);
    });
  }

  /** @throws StaleModelError if there is a newer model */
  async check(project: Project, model: Model, executor: Executor = this.database): Promise<void> {
    if (await this.#isStale(project, model, executor)) throw new StaleModelError();
  }

  /**
   * For work without a model: if a table is missing, checks whether the project still exists. @throws KindError 401 if
   * it does not
   */
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
      return !row || !matchesState(model, row);
    } catch (error) {
      return isStaleModel(error);
    }
  }
}

/** Compares the version and, for a model that was loaded during a restore of its schema, the number of definitions. */
function matchesState({ version, kinds, parameters, groups, linkTypes }: Model, state: ModelState): boolean {
  const counts = [state.kinds, state.parameters, state.groups, state.links];
  const own = [kinds.size, parameters.size, groups.size, linkTypes.size];
  return Number(state.v) === version && counts.every((count, at) => count === own[at]);
}

/** Errors that a newer model may not cause: of the caller, or about the state of a kind. */
function mayBeStale(error: unknown): boolean {
  return error instanceof KindError && (error.status < 500 || error.code === 'kind.remote_unavailable');
}

function changingTooOften(): KindError {
  return retryLater('database.busy', 'The definitions of the project change all the time');
}
