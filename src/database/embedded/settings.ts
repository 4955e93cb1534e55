/**
 * PostgreSQL settings of the embedded server. They are passed on the command line at each start, so that new releases
 * can change them without changing the data folder.
 */
import type { Config } from '../../config/config.js';
import { freePort, SOCKET_PORT, usesTcp } from './socket-host.js';

/** Connections of a process besides its pool: the listener and the index builder. */
const CONNECTIONS_BESIDE_POOL = 2;
/** Other connections: of the owner, commands, psql. */
const SPARE_CONNECTIONS = 30;

export async function serverSettings(
  config: Pick<Config, 'databasePool' | 'workers'>,
  extra: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const connections = Math.max(
    100,
    (config.databasePool + CONNECTIONS_BESIDE_POOL) * config.workers + SPARE_CONNECTIONS,
  );
  return {
    ...(usesTcp ? { listen_addresses: '127.0.0.1', port: String(await freePort()) } : socketSettings()),
    max_connections: String(connections),
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
