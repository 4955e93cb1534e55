/**
 * Bounds the answers that a project keeps for idempotency keys: a small write of a large unit keeps a large answer. Counts
 * the bytes of the last day, and those of this process only, each process having its share.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/config.token.js';
import { retryLater } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { lruCache } from '../../shared/lru-cache.js';

const DAY_MS = 24 * 3600_000;
const MOST_PROJECTS = 10_000;

@Injectable()
export class KeptBytes {
  /** Bytes by the schema of a project, from its first answer until a day later. */
  readonly #kept = lruCache<number>(MOST_PROJECTS, { ttl: DAY_MS, noUpdateTTL: true });
  /** The most bytes that this process may keep. */
  readonly #most: number;

  constructor(@Inject(CONFIG) { workers }: Pick<Config, 'workers'>) {
    this.#most = LIMITS.keptPerProject / workers;
  }

  add(schema: string, bytes: number): void {
    this.#kept.set(schema, (this.#kept.get(schema) ?? 0) + bytes);
  }

  hasRoom(schema: string): boolean {
    return (this.#kept.get(schema) ?? 0) < this.#most;
  }

  /** @throws KindError 429 */
  refuseIfFull(schema: string): void {
    if (this.hasRoom(schema)) return;
    const seconds = Math.ceil(this.#kept.getRemainingTTL(schema) / 1000);
    const text =
      'This project keeps as many bytes of answers for Idempotency-Keys as it may in a day. Nothing was stored: send it without a key, or later';
    throw retryLater('idempotency.full', text, Math.max(1, seconds));
  }
}
