/** Templates of statements are rendered once, and the newest ones are kept. */
import { expect, it, vi } from 'vitest';
import type { Field } from '../../../src/model/model.js';
import { param, sql, type Fragment } from '../../../src/sql/fragment.js';
import { fromTemplate } from '../../../src/sql/statement-template.js';

const make = vi.fn(([value]: readonly Fragment[]) => sql`SELECT ${value ?? param(0)}, ${param('fixed')}`);

it('a text is rendered once for each shape, and each use supplies its values', () => {
  const fields: readonly Field[] = [];
  const first = fromTemplate(fields, 'a', [1], make);
  expect(fromTemplate(fields, 'a', [2], make)).toEqual({ ...first, values: [2, 'fixed'] });
  expect(first.values).toEqual([1, 'fixed']);
  expect(make).toHaveBeenCalledTimes(1);
});

it('of many shapes the newest hundred are kept, however many came before', () => {
  const fields: readonly Field[] = [];
  for (let shape = 0; shape < 250; shape += 1) fromTemplate(fields, `${shape}`, [1], make);
  make.mockClear();
  for (let shape = 150; shape < 250; shape += 1) fromTemplate(fields, `${shape}`, [1], make);
  expect(make).not.toHaveBeenCalled();
  fromTemplate(fields, '149', [1], make);
  expect(make).toHaveBeenCalledTimes(1);
});
