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
  LOCK_PRESENCE,
  READ_SIGNING,
  listServicesStatement,
  recordServiceStatement,
  writeFingerprintStatement,
} from '../../sql/presence.sql.js';
import type { Database, Transaction } from '../database.js';
import { DatabaseStartError } from '../connection/start-error.js';

export interface PresenceOptions {
  readonly secret: string;
  /** Where the key comes from, for messages: `JWT_SECRET`, or where it was generated. */
  readonly origin: string;
  /** Set if there can be no other service, as on an embedded database. */
  readonly alone?: boolean;
  readonly log: { info(line: string): void; error(line: string): void };
  /** Aborts the wait for other services. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds: between two heartbeats, and without one until a service counts as stopped. */
  readonly times?: { readonly beat: number; readonly patience: number };
}

interface ServiceRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly seen: string;
}

const PRESENCE_TIMES = { beat: 5000, patience: 15_000 };
/** Seconds without a heartbeat after which a service is ignored. */
const IGNORED_AFTER = 30;
const CHECK_INTERVAL = 250;
/** Milliseconds that stopping waits for the database. */
const LEAVE_TIMEOUT = 1000;

export class Presence {
  readonly #self = { id: randomUUID(), host: hostname(), pid: process.pid };
  #timer: NodeJS.Timeout | undefined;
  #reported = false;

  private constructor(
    private readonly database: Database,
    private readonly options: PresenceOptions,
    private readonly fingerprint: string,
  ) {}

  /** @throws DatabaseStartError if a running service signs with another key */
  static async enter(database: Database, options: PresenceOptions): Promise<Presence> {
    const [row] = await database.run<{ salt: string }>(READ_SIGNING);
    const presence = new Presence(database, options, await fingerprintOf(options.secret, row?.salt ?? ''));
    await presence.#enter();
    const { beat } = options.times ?? PRESENCE_TIMES;
    presence.#timer = setInterval(() => void presence.#beat().catch(() => undefined), beat).unref();
    return presence;
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer);
    const gone = this.database.run(deleteServicesStatement(this.#self.id)).catch(() => undefined);
    await Promise.race([gone, delay(LEAVE_TIMEOUT, undefined, { ref: false })]);
  }

  async #enter(): Promise<void> {
    const { log, signal, times = PRESENCE_TIMES } = this.options;
    const began = performance.now();
    let before: readonly ServiceRow[] | undefined;
    for (;;) {
      signal?.throwIfAborted();
      const silent = performance.now() - began > times.patience ? before : undefined;
      const others = await this.#tryEnter(silent);
      if (!others) return;
      const alive = others.find((other) => before && hasNewHeartbeat(other, before));
      if (alive) throw new DatabaseStartError(`${this.#differs(alive)}. ${SAME_KEY_ADVICE}`);
      const [other] = others;
      if (!before && other) log.info(`${this.#differs(other)}: waiting to see whether that one is still there`);
      before ??= others;
      await delay(CHECK_INTERVAL, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  /**
   * Registers this service; returns undefined if that succeeded, else the services with another key that may be
   * running. @param silent services that count as stopped unless they have sent a heartbeat since
   */
  #tryEnter(silent?: readonly ServiceRow[]): Promise<readonly ServiceRow[] | undefined> {
    const come = async (tx: Transaction): Promise<readonly ServiceRow[] | undefined> => {
      await tx.run(LOCK_PRESENCE);
      const [signing] = await tx.run<{ fingerprint: string | null }>(READ_SIGNING);
      if (signing?.fingerprint !== this.fingerprint) {
        const others = this.options.alone ? [] : await tx.run<ServiceRow>(listServicesStatement(IGNORED_AFTER));
        const present = silent ? others.filter((other) => hasNewHeartbeat(other, silent)) : others;
        if (present.length > 0) return others;
        await tx.run(deleteServicesStatement());
        await tx.run(writeFingerprintStatement(this.fingerprint));
        if (signing?.fingerprint) tx.afterCommit(() => this.options.log.info(KEY_CHANGED));
      }
      await tx.run(recordServiceStatement(this.#self));
      return undefined;
    };
    // Must see what was committed while it waited for the lock.
    return this.database.transaction(come, { isolation: 'read committed' });
  }

  async #beat(): Promise<void> {
    const [row] = await this.database.run<{ fingerprint: string | null }>(recordServiceStatement(this.#self));
    const differs = row?.fingerprint !== this.fingerprint;
    if (differs && !this.#reported) {
      this.options.log.error(
        `${this.options.origin} is another than that of a service that has started since. ${SAME_KEY_ADVICE}`,
      );
    }
    this.#reported = differs;
  }

  #differs({ host, pid }: ServiceRow): string {
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
