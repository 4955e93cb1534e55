/** A map over another one: its own entries, and those of `below` that it lacks. Nothing is copied. */
export class LayeredMap<K, V> implements ReadonlyMap<K, V> {
  constructor(
    private readonly own: ReadonlyMap<K, V>,
    private readonly below: ReadonlyMap<K, V>,
  ) {}

  get size(): number {
    return [...this.keys()].length;
  }

  has(key: K): boolean {
    return this.own.has(key) || this.below.has(key);
  }

  get(key: K): V | undefined {
    return this.own.has(key) ? this.own.get(key) : this.below.get(key);
  }

  *entries(): MapIterator<[K, V]> {
    yield* this.own;
    for (const entry of this.below) if (!this.own.has(entry[0])) yield entry;
  }

  *keys(): MapIterator<K> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  forEach(work: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this.entries()) work(value, key, this);
  }
}
