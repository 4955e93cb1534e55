import type { Command } from 'commander';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { singleLineText } from '../tools/text.js';
import type { CommonOptions, CommandContext } from '../tools/command-context.js';
import { print } from '../tools/output.js';

export function deleteProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('delete <id>')
    .description('deletes a project and everything that is stored in it')
    .requiredOption('--yes', 'say that you mean it: there is no way back')
    .action(async (id: string, options: CommonOptions) => {
      await services(({ app }) => app.get(Provisioning).delete(id), { only: [] });
      print(terminal, options, { deleted: id }, `Project '${singleLineText(id)}' is deleted.\n`);
    });
}
