/**
 * Runs a command and returns the exit code: 0 for success, 1 for an error (one line on standard error), 2 for wrong
 * usage.
 */
import { Command, CommanderError } from 'commander';
import { ConfigError, loadConfig } from '../config/config.js';
import { commonRefusal } from '../database/statement/sqlstate.js';
import { KindError } from '../shared/errors.js';
import { checkFunctionsCommand } from './functions/check.command.js';
import { setPasswordCommand } from './member/set-password.command.js';
import { createProjectCommand } from './project/create.command.js';
import { deleteProjectCommand } from './project/delete.command.js';
import { listProjectsCommand } from './project/list.command.js';
import { migrateProjectsCommand } from './project/migrate.command.js';
import { setProjectCommand } from './project/set.command.js';
import { showProjectCommand } from './project/show.command.js';
import { withServices } from './tools/services.js';
import type { Terminal, CommandContext } from './tools/command-context.js';
import { singleLineText } from './tools/text.js';
import { typesCommand } from './functions/types.command.js';

const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const PROCESS_TERMINAL: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

/** @param load reads the settings; replaced by tests */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal = PROCESS_TERMINAL,
  load = loadConfig,
): Promise<number> {
  const services: CommandContext['services'] = (work, options) => withServices(load(), work, options);
  const program = createProgram({ terminal, services, config: () => load() });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return EXIT_OK;
  } catch (error) {
    if (error instanceof CommanderError) return error.code === 'commander.helpDisplayed' ? EXIT_OK : EXIT_USAGE;
    terminal.err(`error: ${errorText(error)}\n`);
    return EXIT_FAILED;
  }
}

function createProgram(toolbox: CommandContext): Command {
  const { out, err } = toolbox.terminal;
  const program = new Command('kind')
    .description(
      'Looks after the projects (tenants) of the service, their members and functions. Works beside a running service and without one.',
    )
    .configureOutput({ writeOut: out, writeErr: err })
    .helpCommand(false)
    .exitOverride();
  const project = program.command('project').description('makes, shows, changes, upgrades and deletes projects');
  createProjectCommand(project, toolbox);
  listProjectsCommand(project, toolbox);
  showProjectCommand(project, toolbox);
  setProjectCommand(project, toolbox);
  deleteProjectCommand(project, toolbox);
  migrateProjectsCommand(project, toolbox);
  const member = program.command('member').description('looks after the members of projects');
  setPasswordCommand(member, toolbox);
  const functions = program.command('functions').description('looks after custom functions');
  checkFunctionsCommand(functions, toolbox);
  typesCommand(program, toolbox);
  for (const command of [project, member, functions].flatMap(({ commands }) => commands))
    command.option('--json', 'print JSON, for scripts');
  return program;
}

/** The text of an error, without a stack. */
function errorText(error: unknown): string {
  const told = commonRefusal(error) ?? error;
  if (told instanceof KindError) return singleLineText(told.messages.map(({ text }) => text).join('; '));
  if (told instanceof ConfigError) return told.message;
  return singleLineText(told instanceof Error ? told.message : String(told));
}
