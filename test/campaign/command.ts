/** Commands of the command line, in processes of their own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';
import { COMPILED, compiled } from '../support/compiled.js';

export interface Ended {
  /** Null after a signal that ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Command {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** @param dataDir of the database, which runs */
export function kind(dataDir: string, ...args: readonly string[]): Command {
  return kindWith({ DATA_DIR: dataDir }, ...args);
}

export function kindWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Command {
  const child = spawn(process.execPath, [compiled('cli/main.js'), ...args], {
    cwd: dirname(COMPILED),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr.on('data', (text: Buffer) => (err += text.toString()));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, out, err }));
  });
  return { child, ended };
}

/** What a command printed. @throws Error if it failed */
export async function done(command: Command): Promise<string> {
  const { code, out, err } = await command.ended;
  if (code !== 0) throw new Error(`${command.child.spawnargs.slice(2).join(' ')} → ${code}: ${err}`);
  return out;
}
