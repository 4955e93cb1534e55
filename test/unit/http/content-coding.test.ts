/** The content coding that a client prefers (RFC 9110, section 12.5.3). */
import { expect, it } from 'vitest';
import { preferredCoding } from '../../../src/http/answer/content-coding.js';

it.each<[header: string | undefined, expected: string | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, br;q=0.9', 'gzip'],
  ['br ; q = 0.5 , gzip ; Q=0.501', 'gzip'],
  ['deflate, zstd', undefined],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip, *;q=0', 'gzip'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['identity, gzip', 'gzip'],
  ['identity;q=1, gzip;q=0.5', undefined],
  ['identity;q=0', undefined],
  ['identity;q=0, gzip;q=0.001', 'gzip'],
  ['identity;q=0, *;q=0.1', 'br'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000', undefined],
  ['gzip;q=2, br;q=high', undefined],
  ['gzip;level=9, br', 'br'],
  ['gzip br', undefined],
  [',, gzip ,', 'gzip'],
  ['constructor, __proto__', undefined],
])('of %j is %s', (header, expected) => {
  expect(preferredCoding(header)).toBe(expected);
});
