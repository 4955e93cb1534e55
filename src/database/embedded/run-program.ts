/** Runs a program of PostgreSQL to its end in a clean environment. */
import { spawn } from 'node:child_process';
import { spawnIdentity, type Account } from './account.js';

/**
 * The environment of PostgreSQL's programs. Nothing is inherited, because PGDATA, PGOPTIONS and the like would change
 * what they do; except on Windows, where programs need its variables.
 */
export const PROGRAM_ENV: NodeJS.ProcessEnv | undefined =
  process.platform === 'win32' ? undefined : { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' };

interface ProgramResult {
  readonly ok: boolean;
  readonly output: string;
}

export async function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  account?: Account,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      ...spawnIdentity(account),
      ...(PROGRAM_ENV && { env: PROGRAM_ENV }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code) => resolve({ ok: code === 0, output: output.trim() }));
  });
}
