/** The requests of docs/links.md, from top to bottom, have the answers that are printed below them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ok } from '../support/definitions.js';
import { sharedService } from '../support/service.js';
import { codeBlocks } from './markdown.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/links.md'), 'utf8');
const project = await (await sharedService()).project();
const steps = codeBlocks(page).map(({ info, text }) => ({ ...parts(info), text }));

function parts(info: string): { method: string; path: string } {
  const [, method = '', path = ''] = /^json (GET|POST|PUT) (\S+)$/.exec(info) ?? [];
  return { method, path };
}

test('all blocks are requests', () => {
  expect(steps.filter(({ method }) => method === '')).toEqual([]);
  expect(steps.length).toBeGreaterThan(15);
});

test.each(steps)('$method $path', async ({ method, path, text }) => {
  const told = JSON.parse(text) as object;
  if (method === 'GET') return void expect(await ok(project.get(path))).toMatchObject(told);
  if (method === 'PUT') return void (await ok(project.put(path, told)));
  // The block of a link without values is its record.
  const links = 'link_id' in told;
  const made: unknown = await ok(project.post(path, links ? undefined : told));
  if (links) expect(made).toMatchObject(told);
});
