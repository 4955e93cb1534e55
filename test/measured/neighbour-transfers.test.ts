/** Large files of one project hold up nobody else. */
import { expect, it } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { ok } from '../support/definitions.js';
import { FunctionsFolder, reload } from '../support/functions.js';
import { beside } from '../support/neighbour.js';
import { startTestService } from '../support/service.js';

const folder = new FunctionsFolder({
  'hooked.ts': `import { kind } from 'kind';
    export default kind('hooked').module({ hooks: {
      before_update_many: ({ changes }) => changes.map(({ values }) => ({ name: String(values.number) })),
      after_update_many: () => undefined,
    } });`,
});
const service = await startTestService({ functionsDir: folder.path });
const quiet = await service.project();
const project = await service.project();
const parameters = [
  { id: 'name', kind_id: 'string' },
  { id: 'number', kind_id: 'integer' },
];
await defineKinds(
  project,
  { id: 'row', parameters },
  { id: 'hooked', parameters: [{ id: 'code', kind_id: 'integer', unique: true }, 'name', 'number'] },
);
await reload(service);
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

it('an import that hooks change a thousand units at a time keeps nobody waiting', async () => {
  const file = `code,number\n${Array.from({ length: ROWS }, (_, n) => `${n},${n}\n`).join('')}`;
  const send = (query = '') =>
    project.call('POST', `/hooked/import${query}`, file, { headers: { 'content-type': 'text/csv' } });
  await ok(send());
  const edited = file.replaceAll(/,(?=\d)/g, ',1');
  expect(edited).not.toBe(file);
  const { result, held, waits } = await beside(quiet, '/kind/unit/string', () =>
    project.call('POST', '/hooked/import?on_conflict=update&by=code', edited, {
      headers: { 'content-type': 'text/csv' },
    }),
  );
  expect(result.body.content).toMatchObject({ updated: ROWS });
  expect(held).toBeLessThan(BOUND);
  expect(Math.max(...waits)).toBeLessThan(BOUND);
});
