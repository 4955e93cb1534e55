/** Each file of a migration is in the list, in the order of their names. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/database/migrations/migrations.js';

it('lists every migration', () => {
  const files = readdirSync(new URL('../../../src/database/migrations/', import.meta.url));
  const times = files.flatMap((file) => /^(\d+)-.*\.ts$/.exec(file)?.[1] ?? []);
  expect(times).not.toEqual([]);
  expect(MIGRATIONS.map(({ name }) => /\d+$/.exec(name)?.[0])).toEqual(times.toSorted());
});
