import { expect, it } from 'vitest';
import { EventThrottle } from '../../../src/shared/event-throttle.js';

it('lets the first event pass, then one per interval with a count, separately for each kind of event', () => {
  let now = 5;
  const throttle = new EventThrottle(10_000, () => now);
  expect(throttle.pass('a')).toBe(1);
  expect(throttle.pass('a')).toBeUndefined();
  expect(throttle.pass('b')).toBe(1);
  now += 9_999;
  expect(throttle.pass('a')).toBeUndefined();
  now += 1;
  expect(throttle.pass('a')).toBe(3);
  expect(throttle.pass('a')).toBeUndefined();
  now += 60_000;
  expect(throttle.pass('a')).toBe(2);
  expect(throttle.pass('b')).toBe(1);
});

it('forgets the oldest of many, and events that have not occurred for long', () => {
  let now = 5;
  const throttle = new EventThrottle(10_000, () => now);
  throttle.pass('first');
  for (let at = 0; at < 1_000; at += 1) expect(throttle.pass(`other ${at}`)).toBe(1);
  expect(throttle.pass('other 999')).toBeUndefined();
  expect(throttle.pass('first')).toBe(1);
  expect(throttle.pass('first')).toBeUndefined();
  now += 1_000_001;
  expect(throttle.pass('first')).toBe(1);
});
