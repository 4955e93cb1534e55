/**
 * The account that the embedded PostgreSQL runs under. PostgreSQL refuses to run as root, so a service that runs as
 * root hands it to an unprivileged account that is there already; any other service runs it as itself.
 */
import { chmod, chown, lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** In the order of preference; both are on practically every system. */
const CANDIDATES = ['postgres', 'nobody'];
const NOBODY: Account = { name: '65534', uid: 65534, gid: 65534 };

/** Undefined where the service isn't root. An existing data folder keeps the account that owns it. */
export async function findAccount(dataFolder: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = parsePasswd(await readFile('/etc/passwd', 'utf8').catch(() => ''));
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner && owner.uid !== 0) {
    const name = accounts.find(({ uid }) => uid === owner.uid)?.name ?? String(owner.uid);
    return { name, uid: owner.uid, gid: owner.gid };
  }
  for (const candidate of CANDIDATES) {
    const account = accounts.find(({ name, uid }) => name === candidate && uid !== 0);
    if (account) return account;
  }
  return NOBODY;
}

/** Gives a data folder that root owns (fresh, or restored from a backup) to the account. */
export async function giveDataFolder(dataFolder: string, account: Account | undefined): Promise<void> {
  if (account && (await lstat(dataFolder)).uid !== account.uid) await chownTree(dataFolder, account);
  await chmod(dataFolder, 0o700);
}

/** What `spawn` needs to run a program as the account. */
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
