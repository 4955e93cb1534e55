import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { etagMatches, etagOf, expectedVersions } from '../../../src/http/answer/etag.js';

const presentation = fc.stringMatching(/^[0-9a-z]{1,13}$/);
const version = fc.bigInt({ min: 0n, max: 2n ** 62n }).map(String);

describe('entity tags', () => {
  it('can be parsed to the version that they encode', () => {
    fc.assert(
      fc.property(version, version, presentation, (one, other, model) => {
        expect(expectedVersions(etagOf(one, model))).toEqual([one]);
        expect(expectedVersions(`"x", ${etagOf(one, model)} ,${etagOf(other, model)}`)).toEqual([one, other]);
        expect(expectedVersions(`W/${etagOf(one, model)}`)).toEqual([]);
      }),
    );
  });

  it('differ if the version or the model differs', () => {
    fc.assert(
      fc.property(version, presentation, version, presentation, (a, m, b, n) => {
        expect(etagOf(a, m) === etagOf(b, n)).toBe(a === b && m === n);
        expect(etagMatches(etagOf(a, m), etagOf(b, n))).toBe(a === b && m === n);
      }),
    );
  });

  it('are read from any header safely and fast', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', 'W', '/', ',', '*', ' ', '-', '1', 'z'), maxLength: 200 }),
        (header) => {
          expect(typeof etagMatches(header, '"1-1"')).toBe('boolean');
          expectedVersions(header);
        },
      ),
    );
    // Linear: what backtracks would take longer than the runner's timeout.
    for (const header of [
      'W/'.repeat(30_000),
      '"'.repeat(60_001),
      `"${'z'.repeat(60_000)}-1"`,
      '"1-1",'.repeat(10_000),
    ]) {
      expect(typeof etagMatches(header, '"1-1"')).toBe('boolean');
      expect(expectedVersions(header)).toBeDefined();
    }
  });
});
