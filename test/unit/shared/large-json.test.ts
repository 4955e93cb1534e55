/** Large JSON values: no step of writing them takes long. */
import { expect, it } from 'vitest';
import { jsonText } from '../../../src/shared/large-json.js';
import { runSync } from '../../../src/shared/work-in-pieces.js';

it('lists the members of a large object twice at most, wherever it is', () => {
  const members = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, at]));
  let listed = 0;
  const counting = new Proxy(members, {
    ownKeys: (target) => {
      listed += 1;
      return Reflect.ownKeys(target);
    },
  });
  const text = runSync(jsonText([{ rows: [{ id: 1, metadata: counting }] }]));
  expect(text).toBe(JSON.stringify([{ rows: [{ id: 1, metadata: members }] }]));
  expect(listed).toBe(2);
});
