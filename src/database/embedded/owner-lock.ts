/**
 * Who looks after the embedded database. The owner holds an advisory lock in a session of its own, which ends with its
 * process however that ends; commands that merely use the database hold another one, shared.
 */
import { Client } from 'pg';
import { clientOptions, type ServerConnection } from '../connection/connection.js';
import { DatabaseStartError } from '../connection/start-error.js';
import { SUPERUSER } from './data-folder.js';

export type Role = 'service' | 'command';

/** 'KIND' in ASCII: the first key of both locks. */
const SPACE = 0x4b494e44;
const OWNED = 1;
const IN_USE = 2;
/** Every cluster has it from the start, and locks count per database. */
const LOCK_DATABASE = 'postgres';
export const DATABASE = 'kind';

/** 'nobody': nothing listens there. 'not ready': it starts, stops or recovers. */
export type ConnectAttempt = Client | 'nobody' | 'not ready';

const NOBODY = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);
const NOT_READY = new Set(['57P03', '57P01', '57P02', '53300', 'ECONNRESET', 'EPIPE', 'EAGAIN']);

export async function connect(
  server: Omit<ServerConnection, 'user' | 'database'>,
  role: Role,
  database = LOCK_DATABASE,
): Promise<ConnectAttempt> {
  const client = new Client({
    ...clientOptions({ ...server, user: SUPERUSER, database }),
    application_name: `kind ${role} ${process.pid}`,
    connectionTimeoutMillis: 10_000,
  });
  // The session ends with the server; whoever cares listens to 'end'.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && NOBODY.has(code)) return 'nobody';
    if (code === undefined ? /terminated|timeout/i.test(message) : NOT_READY.has(code)) return 'not ready';
    throw new DatabaseStartError(`the embedded database at ${server.host} refuses: ${message}`);
  }
}

export async function tryOwn(client: Client): Promise<boolean> {
  return tryLock(client, 'SELECT pg_try_advisory_lock($1, $2) AS locked', OWNED);
}

/** False where the owner is about to stop the database. */
export async function tryUse(client: Client): Promise<boolean> {
  return tryLock(client, 'SELECT pg_try_advisory_lock_shared($1, $2) AS locked', IN_USE);
}

/** Waits until nobody uses the database, and lets nobody begin to. */
export async function waitUntilUnused(client: Client): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1, $2)', [SPACE, IN_USE]);
}

/** The owner, by the name that it gave its session. */
export async function findOwner(client: Client): Promise<{ role: Role; pid: number } | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     WHERE l.locktype = 'advisory' AND l.classid = $1::int8::oid AND l.objid = $2::int8::oid AND l.granted`,
    [SPACE, OWNED],
  );
  const [, role, pid] = /^kind (service|command) (\d+)$/.exec(rows[0]?.name ?? '') ?? [];
  return role === undefined ? undefined : { role: role as Role, pid: Number(pid) };
}

async function tryLock(client: Client, statement: string, key: number): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(statement, [SPACE, key]);
  return rows[0]?.locked === true;
}
