/** The projects of the registry, in memory; the registry's announcements and misses keep it right. */
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { commonRefusal } from '../database/sqlstate.js';
import { ProjectEntity } from '../database/registry/project.entity.js';
import { PROJECT_ID } from '../shared/identifiers.js';
import { projectOf, type Project } from './project.js';

const KEPT = 10_000;

@Injectable()
export class ProjectStore {
  readonly #projects = new LRUCache<string, Project>({ max: KEPT });

  constructor(private readonly dataSource: DataSource) {}

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
    try {
      const row = await this.dataSource.getRepository(ProjectEntity).findOneBy({ id, status: 'active' });
      if (!row) return undefined;
      const project = projectOf(row);
      this.#projects.set(id, project);
      return project;
    } catch (error) {
      throw commonRefusal(error) ?? error;
    }
  }
}
