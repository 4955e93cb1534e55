/** The requests of these pages, from top to bottom, have the answers that are printed below them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ok } from '../support/definitions.js';
import { sharedService } from '../support/service.js';
import { codeBlocks } from './markdown.js';

const service = await sharedService();

describe.each(['aggregation.md', 'search.md', 'writing.md'])('docs/%s', async (name) => {
  const project = await service.project();
  const page = readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
  // Scenarios and their kinds: writing.test.ts.
  const blocks = codeBlocks(page).filter(({ info }) => info !== 'json kind' && info !== 'text scenario');
  const steps = blocks.map(({ info, text }) => {
    const [, method = '', path = ''] = /^json (GET|POST) (.+)$/.exec(info) ?? [];
    return { method, path, text };
  });

  test('all blocks are requests', () => {
    expect(steps.filter(({ method }) => method === '')).toEqual([]);
    expect(steps.length).toBeGreaterThan(3);
  });

  test.each(steps)('$method $path', async ({ method, path, text }) => {
    const told: unknown = JSON.parse(text);
    if (method === 'GET') expect(await ok(project.get(path.replaceAll(' ', '%20')))).toEqual(told);
    else await ok(project.post(path, told));
  });
});
