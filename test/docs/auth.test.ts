/** The first member of docs/auth.md, created after the tour of README.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedService } from '../support/service.js';
import { runSteps, stepsOf } from './shell.js';

const page = (name: string) => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');
const project = await (await sharedService()).project();

test('from no user to a signed-up member, and who that is', async () => {
  const before = stepsOf(page('README.md'), 'sh tour').slice(0, 2);
  const steps = stepsOf(page('docs/auth.md'), 'sh members');
  expect(steps.map(({ answers }) => answers.length)).toEqual([0, 0, 3, 2, 2, 3, 1, 1]);
  const printed = (await runSteps([...before, ...steps], project)).slice(before.length);
  expect(printed[0]).toMatchObject([{ messages: [] }, { messages: [] }, { messages: [] }]);
  expect(printed[1]).toEqual([{}]);
  expect(printed[2]).toMatchObject(steps[2]?.answers ?? []);
  expect(printed[3]).toMatchObject(steps[3]?.answers ?? []);
  expect(printed[4]).toMatchObject(steps[4]?.answers ?? []);
  expect(printed[5]).toMatchObject(steps[5]?.answers ?? []);
  expect(printed[6]).toEqual(steps[6]?.answers);
});
