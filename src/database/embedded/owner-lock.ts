/**
 * Ownership of the embedded database. The owner holds an advisory lock in a session, which ends with its process;
 * commands hold another one, shared, whether they own the database or only use it. Without a service, the last command
 * stops the database.
 */
import { Client } from 'pg';
import type { Statement } from '../../sql/fragment.js';
import {
  FIND_OWNER,
  TRY_OWNER_LOCK,
  TRY_SHARED_USAGE_LOCK,
  TRY_USAGE_LOCK,
  UNLOCK_ALL,
} from '../../sql/server/owner-lock.sql.js';
import { clientOptions, type ServerConnection } from '../connection/connection.js';
import { DatabaseStartError } from '../connection/start-error.js';
import { runOnClient } from '../statement/run-on-client.js';
import { SUPERUSER } from './data-folder.js';

export type Role = 'service' | 'command';

/** Every cluster has this database, and advisory locks are per database. */
const LOCK_DATABASE = 'postgres';
export const DATABASE = 'kind';

/** `nobody`: no server is listening. `not ready`: it is starting, stopping or recovering. */
type ConnectAttempt = Client | 'nobody' | 'not ready';

const NOT_LISTENING_CODES = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);
const NOT_READY_CODES = new Set(['57P03', '57P01', '57P02', '53300', 'ECONNRESET', 'EPIPE', 'EAGAIN']);

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
  // Callers that need to know listen to `end`.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && NOT_LISTENING_CODES.has(code)) return 'nobody';
    if (code === undefined ? /terminated|timeout/i.test(message) : NOT_READY_CODES.has(code)) return 'not ready';
    throw new DatabaseStartError(`the embedded database at ${server.host} refuses: ${message}`);
  }
}

export async function tryOwn(client: Client): Promise<boolean> {
  return tryLock(client, TRY_OWNER_LOCK);
}

/** False if the owner is about to stop the database. */
export async function tryUse(client: Client): Promise<boolean> {
  return tryLock(client, TRY_SHARED_USAGE_LOCK);
}

/**
 * Ends the ownership or use of a command. True if no other process owns or uses the database: then it is owned again, to
 * be stopped, and nobody can begin to use it. All of several that do this at once have given up their locks before they
 * look, so one of them is the last.
 */
export async function isLastToLeave(client: Client): Promise<boolean> {
  await runOnClient(client, UNLOCK_ALL);
  return (await tryLock(client, TRY_USAGE_LOCK)) && (await tryOwn(client));
}

/** Finds the owner by the application name of its session. */
export async function findOwner(client: Client): Promise<{ role: Role; pid: number } | undefined> {
  const [row] = await runOnClient<{ name: string }>(client, FIND_OWNER);
  const [, role, pid] = /^kind (service|command) (\d+)$/.exec(row?.name ?? '') ?? [];
  return role === undefined ? undefined : { role: role as Role, pid: Number(pid) };
}

async function tryLock(client: Client, statement: Statement): Promise<boolean> {
  const [row] = await runOnClient<{ locked: boolean }>(client, statement);
  return row?.locked === true;
}
