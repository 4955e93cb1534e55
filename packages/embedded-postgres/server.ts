/**
 * The PostgreSQL server of one data folder: connects to it, or starts it. Ownership is in session.ts, waiting and
 * retrying in embedded-postgres.ts.
 */
import type { Client } from 'pg';
import { EmbeddedPostgresError } from './error.js';
import { findAccount, giveDataFolder, type Account } from './run-program.js';
import { findBinaries, type Binaries } from './binaries.js';
import {
  checkFolder,
  dataFolder,
  initialise,
  isInitialised,
  makeOwnerPassword,
  OWNER,
  readPassword,
} from './data-folder.js';
import { connect, DATABASE, prepareOwner, type Role, type ServerConnection } from './session.js';
import {
  spawnGuard,
  spawnPostmaster,
  stopPostmaster,
  type PostmasterGuard,
  type StartedPostmaster,
} from './postmaster.js';
import { probe, readPidFile } from './process-probe.js';
import {
  serverSettings,
  removeSocketHost,
  removeSocketLock,
  SOCKET_PORT,
  socketHost,
  touchSocketHost,
  usesTcp,
} from './settings.js';

export interface ServerOptions {
  readonly role: Role;
  readonly log: (line: string) => void;
  /** Settings of PostgreSQL that are added to those of settings.ts, or override them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called when a server process has been started, which takes some time to get ready. */
  readonly onWaiting?: () => void;
}

/** Log messages of a server that found another one running, or traces of one that was just killed. */
const TEMPORARY_FAILURE = /lock file .* already exists|shared memory block .* still in use/;
const MAX_FAILURES = 20;

export class EmbeddedServer {
  readonly folder: string;
  #binaries: Binaries | undefined;
  #account: Account | undefined;
  #host: string | undefined;
  #started: StartedPostmaster | undefined;
  #guard: PostmasterGuard | undefined;
  #failures = 0;

  constructor(
    readonly dataDir: string,
    readonly options: ServerOptions,
  ) {
    this.folder = dataFolder(dataDir);
  }

  /** Tries to connect, and starts a server if none runs. Undefined if the server is not ready. */
  async tryConnect(): Promise<Client | undefined> {
    if (!(await isInitialised(this.folder))) {
      await this.#start();
      return undefined;
    }
    const attempt = await connect(
      { ...(await this.#address()), password: await readPassword(this.folder) },
      this.options.role,
    );
    if (typeof attempt === 'object') return attempt;
    if (attempt === 'nobody' && !(await this.#isStarting())) await this.#start();
    return undefined;
  }

  /** The connection of the database, as its owner role. */
  async connection(): Promise<ServerConnection> {
    const password = await readPassword(this.folder, OWNER);
    return { ...(await this.#address()), user: OWNER, password, database: DATABASE };
  }

  /** Creates the database and its owner role if they do not exist. @param client a session of this server */
  async prepare(client: Client): Promise<void> {
    this.#account ??= await findAccount(this.folder);
    await prepareOwner(client, await makeOwnerPassword(this.folder, this.#account));
  }

  /** Makes this process the guard of the running server. Returns true if another process had started it. */
  async adopt(): Promise<boolean> {
    const pid = (await readPidFile(this.folder))?.pid;
    this.#failures = 0;
    if (pid === undefined || pid === this.#started?.pid) return false;
    this.#account ??= await findAccount(this.folder);
    this.#guard?.dismiss();
    this.#started = undefined;
    this.#guard = spawnGuard(this.folder, pid, this.#account);
    return true;
  }

  /** Leaves the server to its owner. */
  release(): void {
    this.#guard?.dismiss();
    this.#guard = undefined;
    this.#started = undefined;
  }

  get isStartedHere(): boolean {
    return this.#started?.ended() === false;
  }

  /** Stops the server if this process started it. */
  async stopStarted(): Promise<void> {
    if (this.#started?.ended() === false) await stopPostmaster(this.#started.pid, this.folder, this.#binaries);
    this.release();
  }

  /** Stops the server that runs in the folder. */
  async stop(): Promise<void> {
    const { postmaster } = await probe(this.folder);
    const pid = postmaster ?? (this.isStartedHere ? this.#started?.pid : undefined);
    if (pid !== undefined) await stopPostmaster(pid, this.folder, this.#binaries);
    this.release();
    if (this.#host !== undefined) await removeSocketHost(this.folder, this.#host);
  }

  async touch(): Promise<void> {
    if (this.#host !== undefined) await touchSocketHost(this.folder, this.#host);
  }

  /** A description for messages: version, folder and account. */
  get description(): string {
    const version = this.#binaries ? ` ${this.#binaries.version}` : '';
    return `embedded PostgreSQL${version} in ${this.folder}${this.#account ? ` as ${this.#account.name}` : ''}`;
  }

  async #address(): Promise<{ host: string; port: number }> {
    if (usesTcp) return { host: '127.0.0.1', port: (await readPidFile(this.folder))?.port ?? 1 };
    this.#host ??= await socketHost(this.folder);
    return { host: this.#host, port: SOCKET_PORT };
  }

  async #isStarting(): Promise<boolean> {
    return this.isStartedHere || (await probe(this.folder)).postmaster !== undefined;
  }

  async #start(): Promise<void> {
    if (this.#started?.ended()) await this.#judgeFailure(this.#started);
    const { dataDir, folder, options } = this;
    this.#account = await findAccount(folder);
    this.#binaries ??= await findBinaries(dataDir, this.#account);
    if (!(await isInitialised(folder))) {
      options.log(`making a new database in ${folder}`);
      await initialise(dataDir, this.#binaries, this.#account, options.settings?.['fsync'] !== 'off');
    }
    await checkFolder(folder, this.#binaries);
    await giveDataFolder(folder, this.#account);
    const settings = await serverSettings(options.settings);
    const { reusedPid } = await probe(folder);
    await removeSocketLock(folder);
    this.#started = spawnPostmaster({
      dataDir,
      folder,
      binaries: this.#binaries,
      account: this.#account,
      settings,
      reusedPid,
    });
    if (this.#started.pid > 0) this.#guard = spawnGuard(folder, this.#started.pid, this.#account);
    options.onWaiting?.();
  }

  async #judgeFailure(failed: StartedPostmaster): Promise<void> {
    const logTail = await failed.logTail();
    this.release();
    this.#failures += 1;
    if (TEMPORARY_FAILURE.test(logTail) && this.#failures < MAX_FAILURES) return;
    throw new EmbeddedPostgresError(`the embedded PostgreSQL does not start:\n${logTail}`);
  }
}
