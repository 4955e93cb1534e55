import { describe, expect, it } from 'vitest';
import { jsonFault, repeatedAt } from '../../../src/shared/json.js';
import { LIMITS } from '../../../src/shared/limits.js';

describe('elements that are there twice', () => {
  it.each([
    [[1, 2, 1], 2],
    [['1', 1], -1],
    [['{"a":1}', { a: 1 }], -1],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      1,
    ],
    [[null, 'null', null], 2],
    [[0, -0], 1],
    [[true, 'true', 1], -1],
    [[[1], [1, 1], [1]], 2],
    [[], -1],
  ])('of %j: the one at %i', (items, at) => {
    expect(repeatedAt(items)).toBe(at);
  });
});

describe('a JSON value', () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

  it('has so many keys in one object, and more in several', () => {
    expect(jsonFault(keys(LIMITS.jsonKeys))).toBeUndefined();
    expect(jsonFault([keys(LIMITS.jsonKeys), keys(LIMITS.jsonKeys)])).toBeUndefined();
    expect(jsonFault([keys(LIMITS.jsonKeys + 1)])).toBe('has an object of more than 50000 keys');
  });

  it('has so many values', () => {
    expect(jsonFault(Array.from({ length: LIMITS.jsonValues }, () => 1))).toBeUndefined();
    expect(jsonFault({ a: Array.from({ length: LIMITS.jsonValues }, () => 1) })).toBe('has more than 500000 values');
  });
});
