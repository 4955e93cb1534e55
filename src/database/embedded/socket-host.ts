/**
 * The address at which the embedded PostgreSQL is reached from this machine, and from nowhere else: a Unix socket in
 * its data folder (which only its account and root can enter), on Windows a port of 127.0.0.1.
 */
import { createHash } from 'node:crypto';
import { lstat, lutimes, mkdtemp, readlink, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const SOCKET_PORT = 5432;
export const usesTcp = process.platform === 'win32';
/** The kernel's limit is 104 to 108 bytes for the whole path. */
const MAX_SOCKET_PATH = 100;

/**
 * The folder to connect to. Where its path is too long for a socket's address, that is a symbolic link to it: the
 * limit holds for what is written, not for what it leads to.
 */
export async function socketHost(folder: string): Promise<string> {
  if (Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}`)) <= MAX_SOCKET_PATH) return folder;
  const link = linkOf(folder);
  await symlink(folder, link).catch(() => undefined);
  if (await isOurs(link, folder)) return link;
  const fallback = join(await mkdtemp(join(tmpdir(), 'kind-')), 's');
  await symlink(folder, fallback);
  return fallback;
}

/** Tells whoever tidies up the folder for temporary files that the link is in use. */
export async function touchSocketHost(folder: string, host: string): Promise<void> {
  const now = new Date();
  if (host !== folder && !usesTcp)
    await lutimes(host, now, now).catch(() => symlink(folder, host).catch(() => undefined));
}

export async function removeSocketHost(folder: string, host: string): Promise<void> {
  if (host !== folder && !usesTcp) await rm(host, { force: true });
}

/**
 * The socket has a lock file of its own beside postmaster.pid, which may name a process that is long gone. In the data
 * folder it protects nothing that postmaster.pid doesn't.
 */
export async function removeSocketLock(folder: string): Promise<void> {
  await rm(join(folder, `.s.PGSQL.${SOCKET_PORT}.lock`), { force: true });
}

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function linkOf(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `kind-${process.getuid?.() ?? 0}-${hash}`);
}

/** In a folder that everybody can write to, a link of that name could be somebody else's. */
async function isOurs(link: string, folder: string): Promise<boolean> {
  try {
    const { uid } = await lstat(link);
    return uid === process.getuid?.() && (await readlink(link)) === folder;
  } catch {
    return false;
  }
}
