/** The requests of docs/aggregate.md, from top to bottom, answer what stands below them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ok } from '../support/definitions.js';
import { sharedService } from '../support/service.js';
import { codeBlocks } from './markdown.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/aggregate.md'), 'utf8');
const project = await (await sharedService()).project();
const steps = codeBlocks(page).map(({ info, text }) => {
  const [, method = '', path = ''] = /^json (GET|POST) (\S+)$/.exec(info) ?? [];
  return { method, path, text };
});

test('all blocks are requests', () => {
  expect(steps.filter(({ method }) => method === '')).toEqual([]);
  expect(steps.length).toBeGreaterThan(8);
});

test.each(steps)('$method $path', async ({ method, path, text }) => {
  const told: unknown = JSON.parse(text);
  if (method === 'GET') expect(await ok(project.get(path))).toEqual(told);
  else await ok(project.post(path, told));
});
