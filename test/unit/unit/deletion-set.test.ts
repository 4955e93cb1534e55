/** What one deletion may take along, and for how long. */
import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { DeletionProgress } from '../../../src/catalog/session/deletion-progress.js';

it('knows the units being deleted, by kind', () => {
  const deletionProgress = new DeletionProgress();
  deletionProgress.add('city', ['a', 'b']);
  deletionProgress.add('land', ['a']);
  deletionProgress.remove('city', ['a']);
  expect([...deletionProgress.of('city')]).toEqual(['b']);
  expect([...deletionProgress.of('land')]).toEqual(['a']);
  expect([...deletionProgress.of('sea')]).toEqual([]);
});

it('also counts deleted units', () => {
  const deletionProgress = new DeletionProgress();
  const ids = Array.from({ length: LIMITS.deletedUnits }, (_, n) => String(n));
  deletionProgress.add('city', ids);
  deletionProgress.remove('city', ids);
  expect(() => deletionProgress.add('land', ['a'])).toThrow(
    expect.objectContaining({ code: 'unit.reaches_too_many', message: expect.stringContaining('100,000') as string }),
  );
});

it('ends when its time is over', () => {
  let now = 5000;
  const deletionProgress = new DeletionProgress(() => now);
  now += LIMITS.deletionSeconds * 1000;
  deletionProgress.checkTime();
  now += 1;
  expect(() => deletionProgress.checkTime()).toThrow(expect.objectContaining({ code: 'query.timeout' }));
});
