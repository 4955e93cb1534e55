/** Opens the PostgreSQL of DATABASE_URL: waits until it answers, and checks its version. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { READ_SERVER_VERSION } from '../../sql/server/connection.sql.js';
import { runOnClient } from '../statement/run-on-client.js';
import { databaseAddress, type UrlConnection, DatabaseStartError } from './connection.js';

const MIN_VERSION = 150_000;
const START_TIMEOUT = 15_000;
const RETRY_INTERVAL = 300;
/** Errors of a server, container or name service that is still starting. */
const STARTING_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENOENT',
  '57P03',
  '57P01',
  '53300',
]);

/** @throws DatabaseStartError */
export async function openExternal(url: string, log: (line: string) => void): Promise<UrlConnection> {
  const deadline = performance.now() + START_TIMEOUT;
  for (let attempt = 0; ; attempt += 1) {
    try {
      checkServerVersion(await serverVersion(url));
      return { url };
    } catch (error) {
      if (error instanceof DatabaseStartError) throw error;
      if (!isStarting(error) || performance.now() > deadline) throw connectError(url, error);
      if (attempt === 0) log(`waiting for the database at ${databaseAddress({ url })}`);
      await delay(RETRY_INTERVAL);
    }
  }
}

interface ServerVersion {
  readonly number: number;
  readonly name: string;
}

async function serverVersion(url: string): Promise<ServerVersion> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const [version] = await runOnClient<ServerVersion>(client, READ_SERVER_VERSION);
    if (!version) throw new DatabaseStartError('DATABASE_URL: the server reports no version');
    return version;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function checkServerVersion(version: ServerVersion): void {
  if (version.number >= MIN_VERSION) return;
  throw new DatabaseStartError(`DATABASE_URL: the server is PostgreSQL ${version.name}, wants 15 or later`);
}

function isStarting(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isStarting);
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? /timeout|terminated/i.test(message) : STARTING_CODES.has(code);
}

function connectError(url: string, error: unknown): DatabaseStartError {
  const cause = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error);
  const reaction = error instanceof DatabaseError ? 'refuses' : 'does not answer';
  return new DatabaseStartError(
    `DATABASE_URL: the database at ${databaseAddress({ url })} ${reaction}: ${cause.message}`,
  );
}
