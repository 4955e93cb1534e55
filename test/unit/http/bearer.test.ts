import { describe, expect, it } from 'vitest';
import { bearerOf } from '../../../src/http/request/bearer.js';

describe('the bearer token of a header', () => {
  it.each([
    ['Bearer a.b-c_d', 'a.b-c_d'],
    ['bearer x', 'x'],
    ['BEARER  x', 'x'],
    [`Bearer ${'x'.repeat(8000)}`, 'x'.repeat(8000)],
  ])('%s has one', (header, token) => {
    expect(bearerOf(header)).toBe(token);
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearerx',
    'Basic x',
    'x Bearer y',
    'Bearer x y',
    'Bearer x, Bearer y',
    `Bearer ${'x'.repeat(8200)}`,
  ])('%s has none', (header) => {
    expect(bearerOf(header)).toBeNull();
  });

  it('is parsed in linear time', () => {
    for (const header of ['a', ' ', 'Bearer ', 'Bearer a', 'a ']) expect(bearerOf(header.repeat(1_000_000))).toBeNull();
  });
});
