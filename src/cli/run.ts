/**
 * Runs a command and returns the exit code: 0 for success, 1 for an error (one line on standard error), 2 for wrong
 * usage, 3 where a check finds a difference.
 */
import { CommanderError } from 'commander';
import { ConfigError, loadConfig } from '../config/config.js';
import { asRefusal } from '../database/statement/sqlstate.js';
import { errorText } from '../shared/texts.js';
import { KindError } from '../shared/errors.js';
import { createProgram } from './commands.js';
import { withServices } from './tools/services.js';
import type { Terminal, CommandContext } from './tools/command-context.js';
import { Differs, UsageError } from './tools/exit.js';
import { singleLineText } from './tools/output.js';

const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_DIFFERS = 3;

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
    if (error instanceof Differs) return EXIT_DIFFERS;
    terminal.err(`error: ${refusalText(error)}\n`);
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
  }
}

/** The text of an error, without a stack. */
function refusalText(error: unknown): string {
  const refused = asRefusal(error);
  if (refused instanceof KindError) return singleLineText(refused.messages.map(({ text }) => text).join('; '));
  if (refused instanceof ConfigError) return refused.message;
  return singleLineText(errorText(refused));
}
