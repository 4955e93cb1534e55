/**
 * Sessions of the superuser: they hold the locks that tell who owns and who uses the server, and make the database and its
 * owner role.
 */
import { Client, escapeLiteral } from 'pg';
import { OWNER, SUPERUSER } from './data-folder.js';
import { EmbeddedPostgresError } from './error.js';

/** The database that the server is for. */
export const DATABASE = 'kind';
/** Default databases of every server. Advisory locks are per database: the locks are held in the first one. */
const DEFAULT_DATABASES = ['postgres', 'template1'] as const;

/**
 * A service owns the server exclusively, and stops it. A command uses that of another process, or owns it for a while;
 * without a service, the last command stops it.
 */
export type Role = 'service' | 'command';

/** `host` is the folder of a Unix socket if it starts with a slash. */
export interface ServerConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** `nobody`: no server is listening. `not ready`: it is starting, stopping or recovering. */
type ConnectAttempt = Client | 'nobody' | 'not ready';

const NOT_LISTENING_CODES = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);
const NOT_READY_CODES = new Set(['57P03', '57P01', '57P02', '53300', 'ECONNRESET', 'EPIPE', 'EAGAIN']);

export async function connect(
  server: Omit<ServerConnection, 'user' | 'database'>,
  role: Role,
): Promise<ConnectAttempt> {
  const client = new Client({
    ...server,
    user: SUPERUSER,
    database: DEFAULT_DATABASES[0],
    // The driver would otherwise read PGSSLMODE, and a Unix socket has no TLS.
    ssl: false,
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
    throw new EmbeddedPostgresError(`the embedded database at ${server.host} refuses: ${message}`);
  }
}

/** 'KIND' in ASCII: the first key of both advisory locks. They are held until the session, or its process, ends. */
const LOCK_CLASS = 0x4b494e44;
/** The owner holds it exclusively. */
const OWNER_LOCK = 1;
/** Commands hold it shared, whether they own the server or only use it. */
const USAGE_LOCK = 2;

export async function tryOwn(client: Client): Promise<boolean> {
  return tryLock(client, 'pg_try_advisory_lock', OWNER_LOCK);
}

/** False if the owner is about to stop the database. */
export async function tryUse(client: Client): Promise<boolean> {
  return tryLock(client, 'pg_try_advisory_lock_shared', USAGE_LOCK);
}

/**
 * Ends the ownership or use of a command. True if no other process owns or uses the database: then it is owned again, to
 * be stopped, and nobody can begin to use it. All of several that do this at once have given up their locks before they
 * look, so one of them is the last.
 */
export async function isLastToLeave(client: Client): Promise<boolean> {
  await client.query('SELECT pg_advisory_unlock_all()');
  return (await tryLock(client, 'pg_try_advisory_lock', USAGE_LOCK)) && (await tryOwn(client));
}

async function tryLock(
  client: Client,
  lock: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  key: number,
): Promise<boolean> {
  const text = `SELECT ${lock}(${LOCK_CLASS}, ${key}) AS locked`;
  const { rows } = await client.query<{ locked: boolean }>(text);
  return rows[0]?.locked === true;
}

const FIND_OWNER = `
  SELECT a.application_name AS name
  FROM pg_catalog.pg_locks AS l
  JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid
  WHERE l.locktype = 'advisory' AND l.classid = ${LOCK_CLASS} AND l.objid = ${OWNER_LOCK} AND l.granted`;

/** Finds the owner by the application name of its session. */
export async function findOwner(client: Client): Promise<{ role: Role; pid: number } | undefined> {
  const { rows } = await client.query<{ name: string }>(FIND_OWNER);
  const [, role, pid] = /^kind (service|command) (\d+)$/.exec(rows[0]?.name ?? '') ?? [];
  return role === undefined ? undefined : { role: role as Role, pid: Number(pid) };
}

const FIND_ROLE = 'SELECT FROM pg_catalog.pg_roles WHERE rolname = $1';
const CREATE_ROLE = `CREATE ROLE ${OWNER} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS`;
/** Only superusers can connect to these databases then. */
const REVOKE_PUBLIC_ACCESS = `REVOKE ALL ON DATABASE ${DEFAULT_DATABASES.join(', ')} FROM PUBLIC`;
/** Lets the role limit the temporary files of its sessions. */
const GRANT_TEMPORARY_FILE_LIMIT = `GRANT SET ON PARAMETER temp_file_limit TO ${OWNER}`;
const FIND_DATABASE = 'SELECT FROM pg_catalog.pg_database WHERE datname = $1';
const CREATE_DATABASE = `CREATE DATABASE ${DATABASE} OWNER ${OWNER}`;

/**
 * Creates the database and the role that owns it, which the service, commands and people use; it has no rights beyond
 * the database. The superuser is for administration only.
 */
export async function prepareOwner(client: Client, password: string): Promise<void> {
  const withPassword = (statement: string): string => `${statement} PASSWORD ${escapeLiteral(password)}`;
  if ((await client.query(FIND_ROLE, [OWNER])).rows.length > 0) {
    await client.query(withPassword(`ALTER ROLE ${OWNER}`));
  } else {
    await client.query(REVOKE_PUBLIC_ACCESS);
    await client.query(withPassword(CREATE_ROLE));
  }
  await client.query(GRANT_TEMPORARY_FILE_LIMIT);
  const { rows } = await client.query(FIND_DATABASE, [DATABASE]);
  if (rows.length === 0) await client.query(CREATE_DATABASE);
}
