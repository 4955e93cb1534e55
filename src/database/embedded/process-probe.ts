/** Which process runs PostgreSQL in a data folder, as its postmaster.pid says and as far as that can be believed. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A setting that PostgreSQL doesn't know and carries along: it tells whose process it is, to people and to us. */
export const FOLDER_SETTING = 'kind.data_folder';

export interface PidFile {
  readonly pid: number;
  readonly port: number;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** False for a process that has ended and whose parent hasn't asked for it yet, which `isAlive` can't tell. */
export function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return isAlive(pid);
  }
}

export async function readPidFile(folder: string): Promise<PidFile | undefined> {
  const text = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  return pid > 0 ? { pid, port: Number.parseInt(lines[3] ?? '', 10) || 0 } : undefined;
}

/** The postmaster of the folder where it lives; `stranger` is a process (or what is left of one) with the number of a dead one. */
export async function probe(folder: string): Promise<{ postmaster?: number; stranger?: number }> {
  const file = await readPidFile(folder);
  if (!file || !isAlive(file.pid)) return {};
  return (await isPostmaster(file.pid, folder)) ? { postmaster: file.pid } : { stranger: file.pid };
}

async function isPostmaster(pid: number, folder: string): Promise<boolean> {
  const command = await commandLine(pid);
  // What can't be told is taken for PostgreSQL: it refuses by itself to start twice.
  return command === undefined || command.includes(`${FOLDER_SETTING}=${folder}`);
}

async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  return promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}
