import { LRUCache } from 'lru-cache';

/**
 * A cache of at most `max` entries, whose memory grows with its contents. One with the option `max` allocates for all
 * entries when it is made: 1.6 MB and 5 ms of CPU time for 50,000.
 */
export function lruCache<V extends object | string | number | boolean>(
  max: number,
  options: { readonly ttl?: number; readonly noUpdateTTL?: boolean } = {},
): LRUCache<string, V> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1, ...options });
}

/** A cache by long texts, such as those of statements: of at most so many entries, and characters of their texts. */
export function textCache<V extends object | string>(texts: number, characters: number): LRUCache<string, V> {
  return new LRUCache({ max: texts, maxSize: characters, sizeCalculation: (_, text) => Math.max(1, text.length) });
}
