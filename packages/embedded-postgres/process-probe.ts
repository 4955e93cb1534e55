/**
 * Finds the process that runs PostgreSQL in a data folder, from postmaster.pid and with checks that it is that process.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A custom setting on the command line that identifies the process by its data folder. */
export const FOLDER_SETTING = 'kind.data_folder';

interface PidFile {
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

/** False also for a zombie, which `isAlive` can't distinguish. */
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

/** The pid of the running postmaster of the folder. `reusedPid`: a process that has the pid of a dead one. */
export async function probe(folder: string): Promise<{ postmaster?: number; reusedPid?: number }> {
  const file = await readPidFile(folder);
  if (!file || !isAlive(file.pid)) return {};
  return (await isPostmaster(file.pid, folder)) ? { postmaster: file.pid } : { reusedPid: file.pid };
}

async function isPostmaster(pid: number, folder: string): Promise<boolean> {
  const command = await commandLine(pid);
  // If unknown, it is assumed to be PostgreSQL, which itself refuses to start twice.
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
