/** Keeps an entry of a map that has at most so many of them: the oldest one goes. */
export function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.set(key, value);
  const [oldest] = map.size > most ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
