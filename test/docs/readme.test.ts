/** The tour and the filters of README.md, run as a reader would run them: bash, curl, and a service. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ADMIN, startTestService } from '../support/service.js';
import { codeBlocks } from './markdown.js';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const service = await startTestService();
const project = await service.project();

/** What the reader puts in, for the service of the test. */
const SUBSTITUTES: readonly [string, string][] = [
  ['http://127.0.0.1:3000', service.service.url],
  ['kind-project-key: demo', `kind-project-key: ${project.id}`],
  ["password='…'", `password='${ADMIN.password}'`],
];

interface Step {
  readonly command: string;
  readonly answers: readonly unknown[];
}

/** Each command with the answers that stand below it. */
function steps(): Step[] {
  const found: { command: string; answers: unknown[] }[] = [];
  for (const { info, text } of codeBlocks(readme)) {
    if (info === 'sh tour') found.push({ command: text, answers: [] });
    if (info === 'json') found.at(-1)?.answers.push(...jsonValues(text));
  }
  return found;
}

/** Values that follow each other, each beginning in the first column. */
function jsonValues(text: string): unknown[] {
  return text.split(/\n(?=\{)/).map((value) => JSON.parse(value) as unknown);
}

const tour = steps();
const MARK = '<<< end of a step >>>';

async function runAll(): Promise<string[]> {
  let script = tour.map(({ command }) => `${command}\necho; echo '${MARK}'`).join('\n');
  for (const [from, to] of SUBSTITUTES) {
    expect(script).toContain(from);
    script = script.replaceAll(from, to);
  }
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-euc', script]);
  expect(stderr).toBe('');
  return stdout.split(MARK).slice(0, -1);
}

describe('the tour', async () => {
  const outputs = await runAll();

  test('has six requests with answers, and two lines before them', () => {
    expect(tour.map(({ answers }) => answers.length)).toEqual([0, 0, 1, 1, 1, 1, 2]);
  });

  test.each(tour.map((step, at) => ({ ...step, at })))('step $at answers as it says', ({ answers, at }) => {
    const printed = jsonValues((outputs[at] ?? '').trim().replaceAll('}{', '}\n{') || '{}');
    expect(printed).toMatchObject(answers.length > 0 ? answers : [{}]);
    if (answers.length > 0) expect(printed).toHaveLength(answers.length);
  });
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
