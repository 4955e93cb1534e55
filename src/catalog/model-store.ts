/**
 * The models in memory. A model is a value with a version: a newer one replaces an older one, never the other way, and
 * losing one costs a query. Failures are not kept.
 */
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database, type Executor } from '../database/database.js';
import { isStaleModel } from '../database/sqlstate.js';
import { buildModel } from '../model/build-model.js';
import type { Model } from '../model/model.js';
import type { ModelRecords } from '../model/records.js';
import { refusal } from '../shared/errors.js';
import { loadModelStatement } from '../sql/model.sql.js';
import { ProjectStore } from '../tenancy/project-store.js';
import type { Project } from '../tenancy/project.js';

/** Models in memory are bounded by what they hold: kinds and fields. */
const MAX_WEIGHT = 200_000;

@Injectable()
export class ModelStore {
  readonly #models = new LRUCache<string, Model>({ maxSize: MAX_WEIGHT, sizeCalculation: weightOf });
  readonly #loading = new Map<string, Promise<Model>>();

  constructor(
    private readonly database: Database,
    private readonly projects: ProjectStore,
  ) {}

  /** The model in memory, or the stored one. @throws KindError 401 where the project is gone */
  get(project: Project): Model | Promise<Model> {
    return this.#models.get(project.id) ?? this.reload(project);
  }

  /** The stored model; requests that ask at the same time share one query. */
  reload(project: Project): Promise<Model> {
    const running = this.#loading.get(project.id);
    if (running) return running;
    const loading = this.#load(project).finally(() => this.#loading.delete(project.id));
    this.#loading.set(project.id, loading);
    return loading;
  }

  /** Keeps a model unless a newer one is there already; answers the one that is kept. */
  publish(project: Project, model: Model): Model {
    const known = this.#models.peek(project.id);
    if (known && known.version > model.version) return known;
    this.#models.set(project.id, model);
    return model;
  }

  /** Another process announced a version: an older model is forgotten. */
  announced(projectId: string, version: number): void {
    const known = this.#models.peek(projectId);
    if (known && known.version < version) this.#models.delete(projectId);
  }

  forget(projectId: string): void {
    this.#models.delete(projectId);
  }

  clear(): void {
    this.#models.clear();
  }

  async #load(project: Project): Promise<Model> {
    try {
      return this.publish(project, await loadModel(this.database, project));
    } catch (error) {
      if (!isStaleModel(error)) throw error;
      this.projects.forget(project.id);
      this.forget(project.id);
      throw refusal('project.unknown', 'No project has that key');
    }
  }
}

/** Reads the model as a transaction (or a statement alone) sees it. */
export async function loadModel(executor: Executor, project: Project): Promise<Model> {
  const [row] = await executor.run<{ v: string; body: string }>(loadModelStatement(project.schema));
  if (!row) throw refusal('project.unavailable', 'The project is being made or deleted; try again shortly');
  const records = JSON.parse(row.body) as Omit<ModelRecords, 'version'>;
  return buildModel({ ...records, version: Number(row.v) });
}

function weightOf(model: Model): number {
  let weight = 1;
  for (const kind of model.kinds.values()) weight += 1 + kind.fields.size;
  return weight;
}
