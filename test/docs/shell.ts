/** Runs commands of the documentation in bash, one after another, with `curl` and a service. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { ADMIN, type TestProject } from '../support/service.js';
import { codeBlocks } from './markdown.js';

export interface Step {
  readonly command: string;
  /** What the page says that comes of it. */
  readonly answers: readonly unknown[];
}

/** The commands of the blocks of one sort, each with the answers that stand below it. */
export function stepsOf(markdown: string, info: string): Step[] {
  const found: { command: string; answers: unknown[] }[] = [];
  for (const block of codeBlocks(markdown)) {
    if (block.info === info) found.push({ command: block.text, answers: [] });
    if (block.info === 'json') found.at(-1)?.answers.push(...jsonValues(block.text));
  }
  return found;
}

/** Values that follow each other, each beginning in the first column. */
function jsonValues(text: string): unknown[] {
  return text.split(/\n(?=\{)/).map((value) => JSON.parse(value) as unknown);
}

const MARK = '<<< end of a step >>>';

/** Runs all of them in one shell, against a project in place of the page's; answers what each printed, as JSON values. */
export async function runSteps(steps: readonly Step[], { service, id }: TestProject): Promise<unknown[][]> {
  const substitutes = [
    ['http://127.0.0.1:3000', service.url],
    ['kind-project-key: demo', `kind-project-key: ${id}`],
    ["password='…'", `password='${ADMIN.password}'`],
  ] as const;
  let script = steps.map(({ command }) => `${command}\necho; echo '${MARK}'`).join('\n');
  for (const [from, to] of substitutes) {
    expect(script).toContain(from);
    script = script.replaceAll(from, to);
  }
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-euc', script]);
  expect(stderr).toBe('');
  return stdout
    .split(MARK)
    .slice(0, -1)
    .map((printed) => jsonValues(printed.trim().replaceAll('}{', '}\n{') || '{}'));
}
