/** A PostgreSQL of a test file's own with a standby, to which it streams its log. */
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { loadConfig } from '../../src/config/config.js';
import type { ServerConnection } from '../../src/database/connection/connection.js';
import { dataFolder, readPassword, SUPERUSER } from '../../packages/embedded-postgres/data-folder.js';
import { EmbeddedServer } from '../../packages/embedded-postgres/server.js';
import { SOCKET_PORT, socketHost } from '../../packages/embedded-postgres/settings.js';
import { openDatabase } from '../../src/database/open-database.js';
import { atEnd } from './at-end.js';
import { copyInitialised } from './initialised.js';
import { urlOf } from './own-database.js';

const UNSAFE = { fsync: 'off', shared_buffers: '32MB' };

export interface WithStandby {
  readonly primary: ServerConnection;
  /** The address of the standby, with the role of the service. */
  readonly standbyUrl: string;
  /** A session of the superuser on the standby. */
  readonly standby: Client;
  /** Waits until the standby has what the primary has written now. @param written tells that position */
  readonly caughtUp: (written: () => Promise<string>) => Promise<void>;
  readonly stopStandby: () => Promise<void>;
}

export async function startWithStandby(): Promise<WithStandby> {
  const root = mkdtempSync(join(tmpdir(), 'kind-standby-'));
  // The account of PostgreSQL passes through it to the socket of the primary.
  chmodSync(root, 0o711);
  const [first, second] = [join(root, 'primary'), join(root, 'standby')];
  // Copies of one data folder, so that the standby can go on where both begin.
  for (const folder of [first, second]) copyInitialised(folder);
  const settings = { databasePool: 8, workers: 1 };
  const database = await openDatabase(
    { ...loadConfig({ DATA_DIR: first }, root), ...settings },
    { role: 'service', log: () => undefined, settings: UNSAFE },
  );
  const primary = database.connection as ServerConnection;
  const folder = dataFolder(second);
  const signal = join(folder, 'standby.signal');
  writeFileSync(signal, '');
  chownSync(signal, statSync(folder).uid, statSync(folder).gid);
  const source = `host=${primary.host} port=${primary.port} user=${SUPERUSER} password=${await readPassword(dataFolder(first))}`;
  const server = new EmbeddedServer(second, {
    role: 'command',
    log: () => undefined,
    settings: { ...UNSAFE, primary_conninfo: source },
  });
  const standby = await connected(server);
  const stopStandby = async (): Promise<void> => {
    await standby.end().catch(() => undefined);
    await server.stop();
  };
  atEnd(async () => {
    await stopStandby();
    await database.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const standbyUrl = urlOf({ ...primary, host: await socketHost(folder), port: SOCKET_PORT });
  const caughtUp = async (written: () => Promise<string>): Promise<void> => {
    const position = await written();
    for (let attempt = 0; attempt < 500; attempt += 1) {
      const { rows } = await standby.query('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS reached', [position]);
      if ((rows[0] as { reached: boolean }).reached) return;
      await delay(20);
    }
    throw new Error('the standby does not catch up');
  };
  return { primary, standbyUrl, standby, caughtUp, stopStandby };
}

async function connected(server: EmbeddedServer): Promise<Client> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const client = await server.tryConnect();
    if (client) {
      client.on('error', () => undefined);
      return client;
    }
    await delay(50);
  }
  throw new Error('the standby does not start');
}
