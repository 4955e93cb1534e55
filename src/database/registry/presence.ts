/**
 * The services that run on one database sign tokens with one key: each says every few seconds that it is there, and one
 * that comes with another key is refused as long as any is. Only a fingerprint of the key is stored.
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
  /** What it is for whoever has to change it: `JWT_SECRET`, or where it was generated. */
  readonly origin: string;
  /** Set where no other service can be there, as on an embedded database. */
  readonly alone?: boolean;
  readonly log: { info(line: string): void; error(line: string): void };
  /** Ends the wait for others, with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds: between two signs of life, and without one until a service counts as gone. */
  readonly times?: { readonly beat: number; readonly patience: number };
}

interface Seen {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly seen: string;
}

const TIMES = { beat: 5000, patience: 15_000 };
/** Seconds after which a service that gave no sign of life is not looked for any more. */
const FORGOTTEN = 30;
const LOOK_EVERY = 250;
/** Milliseconds that a stop waits for the database. */
const PARTING = 1000;

export class Presence {
  readonly #self = { id: randomUUID(), host: hostname(), pid: process.pid };
  #timer: NodeJS.Timeout | undefined;
  #told = false;

  private constructor(
    private readonly database: Database,
    private readonly options: PresenceOptions,
    private readonly fingerprint: string,
  ) {}

  /** @throws DatabaseStartError in one line where a service runs that signs with another key */
  static async enter(database: Database, options: PresenceOptions): Promise<Presence> {
    const [row] = await database.run<{ salt: string }>(READ_SIGNING);
    const presence = new Presence(database, options, await fingerprintOf(options.secret, row?.salt ?? ''));
    await presence.#enter();
    const { beat } = options.times ?? TIMES;
    presence.#timer = setInterval(() => void presence.#beat().catch(() => undefined), beat).unref();
    return presence;
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer);
    const gone = this.database.run(deleteServicesStatement(this.#self.id)).catch(() => undefined);
    await Promise.race([gone, delay(PARTING, undefined, { ref: false })]);
  }

  async #enter(): Promise<void> {
    const { log, signal, times = TIMES } = this.options;
    const began = performance.now();
    let before: readonly Seen[] | undefined;
    for (;;) {
      signal?.throwIfAborted();
      const silent = performance.now() - began > times.patience ? before : undefined;
      const others = await this.#tryEnter(silent);
      if (!others) return;
      const alive = others.find((other) => before && hasMoved(other, before));
      if (alive) throw new DatabaseStartError(`${this.#differs(alive)}. ${ADVICE}`);
      const [other] = others;
      if (!before && other) log.info(`${this.#differs(other)}: waiting to see whether that one is still there`);
      before ??= others;
      await delay(LOOK_EVERY, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  /**
   * Undefined where it is in; else those that are perhaps there, with another key. @param silent those that count as gone
   * where they have given no sign of life since
   */
  #tryEnter(silent?: readonly Seen[]): Promise<readonly Seen[] | undefined> {
    const come = async (tx: Transaction): Promise<readonly Seen[] | undefined> => {
      await tx.run(LOCK_PRESENCE);
      const [signing] = await tx.run<{ fingerprint: string | null }>(READ_SIGNING);
      if (signing?.fingerprint !== this.fingerprint) {
        const others = this.options.alone ? [] : await tx.run<Seen>(listServicesStatement(FORGOTTEN));
        const present = silent ? others.filter((other) => hasMoved(other, silent)) : others;
        if (present.length > 0) return others;
        await tx.run(deleteServicesStatement());
        await tx.run(writeFingerprintStatement(this.fingerprint));
        if (signing?.fingerprint) tx.afterCommit(() => this.options.log.info(REPLACED));
      }
      await tx.run(recordServiceStatement(this.#self));
      return undefined;
    };
    // What was committed while it waited for the lock counts.
    return this.database.transaction(come, { isolation: 'read committed' });
  }

  async #beat(): Promise<void> {
    const [row] = await this.database.run<{ fingerprint: string | null }>(recordServiceStatement(this.#self));
    const differs = row?.fingerprint !== this.fingerprint;
    if (differs && !this.#told) {
      this.options.log.error(
        `${this.options.origin} is another than that of a service that has started since. ${ADVICE}`,
      );
    }
    this.#told = differs;
  }

  #differs({ host, pid }: Seen): string {
    return `${this.options.origin} is another than that of the service on ${host} (process ${pid}), which uses the same database`;
  }
}

/** Whether a service has given a sign of life since, or has come since. */
function hasMoved({ id, seen }: Seen, before: readonly Seen[]): boolean {
  return !before.some((each) => each.id === id && each.seen === seen);
}

const ADVICE =
  'Each refuses the tokens of the other: give all services the same JWT_SECRET. To change it, stop them all before the first starts with the new one';

const REPLACED = 'the key that signs tokens is another than before: everybody has to sign in again';

/** Tells nothing of the secret, not even of one that is easily guessed. */
async function fingerprintOf(secret: string, salt: string): Promise<string> {
  const derive = promisify<string, string, number, Buffer>(scrypt);
  return (await derive(secret, `kind signing key ${salt}`, 24)).toString('base64url');
}
