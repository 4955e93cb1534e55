/**
 * The only door to PostgreSQL: runs rendered statements, alone or in a transaction.
 * Statements that come back are prepared by name, boundedly per connection.
 */
import type { DataSource } from 'typeorm';
import { LRUCache } from 'lru-cache';
import type { Client, Pool, PoolClient, PoolConfig } from 'pg';
import type { Statement } from '../sql/fragment.js';
import { cancelStatement, settingStatement, UNLIMITED } from '../sql/registry.sql.js';
import { NoPlace, type Executor, type Share, type Transaction } from './executor.js';
import { OpenTransaction, type Outcome } from './open-transaction.js';
import { queryOf, type Settled } from './prepared-query.js';
import { commonRefusal, isConnectionLost, isLockTimeout, isReadOnly, isRetryable } from './sqlstate.js';

export type { Executor, Share, Transaction } from './executor.js';

export interface TransactionOptions {
  readonly readOnly?: boolean;
  /** Milliseconds to wait for a lock; the transaction is then tried again, and in the end refused with 503. */
  readonly lockTimeout?: number;
  /** Milliseconds that a statement of it may take, where that differs from the pool's. */
  readonly statementTimeout?: number;
  /** That it is part of: it waits for its place there before it takes a connection. */
  readonly share?: Share | undefined;
  /** Set where whoever calls tries again itself. */
  readonly once?: boolean;
}

/** Times a transaction is tried when it meets a deadlock or a serialization failure. */
const ATTEMPTS = 4;

/**
 * Named statements of one connection, and the characters of their texts, with which what PostgreSQL keeps of them grows;
 * past it the connection is replaced.
 */
const PREPARED_PER_CONNECTION = { texts: 400, characters: 1_600_000 };

/** A text is prepared from its second use on, so that those of one caller's own making don't fill the cache. */
const SEEN = { texts: 5000, characters: 10_000_000 };

/** Characters of a text that is prepared: a walk through all kinds of a project has many. */
const PREPARED_TEXT = 40_000;

/** What a connection has prepared. */
interface Prepared {
  readonly names: Set<string>;
  characters: number;
}

