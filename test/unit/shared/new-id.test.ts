import { afterEach, expect, it, vi } from 'vitest';
import { newId } from '../../../src/shared/new-id.js';

afterEach(() => void vi.useRealTimers());

it('ids are UUIDs of version 7 that begin with the time', () => {
  const before = Date.now();
  const id = newId();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const time = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  expect(time).toBeGreaterThanOrEqual(before);
});

it('ids grow, within a millisecond and if the clock is set back', () => {
  const ids = [newId()];
  vi.useFakeTimers({ now: Date.now() - 60_000, toFake: ['Date'] });
  ids.push(...Array.from({ length: 10_000 }, newId));
  vi.useRealTimers();
  ids.push(newId());
  expect(ids).toEqual([...new Set(ids)].sort());
});

it('the random part differs', () => {
  expect(new Set(Array.from({ length: 1000 }, () => newId().slice(24))).size).toBe(1000);
});
