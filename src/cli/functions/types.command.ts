/** `types`: declarations of kinds for editors, and the settings of TypeScript by which these find them. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadModel } from '../../catalog/model/model-store.js';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { ConfigError } from '../../config/config.js';
import { Database } from '../../database/database.js';
import { FunctionRegistry } from '../../function/load/module-registry.js';
import { projectOf } from '../../tenancy/project.js';
import type { CommandContext, CommonOptions, Services } from '../tools/command-context.js';
import { print } from '../tools/output.js';
import { kindTypesOf, renderKindTypes, sharedKindTypes, type KindTypes } from './kind-types.js';
import { kitPath, moduleOptions } from './type-check.js';

const DECLARATIONS = 'kinds.d.ts';
const SETTINGS = 'tsconfig.json';
/** A file that does not begin so was written by hand, and is left as it is. */
const HEAD = '// Written by `kind types`; changes are lost. Without this line the file stays as it is.';

interface TypesOptions extends CommonOptions {
  readonly out?: string;
}

interface ProjectTypes {
  readonly id: string;
  readonly types: KindTypes;
}

interface WrittenFile {
  readonly file: string;
  /** Whose kinds it has. */
  readonly projects: readonly string[];
}

export function typesCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('types [projects...]')
    .description('writes the kinds of projects as TypeScript, which types the units in functions')
    .option('--out <file>', 'where to, for one project; into the folder of functions if omitted')
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', '\nWithout projects: those that have a folder in the folder of functions.')
    .action(async (ids: readonly string[], options: TypesOptions) => {
      const written = await services((opened) => writeTypes(opened, ids, options), { only: [FunctionRegistry] });
      print(
        terminal,
        options,
        written,
        written.map(({ file, projects }) => `${file}: ${projects.join(', ')}\n`).join(''),
      );
    });
}

async function writeTypes(opened: Services, ids: readonly string[], { out }: TypesOptions): Promise<WrittenFile[]> {
  const { functionsDir } = opened.config;
  const projects: ProjectTypes[] = [];
  for (const id of await chosenProjects(opened, ids)) projects.push(await typesOf(opened, id));
  if (out === undefined) return writeFolders(functionsDir, projects);
  const [only, ...others] = projects;
  if (!only || others.length > 0) throw new ConfigError('--out: takes one project');
  return [await writeDeclarations(resolve(out), [only])];
}

/** Those that are named, otherwise those with a folder. @throws ConfigError if there are none */
async function chosenProjects({ app, config }: Services, named: readonly string[]): Promise<readonly string[]> {
  if (named.length > 0) return [...new Set(named)];
  const all = (await app.get(Provisioning).list()).filter(({ status }) => status === 'active');
  const found = all.flatMap(({ id }) => (existsSync(join(config.functionsDir, id)) ? [id] : []));
  if (found.length > 0) return found;
  throw new ConfigError(`name a project: none has a folder in ${config.functionsDir}`);
}

async function typesOf({ app }: Services, id: string): Promise<ProjectTypes> {
  const project = projectOf(await app.get(Provisioning).get(id));
  const model = await loadModel(app.get(Database), project);
  return { id, types: kindTypesOf(model, id, app.get(FunctionRegistry).current) };
}

/**
 * Modules in the folder of a project see its kinds; those for all projects see what is the same in all that were chosen.
 * Each folder has settings of its own, so that the kinds of one are not those of another.
 */
async function writeFolders(functionsDir: string, projects: readonly ProjectTypes[]): Promise<WrittenFile[]> {
  await mkdir(functionsDir, { recursive: true });
  const root = await realpath(functionsDir);
  const written = [await writeDeclarations(join(root, DECLARATIONS), projects)];
  // Folders of helpers begin with `_`; the others are those of projects.
  await writeSettings(root, ['*.ts', '_*/**/*.ts']);
  for (const project of projects.filter(({ id }) => existsSync(join(root, id)))) {
    written.push(await writeDeclarations(join(root, project.id, DECLARATIONS), [project]));
    await writeSettings(join(root, project.id), ['**/*.ts']);
  }
  return written;
}

async function writeDeclarations(file: string, projects: readonly ProjectTypes[]): Promise<WrittenFile> {
  const ids = projects.map(({ id }) => id);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, renderKindTypes(sharedKindTypes(projects.map(({ types }) => types)), ...ids));
  return { file, projects: ids };
}

/** Nothing where the source of the kit is not installed. Tests import more than modules do, and have settings of their own. */
async function writeSettings(folder: string, include: readonly string[]): Promise<void> {
  const kit = kitPath();
  const file = join(folder, SETTINGS);
  const old = await readFile(file, 'utf8').catch(() => HEAD);
  if (kit === undefined || !old.startsWith(HEAD)) return;
  const compilerOptions = moduleOptions(kit, (path) => pathFrom(folder, path));
  const settings = { compilerOptions, include, exclude: ['**/*.test.ts', '**/*.spec.ts', '**/node_modules'] };
  await writeFile(file, `${HEAD}\n${JSON.stringify(settings, null, 2)}\n`);
}

/** As TypeScript reads it, which takes a path without `./` for the name of a package. */
function pathFrom(folder: string, path: string): string {
  const found = relative(folder, path).replaceAll('\\', '/');
  return isAbsolute(found) || found.startsWith('.') ? found : `./${found}`;
}
