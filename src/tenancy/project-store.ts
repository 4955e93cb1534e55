/** Cache of the projects in the registry. Announcements and cache misses keep it up to date. */
import { Inject, Injectable } from '@nestjs/common';
import { SECRET } from '../config/config.js';
import { ProjectRepository } from '../database/registry/project.repository.js';
import { AddressKeys } from '../shared/file-address.js';
import { PROJECT_ID } from '../shared/identifiers.js';
import { SharedLoads } from '../shared/shared-loads.js';
import { lruCache } from '../shared/maps.js';
import { projectOf, type Project } from './project.js';

const MAX_PROJECTS = 10_000;
/**
 * Milliseconds that a project is cached, in case an announcement is lost; shorter if none can be received, so that
 * changes take effect within a second.
 */
const PROJECT_TTL = { listening: 60_000, notListening: 900 };
/** Milliseconds that an unknown key is cached, so that guessing keys costs little. */
const MISS_TTL = 1000;

@Injectable()
export class ProjectStore {
  readonly #projects = lruCache<Project>(MAX_PROJECTS, { ttl: PROJECT_TTL.listening });
  readonly #misses = lruCache<true>(MAX_PROJECTS, { ttl: MISS_TTL });
  readonly #loads = new SharedLoads<Project | undefined>();
  readonly #addressKeys: AddressKeys;
  #ttl = PROJECT_TTL.listening;

  constructor(
    private readonly registry: ProjectRepository,
    @Inject(SECRET) secret: string,
  ) {
    this.#addressKeys = new AddressKeys(secret);
  }

  /** Whether announcements of other processes arrive. */
  setListening(listening: boolean): void {
    this.#ttl = listening ? PROJECT_TTL.listening : PROJECT_TTL.notListening;
    this.clear();
  }

  /** The project of a key, or undefined. Queries the registry only if it is not cached. */
  find(id: string): Project | undefined | Promise<Project | undefined> {
    if (!PROJECT_ID.test(id)) return undefined;
    const known = this.#projects.get(id);
    if (known || this.#misses.has(id)) return known;
    return this.#load(id);
  }

  /** The project of a key, read anew from the registry. */
  reload(id: string): Promise<Project | undefined> {
    this.forget(id);
    return this.#load(id);
  }

  forget(id: string): void {
    this.#projects.delete(id);
    this.#misses.delete(id);
    this.#loads.forget(id);
  }

  clear(): void {
    this.#projects.clear();
    this.#misses.clear();
    this.#loads.clear();
  }

  #load(id: string): Promise<Project | undefined> {
    return this.#loads.run(id, async (isCurrent) => {
      const row = await this.registry.find(id);
      const addressKey = (expires: string) => this.#addressKeys.of(id, expires);
      const project = row?.status === 'active' ? { ...projectOf(row), addressKey } : undefined;
      if (!isCurrent()) return project;
      if (project) this.#projects.set(id, project, { ttl: this.#ttl });
      else this.#misses.set(id, true);
      return project;
    });
  }
}
