/** The ticks of schedules, also where clocks are moved, and which patterns there are. */
import { describe, expect, it } from 'vitest';
import { Ticks } from '../../../src/function/declare/ticks.js';

const ticksOf = (cron: string, timezone = 'UTC') => Ticks.of({ cron, timezone });
const at = (text: string) => Date.parse(text);
const textOf = (time: number | undefined) => time && new Date(time).toISOString().slice(0, 16);

describe('in Rome', () => {
  it.each([
    // Clocks go from 2:00 to 3:00 on 28 March, and from 3:00 back to 2:00 on 31 October.
    ['30 2 * * *', '2027-03-27T12:00Z', ['2027-03-28T01:00', '2027-03-29T00:30']],
    ['30 3 * * *', '2027-03-27T12:00Z', ['2027-03-28T01:30', '2027-03-29T01:30']],
    ['0 2 * * *', '2027-03-27T12:00Z', ['2027-03-28T01:00', '2027-03-29T00:00']],
    ['30 2 * * *', '2027-10-30T12:00Z', ['2027-10-31T00:30', '2027-11-01T01:30']],
    ['0 3 * * *', '2027-10-30T12:00Z', ['2027-10-31T02:00', '2027-11-01T02:00']],
    [
      '*/30 * * * *',
      '2027-10-31T00:10Z',
      ['2027-10-31T00:30', '2027-10-31T01:00', '2027-10-31T01:30', '2027-10-31T02:00'],
    ],
    ['*/30 * * * *', '2027-03-28T00:40Z', ['2027-03-28T01:00', '2027-03-28T01:30']],
    ['0 9 * * mon-FRI', '2027-03-26T12:00Z', ['2027-03-29T07:00', '2027-03-30T07:00']],
    ['0 0 13 * 5', '2027-08-08T12:00Z', ['2027-08-12T22:00', '2027-08-19T22:00']],
    ['0 0 29 2 *', '2027-01-01T00:00Z', ['2028-02-28T23:00', '2032-02-28T23:00']],
  ])('%s after %s', (cron, from, expected) => {
    const ticks = ticksOf(cron, 'Europe/Rome');
    const found: (string | number | undefined)[] = [];
    for (let time = at(from); found.length < expected.length;) {
      time = ticks.after(time);
      found.push(textOf(time));
    }
    expect(found).toEqual(expected);
  });
});

describe('the latest tick after a gap', () => {
  it.each([
    ['* * * * *', '2027-01-01T12:00Z', '2027-01-01T12:00:09Z', '2027-01-01T12:00'],
    ['* * * * *', '2027-01-01T12:00Z', '2027-01-01T12:03:00Z', '2027-01-01T12:03'],
    ['* * * * *', '2026-12-01T12:00Z', '2027-01-01T12:03:59Z', '2027-01-01T12:03'],
    ['0 * * * *', '2027-01-01T12:00Z', '2027-01-01T17:59:00Z', '2027-01-01T17:00'],
    ['17 3 * * *', '2026-12-01T03:17Z', '2027-01-01T03:16:00Z', '2026-12-31T03:17'],
    ['0 0 1 * *', '2026-12-01T00:00Z', '2027-01-02T00:00:01Z', undefined],
    ['0 0 1 * *', '2026-12-01T00:00Z', '2027-01-01T23:59:59Z', '2027-01-01T00:00'],
    ['* * * * *', '2027-01-01T12:04Z', '2027-01-01T12:03:59Z', undefined],
  ])('%s, due at %s, at %s', (cron, from, now, expected) => {
    expect(textOf(ticksOf(cron).latest(at(from), at(now)))).toBe(expected);
  });

  it('is the last of all ticks, wherever clocks were moved', () => {
    const ticks = ticksOf('7,*/20 * * * *', 'Europe/Rome');
    for (let minute = 0; minute < 300; minute += 7) {
      const now = at('2027-10-31T00:00Z') + minute * 60_000;
      const from = now - 4 * 3_600_000;
      expect(ticks.latest(from, now)).toBe(ticks.between(from - 1, now, 1000).at(-1));
    }
  });
});

it('tells so many ticks between two times', () => {
  const between = (most: number) =>
    ticksOf('*/2 * * * *').between(at('2027-01-01T12:00Z'), at('2027-01-01T12:06Z'), most);
  expect(between(10).map(textOf)).toEqual(['2027-01-01T12:02', '2027-01-01T12:04', '2027-01-01T12:06']);
  expect(between(1).map(textOf)).toEqual(['2027-01-01T12:02']);
});

it.each(['* * * * *', '0-59/15 0,12 1-31 jan-dec SUN', '*/5 1-3,5,7-9/2 * * 7', '0 0 31 4 1'])('takes %s', (cron) => {
  expect(() => ticksOf(cron)).not.toThrow();
});

it.each([
  ['@daily', "'@daily' wants five fields"],
  ['* * * * * *', 'wants five fields'],
  ['* * * *', 'wants five fields'],
  ['', 'wants five fields'],
  [' * * * * *', 'wants five fields'],
  ['* *  * * *', 'wants five fields'],
  ['* * L * *', 'wants five fields'],
  ['? * * * *', 'wants five fields'],
  ['* * * * 5#2', 'wants five fields'],
  ['* * 15W * *', 'wants five fields'],
  ['5/15 * * * *', 'wants five fields'],
  ['1,,2 * * * *', 'wants five fields'],
  ['61 * * * *', 'Invalid value for minute: 61'],
  ['* * * foo *', 'entry 4 (foo)'],
  ['*/0 * * * *', 'illegal stepping: 0'],
  ['10-5 * * * *', 'From value is larger'],
  ['0 0 30 2 *', 'no such day ever comes'],
  ['0 0 * * fri-mon', 'From value is larger'],
])('refuses %s', (cron, text) => {
  expect(() => ticksOf(cron)).toThrow(text);
});

it.each(['Nowhere/City', '', '+02:00', '__proto__'])('refuses the zone %s', (timezone) => {
  expect(() => ticksOf('* * * * *', timezone)).toThrow(`no time zone '${timezone}'`);
});
