/** Runs a program of PostgreSQL to its end in a clean environment. */
import { spawn } from 'node:child_process';
import { chmod, chown, lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

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

/**
 * The operating system account of the embedded PostgreSQL. PostgreSQL refuses to run as root, so if the service runs as
 * root, an existing unprivileged account is used; otherwise that of the service.
 */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** In order of preference; both exist on practically every system. */
const ACCOUNT_NAMES = ['postgres', 'nobody'];
const NOBODY_ACCOUNT: Account = { name: '65534', uid: 65534, gid: 65534 };

/** Undefined if the service is not root. An existing data folder keeps its owner. */
export async function findAccount(dataFolder: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = parsePasswd(await readFile('/etc/passwd', 'utf8').catch(() => ''));
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner && owner.uid !== 0) {
    const name = accounts.find(({ uid }) => uid === owner.uid)?.name ?? String(owner.uid);
    return { name, uid: owner.uid, gid: owner.gid };
  }
  for (const candidate of ACCOUNT_NAMES) {
    const account = accounts.find(({ name, uid }) => name === candidate && uid !== 0);
    if (account) return account;
  }
  return NOBODY_ACCOUNT;
}

/** Makes the account the owner of a data folder that belongs to root (new, or restored from a backup). */
export async function giveDataFolder(dataFolder: string, account: Account | undefined): Promise<void> {
  if (account && (await lstat(dataFolder)).uid !== account.uid) await chownTree(dataFolder, account);
  await chmod(dataFolder, 0o700);
}

/** Options of `spawn` to run a program as the account. */
export function spawnIdentity(account: Account | undefined): { uid?: number; gid?: number } {
  return account ? { uid: account.uid, gid: account.gid } : {};
}

function parsePasswd(text: string): Account[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

async function chownTree(folder: string, account: Account): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await chownTree(path, account);
    else if (entry.isFile()) await chown(path, account.uid, account.gid);
  }
  await chown(folder, account.uid, account.gid);
}
