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
  expect(steps.map(({ answers }) => answers.length)).toEqual([0, 0, 3, 2, 2, 3, 1, 2, 1, 1, 2]);
  const printed = (await runSteps([...before, ...steps], project)).slice(before.length);
  expect(printed[0]).toMatchObject([{ messages: [] }, { messages: [] }, { messages: [] }]);
  expect(printed[1]).toEqual([{}]);
  for (const [at, { answers }] of steps.entries())
    if (answers.length > 0) expect(printed[at]).toMatchObject(answers.map(withCuts));
  expect(printed[6]).toEqual(steps[6]?.answers);
});

/** What stands for any text that begins so. */
function withCuts(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (_, value: unknown) =>
    typeof value === 'string' && value.endsWith('…') ? expect.stringContaining(value.slice(0, -1)) : value,
  ) as unknown;
}
