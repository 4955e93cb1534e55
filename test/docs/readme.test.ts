/** The tour, the function, the lines of TypeScript and the filters of README.md, run as a reader would run them. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { FunctionsFolder, reload, sharedServiceWith } from '../support/functions.js';
import { codeBlocks } from './markdown.js';
import { runSteps, stepsOf } from './shell.js';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const functions = new FunctionsFolder();
const service = await sharedServiceWith(functions);
const project = await service.project();

for (const { info, text } of codeBlocks(readme)) {
  const [, file] = /^ts functions\/(.+)$/.exec(info) ?? [];
  if (file !== undefined) functions.write(file, text);
}
await reload(service);

const tour = stepsOf(readme, 'sh tour');

describe('the tour', async () => {
  const outputs = await runSteps(tour, project);

  test('has six requests with answers, two lines before them, a file and the call of the function', () => {
    expect(tour.map(({ answers }) => answers.length)).toEqual([0, 0, 1, 1, 1, 1, 2, 1, 1]);
  });

  test.each(tour.map((step, at) => ({ ...step, at })))('step $at answers as it says', ({ answers, at }) => {
    expect(outputs[at]).toMatchObject(answers.length > 0 ? answers : [{}]);
    if (answers.length > 0) expect(outputs[at]).toHaveLength(answers.length);
  });
});

test('the TypeScript example prints the requested units', async () => {
  const { text = '' } = codeBlocks(readme).find(({ info }) => info === 'ts fetch') ?? {};
  const given = `const [token, api] = ${JSON.stringify([project.token, `${service.service.url}/api/lib`])};`;
  const script = `${given}\n${text.replace("'demo'", `'${project.id}'`)}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, FORCE_COLOR: '0' },
  });
  expect(stdout.match(/title: '[^']+'/g)).toEqual(["title: 'A Tale of Two Cities'", "title: 'The Histories'"]);
});

describe('the ten lines on filters', () => {
  const lines = codeBlocks(readme)
    .filter(({ info }) => info === 'filter')
    .flatMap(({ text }) => text.split('\n'));

  test('are ten', () => expect(lines).toHaveLength(10));

  test.each(lines)('%s', async (line) => {
    const filter = line.split(/ {2,}/)[0] ?? '';
    const reply = await project.get(`/book/unit?filter=${encodeURIComponent(filter)}`);
    expect(reply).toMatchObject({ status: 200, body: { messages: [] } });
  });
});
