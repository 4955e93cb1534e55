/**
 * Bounds the answers that a project keeps for idempotency keys: a small write of a large unit keeps a large answer. Counts
 * the bytes of the last day, and those of this process only, each process having its share.
 */
import { Inject, Injectable } from '@nestjs/common';
import { type Config, CONFIG } from '../config/config.js';
import { retryLater } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { lruCache } from '../shared/maps.js';
import type { Project } from './project.js';

const DAY_MS = 24 * 3600_000;
const MOST_PROJECTS = 10_000;

/** What is known of a project whose answers are kept. */
export type KeptProject = Pick<Project, 'id' | 'schema' | 'settings'>;

@Injectable()
export class KeptBytes {
  /** Bytes by the schema of a project, from its first answer until a day later. */
  readonly #kept = lruCache<number>(MOST_PROJECTS, { ttl: DAY_MS, noUpdateTTL: true });
  readonly #workers: number;

  constructor(@Inject(CONFIG) { workers }: Pick<Config, 'workers'>) {
    this.#workers = workers;
  }

  add(schema: string, bytes: number): void {
    this.#kept.set(schema, (this.#kept.get(schema) ?? 0) + bytes);
  }

  hasRoom({ schema, settings }: KeptProject): boolean {
    return (this.#kept.get(schema) ?? 0) < mostOf(settings) / this.#workers;
  }

  /** @throws KindError 429 */
  refuseIfFull(project: KeptProject): void {
    if (this.hasRoom(project)) return;
    const seconds = Math.ceil(this.#kept.getRemainingTTL(project.schema) / 1000);
    const text =
      'This project keeps as many bytes of answers for Idempotency-Keys as it may in a day. Nothing was stored: send it without a key, or later';
    throw retryLater('idempotency.full', text, Math.max(1, seconds));
  }
}

/** The most bytes that a project keeps: answers take no more than all else that it may store. */
function mostOf({ storage }: Project['settings']): number {
  return Math.min(LIMITS.keptPerProject, storage ?? Number.POSITIVE_INFINITY);
}
