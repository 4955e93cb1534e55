import { expect, it } from 'vitest';
import { RequestSlot } from '../../../src/http/request/request.js';

it('slots keep a value each for a request, also one that was made after the request had values', () => {
  const [request, other] = [{}, {}];
  const id = new RequestSlot<string>();
  id.set(request, 'a');
  const scope = new RequestSlot<number>();
  expect([id.get(request), scope.get(request), id.get(other)]).toEqual(['a', undefined, undefined]);
  scope.set(request, 1);
  id.set(request, 'b');
  expect([id.get(request), scope.get(request), Object.keys(request)]).toEqual(['b', 1, []]);
});
