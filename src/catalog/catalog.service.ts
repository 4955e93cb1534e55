/** Provides requests with the model, and runs them again if it was stale. */
import { Injectable } from '@nestjs/common';
import { Database, type Executor } from '../database/database.js';
import { isStaleModel } from '../database/statement/sqlstate.js';
import type { Model } from '../model/model.js';
import { retryLater, KindError } from '../shared/errors.js';
import { MetricSources } from '../shared/metric-sources.js';
import { readStateStatement, type ModelState } from '../sql/definition/model.sql.js';
import { Overload } from '../tenancy/overload.js';
import type { Project } from '../tenancy/project.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { ModelStore } from './model/model-store.js';
import { RestartError } from '../database/transaction/contention.js';

/** Attempts of a request whose model changes each time. */
const MODEL_ATTEMPTS = 5;

/** The project whose model is needed. */
type ModelScope = Pick<RequestScope, 'project'>;

@Injectable()
export class Catalog {
  constructor(
    private readonly models: ModelStore,
    private readonly database: Database,
    metricSources: MetricSources,
    overload: Overload,
  ) {
    metricSources.addQueue('requests', database.places.all);
    metricSources.addQueue('long transactions', database.places.long);
    metricSources.addQueue('background', database.places.background);
    metricSources.addQueue('slow statements', database.slowStatements);
    overload.watch(database.places.all);
  }

  /**
   * Runs `work` with the cached model. Statements contain its version, so that stale answers are impossible. Before an
   * error is returned, the version is checked, so that kinds and rights created a moment ago by another process are
   * found.
   */
  withModel<T>({ project }: ModelScope, work: (model: Model) => Promise<T>): Promise<T> {
    const model = this.models.get(project);
    return model instanceof Promise
      ? model.then((loaded) => this.#firstRun(project, loaded, work))
      : this.#firstRun(project, model, work);
  }

  /** The model in memory; undefined if there is none. There may be a newer one. */
  cached({ project }: ModelScope): Model | undefined {
    return this.models.peek(project);
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
  withCheckedModel<T>(scope: ModelScope, work: (model: Model) => T | Promise<T>): Promise<T> {
    return this.withModel(scope, async (model) => {
      await this.check(scope, model);
      return work(model);
    });
  }

  /** @throws StaleModelError if there is a newer model */
  async check({ project }: ModelScope, model: Model, executor: Executor = this.database): Promise<void> {
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

/** The cached model is older than the stored one: the request starts again with the newer model. */
export class StaleModelError extends RestartError {
  override readonly name = 'StaleModelError';
}
