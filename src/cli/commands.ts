/** The commands of the command line. Those of a noun are one file. */
import { Command } from 'commander';
import { reportAccessCommand } from './access.command.js';
import { clientCommand } from './client/client.command.js';
import { resetFeedCommand } from './feed.command.js';
import { checkFilesCommand, revokeUrlsCommand } from './file.commands.js';
import { checkFunctionsCommand } from './functions/functions.commands.js';
import { typesCommand } from './functions/types.command.js';
import { adviseIndexesCommand } from './indexes/advise.command.js';
import { createKeyCommand, resetSecondStepCommand, setPasswordCommand } from './member.commands.js';
import { applyModelCommand, checkModelCommand, dumpModelCommand, planModelCommand } from './model.commands.js';
import { backupProjectCommand, restoreProjectCommand } from './project-backup.commands.js';
import {
  createProjectCommand,
  deleteProjectCommand,
  listProjectsCommand,
  setProjectCommand,
  showProjectCommand,
} from './project.commands.js';
import { migrateProjectsCommand } from './project-migrate.command.js';
import { rotateSecretsCommand } from './secrets.command.js';
import { backupCommand } from './transfer/backup.command.js';
import { exportCommand } from './transfer/export.command.js';
import { importCommand } from './transfer/import.command.js';
import type { CommandContext } from './tools/command-context.js';

export function createProgram(context: CommandContext): Command {
  const { out, err } = context.terminal;
  const program = new Command('kind')
    .description(
      'Manages the projects (tenants) of the service, their members and functions. Works with and without a running service.',
    )
    .configureOutput({ writeOut: out, writeErr: err })
    .helpCommand(false)
    .exitOverride();
  // Loaded by `main.ts` in place of the commands.
  program.command('start').description('runs the service until a signal stops it');
  const project = program
    .command('project')
    .description('creates, shows, changes, upgrades, backs up, restores and deletes projects');
  createProjectCommand(project, context);
  listProjectsCommand(project, context);
  showProjectCommand(project, context);
  setProjectCommand(project, context);
  deleteProjectCommand(project, context);
  migrateProjectsCommand(project, context);
  backupProjectCommand(project, context);
  restoreProjectCommand(project, context);
  const model = program.command('model').description('writes the model of a project to a file, and checks such files');
  dumpModelCommand(model, context);
  checkModelCommand(model, context);
  planModelCommand(model, context);
  applyModelCommand(model, context);
  const access = program.command('access').description('shows who may do what in projects');
  reportAccessCommand(access, context);
  const member = program.command('member').description('manages the members of projects');
  setPasswordCommand(member, context);
  resetSecondStepCommand(member, context);
  const key = program.command('key').description('creates API keys of members');
  createKeyCommand(key, context);
  const index = program.command('index').description('manages the indexes of projects');
  adviseIndexesCommand(index, context);
  const feed = program.command('feed').description('looks after the readers of changes');
  resetFeedCommand(feed, context);
  const file = program.command('file').description('looks after the contents of files');
  checkFilesCommand(file, context);
  revokeUrlsCommand(file, context);
  const secrets = program.command('secrets').description('looks after what is stored encrypted');
  rotateSecretsCommand(secrets, context);
  const functions = program.command('functions').description('checks custom functions');
  checkFunctionsCommand(functions, context);
  typesCommand(program, context);
  clientCommand(program, context);
  importCommand(program, context);
  exportCommand(program, context);
  backupCommand(program, context);
  for (const command of program.commands.flatMap(({ commands }) => commands))
    command.option('--json', 'print JSON, for scripts');
  return program;
}
