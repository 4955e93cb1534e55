import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadSecret } from '../../../src/config/secret.js';

let dataDir: string;

beforeEach(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'kind-secret-')), 'data');
});

afterEach(() => rm(join(dataDir, '..'), { recursive: true, force: true }));

test('JWT_SECRET takes precedence over the file, and creates none', async () => {
  expect(await loadSecret({ dataDir, jwtSecret: 'x'.repeat(32) })).toBe('x'.repeat(32));
  await expect(readdir(dataDir)).rejects.toThrow('ENOENT');
});

test('a secret is created once, private, and the same for concurrent callers', async () => {
  const secrets = await Promise.all(Array.from({ length: 20 }, () => loadSecret({ dataDir })));
  expect(new Set(secrets).size).toBe(1);
  expect(secrets[0]).toMatch(/^[\w-]{64}$/);
  expect(await loadSecret({ dataDir })).toBe(secrets[0]);
  expect(await readdir(dataDir)).toEqual(['secret']);
  expect((await stat(join(dataDir, 'secret'))).mode & 0o777).toBe(0o600);
});

test.runIf(process.platform === 'linux')('a folder that cannot be made is refused, with the variable', async () => {
  await expect(loadSecret({ dataDir: '/proc/none/data' })).rejects.toThrow(
    /^DATA_DIR: got \/proc\/none\/data, wants a folder that can be made and written: ENOENT/,
  );
  await writeFile(join(dataDir, '..', 'file'), '');
  await expect(loadSecret({ dataDir: join(dataDir, '..', 'file', 'data') })).rejects.toThrow(/ENOTDIR/);
});

test('a truncated secret file is rejected', async () => {
  await loadSecret({ dataDir });
  await writeFile(join(dataDir, 'secret'), 'short\n');
  await expect(loadSecret({ dataDir })).rejects.toThrow(/secret holds fewer than 32 characters; delete it/);
});
