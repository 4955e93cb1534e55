/**
 * The time of a start, from the command to the first 200 of /health/ready, embedded PostgreSQL included; and of commands
 * of the command line.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Child, freePort } from './child.mjs';
import { median } from './measure.mjs';
import { cpuSeconds, residentMegabytes } from './process-stats.mjs';
import { environment } from './service.mjs';

const NODE = 'node dist/main.js';
const SERVICES = { [NODE]: [process.execPath, 'dist/main.js'], 'npm start': ['npm', 'start'] };
const KIND = [process.execPath, 'dist/cli/main.js'];
/** Commands on the data folder of a service that has stopped, so they start and stop PostgreSQL too. */
const COMMANDS = {
  'kind --help': [...KIND, '--help'],
  'kind project list': [...KIND, 'project', 'list'],
};
/** Commands beside a service. */
const BESIDE = {
  'kind project list, beside a service': [...KIND, 'project', 'list'],
  'kind project migrate, beside a service': [...KIND, 'project', 'migrate'],
  'kind access report, beside a service': [...KIND, 'access', 'report', 'demo'],
};
/** Milliseconds after which a service is idle: V8 has returned memory that it needed for the start. */
const IDLE_AFTER = 60_000;

/**
 * @typedef {{ command: string, fresh: number | undefined, existing: number, cpu: number | undefined, idle: number | undefined }} StartTime
 *   milliseconds on a fresh and on an existing data folder, of a command until it ends; on the existing one, where the
 *   command is Node itself: its CPU time in milliseconds until then, and its memory when idle, in MB, of the first round
 *
 * @param {string} root the checkout
 * @param {string} folder for the data folders
 * @param {number} rounds
 * @returns {Promise<StartTime[]>}
 */
export async function measureStarts(root, folder, rounds) {
  const names = [...Object.keys(SERVICES), ...Object.keys(BESIDE), ...Object.keys(COMMANDS)];
  /** @type {Map<string, Omit<StartTime, 'command'>[]>} */
  const measured = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const dataDir = await mkdtemp(join(folder, 'start-'));
    for (const [name, args] of Object.entries(SERVICES)) {
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
      const { existing: fresh } = await startOnce(root, args, dataDir, {});
      const isNode = name === NODE;
      const beside = async () => {
        for (const [each, command] of Object.entries(BESIDE)) {
          measured.get(each)?.push(await runOnce(root, command, dataDir));
        }
      };
      const second = await startOnce(root, args, dataDir, {
        isNode,
        untilIdle: isNode && round === 0,
        ...(isNode && { beside }),
      });
      measured.get(name)?.push({ ...second, fresh });
    }
    for (const [name, args] of Object.entries(COMMANDS)) measured.get(name)?.push(await runOnce(root, args, dataDir));
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  return [...measured].map(([command, runs]) => ({
    command,
    fresh: medianOf(runs.map(({ fresh }) => fresh)),
    existing: median(runs.map(({ existing }) => existing)),
    cpu: medianOf(runs.map(({ cpu }) => cpu)),
    idle: runs[0]?.idle,
  }));
}

/** @param {(number | undefined)[]} values @returns {number | undefined} undefined if one is missing */
function medianOf(values) {
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? median(known) : undefined;
}

/**
 * @param {string} root
 * @param {readonly string[]} command
 * @param {string} dataDir
 * @param {{ isNode?: boolean, untilIdle?: boolean, beside?: () => Promise<void> }} options `beside` runs after the measurement
 */
async function startOnce(root, command, dataDir, { isNode = false, untilIdle = false, beside }) {
  const port = await freePort();
  const child = new Child(command, { cwd: root, env: environment(dataDir, port) });
  try {
    const existing = await child.ready(`http://127.0.0.1:${port}/health/ready`);
    if (!isNode) return { existing, fresh: undefined, cpu: undefined, idle: undefined };
    const seconds = await cpuSeconds(child.pid);
    if (untilIdle) await delay(IDLE_AFTER);
    const idle = untilIdle ? await residentMegabytes(child.pid) : undefined;
    await beside?.();
    return { existing, fresh: undefined, cpu: seconds === undefined ? undefined : seconds * 1000, idle };
  } finally {
    await child.stop();
  }
}

/**
 * @param {string} root
 * @param {readonly string[]} command
 * @param {string} dataDir
 */
async function runOnce(root, [program = '', ...args], dataDir) {
  const started = performance.now();
  await promisify(execFile)(program, args, { cwd: root, env: environment(dataDir, 0) });
  return { existing: performance.now() - started, fresh: undefined, cpu: undefined, idle: undefined };
}
