/**
 * PostgreSQL's settings for one service on one machine. They are given on the command line at every start, so that a
 * new release of the service changes them without touching the data folder.
 */
import type { Config } from '../../config/config.js';
import { freePort, SOCKET_PORT, usesTcp } from './socket-host.js';

/** Connections of a process beside its pool: the listener, and the one that builds indexes. */
const BESIDE_POOL = 2;
/** Those of nobody's pool: the owner's, commands, psql. */
const SPARE_CONNECTIONS = 30;

export async function serverSettings(
  config: Pick<Config, 'databasePool' | 'workers'>,
  extra: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const connections = Math.max(100, (config.databasePool + BESIDE_POOL) * config.workers + SPARE_CONNECTIONS);
  return {
    ...(usesTcp ? { listen_addresses: '127.0.0.1', port: String(await freePort()) } : socketSettings()),
    max_connections: String(connections),
    shared_buffers: '192MB',
    maintenance_work_mem: '128MB',
    max_locks_per_transaction: '256',
    random_page_cost: '1.1',
    jit: 'off',
    // What is acknowledged is on the disk.
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    // Refused statements are the service's daily bread and in its own log; here only what concerns the server.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] ',
    ...extra,
  };
}

/** The socket lies in the data folder, which is the server's working folder: no port, and nobody else can enter. */
function socketSettings(): Record<string, string> {
  return {
    listen_addresses: '',
    port: String(SOCKET_PORT),
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
  };
}
