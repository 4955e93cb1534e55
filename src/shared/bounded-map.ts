/**
 * Sets an entry of a map with at most `max` entries; beyond it, the oldest entry is deleted. (An `LRUCache` per map
 * would take 3 kB, and 10 µs to create, which requests with many short-lived maps can't afford.)
 */
export function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.set(key, value);
  const [oldest] = map.size > max ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
