/** What one deletion may take along, and for how long. */
import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { DeletionSet } from '../../../src/catalog/session/deletion-set.js';

it('knows the units being deleted, by kind', () => {
  const deletionSet = new DeletionSet();
  deletionSet.add('city', ['a', 'b']);
  deletionSet.add('land', ['a']);
  deletionSet.remove('city', ['a']);
  expect([...deletionSet.of('city')]).toEqual(['b']);
  expect([...deletionSet.of('land')]).toEqual(['a']);
  expect([...deletionSet.of('sea')]).toEqual([]);
});

it('also counts deleted units', () => {
  const deletionSet = new DeletionSet();
  const ids = Array.from({ length: LIMITS.deletedUnits }, (_, n) => String(n));
  deletionSet.add('city', ids);
  deletionSet.remove('city', ids);
  expect(() => deletionSet.add('land', ['a'])).toThrow(
    expect.objectContaining({ code: 'unit.reaches_too_many', message: expect.stringContaining('100,000') as string }),
  );
});

it('ends when its time is over', () => {
  let now = 5000;
  const deletionSet = new DeletionSet(() => now);
  now += LIMITS.deletionSeconds * 1000;
  deletionSet.checkTime();
  now += 1;
  expect(() => deletionSet.checkTime()).toThrow(expect.objectContaining({ code: 'query.timeout' }));
});
