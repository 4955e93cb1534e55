/** Requests of a project by minute, with the times below which they stayed. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { quantileOf } from '../../../src/metrics/request-counts.js';
import { ProjectLoads } from '../../../src/metrics/project-loads.js';

const START = Date.parse('2026-11-24T10:00:30Z');

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

it('estimates a quantile within its bucket, as Prometheus does', () => {
  const none = Array.from({ length: 14 }, () => 0);
  expect(quantileOf(none, 0.5)).toBeNull();
  // Ten requests between 5 and 10 ms.
  expect(quantileOf(none.with(3, 10), 0.5)).toBe(0.0075);
  expect(quantileOf(none.with(0, 10), 0.5)).toBe(0.0005);
  // Half below 1 ms, half above all bounds.
  expect(quantileOf(none.with(0, 5).with(13, 5), 0.99)).toBe(10);
});

it('counts each project alone, by minute, from the start on', async () => {
  const loads = new ProjectLoads();
  loads.observe('a', 200, 7);
  loads.observe('a', 404, 7);
  loads.observe('a', 499, 7);
  loads.observe('b', 500, 20_000);
  vi.setSystemTime(START + 120_000);
  loads.observe('a', 503, 7);
  const begins = ['2026-11-24T10:00:00.000000Z', '2026-11-24T10:01:00.000000Z', '2026-11-24T10:02:00.000000Z'];
  const none = { requests: 0, refused: 0, failed: 0, p50_seconds: null, p99_seconds: null };
  expect(await loads.lastHour('a')).toEqual([
    { begin: begins[0], requests: 3, refused: 1, failed: 0, p50_seconds: 0.0075, p99_seconds: expect.closeTo(0.01, 3) },
    { begin: begins[1], ...none },
    { begin: begins[2], ...none, requests: 1, failed: 1, p50_seconds: 0.0075, p99_seconds: expect.closeTo(0.01, 3) },
  ]);
  expect((await loads.lastHour('b'))[0]).toMatchObject({ requests: 1, failed: 1, p99_seconds: 10 });
  expect(await loads.lastHour('c')).toMatchObject([none, none, none]);
});

it('keeps an hour, and adds up what other processes counted', async () => {
  const [loads, other] = [new ProjectLoads(), new ProjectLoads()];
  loads.observe('a', 200, 1);
  vi.setSystemTime(START + 3_600_000);
  loads.observe('a', 200, 1);
  other.observe('a', 200, 1);
  expect(loads.own('a').minutes).toHaveLength(1);
  loads.join((project) => Promise.resolve([loads.own(project), other.own(project)]));
  const hour = await loads.lastHour('a');
  expect(hour).toHaveLength(60);
  expect(hour.at(-1)).toMatchObject({ begin: '2026-11-24T11:00:00.000000Z', requests: 2 });
  expect(hour.reduce((sum, { requests }) => sum + requests, 0)).toBe(2);
});
