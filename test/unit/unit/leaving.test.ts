/** What one deletion may take along, and for how long. */
import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { DeletionSet } from '../../../src/unit/session/deletion-set.js';

it('knows the units being deleted, by kind', () => {
  const leaving = new DeletionSet();
  leaving.add('city', ['a', 'b']);
  leaving.add('land', ['a']);
  leaving.remove('city', ['a']);
  expect([...leaving.of('city')]).toEqual(['b']);
  expect([...leaving.of('land')]).toEqual(['a']);
  expect([...leaving.of('sea')]).toEqual([]);
});

it('also counts deleted units', () => {
  const leaving = new DeletionSet();
  const ids = Array.from({ length: LIMITS.deletedUnits }, (_, n) => String(n));
  leaving.add('city', ids);
  leaving.remove('city', ids);
  expect(() => leaving.add('land', ['a'])).toThrow(
    expect.objectContaining({ code: 'unit.reaches_too_many', message: expect.stringContaining('100,000') as string }),
  );
});

it('ends when its time is over', () => {
  let now = 5000;
  const leaving = new DeletionSet(() => now);
  now += LIMITS.deletionSeconds * 1000;
  leaving.checkTime();
  now += 1;
  expect(() => leaving.checkTime()).toThrow(expect.objectContaining({ code: 'query.timeout' }));
});
