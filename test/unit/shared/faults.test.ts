import { expect, it } from 'vitest';
import { didYouMean } from '../../../src/shared/texts.js';
import { Faults, refusal } from '../../../src/shared/errors.js';
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

it('a message is cut to its limit, whatever the client sent', () => {
  const long = 'x'.repeat(100_000);
  const { message, messages } = refusal('parameter.unknown', `no '${long}' here`, { parameter: long });
  expect(messages[0].text).toBe(`no '${'x'.repeat(LIMITS.messageLength - 5)}…`);
  expect(messages[0].parameter).toHaveLength(LIMITS.messageLength);
  expect(message.length).toBeLessThan(2 * LIMITS.messageLength);
  expect(refusal('parameter.unknown', 'short', { index: 1 }).messages).toEqual([
    { code: 'parameter.unknown', text: 'short', index: 1 },
  ]);
});

it('a hint compares a limited number of names', () => {
  const asked: string[] = [];
  function* names(): Generator<string> {
    for (let at = 0; at < 20_000; at += 1) {
      asked.push(`title${at}`);
      yield `title${at}`;
    }
  }
  expect(new Faults().hint('title7x', names())).toBe(" (did you mean 'title7'?)");
  expect(asked.length).toBeLessThanOrEqual(LIMITS.hintNames);
});

it.each([
  ['list', ['link', 'read'], 'read'],
  ['get', ['link', 'read'], 'read'],
  ['createdAt', ['updated_at', 'inserted_at'], 'inserted_at'],
  ['created_at', ['updated_at', 'inserted_at'], 'inserted_at'],
  // A name of one's own comes first where the other is not there.
  ['created_at', ['created'], 'created'],
  ['list', ['lists'], 'lists'],
  ['select', ['include', 'order'], 'include'],
  ['select', ['include', 'read'], 'read'],
  ['default', ['label', 'default_json'], 'default_json'],
  ['neq_field', ['eq_field', 'ne_field'], 'ne_field'],
])('what other products call %s is one of %j', (unknown, known, meant) => {
  expect(didYouMean(unknown, known)).toBe(` (did you mean '${meant}'?)`);
});
