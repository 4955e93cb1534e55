import { expect, it } from 'vitest';
import { getOrInsert, lruCache, textCache } from '../../../src/shared/maps.js';

/** A value of a map is made when it is missing, and once. */
it('makes and stores a value that is missing, and returns it from then on', () => {
  const map = new Map([['known', false]]);
  let made = 0;
  const make = () => ++made > 0;
  expect(getOrInsert(map, 'known', make)).toBe(false);
  expect(getOrInsert(map, 'new', make)).toBe(true);
  expect(getOrInsert(map, 'new', make)).toBe(true);
  expect(made).toBe(1);
});

it('keeps at most as many entries as it may, and forgets the one that was not used for longest', () => {
  const cache = lruCache<string>(3);
  for (const key of ['a', 'b', 'c']) cache.set(key, key);
  cache.get('a');
  cache.set('d', 'd');
  expect([...cache.keys()].sort()).toEqual(['a', 'c', 'd']);
  for (let n = 0; n < 1000; n += 1) cache.set(`n${n}`, '');
  expect(cache.size).toBe(3);
});

it('forgets an entry after its time', () => {
  const cache = lruCache<true>(3, { ttl: 1 });
  cache.set('a', true, { start: performance.now() - 10 });
  cache.set('b', true, { ttl: 60_000 });
  expect([cache.has('a'), cache.has('b')]).toEqual([false, true]);
});

it('takes no memory for entries that it does not have', () => {
  const before = process.memoryUsage().heapUsed;
  const caches = Array.from({ length: 10 }, () => lruCache<true>(1_000_000));
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
  expect(caches).toHaveLength(10);
});

it('by texts, keeps at most as many characters of them as it may', () => {
  const cache = textCache<string>(10, 100);
  for (const name of ['a', 'b', 'c']) cache.set(name.repeat(40), name);
  cache.set('d'.repeat(101), 'd');
  expect([...cache.values()].sort()).toEqual(['b', 'c']);
});
