/**
 * All services on one database must sign tokens with the same key. Each registers itself and sends heartbeats; one that
 * starts with another key is refused as long as any other is alive. Only a fingerprint of the key is stored.
 */
import { randomUUID, scrypt } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  deleteServicesStatement,
  listServicesStatement,
  LOCK_SERVICES,
  READ_SIGNING,
  recordServiceStatement,
  writeFingerprintStatement,
} from '../../sql/server/registry.sql.js';
import type { Database, Transaction } from '../database.js';
import { DatabaseStartError } from '../connection/connection.js';

export interface RegistrationOptions {
  readonly secret: string;
  /** The id of this service; a new one if left out. */
  readonly id?: string;
  /** Where the key comes from, for messages: `JWT_SECRET`, or where it was generated. */
  readonly origin: string;
  /** Set if there can be no other service, as on an embedded database. */
  readonly alone?: boolean;
  /** Runs before the key takes effect, and refuses the start by an error. */
  readonly check?: (tx: Transaction) => Promise<void>;
  readonly log: { info(line: string): void; error(line: string): void };
  /** Aborts the wait for other services. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds: between two heartbeats, and without one until a service counts as stopped. */
  readonly times?: { readonly heartbeatInterval: number; readonly silenceTimeout: number };
}

interface ServiceRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly seen: string;
}

const REGISTRATION_TIMES = { heartbeatInterval: 5000, silenceTimeout: 15_000 };
/** Seconds without a heartbeat after which a service is ignored. */
const IGNORED_AFTER = 30;
const CHECK_INTERVAL = 250;
/** Milliseconds to wait for the database when the service stops. */
const UNREGISTER_TIMEOUT = 1000;

export class ServiceRegistration {
  readonly #self: { readonly id: string; readonly host: string; readonly pid: number };
  #timer: NodeJS.Timeout | undefined;
  #reported = false;

  private constructor(
    private readonly database: Database,
    private readonly options: RegistrationOptions,
    private readonly fingerprint: string,
  ) {
    this.#self = { id: options.id ?? randomUUID(), host: hostname(), pid: process.pid };
  }

  /** @throws DatabaseStartError if a running service signs with another key */
  static async register(database: Database, options: RegistrationOptions): Promise<ServiceRegistration> {
    const [row] = await database.run<{ salt: string }>(READ_SIGNING);
    const registration = new ServiceRegistration(
      database,
      options,
      await fingerprintOf(options.secret, row?.salt ?? ''),
    );
    await registration.#register();
    const { heartbeatInterval } = options.times ?? REGISTRATION_TIMES;
    registration.#timer = setInterval(
      () => void registration.#sendHeartbeat().catch(() => undefined),
      heartbeatInterval,
    ).unref();
    return registration;
  }

  async unregister(): Promise<void> {
    clearInterval(this.#timer);
    const deleted = this.database.run(deleteServicesStatement(this.#self.id)).catch(() => undefined);
    await Promise.race([deleted, delay(UNREGISTER_TIMEOUT, undefined, { ref: false })]);
  }

  async #register(): Promise<void> {
    const { log, signal, times = REGISTRATION_TIMES } = this.options;
    const began = performance.now();
    let before: readonly ServiceRow[] | undefined;
    for (;;) {
      signal?.throwIfAborted();
      const silent = performance.now() - began > times.silenceTimeout ? before : undefined;
      const others = await this.#tryRegister(silent);
      if (!others) return;
      const alive = others.find((other) => before && hasNewHeartbeat(other, before));
      if (alive) throw new DatabaseStartError(`${this.#otherKeyText(alive)}. ${SAME_KEY_ADVICE}`);
      const [other] = others;
      if (!before && other) log.info(`${this.#otherKeyText(other)}: waiting to see whether that one is still there`);
      before ??= others;
      await delay(CHECK_INTERVAL, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  /**
   * Registers this service; returns undefined if that succeeded, else the services with another key that may be
   * running. @param silent services that count as stopped unless they have sent a heartbeat since
   */
  #tryRegister(silent?: readonly ServiceRow[]): Promise<readonly ServiceRow[] | undefined> {
    const register = async (tx: Transaction): Promise<readonly ServiceRow[] | undefined> => {
      await tx.run(LOCK_SERVICES);
      const [signing] = await tx.run<{ fingerprint: string | null }>(READ_SIGNING);
      const changed = signing?.fingerprint !== this.fingerprint;
      if (changed) {
        const others = this.options.alone ? [] : await tx.run<ServiceRow>(listServicesStatement(IGNORED_AFTER));
        const alive = silent ? others.filter((other) => hasNewHeartbeat(other, silent)) : others;
        if (alive.length > 0) return others;
      }
      await this.options.check?.(tx);
      if (changed) {
        await tx.run(deleteServicesStatement());
        await tx.run(writeFingerprintStatement(this.fingerprint));
        if (signing?.fingerprint) tx.afterCommit(() => this.options.log.info(KEY_CHANGED));
      }
      await tx.run(recordServiceStatement(this.#self));
      return undefined;
    };
    // Must see what was committed while it waited for the lock.
    return this.database.transaction(register, { isolation: 'read committed' });
  }

  async #sendHeartbeat(): Promise<void> {
    const [row] = await this.database.run<{ fingerprint: string | null }>(recordServiceStatement(this.#self));
    const differs = row?.fingerprint !== this.fingerprint;
    if (differs && !this.#reported) {
      this.options.log.error(
        `${this.options.origin} is another than that of a service that has started since. ${SAME_KEY_ADVICE}`,
      );
    }
    this.#reported = differs;
  }

  #otherKeyText({ host, pid }: ServiceRow): string {
    return `${this.options.origin} is another than that of the service on ${host} (process ${pid}), which uses the same database`;
  }
}

/** Whether a service has sent a heartbeat or started since `before`. */
function hasNewHeartbeat({ id, seen }: ServiceRow, before: readonly ServiceRow[]): boolean {
  return !before.some((each) => each.id === id && each.seen === seen);
}

const SAME_KEY_ADVICE =
  'Each refuses the tokens of the other: give all services the same JWT_SECRET. To change it, stop them all before the first starts with the new one';

const KEY_CHANGED = 'the key that signs tokens is another than before: everybody has to sign in again';

/** Reveals nothing of the secret, even one that is easy to guess. */
async function fingerprintOf(secret: string, salt: string): Promise<string> {
  const derive = promisify<string, string, number, Buffer>(scrypt);
  return (await derive(secret, `kind signing key ${salt}`, 24)).toString('base64url');
}
