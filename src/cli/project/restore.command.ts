import type { Command } from 'commander';
import type { CommandContext, CommonOptions } from '../tools/command-context.js';
import { print } from '../tools/output.js';
import { plural } from '../../shared/plural.js';
import { archiveText } from '../transfer/archive.view.js';
import { restoreProject, type RestoredView } from '../transfer/project-backup.js';

interface RestoreOptions extends CommonOptions {
  readonly as?: string;
}

export function restoreProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('restore <file>')
    .description('creates a project from a backup, all or nothing')
    .option('--as <id>', 'the id of the project (default: that of the backup)')
    .action(async (file: string, options: RestoreOptions) => {
      const view = await services((context) => restoreProject(context, file, options.as), { make: true });
      print(terminal, options, view, restoredText(view));
    });
}

function restoredText(view: RestoredView): string {
  const { project, source, file, backed_up_at: time, api_keys: keys } = view;
  const note =
    project === source || keys === 0
      ? ''
      : `Its ${plural(keys, 'API key')} can not be used: the secret of a key names the project '${source}'. Create new ones: key create\n`;
  return `Project '${project}', as of ${time}: ${archiveText(view)} from ${file}\n${note}`;
}
