/**
 * Copies PostgreSQL's programs if the account can't use them in node_modules. Root's copy is in a folder that only root
 * can write; that of others in the data folder or the user's cache.
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
export interface LibraryLink {
  /** Relative to the folder native/. */
  readonly path: string;
  readonly target: string;
}

interface BinaryFile {
  readonly path: string;
  readonly size: number;
  readonly executable: boolean;
}

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
  throw new DatabaseStartError(`PostgreSQL's programs cannot be copied to a usable place:\n${faults.join('\n')}`);
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
