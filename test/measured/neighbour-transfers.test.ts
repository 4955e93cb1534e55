/** Large files of one project hold up nobody else. */
import { expect, it } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { beside } from '../support/neighbour.js';
import { sharedService } from '../support/service.js';

const service = await sharedService();
const quiet = await service.project();
const project = await service.project();
await defineKinds(project, {
  id: 'row',
  parameters: [
    { id: 'name', kind_id: 'string' },
    { id: 'number', kind_id: 'integer' },
  ],
});
/** Milliseconds. */
const BOUND = 1000;
const ROWS = 30_000;

it('an import and an export keep nobody waiting', async () => {
  const file = `name,number\n${Array.from({ length: ROWS }, (_, n) => `"a name, ${n}",${n}\n`).join('')}`;
  const { result, held, waits } = await beside(quiet, '/kind/unit/string', async () => {
    const imported = await project.call('POST', '/row/import', file, {
      headers: { 'content-type': 'text/csv' },
    });
    const exported = await project.get('/row/export?format=ndjson');
    return { imported, lines: exported.text.split('\n').length - 1 };
  });
  expect(result.imported.body.content).toMatchObject({ created: ROWS });
  expect(result.lines % ROWS).toBe(0);
  expect(held).toBeLessThan(BOUND);
  expect(Math.max(...waits)).toBeLessThan(BOUND);
});
