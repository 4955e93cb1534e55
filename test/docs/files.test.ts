/** The commands of docs/files.md, run after the first ones of README.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/mailbox.js';
import { sharedService } from '../support/service.js';
import { runSteps, stepsOf } from './shell.js';

const page = (name: string) => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');
const project = await (await sharedService()).project();

test('docs/files.md', async () => {
  const before = stepsOf(page('README.md'), 'sh tour').slice(0, 2);
  const steps = stepsOf(page('docs/files.md'), 'sh files');
  const there = { command: `cd ${temporaryFolder()}`, answers: [] };
  const printed = (await runSteps([...before, there, ...steps], project)).slice(before.length + 1);
  expect(steps.map(({ answers }) => answers.length)).toEqual(steps.map(() => 1));
  for (const [at, { answers }] of steps.entries()) expect(printed[at]).toMatchObject(answers);
});
