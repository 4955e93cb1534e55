import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InexactNumber, jsonEqual, jsonFault } from '../../../src/shared/json.js';
import { jsonText, indexOfDuplicate, copyJson } from '../../../src/shared/large-json.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { runSync, type WorkInPieces } from '../../../src/shared/work-in-pieces.js';

describe('duplicate elements', () => {
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
    expect(indexOfDuplicate(items)).toBe(at);
  });
});

describe('a JSON value', () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

  it('has a limited number of keys per object', () => {
    expect(jsonFault(keys(LIMITS.jsonKeys))).toBeUndefined();
    expect(jsonFault([keys(LIMITS.jsonKeys), keys(LIMITS.jsonKeys)])).toBeUndefined();
    expect(jsonFault([keys(LIMITS.jsonKeys + 1)])).toBe('has an object of more than 50000 keys');
  });

  it('has a limited number of values', () => {
    expect(jsonFault(Array.from({ length: LIMITS.jsonValues }, () => 1))).toBeUndefined();
    expect(jsonFault({ a: Array.from({ length: LIMITS.jsonValues }, () => 1) })).toBe('has more than 500000 values');
  });
});

describe('a large value', () => {
  /** The value of some work, and how often others had their turn meanwhile. */
  const done = <T>(work: WorkInPieces<T>): { value: T; pauses: number } => {
    for (let pauses = 0; ; pauses += 1) {
      const piece = work.next();
      if (piece.done) return { value: piece.value, pauses };
    }
  };
  const LARGE: readonly [string, unknown, number][] = [
    ['a long text', `${'x"\u00e9'.repeat(100_000)}\u{1f600}${'\u{1f600}'.repeat(100_000)}`, 5],
    ['a long list', Array.from({ length: 50_000 }, (_, at) => at / 3), 50],
    ['a list of lists', Array.from({ length: 5000 }, (_, at) => [at, [], { a: [null, undefined, 'x'] }]), 5],
    ['an object of many keys', Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, { at }])), 5],
    ['what is deep', Array.from({ length: 90 }).reduce<unknown>((inner) => [inner, 'x'.repeat(1000)], 1), 0],
    ['what JSON has no word for', [...Array<number>(6000).fill(-0), Number.NaN, undefined], 1],
  ];

  it.each(LARGE)('is written as JSON in pieces: %s', (_, value, pauses) => {
    const written = done(jsonText(value));
    expect(written.value).toBe(JSON.stringify(value));
    expect(written.pauses).toBeGreaterThanOrEqual(pauses);
  });

  it('is written as `JSON.stringify` does, whatever it is', () => {
    const many = fc.tuple(fc.jsonValue(), fc.nat(6000)).map(([value, times]) => Array(times).fill(value));
    fc.assert(
      fc.property(many, (value) => {
        expect(runSync(jsonText(value))).toBe(JSON.stringify(value));
      }),
      { numRuns: 200 },
    );
  });

  it('equals another one without regard to the order of keys', () => {
    // All but NaN, which equals nothing.
    const values = LARGE.slice(0, -1);
    const [one, other] = [
      { a: values, b: [1] },
      { b: [1], a: structuredClone(values) },
    ];
    expect(jsonEqual(one, other)).toBe(true);
    expect(jsonEqual(one, { ...other, b: [2] })).toBe(false);
  });

  it('is copied with the nearest doubles for inexact numbers, and keeps keys of any name', () => {
    const near = new InexactNumber('0.1234567890123456789', true);
    const text = '{"__proto__":[0.12345678901234568],"b":{"c":1}}';
    const value = JSON.parse(text.replace('0.12345678901234568', '"near"'), (_, each: unknown) =>
      each === 'near' ? near : each,
    ) as unknown;
    expect(JSON.stringify(runSync(copyJson(value)))).toBe(text);
  });
});
