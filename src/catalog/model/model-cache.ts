/** The models in memory, weighed by what they take. */
import { LRUCache } from 'lru-cache';
import type { Model } from '../../model/model.js';

/** Bytes of all models in memory. */
const MAX_BYTES = 256 * 2 ** 20;
/** What a model takes beside its stored definitions, most of it for the built-in kinds; and a field of a kind (measured). */
const OWN_BYTES = 45_000;
const USE_BYTES = 60;
/** The part of all bytes beyond which a model is kept apart from the others, and how many such are kept. */
const GIANT = 1 / 4;
const GIANTS = 2;

export interface CachedModel {
  readonly model: Model;
  /** The time of the clock before it was read, or after it was committed. */
  readonly time: number;
  /** Milliseconds of `performance.now()` at which it is read anew; left out where it is kept. */
  readonly until?: number;
}

/** The bytes of the stored definitions of a model, by its kinds, which all versions of one load share. */
const storedBytes = new WeakMap<Model['kinds'], number>();

/** Notes how many bytes the stored definitions of a model that was loaded have. */
export function noteStoredBytes({ kinds }: Model, bytes: number): void {
  storedBytes.set(kinds, bytes);
}

/** Those bytes; 0 of a model that was not loaded. */
export function storedBytesOf({ kinds }: Model): number {
  return storedBytes.get(kinds) ?? 0;
}

/** A model that is larger than others may be, made before definitions were bounded, takes the place of none of them. */
export class ModelCache {
  readonly #models: LRUCache<string, CachedModel>;
  readonly #giants = new LRUCache<string, CachedModel>({ max: GIANTS });

  constructor(private readonly maxBytes = MAX_BYTES) {
    this.#models = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ model }) => weightOf(model) });
  }

  get(id: string): CachedModel | undefined {
    return this.#models.get(id) ?? this.#giants.get(id);
  }

  /** The same without making it the one that was used last. */
  peek(id: string): CachedModel | undefined {
    return this.#models.peek(id) ?? this.#giants.peek(id);
  }

  set(id: string, kept: CachedModel): void {
    const giant = weightOf(kept.model) > this.maxBytes * GIANT;
    (giant ? this.#models : this.#giants).delete(id);
    (giant ? this.#giants : this.#models).set(id, kept);
  }

  delete(id: string): void {
    this.#models.delete(id);
    this.#giants.delete(id);
  }

  clear(): void {
    this.#models.clear();
    this.#giants.clear();
  }

  /** The ids of the models that are there. */
  get ids(): string[] {
    return [...this.#models.keys(), ...this.#giants.keys()];
  }

  /** Bytes of the models that are there, without those that are kept apart. */
  get bytes(): number {
    return this.#models.calculatedSize;
  }
}

function weightOf(model: Model): number {
  let uses = 0;
  for (const { builtIn, fields } of model.kinds.values()) if (!builtIn) uses += fields.size;
  return OWN_BYTES + USE_BYTES * uses + storedBytesOf(model);
}