export class Database implements Executor {
  /** The names of texts; empty for one that was seen once. */
  readonly #names = new LRUCache<string, string>({
    max: SEEN.texts,
    maxSize: SEEN.characters,
    sizeCalculation: (_, text) => text.length,
  });
  readonly #prepared = new WeakMap<PoolClient, Prepared>();
  #issued = 0;
  /** Statements sent so far, but for BEGIN, COMMIT and ROLLBACK; tests count them. Settings of a transaction are among them. */
  statements = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly onAfterCommitError: (error: unknown) => void = () => undefined,
  ) {}

  /** Every read comes this way: with callbacks, because each promise between here and `pg` costs it something. */
  run<Row>(statement: Statement): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#pool.connect((fault, client, release) => {
        if (!client) return reject(asRefusal(fault));
        const done: Settled = (error, result) => {
          const broken = error && (!(error as { severity?: string }).severity || isConnectionLost(error));
          release(broken || this.#isWorn(client));
          if (error || !result) reject(asRefusal(error));
          else resolve(result.rows as Row[]);
        };
        try {
          this.#send(client, statement, done);
        } catch (error) {
          done(error as Error, undefined);
        }
      });
    });
  }

  /** Runs `work` in a transaction; all of it is tried again on a deadlock, so `work` must not keep state between tries. */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    let { share } = options;
    for (let attempt = 1; ; attempt++) {
      const place = share && (await share.enter());
      try {
        return await this.#attempt(work, options, { share, after: [], ends: place ? [place] : [] });
      } catch (error) {
        if (error instanceof NoPlace) {
          ({ share } = error);
          attempt -= 1;
          continue;
        }
        const again = isRetryable(error) || (options.lockTimeout !== undefined && isLockTimeout(error));
        // A write in a transaction that was to read only is a fault of ours.
        if (options.readOnly && isReadOnly(error)) throw error;
        if (options.once) throw error;
        if (!again || attempt === ATTEMPTS) throw commonRefusal(error) ?? error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
      }
    }
  }

  /** What ends it before its time is told at once; the way back goes on behind. */
  #attempt<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions, outcome: Outcome): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        for (const job of outcome.ends) job();
      };
      this.#carryOut(work, options, outcome, reject).finally(end).then(resolve, reject);
    });
  }

  async #carryOut<T>(
    work: (tx: Transaction) => Promise<T>,
    options: TransactionOptions,
    outcome: Outcome,
    interrupted: (reason: unknown) => void,
  ): Promise<T> {
    const client = await this.#connect();
    let result: T;
    let broken = false;
    // A client without a listener would end the process when its connection breaks between two statements.
    const onError = () => void (broken = true);
    client.on('error', onError);
    const interrupt = (reason: unknown): void => {
      broken = true;
      interrupted(reason);
      void this.#cancel(client);
    };
    const tx = new OpenTransaction((statement) => this.#query(client, statement), outcome, interrupt);
    try {
      await client.query('BEGIN');
      for (const setting of settings(options)) await this.#query(client, setting);
      result = await work(tx);
      tx.finish();
      const { command } = await client.query('COMMIT');
      // PostgreSQL answers so where a statement failed and whoever sent it went on.
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
    } catch (error) {
      tx.close();
      if (isConnectionLost(error) && !(options.readOnly && isReadOnly(error))) broken = true;
      // A connection whose transaction is perhaps still open serves nobody else.
      await client.query('ROLLBACK').catch(() => (broken = true));
      throw error;
    } finally {
      client.removeListener('error', onError);
      client.release(broken || this.#isWorn(client));
    }
    for (const job of outcome.after) {
      try {
        await job();
      } catch (error) {
        this.onAfterCommitError(error);
      }
    }
    return result;
  }

  /**
   * Runs long work outside a transaction, on a connection beside the pool that has no limits of time and takes its locks
   * along when the work ends. Where `signal` aborts, the statement under way is cancelled.
   */
  async apart<T>(work: (executor: Executor) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { Client: Apart, options } = this.#pool as unknown as {
      Client: new (options: PoolConfig) => Client;
      options: PoolConfig;
    };
    const client = new Apart(options);
    client.on('error', () => undefined);
    const run = async <Row>({ text, values }: Statement) => (await client.query(text, [...values])).rows as Row[];
    let cancel = (): void => undefined;
    try {
      await client.connect();
      const [row] = await run<{ backend: number }>(UNLIMITED);
      cancel = () => void this.run(cancelStatement(row?.backend ?? 0)).catch(() => undefined);
      signal.addEventListener('abort', cancel);
      signal.throwIfAborted();
      return await work({ run });
    } catch (error) {
      throw commonRefusal(error) ?? error;
    } finally {
      signal.removeEventListener('abort', cancel);
      await client.end().catch(() => undefined);
    }
  }

  async #cancel(client: PoolClient): Promise<void> {
    const { processID } = client as unknown as { processID?: number };
    if (processID !== undefined) await this.run(cancelStatement(processID)).catch(() => undefined);
  }

  get #pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw commonRefusal(error) ?? error;
    }
  }

  #query<Row>(client: PoolClient, statement: Statement): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#send(client, statement, (error, result) => {
        if (error || !result) reject(error ?? new Error('a query answers rows or an error'));
        else resolve(result.rows as Row[]);
      });
    });
  }

  #send(client: PoolClient, statement: Statement, settled: Settled): void {
    const { text, prepare } = statement;
    this.statements += 1;
    const name = prepare && text.length <= PREPARED_TEXT ? this.#nameOf(text) : undefined;
    if (name !== undefined) this.#remember(client, name, text);
    client.query(queryOf(statement, name, settled));
  }

  /** The name under which a text is prepared; undefined the first time. */
  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known) return known;
    this.#names.set(text, known === undefined ? '' : `k${(this.#issued += 1)}`);
    return this.#names.get(text) || undefined;
  }

  #remember(client: PoolClient, name: string, text: string): void {
    const prepared = this.#prepared.get(client) ?? { names: new Set(), characters: 0 };
    this.#prepared.set(client, prepared);
    if (prepared.names.has(name)) return;
    prepared.names.add(name);
    prepared.characters += text.length;
  }

  #isWorn(client: PoolClient): boolean {
    const { names, characters } = this.#prepared.get(client) ?? { names: new Set(), characters: 0 };
    return names.size > PREPARED_PER_CONNECTION.texts || characters > PREPARED_PER_CONNECTION.characters;
  }
}

function asRefusal(error: unknown): Error {
  if (error instanceof Error) return commonRefusal(error) ?? error;
  return new Error('the pool gave neither a connection nor an error');
}

function settings({ readOnly, lockTimeout, statementTimeout }: TransactionOptions): Statement[] {
  return [
    ...(readOnly ? [settingStatement('transaction_read_only', 'on')] : []),
    ...(lockTimeout === undefined ? [] : [settingStatement('lock_timeout', `${lockTimeout}ms`)]),
    ...(statementTimeout === undefined ? [] : [settingStatement('statement_timeout', `${statementTimeout}ms`)]),
  ];
}
