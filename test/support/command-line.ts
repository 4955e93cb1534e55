/** Commands of the command line, beside the services of the run, on their database and their store. */
import { tmpdir } from 'node:os';
import { inject } from 'vitest';
import { runCommandLine } from '../../src/cli/run.js';
import { loadConfig } from '../../src/config/config.js';
import type { StoreAddress } from '../../src/config/store-address.js';
import type { ConnectionOptions } from '../../src/database/connection/connection.js';
import { urlOf } from './database-url.js';
import { filesOfRun } from './service.js';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export const runCommand = commandsOn(inject('database'), filesOfRun());

/** The same on another database, with another store, or with further variables. */
export function commandsOn(connection: ConnectionOptions, files: StoreAddress, more: Record<string, string> = {}) {
  const env = { DATA_DIR: tmpdir(), DATABASE_URL: urlOf(connection), JWT_SECRET: 'x'.repeat(32), ...more };
  return async (...argv: string[]): Promise<Ran> => {
    let [out, err] = ['', ''];
    const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
    const code = await runCommandLine(argv, terminal, () => ({ ...loadConfig(env, tmpdir()), files }));
    return { code, out, err };
  };
}
