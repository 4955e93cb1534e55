/** The cache of models, limited by their estimated size. */
import { LRUCache } from 'lru-cache';
import type { Model } from '../../model/model.js';

/** Bytes of all cached models. */
const MAX_BYTES = 80 * 2 ** 20;
/**
 * Estimated bytes of a model besides its stored definitions (built-in kinds, of which all models share the fields), and
 * of a field of a kind (measured: 61,000 for 20 kinds with 159 fields and 28,000 bytes of definitions).
 */
const BASE_BYTES = 20_000;
const FIELD_BYTES = 60;
/** The fraction of `MAX_BYTES` beyond which a model is cached separately, and the maximum of such models. */
const OVERSIZED = 1 / 4;
const MAX_OVERSIZED = 2;

export interface CachedModel {
  readonly model: Model;
  /** The logical time before it was read, or after it was committed. */
  readonly time: number;
  /** Expiry as `performance.now()`; undefined if it does not expire. */
  readonly until?: number;
}

/** Bytes of the stored definitions, by the kinds of a model, which all versions of one load share. */
const storedBytes = new WeakMap<Model['kinds'], number>();

/** Records the bytes of the stored definitions of a loaded model. */
export function noteStoredBytes({ kinds }: Model, bytes: number): void {
  storedBytes.set(kinds, bytes);
}

/** The bytes of the stored definitions; 0 for a model that was not loaded. */
export function storedBytesOf({ kinds }: Model): number {
  return storedBytes.get(kinds) ?? 0;
}

/** Oversized models do not displace others. */
export class ModelCache {
  readonly #models: LRUCache<string, CachedModel>;
  readonly #oversized = new LRUCache<string, CachedModel>({ max: MAX_OVERSIZED });

  constructor(private readonly maxBytes = MAX_BYTES) {
    this.#models = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ model }) => estimateBytes(model) });
  }

  get(id: string): CachedModel | undefined {
    return this.#models.get(id) ?? this.#oversized.get(id);
  }

  /** The same without updating the order of use. */
  peek(id: string): CachedModel | undefined {
    return this.#models.peek(id) ?? this.#oversized.peek(id);
  }

  set(id: string, kept: CachedModel): void {
    const oversized = estimateBytes(kept.model) > this.maxBytes * OVERSIZED;
    (oversized ? this.#models : this.#oversized).delete(id);
    (oversized ? this.#oversized : this.#models).set(id, kept);
  }

  delete(id: string): void {
    this.#models.delete(id);
    this.#oversized.delete(id);
  }

  clear(): void {
    this.#models.clear();
    this.#oversized.clear();
  }

  get size(): number {
    return this.#models.size + this.#oversized.size;
  }

  /** Bytes of the cached models, without oversized ones. */
  get bytes(): number {
    return this.#models.calculatedSize;
  }
}

function estimateBytes(model: Model): number {
  let fieldCount = 0;
  for (const { builtIn, fields } of model.kinds.values()) if (!builtIn) fieldCount += fields.size;
  return BASE_BYTES + FIELD_BYTES * fieldCount + storedBytesOf(model);
}
