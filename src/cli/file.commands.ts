/** `file revoke-urls`: what is done with all files of a project. */
import type { Command } from 'commander';
import { loadModel } from '../catalog/model/model-store.js';
import { Provisioning } from '../catalog/project/provisioning.js';
import { Database } from '../database/database.js';
import { hasContents } from '../file/contents.js';
import type { Model } from '../model/model.js';
import { revokeUrlsStatement } from '../sql/file/files.sql.js';
import { type Project, projectOf } from '../tenancy/project.js';
import type { CommandContext, CommonOptions, Services } from './tools/command-context.js';
import { print } from './tools/output.js';

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
  const { project } = await projectWithFiles(context, id);
  await context.app.get(Database).run(revokeUrlsStatement(project.schema));
}

/** @throws KindError if there is none, and an error if its kind `file` has no contents */
async function projectWithFiles({ app }: Services, id: string): Promise<{ project: Project; model: Model }> {
  const project = projectOf(await app.get(Provisioning).getActive(id));
  const model = await loadModel(app.get(Database), project);
  if (hasContents(model)) return { project, model };
  throw new Error(`the project '${id}' has a kind 'file' of its own, and no files until that is renamed`);
}
