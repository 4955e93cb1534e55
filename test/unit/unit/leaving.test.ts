/** What one deletion may take along, and for how long. */
import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { Leaving } from '../../../src/unit/session/deletion-set.js';

it('knows the units being deleted, by kind', () => {
  const leaving = new Leaving();
  leaving.enter('city', ['a', 'b']);
  leaving.enter('land', ['a']);
  leaving.leave('city', ['a']);
  expect([...leaving.of('city')]).toEqual(['b']);
  expect([...leaving.of('land')]).toEqual(['a']);
  expect([...leaving.of('sea')]).toEqual([]);
});

it('also counts deleted units', () => {
  const leaving = new Leaving();
  const ids = Array.from({ length: LIMITS.deletedUnits }, (_, n) => String(n));
  leaving.enter('city', ids);
  leaving.leave('city', ids);
  expect(() => leaving.enter('land', ['a'])).toThrow(
    expect.objectContaining({ code: 'unit.reaches_too_many', message: expect.stringContaining('100,000') as string }),
  );
});

it('ends when its time is over', () => {
  let now = 5000;
  const leaving = new Leaving(() => now);
  now += LIMITS.deletionSeconds * 1000;
  leaving.checkTime();
  now += 1;
  expect(() => leaving.checkTime()).toThrow(expect.objectContaining({ code: 'query.timeout' }));
});
