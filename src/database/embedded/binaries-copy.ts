/**
 * A copy of PostgreSQL's programs for when the account can't use them where npm put them. Root's copy lies where every
 * account can read it and only root can write; anybody else's lies in the data folder or the user's cache.
 */
import { createHash } from 'node:crypto';
import {
  chmod,
  constants,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { DatabaseStartError } from '../connection/start-error.js';

/** A symbolic link that the programs need to find their libraries. */
export interface Link {
  /** Relative to the folder native/. */
  readonly path: string;
  readonly target: string;
}

interface File {
  readonly path: string;
  readonly size: number;
  readonly executable: boolean;
}

export async function copyBinaries(
  native: string,
  links: readonly Link[],
  dataDir: string,
  asRoot: boolean,
): Promise<string> {
  const files = await listFiles(native);
  const name = `postgres-${fingerprint(files)}`;
  const faults: string[] = [];
  for (const parent of places(dataDir, asRoot).filter(isPlainPath)) {
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
  throw new DatabaseStartError(`PostgreSQL's programs can not be copied to a usable place:\n${faults.join('\n')}`);
}

/** initdb puts its path between double quotes into shell commands, and PostgreSQL's paths end at 1024 bytes. */
export function isPlainPath(path: string): boolean {
  return process.platform === 'win32' || (!/["$`\\]/.test(path) && Buffer.byteLength(path) < 900);
}

function places(dataDir: string, asRoot: boolean): string[] {
  return asRoot
    ? ['/var/cache/kind', '/var/lib/kind', join(tmpdir(), 'kind-root')]
    : [join(dataDir, 'native'), join(homedir(), '.cache', 'kind')];
}

async function listFiles(native: string): Promise<File[]> {
  const entries = await readdir(native, { recursive: true, withFileTypes: true });
  const paths = entries
    // Static libraries and build files are half of the package and of no use at run time.
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

function fingerprint(files: readonly File[]): string {
  const list = files.map(({ path, size }) => `${path} ${size}`).join('\n');
  return createHash('sha256').update(list).digest('hex').slice(0, 16);
}

async function ensureRootFolder(folder: string): Promise<void> {
  // dirname first: /var/cache may be missing on a minimal system.
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder).then(
    () => chmod(folder, 0o755),
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  if (!(await isTrusted(folder, true))) throw new Error(`${folder} is not a folder that only root can write`);
}

/** Whether it is there, and (for root) whether nobody else could have put it there or can change it. */
async function isTrusted(folder: string, asRoot: boolean): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found) return false;
  if (!found.isDirectory()) throw new Error(`${folder} is not a folder`);
  if (!asRoot) return true;
  if (found.uid !== 0 || (found.mode & 0o022) !== 0) throw new Error(`${folder} does not belong to root alone`);
  return true;
}

/** Made beside its place and renamed, so that a copy that is there is whole. */
async function makeCopy(native: string, files: readonly File[], links: readonly Link[], target: string): Promise<void> {
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

/** chmod after mkdir, because a strict umask would keep the account out. */
async function makeFolders(root: string, folder: string): Promise<void> {
  let path = root;
  for (const part of folder.split(/[\\/]/)) {
    path = join(path, part);
    await mkdir(path, { recursive: true });
    await chmod(path, 0o755);
  }
}
