/** A separate database for a test file, for tests that end other connections than their own. */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { pino, type Logger } from 'pino';
import { inject } from 'vitest';
import { atEnd } from './at-end.js';
import { dropFromWorkers, makeCitusDatabase } from './citus-database.js';
import { loadConfig, type Config } from '../../src/config/config.js';
import { clientOptions, type ConnectionOptions } from '../../src/database/connection/connection.js';
import { startService } from '../../src/service.js';
import { ADMIN, TestService } from './service.js';

export { urlOf } from './database-url.js';

function inDatabase(connection: ConnectionOptions, database: string): ConnectionOptions {
  if (!('url' in connection)) return { ...connection, database };
  const url = new URL(connection.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

/** What PostgreSQL says while others are connected. */
const OBJECT_IN_USE = '55006';

/**
 * Ends all connections of the tests' role, and drops the database. Not WITH (FORCE), which may not end an autovacuum
 * worker, as that belongs to the superuser; without it PostgreSQL ends the worker, and waits five seconds for others.
 */
async function drop(client: Client, name: string): Promise<void> {
  const others = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = user';
  for (let attempt = 1; ; attempt += 1) {
    await client.query(others, [name]);
    try {
      await client.query(['DROP DATABASE', name].join(' '));
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== OBJECT_IN_USE || attempt === 5) throw error;
    }
  }
}

/** Makes the database; it goes after the file's tests, when its services have stopped. */
export async function ownDatabase(): Promise<ConnectionOptions> {
  const name = `own_${randomBytes(6).toString('hex')}`;
  const client = new Client(clientOptions(inject('database')));
  await client.connect();
  const citusUrl = process.env['TEST_CITUS_URL'];
  if (citusUrl) await makeCitusDatabase(citusUrl, name);
  else await client.query(['CREATE DATABASE', name].join(' '));
  atEnd(async () => {
    await drop(client, name);
    if (citusUrl) await dropFromWorkers(citusUrl, name);
    await client.end();
  });
  return inDatabase(inject('database'), name);
}

/** A service as `startTestService` starts it, on another database. */
export async function startServiceOn(
  connection: ConnectionOptions,
  overrides: Partial<Config> = {},
  logger: Logger = pino({ level: 'fatal' }),
): Promise<TestService> {
  const config: Config = {
    ...loadConfig(
      {
        ...{ LOG_LEVEL: 'fatal', PORT: '0', DATABASE_POOL: '8', DATA_DIR: tmpdir(), FUNCTIONS_WATCH: 'off' },
        SHUTDOWN_IDLE: '0s',
      },
      tmpdir(),
    ),
    bootstrap: {
      project: 'boot',
      adminUsername: ADMIN.username,
      adminEmail: ADMIN.email,
      adminPassword: ADMIN.password,
    },
    files: { folder: join(dirname(inject('initialised')), `files-${randomBytes(6).toString('hex')}`) },
    ...overrides,
  };
  const secret = 'another secret for tests, at least thirty-two characters';
  const service = await startService({ config, secret, connection, logger });
  atEnd(() => service.stop());
  return new TestService(service);
}
