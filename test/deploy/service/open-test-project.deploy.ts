/** `openTestProject` reports what is wrong, and removes everything if the start fails. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { openTestProject, type TestProjectOptions } from '../../../src/testing.js';

const folder = mkdtempSync(join(tmpdir(), 'kind-own-tmp-'));
const temporary = join(folder, 'tmp');
mkdirSync(temporary);
mkdirSync(join(folder, 'own'));
writeFileSync(join(folder, 'file'), '');
vi.stubEnv('TMPDIR', temporary);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test.each<[string, TestProjectOptions, RegExp]>([
  ['a folder that is not there', { functions: join(folder, 'none') }, /^functions: got .*none, wants a folder/],
  ['a file', { functions: join(folder, 'file') }, /^functions: got .*file, wants a folder/],
  ['a name that no project has', { functions: folder, project: 'No Name' }, /^BOOTSTRAP_PROJECT: got "No Name"/],
  ['a level that the log has not', { functions: join(folder, 'own'), log: 'loud' as 'info' }, /loud/],
])('%s', async (_, options, told) => {
  await expect(openTestProject(options)).rejects.toThrow(told);
  expect(readdirSync(temporary)).toEqual([]);
  expect(() => execFileSync('pgrep', ['-f', temporary])).toThrow();
});

test('a folder is looked for from the working directory', async () => {
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  writeFileSync(join(folder, 'own', 'own.ts'), 'export default 1;');
  const project = await openTestProject({ functions: 'own' });
  expect(project.config.functionsDir).toBe(join(folder, 'own'));
  await project.stop();
  expect(readdirSync(temporary)).toEqual([]);
});
