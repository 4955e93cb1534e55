/** The projects of the registry, in memory; the registry's announcements and misses keep it right. */
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ProjectRepository } from '../database/registry/project.repository.js';
import { PROJECT_ID } from '../shared/identifiers.js';
import { projectOf, type Project } from './project.js';

const KEPT = 10_000;

@Injectable()
export class ProjectStore {
  readonly #projects = new LRUCache<string, Project>({ max: KEPT });

  constructor(private readonly registry: ProjectRepository) {}

  /** The project of that key, or undefined. Asks the registry only for those that are not in memory. */
  find(id: string): Project | undefined | Promise<Project | undefined> {
    if (!PROJECT_ID.test(id)) return undefined;
    return this.#projects.get(id) ?? this.#load(id);
  }

  forget(id: string): void {
    this.#projects.delete(id);
  }

  clear(): void {
    this.#projects.clear();
  }

  async #load(id: string): Promise<Project | undefined> {
    const row = await this.registry.find(id);
    if (row?.status !== 'active') return undefined;
    const project = projectOf(row);
    this.#projects.set(id, project);
    return project;
  }
}
