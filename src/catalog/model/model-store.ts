/**
 * Loads and caches models. Failures are not cached.
 *
 * Versions alone can't decide which of two models is newer: they decrease when a schema is restored from a dump, or
 * when a project is deleted and created again. So each load takes a number from a logical clock before it queries, and
 * so does each model that is published after its transaction has committed:
 * - A load with a higher number than the cached model began after that was known to be committed. It is cached whatever
 *   its version, because it is what the database contains.
 * - A load with a lower number may have read before or after. The higher version is kept, so that a late load does not
 *   undo a change. If that is wrong, statements fail because of the version they contain, and the next load has a
 *   higher number.
 */
import { Injectable } from '@nestjs/common';
import { Database, type Executor } from '../../database/database.js';
import { isStaleModel } from '../../database/statement/sqlstate.js';
import { modelInPieces } from '../../model/build/build-model.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import { hasBuiltIn, isWhole } from '../../model/check/check-model.js';
import type { Model } from '../../model/model.js';
import type { ModelRecords } from '../../model/build/definition-records.js';
import { retryLater, KindError, refusal } from '../../shared/errors.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { MetricSources } from '../../shared/metric-sources.js';
import { SharedLoads } from '../../shared/shared-loads.js';
import { runYielding, type WorkInPieces } from '../../shared/work-in-pieces.js';
import {
  loadModelStatement,
  type ModelRow,
  modelSummariesStatement,
  type ModelSummaryRow,
} from '../../sql/definition/model.sql.js';
import type { Statement } from '../../sql/fragment.js';
import { ProjectStore } from '../../tenancy/project-store.js';
import type { Project } from '../../tenancy/project.js';
import { ModelCache, noteStoredBytes, type CachedModel } from './model-cache.js';

