/** The examples of docs/api-keys.md, and of docs/model-as-code.md over REST, run after the tour of README.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedService } from '../support/service.js';
import { runSteps, stepsOf } from './shell.js';

const page = (name: string) => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');
const project = await (await sharedService()).project();

test('a key for one purpose', async () => {
  const before = stepsOf(page('README.md'), 'sh tour').slice(0, 2);
  const steps = stepsOf(page('docs/api-keys.md'), 'sh keys');
  expect(steps.map(({ answers }) => answers.length)).toEqual([0, 3, 2, 1]);
  const printed = (await runSteps([...before, ...steps], project)).slice(before.length);
  expect(printed[0]).toMatchObject([{ messages: [] }, { messages: [] }]);
  expect(printed[1]).toMatchObject(steps[1]?.answers ?? []);
  expect(printed[2]).toMatchObject(steps[2]?.answers ?? []);
  expect(printed[3]).toMatchObject(steps[3]?.answers ?? []);
});

test('the model by a key', async () => {
  const before = stepsOf(page('README.md'), 'sh tour').slice(0, 2);
  const steps = stepsOf(page('docs/model-as-code.md'), 'sh model');
  expect(steps.map(({ answers }) => answers.length)).toEqual([3]);
  const printed = (await runSteps([...before, ...steps], project)).slice(before.length);
  expect(printed[0]).toMatchObject(steps[0]?.answers ?? []);
});
