/**
 * The files of the folder of functions: which module each is, and a mark that changes with any of them. No path is ever
 * made of what a client sent, and nothing outside the folder is a module.
 */
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ConfigError } from '../../config/config.js';
import { IDENTIFIER_HINT, isIdentifier, PROJECT_ID } from '../../shared/identifiers.js';
import type { ModuleFault } from '../declare/definition.js';
import type { ModuleFile } from '../declare/module-file.js';

/** A file that is named after a kind and can be none of its modules. */
export interface Misplaced extends Pick<ModuleFile, 'kind' | 'project' | 'file'> {
  readonly text: string;
}

export interface Folder {
  /** Where it really is; undefined where it is not there. */
  readonly root: string | undefined;
  readonly files: readonly ModuleFile[];
  /** Their kinds have broken modules: perhaps there are hooks in them. */
  readonly misplaced: readonly Misplaced[];
  readonly strays: readonly ModuleFault[];
  /** The source files beneath, helpers too. */
  readonly sources: readonly string[];
  /** Of all files beneath that modules may need. */
  readonly mark: string;
}

const EMPTY_FOLDER: Folder = { root: undefined, files: [], misplaced: [], strays: [], sources: [], mark: '' };
const MODULE = /\.ts$/;
/** What modules and their helpers are written in. */
const SOURCE_FILE = /\.[cm]?[jt]sx?$/;
/** Not modules: declarations and tests. */
const BESIDE = /\.(d|test|spec)\.ts$/;
/** Folders that are not looked into: helpers begin with `_`. */
const HELPERS = /^[._]|^node_modules$/;

/** A folder that is not there has no files. @throws ConfigError where it is none, or something in it can not be read */
export async function readFolder(folder: string): Promise<Folder> {
  try {
    return await listFolder(folder);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`FUNCTIONS_DIR: got ${folder}, which can not be read: ${(error as Error).message}`);
  }
}

async function listFolder(folder: string): Promise<Folder> {
  const root = await realpath(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (root === undefined) return EMPTY_FOLDER;
  if (!(await stat(root)).isDirectory()) throw new ConfigError(`FUNCTIONS_DIR: got ${folder}, wants a folder`);
  // First the mark: a file that comes while the others are listed changes the next one.
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

/** Names of the folders in the root; what a link leads to outside of it is none of them. */
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

/** Whatever a module may import from the folder counts. */
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
