/** The projects of the registry, in memory; the registry's announcements and misses keep it right. */
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ProjectRepository } from '../database/registry/project.repository.js';
import { PROJECT_ID } from '../shared/identifiers.js';
import { projectOf, type Project } from './project.js';

const MAX_PROJECTS = 10_000;
/**
 * Milliseconds for which a project is not asked for again: should an announcement never have come; and where none comes
 * at all, so that what was set holds within a second.
 */
const PROJECT_TTL = { listening: 60_000, notListening: 900 };
/** Milliseconds for which a key that names no project is not asked for again: whoever guesses keys costs little. */
const MISS_TTL = 1000;

@Injectable()
export class ProjectStore {
  readonly #projects = new LRUCache<string, Project>({ max: MAX_PROJECTS, ttl: PROJECT_TTL.listening });
  readonly #misses = new LRUCache<string, true>({ max: MAX_PROJECTS, ttl: MISS_TTL });
  /** Questions to the registry. One that is no longer here was asked before news came: its answer is not kept. */
  readonly #loading = new Map<string, Promise<Project | undefined>>();

  #ttl = PROJECT_TTL.listening;

  constructor(private readonly registry: ProjectRepository) {}

  /** Whether announcements of other processes arrive. */
  setListening(hearing: boolean): void {
    this.#ttl = hearing ? PROJECT_TTL.listening : PROJECT_TTL.notListening;
    this.clear();
  }

  /** The project of that key, or undefined. Asks the registry only for those that are not in memory. */
  find(id: string): Project | undefined | Promise<Project | undefined> {
    if (!PROJECT_ID.test(id)) return undefined;
    const known = this.#projects.get(id);
    if (known || this.#misses.has(id)) return known;
    return this.#loading.get(id) ?? this.#load(id);
  }

  /** The project of that key as the registry has it now. */
  reload(id: string): Promise<Project | undefined> {
    this.forget(id);
    return this.#load(id);
  }

  forget(id: string): void {
    this.#projects.delete(id);
    this.#misses.delete(id);
    this.#loading.delete(id);
  }

  clear(): void {
    this.#projects.clear();
    this.#misses.clear();
    this.#loading.clear();
  }

  #load(id: string): Promise<Project | undefined> {
    const isWanted = (): boolean => this.#loading.get(id) === loading;
    const loading: Promise<Project | undefined> = this.#ask(id, isWanted).finally(() => {
      if (isWanted()) this.#loading.delete(id);
    });
    this.#loading.set(id, loading);
    return loading;
  }

  async #ask(id: string, isWanted: () => boolean): Promise<Project | undefined> {
    const row = await this.registry.find(id);
    const project = row?.status === 'active' ? projectOf(row) : undefined;
    if (!isWanted()) return project;
    if (project) this.#projects.set(id, project, { ttl: this.#ttl });
    else this.#misses.set(id, true);
    return project;
  }
}
