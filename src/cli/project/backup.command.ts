import type { Command } from 'commander';
import type { CommandContext, CommonOptions } from '../tools/command-context.js';
import { print } from '../tools/output.js';
import { ProjectExportService } from '../../transfer/project/project-export.service.js';
import { archiveText } from '../transfer/archive.view.js';
import { backupProject } from '../transfer/project-backup.js';
import { STANDARD_STREAM } from '../transfer/transfer-options.js';

export function backupProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('backup <id> <file>')
    .description('writes all of a project to one file, as of one moment, while it is used (- is standard output)')
    .action(async (id: string, file: string, options: CommonOptions) => {
      const view = await services((context) => backupProject(context, id, file), { only: [ProjectExportService] });
      if (file === STANDARD_STREAM) return;
      print(terminal, options, view, `${archiveText(view)} to ${file}. It has password hashes: keep it secret\n`);
    });
}
