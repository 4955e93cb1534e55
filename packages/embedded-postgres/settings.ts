/**
 * PostgreSQL settings of the embedded server. They are passed on the command line at each start, so that new releases
 * can change them without changing the data folder.
 */
import { createHash } from 'node:crypto';
import { lstat, lutimes, mkdtemp, readlink, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @param extra settings that are added, or override these */
export async function serverSettings(extra: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
  return {
    ...(usesTcp ? { listen_addresses: '127.0.0.1', port: String(await freePort()) } : socketSettings()),
    shared_buffers: '192MB',
    maintenance_work_mem: '128MB',
    max_locks_per_transaction: '256',
    random_page_cost: '1.1',
    jit: 'off',
    // Acknowledged data is on disk.
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    // After a crash, PostgreSQL would write file by file to disk, of which each project has some two hundred.
    ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    // Failed statements are normal and in the log of the service; this log is about the server only.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] ',
    ...extra,
  };
}

/** The socket is in the data folder, the working folder of the server: no port, and no access for others. */
function socketSettings(): Record<string, string> {
  return {
    listen_addresses: '',
    port: String(SOCKET_PORT),
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
  };
}

/**
 * The address of the embedded PostgreSQL, reachable only from this machine: a Unix socket in its data folder (which
 * only its account and root can enter), on Windows a port of 127.0.0.1.
 */
export const SOCKET_PORT = 5432;
export const usesTcp = process.platform === 'win32';
/** The limit of the kernel is 104 to 108 bytes for the whole path. */
const MAX_SOCKET_PATH = 100;

/**
 * The folder of the socket. If its path is too long, a symbolic link to it: the limit applies to the path as written.
 */
export async function socketHost(folder: string): Promise<string> {
  if (Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}`)) <= MAX_SOCKET_PATH) return folder;
  const link = shortLinkOf(folder);
  await symlink(folder, link).catch(() => undefined);
  if (await isOwnLink(link, folder)) return link;
  const fallback = join(await mkdtemp(join(tmpdir(), 'kind-')), 's');
  await symlink(folder, fallback);
  return fallback;
}

/** Updates the time of the link, so that it is not cleaned up as an old temporary file. */
export async function touchSocketHost(folder: string, host: string): Promise<void> {
  const now = new Date();
  if (host !== folder && !usesTcp)
    await lutimes(host, now, now).catch(() => symlink(folder, host).catch(() => undefined));
}

export async function removeSocketHost(folder: string, host: string): Promise<void> {
  if (host !== folder && !usesTcp) await rm(host, { force: true });
}

/**
 * Removes the lock file of the socket, which may contain the pid of a dead process. In the data folder, postmaster.pid
 * protects enough.
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

function shortLinkOf(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `kind-${process.getuid?.() ?? 0}-${hash}`);
}

/** In a folder that all accounts can write, a link of that name could belong to another account. */
async function isOwnLink(link: string, folder: string): Promise<boolean> {
  try {
    const { uid } = await lstat(link);
    return uid === process.getuid?.() && (await readlink(link)) === folder;
  } catch {
    return false;
  }
}
