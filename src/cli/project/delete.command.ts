import type { Command } from 'commander';
import { Provisioning } from '../../catalog/provisioning.js';
import { oneLine } from '../tools/text.js';
import type { CommonOptions, Toolbox } from '../tools/toolbox.js';
import { print } from '../tools/project.view.js';

export function deleteProjectCommand(parent: Command, { terminal, services }: Toolbox): void {
  parent
    .command('delete <id>')
    .description('deletes a project and everything that is stored in it')
    .requiredOption('--yes', 'say that you mean it: there is no way back')
    .action(async (id: string, options: CommonOptions) => {
      await services(({ app }) => app.get(Provisioning).delete(id));
      print(terminal, options, { deleted: id }, `Project '${oneLine(id)}' is deleted.\n`);
    });
}
