/** Live lists without a browser: what a stream says of what a page shows. */
import { describe, expect, it } from 'vitest';
import { changesOf, notShown, versionOf, type Change, type Shown } from '../src/live/changes.js';

it('knows the version of a unit by its time', () => {
  expect(versionOf('2026-11-29T07:06:40.123456Z')).toBe(Date.UTC(2026, 10, 29, 7, 6, 40) * 1000 + 123_456);
  expect(versionOf('2026-11-29T07:06:40.5Z') - versionOf('2026-11-29T07:06:40Z')).toBe(500_000);
  // Of what has none, every change is newer.
  expect(5 > versionOf(undefined)).toBe(false);
});

describe('a page of a stream', () => {
  const LIMIT = 5;
  const shown = (ids: string, isWhole = true): Shown => ({
    versions: new Map([...ids].map((id) => [id, 1])),
    isWhole,
  });
  /** Ids in the order of the page; capitals have changed. */
  const page = (ids: string) => ({
    path: '',
    type: 'page' as const,
    units: [...ids].map((id) => ({ id: id.toLowerCase(), version: id === id.toLowerCase() ? 1 : 2 })),
  });
  it.each([
    ['abc', true, 'abc', []],
    ['abc', true, 'aBc', ['b']],
    ['abc', true, 'ac', ['-b']],
    ['abc', true, 'xabc', ['x']],
    ['abc', true, 'abcx', ['x']],
    ['', true, 'a', ['a']],
    ['abc', true, '', ['-a', '-b', '-c']],
    // What was not loaded is no difference.
    ['abc', false, 'abcd', []],
    ['abc', false, 'axbcd', ['x']],
    ['abc', false, 'acd', ['-b']],
    // A full page may end before what is loaded.
    ['abcdefg', false, 'abcde', []],
    ['abcdefg', false, 'axbcd', ['x']],
    ['abcdefg', true, 'acdef', ['-b']],
    ['abc', true, 'xyzvw', ['x', 'y', 'z', 'v', 'w']],
  ])('of which %s is shown (all: %s) and that has %s', (ids, isWhole, told, expected) => {
    const changes = changesOf(page(told), shown(ids, isWhole), LIMIT);
    expect(changes.map(([id, { isGone }]) => `${isGone ? '-' : ''}${id}`)).toEqual(expected);
  });
});

it('forgets what the page shows by now', () => {
  const versions = new Map([
    ['stored', 5],
    ['old', 5],
    ['deleted', 5],
    ['left', 5],
  ]);
  const changes = new Map<string, Change>([
    ['stored', { version: 5, isGone: false }],
    ['old', { version: 6, isGone: false }],
    ['new', { version: 1, isGone: false }],
    ['deleted', { version: 6, isGone: true }],
    // By one's own edit, after which it is still shown.
    ['left', { version: 5, isGone: true }],
    ['gone', { version: 6, isGone: true }],
  ]);
  const left = [...changes.values()];
  expect(notShown(changes, versions)).toEqual([left[1], left[2], left[3]]);
});
