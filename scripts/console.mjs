// Builds the console, console/dist/, if it is older than its sources.
import { fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm, utimes, writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { config as readDotenv } from 'dotenv';
import { changedAt, lastChangeAt } from './build.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'console');
const target = join(folder, 'dist');
/** Has the id of the process that builds; the service shows then that the console will be there soon. */
const BUILDING = join(folder, '.building');
/** What the result depends on. The lock file stands for the packages of others. The console is a client, and reads filters as the service does. */
const SOURCES = [
  ...['src', 'index.html', 'vite.config.ts', 'package.json', '../package-lock.json'],
  ...['../packages/client', '../src/filter', '../src/shared', '../src/model'],
];

/** True if the page is at least as new as all sources. */
export function isConsoleFresh() {
  const built = changedAt(join(target, 'index.html'));
  return built !== undefined && SOURCES.every((name) => lastChangeAt(join(folder, name)) <= built);
}

/** Builds in another process, of low priority, which ends with this one. Says so if it fails; the service runs on. */
export function buildConsoleBeside() {
  if (!existsSync(join(folder, 'package.json')) || isConsoleFresh()) return;
  const builder = fork(import.meta.filename, [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  });
  builder.unref();
  builder.channel?.unref();
}

/** Builds into another folder and replaces the previous build. @throws Error if it fails; there is no console then */
export async function buildConsole() {
  if (isBuilding()) return;
  const draft = join(folder, '.dist');
  await writeFile(BUILDING, String(process.pid));
  try {
    const started = new Date();
    // An old page may not fit the service.
    await rm(target, { recursive: true, force: true });
    const { build } = await import('vite');
    await build({ root: folder, logLevel: 'warn', build: { outDir: draft, emptyOutDir: true } });
    // A source that is saved during the build counts as newer.
    await utimes(join(draft, 'index.html'), started, started);
    await rename(draft, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(BUILDING, { force: true });
  }
}

/** Whether another process builds it. */
function isBuilding() {
  try {
    const pid = Number.parseInt(readFileSync(BUILDING, 'utf8'), 10);
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** `node scripts/console.mjs` builds it if it is older than its sources. */
async function main() {
  readDotenv({ path: join(root, '.env'), quiet: true });
  if (process.env.CONSOLE !== 'off' && !isConsoleFresh()) await buildConsole();
}

if (process.argv[1] === import.meta.filename) {
  process.once('disconnect', () => process.exit(1));
  if (process.channel) setPriority(constants.priority.PRIORITY_LOW);
  try {
    await main();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`error: the console was not built: ${error.message}\n`);
    process.exit(1);
  }
}
