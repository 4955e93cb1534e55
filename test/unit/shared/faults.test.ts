import { expect, it } from 'vitest';
import { Faults } from '../../../src/shared/errors.js';
import { LIMITS } from '../../../src/shared/limits.js';

it('hints are looked up for the first faults only, those inside a value counted along', () => {
  const faults = new Faults();
  const inside = faults.within('author');
  const hints = Array.from({ length: LIMITS.hints + 5 }, (_, at) => {
    const collector = at % 2 === 0 ? faults : inside;
    const hint = collector.hint('titel', ['title', 'text']);
    collector.add('parameter.unknown', `titel${at}`);
    return hint;
  });
  expect(hints).toEqual(hints.map((_, at) => (at < LIMITS.hints ? " (did you mean 'title'?)" : '')));
});
