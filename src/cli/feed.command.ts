/** `feed reset`: readers of changes begin anew. */
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { Provisioning } from '../catalog/project/provisioning.js';
import { Database } from '../database/database.js';
import { schemaName } from '../model/names.js';
import { resetFeedStatement } from '../sql/changes/number.sql.js';
import { plural } from '../shared/texts.js';
import { print } from './tools/output.js';
import type { CommandContext, CommonOptions, Services } from './tools/command-context.js';

interface ResetOptions extends CommonOptions {
  readonly all?: boolean;
}

export function resetFeedCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('reset [project]')
    .description('lets readers of changes begin anew, as after a restore that the service does not notice')
    .option('--all', 'of every project')
    .action(async (project: string | undefined, options: ResetOptions, command: Command) => {
      if ((project === undefined) !== (options.all === true)) command.error("error: name a project, or give '--all'");
      const reset = await services((context) => resetFeeds(context, project), { only: [] });
      print(terminal, options, { reset }, `The readers of ${plural(reset.length, 'project')} begin anew.\n`);
    });
}

async function resetFeeds({ app }: Services, project: string | undefined): Promise<readonly string[]> {
  const [provisioning, database] = [app.get(Provisioning), app.get(Database)];
  const rows = project === undefined ? await provisioning.list() : [await provisioning.getActive(project)];
  const ids = rows.filter(({ status }) => status === 'active').map(({ id }) => id);
  for (const id of ids) await database.run(resetFeedStatement(schemaName(id), randomUUID()));
  return ids;
}
