/** One PostgreSQL for all systems: the embedded one, started like the service starts it, with the same settings. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { cpuSeconds, parentOf } from './process-stats.mjs';

/** Connections of each system: the service's default. */
export const POOL = 10;

export class Postgres {
  #opened;
  #pid;

  /**
   * @param {{ stop(): Promise<void> }} opened
   * @param {string} url
   * @param {pg.Client} client
   * @param {string} version
   * @param {number | undefined} pid of the server's main process
   */
  constructor(opened, url, client, version, pid) {
    this.#opened = opened;
    this.url = url;
    this.client = client;
    this.version = version;
    this.#pid = pid;
  }

  /**
   * @param {string} dist folder of the service's build
   * @param {string} dataDir
   */
  static async start(dist, dataDir) {
    /** @type {typeof import('../src/database/open-database.js')} */
    const { openDatabase } = await import(join(dist, 'database/open-database.js'));
    const opened = await openDatabase({ dataDir, databasePool: POOL, workers: 1 }, { role: 'service', log: () => {} });
    await allowCheckpoints(dist, dataDir, opened.connection);
    const url = urlOf(opened.connection);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(`SELECT current_setting('server_version') AS version, pg_backend_pid() AS pid`);
    return new Postgres(opened, url, client, rows[0].version, await parentOf(rows[0].pid));
  }

  /** The settings that matter to a benchmark. */
  async settings() {
    const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers'];
    const { rows } = await this.client.query(
      'SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name',
      [names],
    );
    return rows.map(({ name, value }) => `${name}=${value}`).join(', ');
  }

  /** CPU seconds of the server's processes so far; undefined if the system does not provide them. */
  async cpu() {
    if (this.#pid === undefined) return undefined;
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    let sum = 0;
    for (const pid of pids) {
      if (pid === this.#pid || (await parentOf(pid)) === this.#pid) sum += (await cpuSeconds(pid)) ?? 0;
    }
    return sum;
  }

  async stop() {
    await this.client.end();
    await this.#opened.stop();
  }
}

/**
 * Before each measurement of writes there is a checkpoint, which the service's role may not request.
 * @param {string} dist
 * @param {string} dataDir
 * @param {import('../src/database/connection/connection.js').ConnectionOptions} connection
 */
async function allowCheckpoints(dist, dataDir, connection) {
  /** @type {typeof import('../src/database/embedded/data-folder.js')} */
  const { dataFolder, readPassword, SUPERUSER } = await import(join(dist, 'database/embedded/data-folder.js'));
  const password = await readPassword(dataFolder(dataDir));
  if ('url' in connection) throw new Error('the embedded PostgreSQL is reached without a URL');
  const client = new pg.Client({ connectionString: urlOf({ ...connection, user: SUPERUSER, password }) });
  await client.connect();
  await client.query(['GRANT pg_checkpoint TO', connection.user].join(' '));
  await client.end();
}

/** @param {import('../src/database/connection/connection.js').ConnectionOptions} connection */
function urlOf(connection) {
  if ('url' in connection) return connection.url;
  const { host, port, user, password, database } = connection;
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  // The folder of a Unix socket cannot be the host of a URL.
  const socket = host.startsWith('/');
  return `postgres://${login}@${socket ? 'localhost' : host}:${port}/${database}${socket ? `?host=${encodeURIComponent(host)}` : ''}`;
}
