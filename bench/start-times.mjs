/** The time of a start, from the command to the first 200 of /health/ready, embedded PostgreSQL included. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Child, freePort } from './child.mjs';
import { median } from './measure.mjs';
import { residentMegabytes } from './process-stats.mjs';
import { environment } from './service.mjs';

const COMMANDS = {
  'node dist/main.js': [process.execPath, 'dist/main.js'],
  'npm start': ['npm', 'start'],
};

/**
 * @typedef {{ command: string, fresh: number, existing: number, idle: number | undefined }} StartTime
 *   milliseconds on a fresh and on an existing data folder; memory in MB, idle, where the command is Node itself
 *
 * @param {string} root the checkout
 * @param {string} folder for the data folders
 * @param {number} rounds
 * @returns {Promise<StartTime[]>}
 */
export async function measureStarts(root, folder, rounds) {
  const results = [];
  for (const [command, args] of Object.entries(COMMANDS)) {
    const fresh = [];
    const existing = [];
    /** @type {number | undefined} */
    let idle;
    for (let round = 0; round < rounds; round += 1) {
      const dataDir = await mkdtemp(join(folder, 'start-'));
      fresh.push((await startOnce(root, args, dataDir)).milliseconds);
      const second = await startOnce(root, args, dataDir);
      existing.push(second.milliseconds);
      if (args[0] === process.execPath) idle = second.memory;
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    }
    results.push({ command, fresh: median(fresh), existing: median(existing), idle });
  }
  return results;
}

/**
 * @param {string} root
 * @param {readonly string[]} command
 * @param {string} dataDir
 */
async function startOnce(root, command, dataDir) {
  const port = await freePort();
  const child = new Child(command, { cwd: root, env: environment(dataDir, port) });
  try {
    const milliseconds = await child.ready(`http://127.0.0.1:${port}/health/ready`);
    return { milliseconds, memory: await residentMegabytes(child.pid) };
  } finally {
    await child.stop();
  }
}
