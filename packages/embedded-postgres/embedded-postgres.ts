/**
 * The embedded database as a process uses it: it becomes the owner (and starts the server if needed) or uses the server
 * of another owner, reconnects after a crash of the server, and releases it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { readConnectionFile, removeConnectionFile, writeConnectionFile } from './connection-file.js';
import { EmbeddedPostgresError } from './error.js';
import { EmbeddedServer, type ServerOptions } from './server.js';
import { findOwner, isLastToLeave, tryOwn, tryUse, type ServerConnection } from './session.js';

/** Timeouts in milliseconds: for a command that owns the database to end, and for a server to start or stop. */
const COMMAND_TIMEOUT = 15_000;
const SERVER_TIMEOUT = 300_000;
/** Milliseconds that a command waits for a running server to get an owner. */
const OWNER_TIMEOUT = 1500;
const PROGRESS_INTERVAL = 10_000;
const RECOVERY_INTERVAL = 1000;
const TOUCH_INTERVAL = 3_600_000;

/** Another process owns the database. */
class InUseError extends EmbeddedPostgresError {}

interface Hold {
  readonly client: Client;
  readonly owner: boolean;
}

export class EmbeddedPostgres {
  readonly #server: EmbeddedServer;
  #hold: Hold | undefined;
  #stopping: Promise<void> | undefined;
  #recovery: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly dataDir: string,
    readonly options: ServerOptions,
  ) {
    this.#server = new EmbeddedServer(dataDir, options);
  }

  /** @throws EmbeddedPostgresError, or the error of the file system if the folder can't be used */
  async open(): Promise<ServerConnection> {
    const began = performance.now();
    try {
      await this.#acquire();
    } catch (error) {
      if (!(error instanceof InUseError)) await this.#server.stopStarted();
      this.#server.release();
      throw error;
    }
    this.options.log(`${this.#server.description}: ready after ${Math.round(performance.now() - began)} ms`);
    this.#timer = setInterval(() => void this.#server.touch(), TOUCH_INTERVAL).unref();
    return this.#server.connection();
  }

  /** A service stops the server, and so does a command if no other process uses it. Later calls wait for the first. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#recovery;
    const hold = this.#hold;
    if (!hold) return this.#server.stopStarted();
    if (this.options.role === 'command' && !(await isLastToLeave(hold.client).catch(() => hold.owner))) {
      this.#server.release();
      return hold.client.end().catch(() => undefined);
    }
    await removeConnectionFile(this.dataDir);
    // The session (and its lock) stays open until then, so that a new process does not use a server that is stopping.
    await this.#server.stop();
    await hold.client.end().catch(() => undefined);
  }

  async #acquire(): Promise<void> {
    const began = performance.now();
    let loggedAt = began;
    for (let pause = 5; !this.#stopping; pause = Math.min(pause * 1.3, 100)) {
      const client = await this.#server.tryConnect();
      if (client && (await this.#claim(client, performance.now() - began))) return;
      const now = performance.now();
      if (now - began > SERVER_TIMEOUT)
        throw new EmbeddedPostgresError(`${this.#server.description} does not get ready`);
      if (now - loggedAt > PROGRESS_INTERVAL) {
        this.options.log(`${this.#server.description}: waiting for it to get ready`);
        loggedAt = now;
      }
      await delay(pause);
    }
  }

  /** Returns false, with the session closed, if it has to be tried again. */
  async #claim(client: Client, waited: number): Promise<boolean> {
    try {
      const hold =
        this.options.role === 'service' ? await this.#serve(client, waited) : await this.#use(client, waited);
      if (hold) {
        this.#hold = hold;
        if (hold.owner) client.once('end', () => this.#recover());
        return true;
      }
      await client.end();
    } catch (error) {
      await client.end().catch(() => undefined);
      if (error instanceof EmbeddedPostgresError || !isLostSession(error)) throw error;
    }
    return false;
  }

  async #serve(client: Client, waited: number): Promise<Hold | undefined> {
    const hold = await this.#own(client);
    if (hold) return hold;
    const owner = await findOwner(client);
    if (!owner || (owner.role === 'command' && waited < COMMAND_TIMEOUT)) return undefined;
    throw new InUseError(`DATA_DIR ${this.dataDir} is in use by another kind ${owner.role} (pid ${owner.pid})`);
  }

  async #use(client: Client, waited: number): Promise<Hold | undefined> {
    if (await findOwner(client)) {
      const ready = (await readConnectionFile(this.dataDir)) !== undefined && (await tryUse(client));
      if (!ready) return undefined;
      this.#server.release();
      return { client, owner: false };
    }
    // A server without an owner is about to get one: the process that started it.
    return this.#server.isStartedHere || waited > OWNER_TIMEOUT ? this.#own(client) : undefined;
  }

  async #own(client: Client): Promise<Hold | undefined> {
    if (!(await tryOwn(client))) return undefined;
    // Not while the last command that used it is stopping it.
    if (this.options.role === 'command' && !(await tryUse(client))) return undefined;
    // If the last owner was killed, its guard may be stopping the server; then the next query fails.
    if (await this.#server.adopt()) await delay(50);
    await this.#server.prepare(client);
    const connection = await this.#server.connection();
    await writeConnectionFile(this.dataDir, { ...connection, pid: process.pid, role: this.options.role });
    return { client, owner: true };
  }

  /** The session of the owner ended unexpectedly: the server crashed and restarts, or has to be started. */
  #recover(): void {
    if (this.#stopping) return;
    this.#hold = undefined;
    this.#recovery = this.#reacquire().finally(() => (this.#recovery = undefined));
  }

  async #reacquire(): Promise<void> {
    this.options.log('the embedded PostgreSQL went away (see postgres.log in DATA_DIR); bringing it back');
    let said: string | undefined;
    while (!this.#stopping) {
      try {
        await this.#acquire();
        if (this.#hold) this.options.log(`${this.#server.description}: is back`);
        return;
      } catch (error) {
        const { message } = error as Error;
        if (message !== said) this.options.log(message);
        said = message;
        await delay(RECOVERY_INTERVAL);
      }
    }
  }
}

function isLostSession(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined
    ? /terminated|not queryable|closed/i.test(message)
    : /^(57P0|08|ECONNRESET$|EPIPE$)/.test(code);
}
