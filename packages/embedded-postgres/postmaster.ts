/**
 * Starts and stops the process of the embedded PostgreSQL. It runs in its own process session, so that Ctrl-C does not
 * reach it; a guard process stops it if the service ends without doing so.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnIdentity, type Account, PROGRAM_ENV, runProgram } from './run-program.js';
import type { Binaries } from './binaries.js';
import { folderArgument, lastLines } from './data-folder.js';
import { FOLDER_SETTING, isRunning } from './process-probe.js';

const LOG_MAX_BYTES = 4 * 1024 * 1024;
const FAST_SHUTDOWN = 20_000;
const IMMEDIATE_SHUTDOWN = 8_000;

interface StartRequest {
  readonly dataDir: string;
  readonly folder: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  readonly settings: Readonly<Record<string, string>>;
  /** A running process whose pid equals the one that a dead postmaster left in postmaster.pid. */
  readonly reusedPid: number | undefined;
}

export interface StartedPostmaster {
  readonly pid: number;
  /** Whether it has ended. */
  readonly ended: () => boolean;
  /** The last lines that it logged since the start. */
  readonly logTail: () => Promise<string>;
}

export function spawnPostmaster(request: StartRequest): StartedPostmaster {
  const { dataDir, folder, binaries, account, settings, reusedPid } = request;
  const logFile = join(dataDir, 'postgres.log');
  const { fd, offset } = openLog(logFile);
  const args = Object.entries({ ...settings, [FOLDER_SETTING]: folder }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  let child: ChildProcess;
  try {
    child = spawn(binaries.postgres, ['-D', folderArgument(folder), ...args], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', fd, fd],
      ...spawnIdentity(account),
      // PostgreSQL refuses to start if the process of a lock file is alive, unless it is its own grandparent. This
      // variable tells it that the pid was reused, without disabling its other checks.
      ...(PROGRAM_ENV && { env: { ...PROGRAM_ENV, ...(reusedPid && { PG_GRANDPARENT_PID: String(reusedPid) }) } }),
    });
  } finally {
    closeSync(fd);
  }
  let failure: string | undefined;
  let ended = false;
  child.once('error', (error) => {
    failure = error.message;
    ended = true;
  });
  child.once('exit', () => (ended = true));
  child.unref();
  return {
    pid: child.pid ?? 0,
    ended: () => ended,
    logTail: async () => failure ?? lastLines(await readFrom(logFile, offset), 12),
  };
}

export interface PostmasterGuard {
  /** Ends the guard without stopping PostgreSQL. */
  dismiss(): void;
}

/** `read` fails when the service ends for whatever reason, because its end of the pipe is closed. */
const GUARD_SCRIPT = `read -r _ && exit 0
read -r pid < postmaster.pid && [ "$pid" = "$1" ] && kill -INT "$pid"`;

export function spawnGuard(folder: string, pid: number, account: Account | undefined): PostmasterGuard {
  if (process.platform === 'win32') return { dismiss: () => undefined };
  const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'kind-postgres-guard', String(pid)], {
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    ...spawnIdentity(account),
    ...(PROGRAM_ENV && { env: PROGRAM_ENV }),
  });
  // If there is no guard (no sh on the system), the next start takes over a PostgreSQL that is still running.
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  // The pipe must not keep Node running.
  (guard.stdin as unknown as Socket).unref();
  return { dismiss: () => void guard.stdin.end('dismissed\n') };
}

/** Shuts down fast (finishes commits, disconnects clients), then harder if that takes too long. */
export async function stopPostmaster(pid: number, folder: string, binaries: Binaries | undefined): Promise<void> {
  if (process.platform === 'win32' && binaries) {
    await runProgram(binaries.pgCtl, ['stop', '-D', folder, '-m', 'fast', '-w'], folder);
    return;
  }
  const steps: readonly [NodeJS.Signals, number][] = [
    ['SIGINT', FAST_SHUTDOWN],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN],
    ['SIGKILL', 2000],
  ];
  for (const [signal, timeout] of steps) {
    if (!sendSignal(pid, signal) || (await isGone(pid, timeout))) return;
  }
}

async function isGone(pid: number, timeout: number): Promise<boolean> {
  const deadline = performance.now() + timeout;
  while (performance.now() < deadline) {
    if (!isRunning(pid)) return true;
    await delay(10);
  }
  return false;
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function openLog(file: string): { fd: number; offset: number } {
  const length = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const full = length > LOG_MAX_BYTES;
  if (full) renameSync(file, `${file}.old`);
  return { fd: openSync(file, 'a', 0o600), offset: full ? 0 : length };
}

async function readFrom(file: string, offset: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const start = Math.max(offset, size - 16 * 1024);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(size - start, 0)), 0, null, start);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await handle.close();
  }
}
