/** Runs the command line of this process, and exits with its code. */
import 'reflect-metadata';
import { loadConfig } from '../config/config.js';
import { handleStrayErrors } from '../function/sandbox/user-code.js';
import { createLogger } from '../http/log/logger.js';
import { runCommandLine } from './run.js';

async function main(): Promise<void> {
  const code = await runCommandLine(process.argv.slice(2), undefined, () => {
    const config = loadConfig();
    handleStrayErrors(createLogger(config), config.functionsDir);
    return config;
  });
  // Function modules may have started timers, which would keep the process running.
  process.stdout.write('', () => process.exit(code));
}

// A file of the bundle can't wait at its top level. An error ends the process, as any that nobody handles.
void main();
