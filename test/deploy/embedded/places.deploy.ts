import { chmod, cp, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { copyBinaries, isPlainPath, findBinaries, nativeFolder } from '../../../packages/embedded-postgres/binaries.js';
import { findAccount, runProgram } from '../../../packages/embedded-postgres/run-program.js';
import { freshFolder, open, query } from './support.js';

const asRoot = process.getuid?.() === 0;

async function expectUsable(dataDir: string): Promise<void> {
  for (const role of ['service', 'command'] as const) {
    const database = await open(dataDir, role);
    expect(await query(database.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    if (role === 'command') await database.stop();
  }
}

test.each([
  ['with spaces, quotes and letters of other alphabets', `my own/données "test" $x \`y\` 'z' 日本`],
  ['too long for the address of a socket', 'long/'.repeat(60)],
  ['too long for PostgreSQL', `${'x'.repeat(250)}/`.repeat(5)],
])('a folder %s', async (_, name) => {
  await expectUsable(await freshFolder(name.replace(/\/$/, '')));
});

test(`a folder below one that only its owner can enter (${asRoot ? 'root, PostgreSQL under another account' : 'the owner, this account'})`, async () => {
  const dataDir = await freshFolder('private/data');
  await mkdir(dataDir, { recursive: true });
  await chmod(dirname(dataDir), 0o700);
  await expectUsable(dataDir);
});

/** A package as npm leaves it with --ignore-scripts: without the libraries' symbolic links. */
async function packageWithoutLinks(): Promise<string> {
  const folder = await freshFolder('native');
  await mkdir(folder, { recursive: true });
  await chmod(dirname(folder), 0o755);
  await cp(nativeFolder(), folder, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') });
  const library = join(folder, 'lib');
  for (const entry of await readdir(library, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(library, entry.name));
  }
  return folder;
}

test('symbolic links that npm did not make are made', async () => {
  const native = await packageWithoutLinks();
  expect((await runProgram(join(native, 'bin', 'initdb'), ['-V'], '/')).ok).toBe(false);
  const dataDir = await freshFolder();
  const binaries = await findBinaries(dataDir, await findAccount(dataDir), native);
  expect(binaries).toMatchObject({ initdb: join(native, 'bin', 'initdb'), major: 18 });
  expect((await runProgram(binaries.initdb, ['-V'], '/')).output).toMatch(/^initdb \(PostgreSQL\) 18/);
});

test('a copy is whole, usable by every account, and made once', async () => {
  const native = await packageWithoutLinks();
  const links = [{ path: 'lib/libpq.so.5', target: 'libpq.so.5.18' }];
  const dataDir = await freshFolder();
  const copy = await copyBinaries(native, links, dataDir, false);
  expect(copy.startsWith(join(dataDir, 'native', 'postgres-'))).toBe(true);
  expect(await readdir(join(copy, 'bin'))).toContain('postgres');
  expect(await readdir(join(copy, 'lib'))).toContain('libpq.so.5');
  expect(await copyBinaries(native, links, dataDir, false)).toBe(copy);
  expect(await readdir(dirname(copy))).toHaveLength(1);
});

test.each([
  ['/srv/kind', true],
  ['/srv/my kind/日本', true],
  ['/srv/$kind', false],
  ['/srv/"kind"', false],
  [`/${'x'.repeat(1000)}`, false],
])('a path that programs can lie in: %s', (path, plain) => {
  expect(isPlainPath(path)).toBe(plain);
});
