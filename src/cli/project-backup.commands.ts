/** `project backup` and `project restore`. */
import { Option, type Command } from 'commander';
import type { CommandContext, CommonOptions } from './tools/command-context.js';
import { print } from './tools/output.js';
import { ProjectExportService } from '../transfer/project/project-export.service.js';
import { archiveText } from './transfer/archive.view.js';
import {
  backupProject,
  restoreProject,
  type RestoredView,
  restoreAll,
  type RestoredAllView,
} from './transfer/project-backup.js';
import { backgroundNote } from './transfer/project-folder.js';
import { STANDARD_STREAM } from './transfer/transfer-options.js';
import { dropSecrets, secretChoices, secretsKeyFile, type SecretsOptions } from './tools/secrets-options.js';
import { plural } from '../shared/texts.js';
import { ProjectImportService } from '../transfer/project/project-import.service.js';

export function backupProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('backup <id> <file>')
    .description('writes all of a project to one file, as of one moment, while it is used (- is standard output)')
    .option('--without-files', 'leaves the contents of files out; their units are in it')
    .action(async (id: string, file: string, options: CommonOptions & { readonly withoutFiles?: boolean }) => {
      const view = await services((context) => backupProject(context, id, file, options.withoutFiles), {
        only: [ProjectExportService],
      });
      if (file === STANDARD_STREAM) return;
      print(terminal, options, view, `${archiveText(view)} to ${file}. It has password hashes: keep it secret\n`);
    });
}

interface RestoreOptions extends CommonOptions, SecretsOptions {
  readonly as?: string;
  readonly all?: string;
  readonly background: 'on' | 'off';
}

const RESTORE = { make: true, seals: true, only: [ProjectImportService] };

export function restoreProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('restore [file]')
    .description('creates a project from a backup, all or nothing; or every project of a folder of backups')
    .option('--as <id>', 'the id of the project (default: that of the backup)')
    .option('--all <folder>', 'the folder that `backup --all` wrote; projects that are there already stay as they are')
    .addOption(
      new Option('--background <on|off>', 'whether schedules run at once; `on` is for a recovery, not for a copy')
        .choices(['on', 'off'])
        .default('off'),
    )
    .addOption(secretsKeyFile())
    .addOption(dropSecrets())
    .action(async (file: string | undefined, options: RestoreOptions, command: Command) => {
      const { as, all } = options;
      const choices = { background: options.background === 'on', ...(await secretChoices(options)) };
      if (file !== undefined && all === undefined) {
        const view = await services((context) => restoreProject(context, file, { as, ...choices }), RESTORE);
        return print(terminal, options, view, restoredText(view));
      }
      if (all === undefined || file !== undefined) command.error("error: name a file, or give '--all <folder>'");
      if (as !== undefined) command.error('error: --as is for one file');
      const view = await services((context) => restoreAll(context, all, choices), RESTORE);
      print(terminal, options, view, restoredAllText(view));
    });
}

function restoredAllText({ folder, projects, present, without }: RestoredAllView): string {
  const lines = [
    ...projects.map((each) => `${each.project}: ${archiveText(each)}`),
    ...present.map((id) => `${id}: is there already`),
    ...without.map((id) => `${id}: was being deleted, so there is no backup of it`),
    `${plural(projects.length, 'project')} from ${folder}`,
  ];
  const off = projects.find(({ background }) => background === 'off');
  if (off) lines.push(backgroundNote('off', '<id>').trimEnd());
  return lines.map((line) => `${line}\n`).join('');
}

function restoredText(view: RestoredView): string {
  const { project, source, file, backed_up_at: time, api_keys: keys } = view;
  const note =
    project === source || keys === 0
      ? ''
      : `Its ${plural(keys, 'API key')} cannot be used: the secret of a key names the project '${source}'. Create new ones: key create\n`;
  return `Project '${project}', as of ${time}: ${archiveText(view)} from ${file}\n${note}${backgroundNote(view.background, project)}`;
}
