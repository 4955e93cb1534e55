/**
 * The folder of the embedded PostgreSQL in DATA_DIR. It is created under a temporary name and renamed when complete, so
 * that an interrupted initdb leaves nothing that looks like a database.
 */
import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './error.js';
import { giveDataFolder, type Account, runProgram } from './run-program.js';
import type { Binaries } from './binaries.js';
import { isRunning } from './process-probe.js';

/** The superuser, for administration of the server only. */
export const SUPERUSER = 'kind';
/** The owner of the database. */
export const OWNER = 'kind_owner';
const DRAFT_PREFIX = 'postgres.new-';
const PASSWORD_FILE = `${SUPERUSER}.password`;
const OWNER_PASSWORD_FILE = `${OWNER}.password`;

export function dataFolder(dataDir: string): string {
  return join(dataDir, 'postgres');
}

/**
 * The value for -D: the working folder of the process. So the account needs no access to parent folders, and
 * PostgreSQL's limit on paths does not apply.
 */
export function folderArgument(folder: string): string {
  return existsSync('/proc/self/cwd') ? '/proc/self/cwd' : folder;
}

export async function isInitialised(folder: string): Promise<boolean> {
  return (await majorOf(folder)) !== undefined;
}

/** Passwords are stored in the data folder, so that they can't get lost or mixed up. */
export async function readPassword(folder: string, role: typeof SUPERUSER | typeof OWNER = SUPERUSER): Promise<string> {
  const file = join(folder, `${role}.password`);
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new EmbeddedPostgresError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** The owner's password, also in the data folder; created if missing. Only the owning process calls it. */
export async function makeOwnerPassword(folder: string, account: Account | undefined): Promise<string> {
  const file = join(folder, OWNER_PASSWORD_FILE);
  const found = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (found !== '') return found;
  const draft = `${file}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, newPassword(), { mode: 0o600, flag: 'wx' });
  if (account) await chown(draft, account.uid, account.gid);
  await rename(draft, file);
  return (await readFile(file, 'utf8')).trim();
}

function newPassword(): string {
  return `${randomBytes(24).toString('base64url')}\n`;
}

/** @throws EmbeddedPostgresError if the folder is another account's, another version's, or no database */
export async function checkFolder(folder: string, binaries: Binaries): Promise<void> {
  const owner = await stat(folder);
  const self = process.getuid?.();
  if (self !== undefined && self !== 0 && owner.uid !== self) {
    throw foreignFolder(folder, owner.uid);
  }
  const major = await majorOf(folder);
  if (major === binaries.major) return;
  throw new EmbeddedPostgresError(
    `${folder} was made by PostgreSQL ${major}, and this release brings PostgreSQL ${binaries.version}: ` +
      'dump it with the release that made it (pg_dump), move the folder away, start, and restore the dump',
  );
}

/** If two processes do it concurrently, the first result is used. */
export async function initialise(
  dataDir: string,
  binaries: Binaries,
  account: Account | undefined,
  durable: boolean,
): Promise<void> {
  const folder = dataFolder(dataDir);
  await removeDrafts(dataDir);
  await refuseOccupied(folder);
  const draft = await mkdtemp(join(dataDir, `${DRAFT_PREFIX}${process.pid}-`));
  const draftFolder = join(draft, 'data');
  try {
    await mkdir(draftFolder, { mode: 0o700 });
    await writeFile(join(draft, PASSWORD_FILE), newPassword(), { mode: 0o600 });
    if (account) await chown(join(draft, PASSWORD_FILE), account.uid, account.gid);
    await giveDataFolder(draftFolder, account);
    if (account) await chown(draft, account.uid, account.gid);
    await initdb(binaries, draftFolder, account, durable);
    await rename(join(draft, PASSWORD_FILE), join(draftFolder, PASSWORD_FILE));
    await rename(draftFolder, folder);
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function initdb(
  binaries: Binaries,
  folder: string,
  account: Account | undefined,
  durable: boolean,
): Promise<void> {
  const args = [
    `--pgdata=${folderArgument(folder)}`,
    `--username=${SUPERUSER}`,
    `--pwfile=../${PASSWORD_FILE}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
  const { ok, output } = await runProgram(binaries.initdb, args, folder, account);
  if (!ok)
    throw new EmbeddedPostgresError(`the embedded database cannot be made in ${folder}:\n${lastLines(output, 8)}`);
}

/** Removes what interrupted starts left. */
async function removeDrafts(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const [, pid] = /^postgres\.new-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

async function refuseOccupied(folder: string): Promise<void> {
  const entries = await readdir(folder).catch(() => []);
  if (entries.length === 0 || (await isInitialised(folder))) return;
  throw new EmbeddedPostgresError(`${folder} holds something that is no PostgreSQL database; move it away`);
}

async function majorOf(folder: string): Promise<number | undefined> {
  try {
    return Number.parseInt(await readFile(join(folder, 'PG_VERSION'), 'utf8'), 10);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EACCES') throw foreignFolder(folder, (await stat(folder).catch(() => undefined))?.uid);
    throw new EmbeddedPostgresError(`${folder} cannot be read: ${message}`);
  }
}

function foreignFolder(folder: string, uid: number | undefined): EmbeddedPostgresError {
  const owner = uid === undefined ? 'another account' : `another account (uid ${uid})`;
  return new EmbeddedPostgresError(
    `${folder} belongs to ${owner}; start as root or as that account, or choose another DATA_DIR`,
  );
}

export function lastLines(text: string, count: number): string {
  return text.trim().split('\n').slice(-count).join('\n');
}
