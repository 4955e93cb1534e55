/**
 * The only door to PostgreSQL: runs rendered statements, alone or in a transaction.
 * Statements that come back are prepared by name, boundedly per connection.
 */
import type { DataSource } from 'typeorm';
import type { Pool, PoolClient } from 'pg';
import type { Statement } from '../sql/fragment.js';
import { settingStatement } from '../sql/registry.sql.js';
import { commonRefusal, isConnectionLost, isLockTimeout, isReadOnly, isRetryable } from './sqlstate.js';

/** Runs one statement and answers its rows. */
export interface Executor {
  run<Row>(statement: Statement): Promise<Row[]>;
}

/** A transaction. Work to be done after its commit hangs on it, and is dropped with it. */
export interface Transaction extends Executor {
  /** Runs after COMMIT; a failure is logged and changes nothing. */
  afterCommit(work: () => void | Promise<void>): void;
}

export interface TransactionOptions {
  readonly readOnly?: boolean;
  /** Milliseconds to wait for a lock; the transaction is then tried again, and in the end refused with 503. */
  readonly lockTimeout?: number;
  /** Milliseconds that a statement of it may take, where that differs from the pool's. */
  readonly statementTimeout?: number;
}

/** Times a transaction is tried when it meets a deadlock or a serialization failure. */
const ATTEMPTS = 4;

/** Named statements of one connection; past it the connection is replaced. */
const PREPARED_PER_CONNECTION = 400;

/** A text is prepared from its second use on, so that those of one caller's own making don't fill the cache. */
const SEEN_TEXTS = 5000;

/** Characters of a text that is prepared: what PostgreSQL keeps of a statement grows with it, on every connection. */
const PREPARED_TEXT = 4096;

export class Database implements Executor {
  /** The text that was used longest ago comes first. */
  readonly #names = new Map<string, string | undefined>();
  readonly #prepared = new WeakMap<PoolClient, Set<string>>();
  #issued = 0;
  /** Statements sent so far, but for BEGIN, COMMIT and ROLLBACK; tests count them. Settings of a transaction are among them. */
  statements = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly onAfterCommitError: (error: unknown) => void = () => undefined,
  ) {}

  async run<Row>(statement: Statement): Promise<Row[]> {
    const client = await this.#connect();
    let broken = false;
    try {
      return await this.#query<Row>(client, statement);
    } catch (error) {
      broken = !(error as { severity?: string }).severity || isConnectionLost(error);
      throw commonRefusal(error) ?? error;
    } finally {
      client.release(broken || this.#isWorn(client));
    }
  }

  /** Runs `work` in a transaction; all of it is tried again on a deadlock, so `work` must not keep state between tries. */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(work, options);
      } catch (error) {
        const again = isRetryable(error) || (options.lockTimeout !== undefined && isLockTimeout(error));
        // A write in a transaction that was to read only is a fault of ours.
        if (options.readOnly && isReadOnly(error)) throw error;
        if (!again || attempt === ATTEMPTS) throw commonRefusal(error) ?? error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
      }
    }
  }

  async #attempt<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    const client = await this.#connect();
    const after: (() => void | Promise<void>)[] = [];
    let result: T;
    let broken = false;
    // A client without a listener would end the process when its connection breaks between two statements.
    const onError = () => void (broken = true);
    client.on('error', onError);
    try {
      await client.query('BEGIN');
      const tx: Transaction = {
        run: (statement) => this.#query(client, statement),
        afterCommit: (job) => void after.push(job),
      };
      for (const setting of settings(options)) await this.#query(client, setting);
      result = await work(tx);
      await client.query('COMMIT');
    } catch (error) {
      if (isConnectionLost(error) && !(options.readOnly && isReadOnly(error))) broken = true;
      // A connection whose transaction is perhaps still open serves nobody else.
      await client.query('ROLLBACK').catch(() => (broken = true));
      throw error;
    } finally {
      client.removeListener('error', onError);
      client.release(broken || this.#isWorn(client));
    }
    for (const job of after) {
      try {
        await job();
      } catch (error) {
        this.onAfterCommitError(error);
      }
    }
    return result;
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

  async #query<Row>(client: PoolClient, { text, values, prepare }: Statement): Promise<Row[]> {
    this.statements += 1;
    const name = prepare && text.length <= PREPARED_TEXT ? this.#nameOf(text) : undefined;
    if (name !== undefined) this.#remember(client, name);
    const query = name === undefined ? { text, values: [...values] } : { text, values: [...values], name };
    const { rows } = await client.query(query);
    return rows as Row[];
  }

  /** The name under which a text is prepared; undefined the first time. The texts not used for longest are forgotten. */
  #nameOf(text: string): string | undefined {
    const name = this.#names.has(text) ? (this.#names.get(text) ?? `k${(this.#issued += 1)}`) : undefined;
    this.#names.delete(text);
    this.#names.set(text, name);
    if (this.#names.size > SEEN_TEXTS) this.#names.delete(this.#names.keys().next().value ?? '');
    return name;
  }

  #remember(client: PoolClient, name: string): void {
    const names = this.#prepared.get(client);
    if (names) names.add(name);
    else this.#prepared.set(client, new Set([name]));
  }

  #isWorn(client: PoolClient): boolean {
    return (this.#prepared.get(client)?.size ?? 0) > PREPARED_PER_CONNECTION;
  }
}

function settings({ readOnly, lockTimeout, statementTimeout }: TransactionOptions): Statement[] {
  return [
    ...(readOnly ? [settingStatement('transaction_read_only', 'on')] : []),
    ...(lockTimeout === undefined ? [] : [settingStatement('lock_timeout', `${lockTimeout}ms`)]),
    ...(statementTimeout === undefined ? [] : [settingStatement('statement_timeout', `${statementTimeout}ms`)]),
  ];
}
