import type { Command } from 'commander';
import { plural } from '../../shared/texts.js';
import { ProjectExportService } from '../../transfer/project/project-export.service.js';
import type { CommandContext, CommonOptions } from '../tools/command-context.js';
import { print } from '../tools/output.js';
import { archiveText } from './archive.view.js';
import { backupAll, type BackupsView } from './project-backup.js';

interface BackupOptions extends CommonOptions {
  readonly all: string;
  readonly withoutFiles?: boolean;
}

export function backupCommand(program: Command, { terminal, services }: CommandContext): void {
  program
    .command('backup')
    .description('writes every project, as `project backup` does, and the registry of projects to a new folder')
    .requiredOption('--all <folder>', 'the folder, which is new or empty')
    .option('--without-files', 'leaves the contents of files out; their units are in it')
    .option('--json', 'print JSON, for scripts')
    .action(async (options: BackupOptions) => {
      const { all, withoutFiles } = options;
      const view = await services((context) => backupAll(context, all, withoutFiles), {
        only: [ProjectExportService],
      });
      print(terminal, options, view, backupsText(view));
    });
}

function backupsText({ folder, projects, without }: BackupsView): string {
  const lines = projects.map((each) => `${each.project}: ${archiveText(each)}\n`);
  const others = without.map((id) => `${id}: is being deleted, so it is not in a file\n`);
  return `${lines.join('')}${others.join('')}${plural(projects.length, 'project')} to ${folder}. They have password hashes: keep them secret\n`;
}
