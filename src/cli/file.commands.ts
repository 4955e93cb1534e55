/** `file check` and `file revoke-urls`: what is done with all files of a project. */
import type { Command } from 'commander';
import { loadModel } from '../catalog/model/model-store.js';
import { Provisioning } from '../catalog/project/provisioning.js';
import { Database } from '../database/database.js';
import { type CheckReport, ContentCheck, type Findings } from '../file/content-check.js';
import { FILE_STORE } from '../file/objects.js';
import type { OwnStore } from '../file/own-store.js';
import { FILE_KIND } from '../model/built-in-traits.js';
import { hasFiles } from '../model/model.js';
import { Runner } from '../run/runner.js';
import { KindError } from '../shared/errors.js';
import { byteSizeText, errorText, plural } from '../shared/texts.js';
import { revokeUrlsStatement } from '../sql/file/files.sql.js';
import { SYSTEM } from '../tenancy/caller.js';
import { type Project, projectOf } from '../tenancy/project.js';
import { ReadCommands } from '../unit/read.commands.js';
import type { CommandContext, CommonOptions, Services } from './tools/command-context.js';
import { print, textTable } from './tools/output.js';
import { startProgress } from './tools/progress.js';

interface CheckOptions extends CommonOptions {
  readonly repair?: boolean;
}

/** Files that nothing refers to. */
interface Unreferenced {
  readonly count: number;
  /** The first of them. */
  readonly ids: readonly string[];
}

/** Files that nothing refers to which are named. */
const NAMED_UNREFERENCED = 10;

export function checkFilesCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('check <project>')
    .description('compares the files of a project with the store of their contents, while they are used')
    .option('--repair', 'lets objects that no file has be removed after 24 hours')
    .action(async (id: string, options: CheckOptions) => {
      const { repair = false } = options;
      const { report, unreferenced } = await services((context) => check(context, id, repair));
      const view = viewOf(id, report, unreferenced, repair);
      print(terminal, options, view, checkText(id, report, unreferenced, repair));
      const { missing, unowned } = report;
      const faults = [
        ...(missing.count > 0 ? [`${plural(missing.count, 'content is', 'contents are')} missing`] : []),
        ...(unowned.count > 0 && !repair ? [`${plural(unowned.count, 'object is', 'objects are')} of no file`] : []),
      ];
      if (faults.length > 0) throw new Error(faults.join(', '));
    });
}

async function check(context: Services, id: string, repair: boolean) {
  const { app } = context;
  const project = await projectWithFiles(context, id);
  const progress = startProgress(id, undefined, 'files');
  try {
    await app.get<OwnStore>(FILE_STORE).check();
    const onFiles = (files: number): void => progress.update(files, files);
    const report = await app.get(ContentCheck).run(project, { repair, onFiles });
    return { report, unreferenced: await findUnreferenced(context, project) };
  } catch (error) {
    throw withCause(error);
  } finally {
    progress.stop();
  }
}

async function findUnreferenced({ app }: Services, project: Project): Promise<Unreferenced> {
  const runner = app.get(Runner);
  const listed = app.get(ReadCommands).list(FILE_KIND, [
    ['filter', 'not(referred())'],
    ['include', '[id]'],
    ['limit', String(NAMED_UNREFERENCED)],
  ]);
  const { content } = await runner.run(runner.begin({ project, caller: SYSTEM }, listed));
  const { count, items } = JSON.parse(content) as { count: number; items: readonly { id: string }[] };
  return { count, ids: items.map(({ id }) => id) };
}

/** Why a store does not answer, which requests are not told. */
function withCause(error: unknown): unknown {
  if (!(error instanceof KindError) || error.code !== 'file.unavailable' || error.cause === undefined) return error;
  return new Error(`${error.messages[0].text}: ${errorText(error.cause)}`);
}

function viewOf(project: string, report: CheckReport, unreferenced: Unreferenced, repaired: boolean) {
  const { files, bytes, missing, unowned } = report;
  return {
    ...{ project, files, bytes },
    missing: { count: missing.count, files: missing.named },
    without_file: { count: unowned.count, repaired, objects: unowned.named },
    unreferenced,
  };
}

function checkText(id: string, report: CheckReport, unreferenced: Unreferenced, repaired: boolean): string {
  const { files, bytes, missing, unowned } = report;
  const sections = [`'${id}' has ${plural(files, 'file')} of ${byteSizeText(bytes)}.\n`];
  if (missing.count > 0) {
    const rows = missing.named.map(({ id: file, name, bytes: has, stored }) => [
      file,
      name,
      stored === null ? 'is not in the store' : `${stored} of ${has} bytes are in the store`,
    ]);
    sections.push(
      `${plural(missing.count, 'content is', 'contents are')} missing:\n${textTable(rows)}${more(missing)}`,
    );
  }
  if (unowned.count > 0) {
    const what = repaired ? 'will be removed in 24 hours' : 'stay (--repair lets them be removed after 24 hours)';
    const lines = unowned.named.map((key) => `${key}\n`).join('');
    sections.push(`${plural(unowned.count, 'object')} of no file ${what}:\n${lines}${more(unowned)}`);
  }
  if (unreferenced.count > 0) {
    const { count, ids } = unreferenced;
    const others = count > ids.length ? ', …' : '';
    sections.push(`Nothing refers to ${plural(count, 'file')}, which may be meant so: ${ids.join(', ')}${others}\n`);
  }
  return sections.join('\n');
}

function more<T>({ count, named }: Findings<T>): string {
  return count > named.length ? `and ${count - named.length} more\n` : '';
}

export function revokeUrlsCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('revoke-urls <project>')
    .description('ends all signed addresses of files that were made until now, at once and in all processes')
    .action(async (id: string, options: CommonOptions) => {
      await services((context) => revokeUrls(context, id), { only: [] });
      print(terminal, options, { revoked: id }, `No signed address of a file of '${id}' opens any more.\n`);
    });
}

async function revokeUrls(context: Services, id: string): Promise<void> {
  const { schema } = await projectWithFiles(context, id);
  await context.app.get(Database).run(revokeUrlsStatement(schema));
}

/** @throws KindError if there is none, and an error if its kind `file` has no contents */
async function projectWithFiles({ app }: Services, id: string): Promise<Project> {
  const project = projectOf(await app.get(Provisioning).getActive(id));
  if (hasFiles(await loadModel(app.get(Database), project))) return project;
  throw new Error(`the project '${id}' has a kind 'file' of its own, and no files until that is renamed`);
}
