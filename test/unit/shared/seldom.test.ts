import { expect, it } from 'vitest';
import { Seldom } from '../../../src/shared/event-throttle.js';

it('lets the first pass, then one an interval with the number of those before it; each kind of event apart', () => {
  let now = 5;
  const seldom = new Seldom(10_000, () => now);
  expect(seldom.pass('a')).toBe(1);
  expect(seldom.pass('a')).toBeUndefined();
  expect(seldom.pass('b')).toBe(1);
  now += 9_999;
  expect(seldom.pass('a')).toBeUndefined();
  now += 1;
  expect(seldom.pass('a')).toBe(3);
  expect(seldom.pass('a')).toBeUndefined();
  now += 60_000;
  expect(seldom.pass('a')).toBe(2);
  expect(seldom.pass('b')).toBe(1);
});

it('forgets the oldest where there are many, and what has not passed for long', () => {
  let now = 5;
  const seldom = new Seldom(10_000, () => now);
  seldom.pass('first');
  for (let at = 0; at < 1_000; at += 1) expect(seldom.pass(`other ${at}`)).toBe(1);
  expect(seldom.pass('other 999')).toBeUndefined();
  expect(seldom.pass('first')).toBe(1);
  expect(seldom.pass('first')).toBeUndefined();
  now += 1_000_001;
  expect(seldom.pass('first')).toBe(1);
});
