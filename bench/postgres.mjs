/** One PostgreSQL for all systems: the embedded one, started like the service starts it, with the same settings. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { cpuSecondsOfAll, parentOf } from './process-stats.mjs';

/** Connections of each system: the service's default. */
export const POOL = 10;

const RUNNING = `SELECT count(*)::int AS running FROM pg_stat_activity
  WHERE state <> 'idle' AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
/** So many readings in a row without a running statement. */
const IDLE_READINGS = 3;
const READING_INTERVAL = 30;

/** @param {pg.Client} client @param {string} name */
async function setting(client, name) {
  const { rows } = await client.query('SELECT current_setting($1) AS value', [name]);
  return String(rows[0].value);
}

/** @param {pg.Client} client */
async function settingsOf(client) {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers'];
  const texts = [];
  for (const name of names) texts.push(`${name}=${await setting(client, name)}`);
  return texts.join(', ');
}

export class Postgres {
  #opened;
  #pid;
  #dist;
  #superuser;

  /**
   * @param {{ stop(): Promise<void> }} opened
   * @param {string} url
   * @param {pg.Client} client
   * @param {{ version: string, settings: string }} about
   * @param {number | undefined} pid of the server's main process
   * @param {string} dist folder of the service's build
   * @param {pg.Client} superuser
   */
  constructor(opened, url, client, about, pid, dist, superuser) {
    this.#opened = opened;
    this.#dist = dist;
    this.#superuser = superuser;
    this.url = url;
    this.client = client;
    this.version = about.version;
    /** The settings that matter to a benchmark. */
    this.settings = about.settings;
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
    const superuser = await connectAsSuperuser(dist, dataDir, opened.connection);
    const url = urlOf(opened.connection);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const about = { version: await setting(client, 'server_version'), settings: await settingsOf(client) };
    return new Postgres(opened, url, client, about, await parentOf(rows[0].pid), dist, superuser);
  }

  /**
   * Stores the number of units of a kind anew, as the service does where another program wrote to the table.
   * @param {string} schema
   * @param {string} kind
   */
  async repairCount(schema, kind) {
    /** @type {typeof import('../src/sql/count.sql.js')} */
    const { repairCountStatement } = await import(join(this.#dist, 'sql/count.sql.js'));
    /** @type {any} the statement uses no more of a kind */
    const definition = { table: kind, fields: new Map() };
    const { text, values } = repairCountStatement(schema, definition);
    await this.client.query(text, [...values]);
  }

  /**
   * Waits until no statement runs. Those of a load that has ended go on for a while, and would slow the next system down.
   */
  async whenIdle() {
    for (let idle = 0; idle < IDLE_READINGS;) {
      const { rows } = await this.client.query(RUNNING);
      idle = rows[0].running === 0 ? idle + 1 : 0;
      await delay(READING_INTERVAL);
    }
  }

  /** CPU seconds of the server's processes so far; undefined if the system does not provide them. */
  async cpu() {
    return this.#pid === undefined ? undefined : cpuSecondsOfAll(this.#pid);
  }

  /** Creates an empty database with the service's role as its owner; returns its URL. @param {string} name */
  async createDatabase(name) {
    await this.#superuser.query(['DROP DATABASE IF EXISTS', name, 'WITH (FORCE)'].join(' '));
    const { rows } = await this.client.query('SELECT quote_ident(current_user) AS role');
    await this.#superuser.query(['CREATE DATABASE', name, 'OWNER', rows[0].role].join(' '));
    const url = new URL(this.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  async stop() {
    await this.#superuser.end();
    await this.client.end();
    await this.#opened.stop();
  }
}

/**
 * A client of the superuser, for what the service's role may not do.
 * @param {string} dist
 * @param {string} dataDir
 * @param {import('../src/database/connection/connection.js').ConnectionOptions} connection
 */
async function connectAsSuperuser(dist, dataDir, connection) {
  /** @type {typeof import('../packages/embedded-postgres/data-folder.js')} */
  const { dataFolder, readPassword, SUPERUSER } = await import(join(dist, 'embedded-postgres/data-folder.js'));
  const password = await readPassword(dataFolder(dataDir));
  if ('url' in connection) throw new Error('the embedded PostgreSQL is reached without a URL');
  const client = new pg.Client({ connectionString: urlOf({ ...connection, user: SUPERUSER, password }) });
  await client.connect();
  // Before each measurement of writes there is a checkpoint.
  await client.query(['GRANT pg_checkpoint TO', connection.user].join(' '));
  return client;
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
