/**
 * A replica of the database: a standby of PostgreSQL, from which reads may come that accept older data. Once a second it
 * is compared with the primary. While it is away, or its data is too old, the primary is asked instead.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '../shared/texts.js';
import { KindError } from '../shared/errors.js';
import type { Statement } from '../sql/fragment.js';
import { READ_REPLAYED, READ_WRITTEN } from '../sql/server/connection.sql.js';
import { READ_SIGNING } from '../sql/server/registry.sql.js';
import type { Database } from './database.js';
import type { ConnectionUser, ReadReplica, UseOptions } from './database-options.js';
import type { Executor } from './transaction/transaction.js';

interface ReplicaOptions {
  /** The age of its data in milliseconds from which on it is not used. */
  readonly maxLag: number;
  /** Connects to it. */
  readonly open: () => Promise<OpenedReplica>;
  readonly log: { info(line: string): void; warn(fields: object, line: string): void };
  /** Milliseconds between two comparisons. */
  readonly interval?: number;
}

interface OpenedReplica {
  readonly database: Database;
  readonly close: () => Promise<void>;
}

/** What the primary had written at some time. */
interface Written {
  readonly at: number;
  readonly position: bigint;
}

const INTERVAL = 1000;
/** Milliseconds that a stop waits for a replica that does not answer. */
const STOP_TIMEOUT = 1000;

export class Replica implements ReadReplica {
  #primary: Database | undefined;
  #opened: OpenedReplica | undefined;
  /** Positions of the primary that the replica has not reached, oldest first. */
  #ahead: Written[] = [];
  /** The time at which the data of the replica was that of the primary. */
  #dataOf = -Infinity;
  /** What was logged last; undefined before the first comparison. */
  #isUsed: boolean | undefined;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  readonly #reads = { replica: 0, primary: 0 };

  constructor(private readonly options: ReplicaOptions) {}

  /** The age of its data in seconds; infinite while it cannot be used. */
  get lag(): number {
    return (performance.now() - this.#dataOf) / 1000;
  }

  /** Statements that it answered, and those that were sent to the primary instead. */
  get reads(): { readonly replica: number; readonly primary: number } {
    return this.#reads;
  }

  start(primary: Database): void {
    this.#primary = primary;
    this.#running = this.#watch(primary);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const closed = Promise.all([this.#running, this.#opened?.close()]);
    await Promise.race([closed, delay(STOP_TIMEOUT, undefined, { ref: false })]);
  }

  /**
   * Runs single reads of a project on the replica, and on the primary if that fails; undefined while it cannot be used.
   */
  readsOf(project: ConnectionUser, options: UseOptions): Executor | undefined {
    const primary = this.#primary;
    const database = this.#opened?.database;
    if (!primary || !database || this.#isTooOld()) {
      this.#reads.primary += 1;
      return undefined;
    }
    const run = async <Row>(statement: Statement): Promise<Row[]> => {
      try {
        const rows = await database.ofProject(project, options).run<Row>(statement);
        this.#reads.replica += 1;
        return rows;
      } catch (error) {
        // Another server would need as long.
        if (error instanceof KindError && error.code === 'query.timeout') throw error;
        this.#reads.primary += 1;
        return primary.ofProject(project, options).run<Row>(statement);
      }
    };
    return { run };
  }

  async #watch(primary: Database): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#compare(primary);
        if (!this.#isTooOld()) this.#logUse(undefined);
      } catch (error) {
        this.#dataOf = -Infinity;
        if (!signal.aborted) this.#logUse(error);
      }
      await delay(this.options.interval ?? INTERVAL, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #compare(primary: Database): Promise<void> {
    this.#opened ??= await this.#open(primary);
    const at = performance.now();
    const position = await positionOf(primary, READ_WRITTEN);
    if (position === undefined) throw new Error('the primary reports no position in its log');
    this.#ahead.push({ at, position });
    const replayed = await positionOf(this.#opened.database, READ_REPLAYED);
    if (replayed === undefined) throw new Error('it is no standby of PostgreSQL');
    const reached = this.#ahead.filter((each) => each.position <= replayed);
    const oldest = performance.now() - this.options.maxLag;
    this.#ahead = this.#ahead.filter((each) => each.position > replayed && each.at > oldest);
    this.#dataOf = reached.at(-1)?.at ?? this.#dataOf;
  }

  #isTooOld(): boolean {
    const isTooOld = this.lag * 1000 > this.options.maxLag;
    if (isTooOld) this.#logUse(new Error('its data is too old'));
    return isTooOld;
  }

  /** @throws Error if it is a replica of another database */
  async #open(primary: Database): Promise<OpenedReplica> {
    const opened = await this.options.open();
    const [own, other] = await Promise.all(
      [primary, opened.database].map(async (each) => (await each.run<{ salt: string }>(READ_SIGNING))[0]?.salt),
    ).catch(async (error: unknown) => {
      await opened.close();
      throw error;
    });
    if (own === other && !this.#stopping.signal.aborted) return opened;
    await opened.close();
    throw new Error('it is a replica of another database');
  }

  /** Logs when it begins to be used, and when that ends. */
  #logUse(error: unknown): void {
    const isUsed = error === undefined;
    if (isUsed === this.#isUsed) return;
    this.#isUsed = isUsed;
    if (isUsed) this.options.log.info('reads with Kind-Consistency: eventual go to the replica');
    else this.options.log.warn({ reason: reasonOf(error) }, 'the replica is not used: reads go to the primary');
  }
}

async function positionOf(database: Database, statement: Statement): Promise<bigint | undefined> {
  const [row] = await database.run<{ position: string | null }>(statement);
  const [high, low] = row?.position?.split('/') ?? [];
  return high === undefined || low === undefined ? undefined : (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof KindError && error.cause instanceof Error ? error.cause : error;
  return errorText(cause);
}
