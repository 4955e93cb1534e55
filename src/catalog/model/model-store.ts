/**
 * The models in memory. Losing one costs a query; failures are not kept.
 *
 * Which of two models stays is not told by their versions alone: those go back when a project's schema is restored from
 * a dump, or when the project is deleted and made again. So every load takes a number from one clock of the process
 * before it asks, and so does every model that is published when its transaction has committed:
 * - a load with a higher number than what is in memory began after that was known to be committed. What it read is what
 *   has become of it since: it stays, whatever its version. (The database is the truth.)
 * - a load with a lower number may have read before or after: the higher version stays. (A late answer never undoes a
 *   change.) Where that is the wrong one after all, statements tell, which carry the version, and the load that follows
 *   has a higher number.
 */
import { Injectable } from '@nestjs/common';
import { Database, type Executor } from '../../database/database.js';
import { isStaleModel } from '../../database/statement/sqlstate.js';
import { modelInPieces } from '../../model/check/build-model.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import { hasBuiltIn, isWhole } from '../../model/built-in/completeness.js';
import type { Model } from '../../model/model.js';
import type { ModelRecords } from '../../model/check/records.js';
import { retryLater, KindError, refusal } from '../../shared/errors.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { runYielding, type WorkInPieces } from '../../shared/work-in-pieces.js';
import { loadModelStatement, type ModelRow } from '../../sql/model.sql.js';
import { ProjectStore } from '../../tenancy/project-store.js';
import type { Project } from '../../tenancy/project.js';
import { builtInVersion } from './built-in-version.js';
import { ModelCache, noteStoredBytes, type CachedModel } from './model-cache.js';

@Injectable()
export class ModelStore {
  readonly #models = new ModelCache();
  readonly #loading = new Map<string, Promise<Model>>();
  #clock = 0;
  /** Called with the id of a project whose model can not be read, because its built-in tables are older than the service. */
  onOutdated: (id: string) => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly projects: ProjectStore,
  ) {}

  /** The model in memory, or the stored one. @throws KindError 401 where the project is gone */
  get(project: Project): Model | Promise<Model> {
    const kept = this.#models.get(project.id);
    return kept && !isOver(kept) ? kept.model : this.reload(project);
  }

  /** The model in memory, as it is; undefined where there is none. */
  peek({ id }: Project): Model | undefined {
    return this.#models.peek(id)?.model;
  }

  /** The stored model; requests that ask at the same time share one query. */
  reload(project: Project): Promise<Model> {
    const { id } = project;
    const running = this.#loading.get(id);
    if (running) return running;
    const loading: Promise<Model> = this.#load(project, () => this.#loading.get(id) === loading).finally(() => {
      if (this.#loading.get(id) === loading) this.#loading.delete(id);
    });
    this.#loading.set(id, loading);
    return loading;
  }

  /** Keeps a model that was committed, unless a newer one is there already; answers the one that is kept. */
  publish(project: Project, model: Model): Model {
    const known = this.#models.peek(project.id)?.model;
    if (known && known.version > model.version) return known;
    this.#models.set(project.id, { model, time: (this.#clock += 1) });
    return model;
  }

  /** Another process announced a version: an older model is forgotten. */
  announced(projectId: string, version: number): void {
    const known = this.#models.peek(projectId)?.model;
    if (known && known.version < version) this.#models.delete(projectId);
  }

  /** What is being loaded is not kept either: it may have been read before whatever makes the project be forgotten. */
  forget(projectId: string): void {
    this.#models.delete(projectId);
    this.#loading.delete(projectId);
  }

  clear(): void {
    this.#models.clear();
    this.#loading.clear();
  }

  async #load(project: Project, isWanted: () => boolean): Promise<Model> {
    const time = (this.#clock += 1);
    try {
      const model = await loadModel(this.database, project, { known: this.peek(project) });
      const whole = await runYielding(isWhole(model), new EventLoopYield(project.id));
      if (!isWanted()) return model;
      const known = this.#models.peek(project.id);
      if (known && time < known.time && known.model.version > model.version) return known.model;
      this.#models.set(project.id, { model, time, ...(!whole && { until: performance.now() + PARTIAL_KEPT }) });
      return model;
    } catch (error) {
      const missing = isStaleModel(error);
      if (missing || (error instanceof KindError && error.code === 'project.unavailable')) {
        await this.#tellIfOld(project);
      }
      if (!missing) throw error;
      this.forget(project.id);
      if (await this.projects.reload(project.id)) throw incomplete();
      throw refusal('project.unknown', 'No project has that key');
    }
  }

  /** What is missing in older tables is not missing because the project is gone. @throws KindError 503 */
  async #tellIfOld(project: Project): Promise<void> {
    const version = await builtInVersion(this.database, project.schema);
    if (version === undefined || version >= BUILT_IN_VERSION) return;
    this.onOutdated(project.id);
    throw outdated();
  }
}

export interface LoadOptions {
  /** Whether the built-in tables may be of an older version. */
  readonly upgrading?: boolean;
  /** A model of the same project, of which is taken what stands as it stood. */
  readonly known?: Model | undefined;
}

/**
 * Reads the model as a transaction (or a statement alone) sees it, with turns for others in between. @throws KindError
 * 503 where the built-in tables are of an older version (but for `upgrading`), or the built-in definitions are not there
 */
export async function loadModel(
  executor: Executor,
  project: Project,
  { upgrading = false, known }: LoadOptions = {},
): Promise<Model> {
  const rows = await executor.run<ModelRow>(loadModelStatement(project.schema));
  const [first] = rows;
  if (!first) throw incomplete();
  if (first.built_in < BUILT_IN_VERSION && !upgrading) throw outdated();
  const yielder = new EventLoopYield(project.schema);
  const records = await runYielding(recordsInPieces(rows), yielder);
  const model = await runYielding(modelInPieces({ ...records, version: Number(first.v) }, known), yielder);
  noteStoredBytes(
    model,
    rows.reduce((sum, { bytes }) => sum + Number(bytes ?? 0), 0),
  );
  if (!hasBuiltIn(model)) throw incomplete();
  return model;
}

/** The records of all rows. */
export function* recordsInPieces(rows: readonly ModelRow[]): WorkInPieces<Omit<ModelRecords, 'version'>> {
  const records: Record<NonNullable<ModelRow['sort']>, unknown[]> = {
    kinds: [],
    parameters: [],
    groups: [],
    links: [],
  };
  for (const { sort, body } of rows) {
    if (sort !== null && body !== null) records[sort].push(...(JSON.parse(body) as unknown[]));
    yield;
  }
  return records as unknown as Omit<ModelRecords, 'version'>;
}

/** Milliseconds for which a model is kept that lacks what its definitions name: while they are restored, more is coming. */
const PARTIAL_KEPT = 1000;

function isOver({ until }: CachedModel): boolean {
  return until !== undefined && until < performance.now();
}

function incomplete(): KindError {
  return retryLater('project.unavailable', 'The project is being made, restored or deleted');
}

function outdated(): KindError {
  return retryLater('project.unavailable', 'The project is of an older version and waits to be upgraded', 10);
}
