import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { boundedJson } from '../../../src/shared/response-size.js';
import { lowerLimit } from '../../support/limits.js';

lowerLimit('answerBytes', 1024 * 1024);
const MOST = LIMITS.answerBytes;
const REFUSED = expect.objectContaining({
  status: 400,
  messages: [expect.objectContaining({ code: 'answer.too_large' })],
}) as Error;

describe('JSON of at most the size of an answer', () => {
  it.each([
    ['a text', 'x'.repeat(MOST - 2)],
    ['a list', ['x'.repeat(MOST - 8), 1, 2]],
    ['lists', [Array<unknown>(1000).fill([]), { list: [{}, [], ''] }]],
    ['what is left out', { a: undefined, b: () => 1, c: Symbol('c'), d: [undefined] }],
    ['what tells of itself', { at: new Date(0), text: new String('x'), pair: { toJSON: () => [1, { a: 'b' }] } }],
    ['null', null],
  ])('is that of JSON.stringify: %s', (_, value) => {
    expect(boundedJson(value) === JSON.stringify(value)).toBe(true);
  });

  it.each([
    ['a text', 'x'.repeat(MOST - 1)],
    ['a text of more bytes than characters', 'é'.repeat(MOST / 2)],
    ['a text of escapes', '\u0001'.repeat(MOST / 6 + 1)],
    ['a list', ['x'.repeat(MOST - 7), 1, 2]],
    ['one part at many places', Array.from({ length: 30 }).reduce((part) => [part, part], {})],
    [
      'what tells of a part at many places',
      { toJSON: () => Array.from({ length: 30 }).reduce((part) => [part, part], 1) },
    ],
  ])('is not made of more: %s', (_, value) => {
    expect(() => boundedJson(value)).toThrow(REFUSED);
  });

  it('is undefined for values that are not JSON', () => {
    expect(boundedJson(undefined)).toBeUndefined();
    expect(boundedJson(() => 1)).toBeUndefined();
  });
});
