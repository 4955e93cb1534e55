import { expect, it } from 'vitest';
import { GivenUnit } from '../../../src/function/run/function-calls.js';
import { kind, modelWith, parameter } from '../../support/models.js';

const model = modelWith({ kinds: [kind('stock', ['left'])], parameters: [parameter('left', 'integer')] });

it('each run of a function gets the unit as it was read, whatever the run before changed', () => {
  const stored = { id: '1', tags: ['new'] };
  Object.defineProperty(stored, 'secret', { value: { code: 7 }, enumerable: false, writable: true });
  const stock = model.kinds.get('stock');
  if (!stock) throw new Error('no kind');
  const read = () => Promise.reject(new Error('is not read again'));
  const given = new GivenUnit(stock, stored, { get: read, find: read });
  const first = given.copy() as typeof stored & { secret: { code: number } };
  first.tags.push('sold');
  first.secret.code = 8;
  first.id = '2';
  const second = given.copy();
  expect(second).toEqual({ id: '1', tags: ['new'] });
  expect(second['secret']).toEqual({ code: 7 });
});
