/**
 * Lists the modules in the functions folder, and computes a mark that changes when a file changes. Paths are never made
 * from input of clients, and files outside of the folder are never modules.
 */
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ConfigError } from '../../config/config.js';
import { IDENTIFIER_HINT, isIdentifier, PROJECT_ID } from '../../shared/identifiers.js';
import type { ModuleFault } from '../declare/definition.js';
import type { ModuleFile } from '../declare/source-location.js';

/** A file that has the name of a kind, but is a link to a place outside of the folder, or to nothing. */
interface Misplaced extends Pick<ModuleFile, 'kind' | 'project' | 'file'> {
  readonly text: string;
}

export interface Folder {
  /** The real path; undefined if the folder does not exist. */
  readonly root: string | undefined;
  readonly files: readonly ModuleFile[];
  /** The modules of these kinds count as broken, because the files may declare hooks. */
  readonly misplaced: readonly Misplaced[];
  readonly strays: readonly ModuleFault[];
  /** All source files in the folder and its subfolders, including helpers. */
  readonly sources: readonly string[];
  /** Changes with every file that modules may import. */
  readonly mark: string;
}

const EMPTY_FOLDER: Folder = { root: undefined, files: [], misplaced: [], strays: [], sources: [], mark: '' };
const MODULE = /\.ts$/;
/** Modules and their helpers. */
const SOURCE_FILE = /\.[cm]?[jt]sx?$/;
/** Type declarations and tests, which are not modules. */
const BESIDE = /\.(d|test|spec)\.ts$/;
/** Files and folders that are not searched for modules. Names of helpers begin with `_`. */
const HELPERS = /^[._]|^node_modules$/;

/** A missing folder has no files. @throws ConfigError if it is not a folder, or cannot be read */
export async function readFolder(folder: string): Promise<Folder> {
  try {
    return await listFolder(folder);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`FUNCTIONS_DIR: got ${folder}, which cannot be read: ${(error as Error).message}`);
  }
}

async function listFolder(folder: string): Promise<Folder> {
  const root = await realpath(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (root === undefined) return EMPTY_FOLDER;
  if (!(await stat(root)).isDirectory()) throw new ConfigError(`FUNCTIONS_DIR: got ${folder}, wants a folder`);
  // The mark comes first: if a file is added while the others are listed, the next mark differs.
  const { mark, sources } = await markOf(root);
  const found: FolderContents = { files: [], misplaced: [], strays: [] };
  await readInto(root, root, null, found);
  for (const name of await foldersOf(root, found.strays)) {
    const fault = (text: string) => found.strays.push({ file: `${name}/`, text });
    if (PROJECT_ID.test(name)) await readInto(root, join(root, name), name, found);
    else if ((await readdir(join(root, name))).some((file) => MODULE.test(file)))
      fault('is the name of no project; folders of helpers begin with _');
  }
  return { root, ...found, sources, mark };
}

interface FolderContents {
  readonly files: ModuleFile[];
  readonly misplaced: Misplaced[];
  readonly strays: ModuleFault[];
}

async function readInto(root: string, folder: string, project: string | null, found: FolderContents): Promise<void> {
  const { files, misplaced, strays } = found;
  for (const name of (await readdir(folder)).sort()) {
    if (!MODULE.test(name) || BESIDE.test(name) || HELPERS.test(name)) continue;
    const file = project === null ? name : `${project}/${name}`;
    const path = await realpath(join(folder, name)).catch(() => undefined);
    const kind = name.replace(MODULE, '');
    if (!isIdentifier(kind)) strays.push({ file, text: `is named after no kind: an id is ${IDENTIFIER_HINT}` });
    else if (path === undefined || !path.startsWith(root + sep)) {
      misplaced.push({ kind, project, file, text: 'leads out of the folder' });
    } else if ((await stat(path)).isFile()) files.push({ kind, project, root, path, file });
  }
}

/** The names of the folders in the root. A link to a folder outside of it is reported and skipped. */
async function foldersOf(root: string, strays: ModuleFault[]): Promise<string[]> {
  const names: string[] = [];
  for (const name of (await readdir(root)).sort()) {
    if (HELPERS.test(name)) continue;
    const path = await realpath(join(root, name)).catch(() => root);
    if (path === root || !(await stat(path)).isDirectory()) continue;
    if (path.startsWith(root + sep)) names.push(name);
    else strays.push({ file: `${name}/`, text: 'leads out of the folder' });
  }
  return names;
}

/** Covers all files that a module may import from the folder. */
async function markOf(root: string): Promise<Pick<Folder, 'mark' | 'sources'>> {
  const marks: string[] = [];
  const sources: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.name === 'node_modules' || entry.name === '.git' || BESIDE.test(entry.name)) continue;
      if (entry.isDirectory()) await visit(path);
      else {
        const file = await stat(path).catch(() => undefined);
        if (file) marks.push(`${path}:${file.ino}:${file.size}:${file.mtimeMs}`);
        if (file && SOURCE_FILE.test(path)) sources.push(path);
      }
    }
  };
  await visit(root);
  return { mark: marks.sort().join('\n'), sources };
}