@Injectable()
export class ModelStore {
  readonly #models = new ModelCache();
  readonly #loads = new SharedLoads<Model>();
  #clock = 0;
  #loadCount = 0;
  /** Called with the id of a project whose built-in tables are older than the service. */
  onOutdated: (id: string) => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly projects: ProjectStore,
    metricSources: MetricSources,
  ) {
    metricSources.addCache('models', this.#models);
    metricSources.addGauge('kind_cached_models_bytes', 'Estimated memory of cached models.', () => this.#models.bytes);
    metricSources.addCounter('kind_model_loads_total', 'Models read from the database.', () => this.#loadCount);
  }

  /** The cached model, or a loaded one. @throws KindError 401 if the project is gone */
  get(project: Project): Model | Promise<Model> {
    const cached = this.#models.get(project.id);
    return cached && !isExpired(cached) && isSetAs(project, cached.model) ? cached.model : this.reload(project);
  }

  /** The cached model, even if expired; undefined if there is none. */
  peek(project: Project): Model | undefined {
    const model = this.#models.peek(project.id)?.model;
    return model && isSetAs(project, model) ? model : undefined;
  }

  /** Loads the model; concurrent calls share one query. */
  reload(project: Project): Promise<Model> {
    return this.#loads.run(project.id, (isCurrent) => this.#load(project, isCurrent));
  }

  /** Caches a committed model unless a newer one is cached; returns the cached one. */
  publish(project: Project, model: Model): Model {
    const known = this.#models.peek(project.id)?.model;
    if (known && known.version > model.version) return known;
    this.#models.set(project.id, { model, time: (this.#clock += 1) });
    return model;
  }

  /** Another process has published a version: removes an older model. */
  announced(projectId: string, version: number): void {
    const known = this.#models.peek(projectId)?.model;
    if (known && known.version < version) this.#models.delete(projectId);
  }

  /** Removes the model. A load in progress is not cached either, because it may have read old data. */
  forget(projectId: string): void {
    this.#models.delete(projectId);
    this.#loads.forget(projectId);
  }

  clear(): void {
    this.#models.clear();
    this.#loads.clear();
  }

  async #load(project: Project, isCurrent: () => boolean): Promise<Model> {
    const time = (this.#clock += 1);
    this.#loadCount += 1;
    try {
      const model = await loadModel(this.database, project, { known: this.peek(project) });
      const complete = await runYielding(isWhole(model), new EventLoopYield(project.schema));
      if (!isCurrent()) return model;
      const known = this.#models.peek(project.id);
      if (known && time < known.time && known.model.version > model.version) return known.model;
      this.#models.set(project.id, { model, time, ...(!complete && { until: performance.now() + INCOMPLETE_TTL }) });
      return model;
    } catch (error) {
      const missing = isStaleModel(error);
      if (missing || (error instanceof KindError && error.code === 'project.unavailable')) {
        await this.#throwIfOutdated(project);
      }
      if (!missing) throw error;
      this.forget(project.id);
      if (await this.projects.reload(project.id)) throw incomplete();
      throw refusal('project.unknown', 'No project has that key');
    }
  }

  /** If the built-in tables are old, missing tables do not mean that the project is gone. @throws KindError 503 */
  async #throwIfOutdated(project: Project): Promise<void> {
    const summary = await findModelSummary(this.database, project.schema);
    if (!summary || summary.built_in >= BUILT_IN_VERSION) return;
    this.onOutdated(project.id);
    throw outdated();
  }
}

export interface LoadOptions {
  /** Allows built-in tables of an older version. */
  readonly upgrading?: boolean;
  /** An earlier model of the project, whose unchanged parts are reused. */
  readonly known?: Model | undefined;
}

/**
 * Loads the model as a transaction (or a single statement) sees it, yielding to the event loop.
 * @throws KindError 503 if the built-in tables are of an older version (unless `upgrading`), or built-in definitions
 * are missing
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
  const state = {
    version: Number(first.v),
    accessDefault: first.access_default,
    originals: project.settings.originals,
    trigrams: first.trigrams ?? undefined,
  };
  const model = await runYielding(modelInPieces({ ...records, ...state }, known), yielder);
  noteStoredBytes(
    model,
    rows.reduce((sum, { bytes }) => sum + Number(bytes ?? 0), 0),
  );
  if (!hasBuiltIn(model)) throw incomplete();
  return model;
}

/** What a model has beside its definitions. */
type ModelState = Pick<ModelRecords, 'version' | 'accessDefault' | 'originals' | 'trigrams'>;

/** Parses the records of all rows. */
export function* recordsInPieces(rows: readonly ModelRow[]): WorkInPieces<Omit<ModelRecords, keyof ModelState>> {
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
  return records as unknown as Omit<ModelRecords, keyof ModelState>;
}

/**
 * Milliseconds for which an incomplete model is cached, whose definitions refer to missing ones: it is probably being
 * restored.
 */
const INCOMPLETE_TTL = 1000;

function isExpired({ until }: CachedModel): boolean {
  return until !== undefined && until < performance.now();
}

/** Whether a model is that of the settings that the project has by now. */
function isSetAs({ settings }: Project, { originals }: Model): boolean {
  return originals === (settings.originals ?? 'all');
}

function incomplete(): KindError {
  return retryLater('project.unavailable', 'The project is being made, restored or deleted');
}

function outdated(): KindError {
  return retryLater('project.unavailable', 'The project is of an older version and waits to be upgraded', 10);
}

/** Schemas of one message. PostgreSQL reads the catalogue for each of their tables. */
const SCHEMAS_PER_MESSAGE = 100;

/** What is known of the models of projects, by schema. Those whose tables do not exist are not in it. */
type ModelSummaries = ReadonlyMap<string, ModelSummaryRow>;

/** One message to PostgreSQL for each hundred. */
export async function readModelSummaries(executor: Executor, schemas: readonly string[]): Promise<ModelSummaries> {
  const rows = await readSchemas<ModelSummaryRow>(executor, schemas, modelSummariesStatement);
  return new Map(rows.map((row) => [row.schema, row]));
}

/** Reads something of each schema, in one message for each hundred; nothing of those whose tables do not exist. */
export async function readSchemas<Row>(
  executor: Executor,
  schemas: readonly string[],
  read: (schemas: readonly string[]) => Statement,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < schemas.length; at += SCHEMAS_PER_MESSAGE) {
    rows.push(...(await rowsOfSchemas<Row>(executor, schemas.slice(at, at + SCHEMAS_PER_MESSAGE), read)));
  }
  return rows;
}

/** Undefined if the tables of the schema do not exist. */
export async function findModelSummary(executor: Executor, schema: string): Promise<ModelSummaryRow | undefined> {
  const [found] = await rowsOfSchemas<ModelSummaryRow>(executor, [schema], modelSummariesStatement);
  return found;
}

async function rowsOfSchemas<Row>(
  executor: Executor,
  schemas: readonly string[],
  read: (schemas: readonly string[]) => Statement,
): Promise<Row[]> {
  try {
    return await executor.run<Row>(read(schemas));
  } catch (error) {
    if (!isStaleModel(error)) throw error;
    if (schemas.length === 1) return [];
    // One without tables makes the whole message fail.
    const middle = schemas.length >> 1;
    return [
      ...(await rowsOfSchemas<Row>(executor, schemas.slice(0, middle), read)),
      ...(await rowsOfSchemas<Row>(executor, schemas.slice(middle), read)),
    ];
  }
}
