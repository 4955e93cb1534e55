/**
 * Processes of the service with their database: the embedded one that a service starts itself, or one that the campaign
 * starts and that several processes share, as with DATABASE_URL.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client as Connection } from 'pg';
import { clientOptions } from '../../src/database/connection/connection.js';
import { dataFolder, readConnectionFile } from '@kind/embedded-postgres';
import { openDatabase, type OpenedDatabase } from '../../src/database/open-database.js';
import { urlOf } from '../support/database-url.js';
import type { CampaignOptions } from './campaign.js';
import { Client } from './client.js';
import { ADMINISTRATOR, PROJECT, ServiceProcess } from './service-process.js';

export interface DeploymentOptions {
  /** Several share a database of the campaign; undefined: one service with its embedded database. */
  readonly processes?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Of the database of the campaign. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What runs Node. */
  readonly command?: readonly string[];
  /** Gets each line of the log. */
  readonly watch?: (line: string) => void;
}

export class Deployment {
  readonly #clients: Client[] = [];
  #token = '';

  private constructor(
    readonly dataDir: string,
    readonly processes: readonly ServiceProcess[],
    private readonly database: OpenedDatabase | undefined,
  ) {}

  static async start(
    { folder, initialised }: CampaignOptions,
    { processes, env = {}, settings = {}, command = [], watch }: DeploymentOptions = {},
  ): Promise<Deployment> {
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir, { recursive: true });
    if (initialised !== undefined) execFileSync('cp', ['-a', dataFolder(initialised), dataFolder(dataDir)]);
    const database = processes === undefined ? undefined : await openOwn(dataDir, settings);
    const url = database && { DATABASE_URL: urlOf(database.connection) };
    const own = (index: number) => ({ DATA_DIR: database ? join(folder, `process-${index}`) : dataDir });
    const all = Array.from({ length: processes ?? 1 }, (_, index) => {
      return new ServiceProcess({ ...own(index), ...url, ...env }, command, watch);
    });
    const deployment = new Deployment(dataDir, all, database);
    try {
      for (const each of all) await each.start();
      await deployment.#signIn();
    } catch (error) {
      await deployment.stop();
      throw error;
    }
    return deployment;
  }

  /** The first process. */
  get service(): ServiceProcess {
    const [first] = this.processes;
    if (!first) throw new Error('no process');
    return first;
  }

  /** The administrator of the project, at one of the processes. */
  client(index = 0): Client {
    const headers = { 'kind-project-key': PROJECT, authorization: `Bearer ${this.#token}` };
    const client = new Client(() => this.processes[index]?.url ?? '', headers);
    this.#clients.push(client);
    return client;
  }

  async #signIn(): Promise<void> {
    const stranger = new Client(() => this.service.url, { 'kind-project-key': PROJECT });
    const content = await stranger.ok({ method: 'POST', path: '/auth/signin', body: ADMINISTRATOR });
    stranger.close();
    this.#token = (content as { access_token: string }).access_token;
  }

  async postmaster(): Promise<number> {
    return Number.parseInt(await readFile(join(dataFolder(this.dataDir), 'postmaster.pid'), 'utf8'), 10);
  }

  /** Waits until another postmaster runs. */
  async untilReplaced(pid: number): Promise<void> {
    for (;;) {
      const now = await this.postmaster().catch(() => NaN);
      if (now !== pid && Number.isInteger(now)) return;
      await pause(10);
    }
  }

  /** A connection to the database, as the role of the service. */
  async connect(): Promise<Connection> {
    const options = this.database?.connection ?? (await readConnectionFile(this.dataDir));
    if (!options) throw new Error('the database is not running');
    const connection = new Connection(clientOptions(options));
    connection.on('error', () => undefined);
    await connection.connect();
    return connection;
  }

  /** What the processes logged as errors of their own. */
  errors(): string[] {
    return this.processes.flatMap(({ errors }) => errors);
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all(this.processes.map((each) => each.end('SIGTERM')));
    await this.database?.stop();
  }
}

function openOwn(dataDir: string, settings: Readonly<Record<string, string>>): Promise<OpenedDatabase> {
  return openDatabase({ dataDir, databasePool: 50, workers: 1 }, { role: 'service', log: () => undefined, settings });
}
