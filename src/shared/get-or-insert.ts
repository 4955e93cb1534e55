/** A `Map` or a `WeakMap`. */
interface Entries<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of a key. If there is none yet, the result of `make` is stored and returned. */
export function getOrInsert<K, V extends string | boolean | object>(map: Entries<K, V>, key: K, make: () => V): V {
  const stored = map.get(key);
  if (stored !== undefined) return stored;
  const value = make();
  map.set(key, value);
  return value;
}
