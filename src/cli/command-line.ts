/** Runs the command line of this process, and exits with its code. */
import 'reflect-metadata';
import { loadConfig } from '../config/config.js';
import { handleStrayErrors } from '../function/sandbox/user-code.js';
import { createLogger } from '../http/log/logger.js';
import { runCommandLine } from './run.js';

const code = await runCommandLine(process.argv.slice(2), undefined, () => {
  const config = loadConfig();
  handleStrayErrors(createLogger(config), config.functionsDir);
  return config;
});
// Function modules may have started timers, which would keep the process running.
process.stdout.write('', () => process.exit(code));
