/** An apply of a model file that is killed: the project is before it or after it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { compiled } from '../../support/compiled.js';
import { expectNoDrift, ok } from '../../support/definitions.js';
import { applyModel, dumpModel, planModel } from '../../support/model-files.js';
import { ownDatabase, startServiceOn, urlOf } from '../../support/own-database.js';
import { sideConnection } from '../../support/side-connection.js';

const connection = await ownDatabase();
const service = await startServiceOn(connection);
const folder = mkdtempSync(join(tmpdir(), 'kind-model-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('has changed nothing of 200 kinds, and does all of it the next time', { timeout: 120_000 }, async () => {
  const project = await service.project();
  await applyModel(project, 'kinds: { note: {} }\n');
  await ok(project.post('/note/unit', {}));
  const before = await dumpModel(project);
  const kinds = Array.from({ length: 200 }, (_, n) => `  kind${n}: { parameters: { name: { type: string } } }\n`);
  const text = `partial: true\nkinds:\n  note: { parameters: { name: { type: string } } }\n${kinds.join('')}`;
  const path = join(folder, 'model.yaml');
  writeFileSync(path, `format: kind-model\nversion: 1\n${text}`);
  const side = await sideConnection(connection);
  const release = await side.lock(project, 'note');
  const env = { ...process.env, DATABASE_URL: urlOf(connection), DATA_DIR: tmpdir() };
  const command = spawn(process.execPath, [compiled('cli/main.js'), 'model', 'apply', path, project.id], { env });
  const ended = once(command, 'exit');
  await side.waiting(project, 'note');
  command.kill('SIGKILL');
  await ended;
  await release();
  expect(await dumpModel(project)).toBe(before);
  await expectNoDrift(project);
  await applyModel(project, text);
  expect((await dumpModel(project)).match(/^ {2}kind\d+:/gm)).toHaveLength(200);
  expect((await planModel(project, text)).steps).toEqual([]);
  await expectNoDrift(project);
});
