/** The only door to PostgreSQL: runs rendered statements, alone or in a transaction. */
import type { DataSource } from 'typeorm';
import type { Pool, PoolClient } from 'pg';
import { isWrite, type Statement } from '../sql/fragment.js';
import { cancelStatement, DISABLE_TIMEOUTS } from '../sql/registry.sql.js';
import { backendOf } from './session-connection.js';
import { beginTransaction, type BeginOptions } from './transaction/begin.js';
import { requestCancel } from './statement/cancel-request.js';
import { clientOptions, type ConnectionOptions } from './connection/connection.js';
import { ShareFullError, type Executor, type ConnectionShare, type Transaction } from './transaction/executor.js';
import { Deadline } from './statement/deadline.js';
import { GuardedClient } from './connection/guarded-client.js';
import { noteLostAnswer } from './statement/lost-answers.js';
import { OpenTransaction, type TransactionOutcome } from './transaction/open-transaction.js';
import { preparedQuery, type QueryCallback } from './statement/prepared-query.js';
import { PreparedStatements } from './statement/prepared-statements.js';
import { prepareNextRun, acquirePlaces, delayRetry } from './transaction/retries.js';
import { ContentionState, TransactionRuns, type TransactionRunsOptions } from './transaction/runs.js';
import { commonRefusal, isConnectionLost, isReadOnly } from './statement/sqlstate.js';

export type { Executor, ConnectionShare, Transaction } from './transaction/executor.js';

export interface TransactionOptions extends BeginOptions {
  /** The runs that it is the next of, for whoever runs it again itself, `once` each time. */
  readonly runs?: TransactionRuns;
  /** That it is part of: it waits for its place there before it takes a connection. */
  readonly share?: ConnectionShare | undefined;
  /** Set where whoever calls tries again itself. */
  readonly once?: boolean;
}

export interface DatabaseOptions {
  /** Gets what work after a commit throws. */
  readonly onAfterCommitError?: (error: unknown) => void;
  /** Whether a pooler is in between, so that the number of a connection is not that of a backend. */
  readonly pooled?: boolean;
  /** Whether statements that come back are prepared by name; left out, as long as the names are kept. */
  readonly prepares?: boolean;
  /** Told once, where they turn out not to be. */
  readonly onUnprepared?: (error: Error) => void;
  /** Milliseconds that a transaction may be silent, as the connections have it. */
  readonly idleTimeout?: number;
  /** Milliseconds for all runs of a transaction that nobody else limits; left out, ten seconds. */
  readonly retryTimeout?: number;
  /** Where work that needs a session connects to; left out, as the pool does. */
  readonly direct?: ConnectionOptions;
}

/** Milliseconds. */
const PATIENCE = 10_000;

export class Database implements Executor {
  readonly #prepared: PreparedStatements;
  readonly #contention = new ContentionState();
  /** Called with each statement that is sent, except BEGIN, COMMIT and ROLLBACK. Tests count statements with it. */
  onSend: ((statement: Statement) => void) | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly options: DatabaseOptions = {},
  ) {
    const { prepares = true, onUnprepared } = options;
    this.#prepared = new PreparedStatements(prepares, (error) => onUnprepared?.(error));
  }

  run<Row>(statement: Statement): Promise<Row[]> {
    return this.#run(statement, undefined);
  }

  /** Runs statements that may take so many milliseconds, where that is less than what the connections allow. */
  withTimeout(limit: number): Executor {
    return { run: (statement) => this.#run(statement, limit) };
  }

  /**
   * Every read comes this way: with callbacks, because each promise between here and `pg` costs it something. A limit is
   * kept here: as a setting it would need a transaction, behind a pooler at any rate, and so three messages more.
   */
  #run<Row>(statement: Statement, limit: number | undefined): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#pool.connect((fault, client, release) => {
        if (!client) return reject(asRefusal(fault));
        let named = false;
        const deadline = limit === undefined ? undefined : new Deadline(limit, () => requestCancel(client));
        const done: QueryCallback = (error, result) => {
          // Nothing of it was run: it is sent again, without a name.
          if (named && error && this.#prepared.disableIfUnprepared(error)) {
            named = this.#send(client, statement, done);
            return;
          }
          const broken = error && (!(error as { severity?: string }).severity || isConnectionLost(error));
          deadline?.stop();
          // The request to end it may come late, and must not meet what the connection does next.
          release(broken || deadline?.passed || this.#prepared.needsReplacement(client));
          if (error && isWrite(statement)) noteLostAnswer(error);
          if (error || !result) reject(asRefusal(error));
          else resolve(result.rows as Row[]);
        };
        try {
          named = this.#send(client, statement, done);
        } catch (error) {
          done(error as Error, undefined);
        }
      });
    });
  }

  /** For the runs of one transaction. */
  runs(options: TransactionRunsOptions = {}): TransactionRuns {
    return new TransactionRuns(this.#contention, { timeout: this.options.retryTimeout ?? PATIENCE, ...options });
  }

  /**
   * Runs `work` in a transaction; all of it is run again where another transaction stood in the way, so `work` must not
   * keep state between runs.
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { runs = this.runs() } = options;
    try {
      return await this.#transaction(work, options, runs);
    } finally {
      if (!options.once) runs.end();
    }
  }

  async #transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    options: TransactionOptions,
    runs: TransactionRuns,
  ): Promise<T> {
    const { isolation = 'repeatable read' } = options;
    let { share } = options;
    for (let attempt = 1; ; attempt++) {
      const ends = await acquirePlaces(runs, share);
      try {
        return await this.#attempt(work, options, { isolation, runs, share, last: new Set(), after: [], ends });
      } catch (error) {
        if (error instanceof ShareFullError) {
          ({ share } = error);
          attempt -= 1;
          continue;
        }
        // A write in a transaction that was to read only is a fault of ours.
        if (options.once || (options.readOnly && isReadOnly(error))) throw error;
        await (isolation === 'repeatable read' ? prepareNextRun(runs, error) : delayRetry(error, attempt, options));
      }
    }
  }

  /** What ends it before its time is told at once; the way back goes on behind. */
  #attempt<T>(
    work: (tx: Transaction) => Promise<T>,
    options: TransactionOptions,
    outcome: TransactionOutcome,
  ): Promise<T> {
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
    outcome: TransactionOutcome,
    interrupted: (reason: unknown) => void,
  ): Promise<T> {
    const client = await this.#connect();
    let result: T;
    let broken = false;
    // A client without a listener would end the process when its connection breaks between two statements.
    const onError = () => void (broken = true);
    client.on('error', onError);
    let ending: Deadline | undefined;
    const interrupt = (reason: unknown): void => {
      broken = true;
      interrupted(reason);
      ending ??= new Deadline(0, () => void this.#cancel(client));
    };
    const tx = new OpenTransaction((statement) => this.#query(client, statement), outcome, interrupt);
    try {
      const send = (statement: Statement): Promise<unknown> =>
        statement.values.length > 0 ? this.#query(client, statement) : client.query(statement.text);
      await beginTransaction(send, { ...options, idleTimeout: this.#idleTimeout(options) }, outcome.runs);
      result = await work(tx);
      tx.finish();
      const ended: unknown = await client.query([...outcome.last, 'COMMIT'].join('; ')).catch((error: unknown) => {
        noteLostAnswer(error);
        throw error;
      });
      const { command } = (Array.isArray(ended) ? ended.at(-1) : ended) as { command: string };
      // PostgreSQL answers so where a statement failed and whoever sent it went on.
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
    } catch (error) {
      tx.close();
      if (isConnectionLost(error) && !(options.readOnly && isReadOnly(error))) broken = true;
      // A connection whose transaction is perhaps still open serves nobody else.
      await client.query('ROLLBACK').catch(() => (broken = true));
      throw error;
    } finally {
      ending?.stop();
      client.removeListener('error', onError);
      client.release(broken || this.#prepared.needsReplacement(client));
    }
    for (const job of outcome.after) {
      try {
        await job();
      } catch (error) {
        this.options.onAfterCommitError?.(error);
      }
    }
    return result;
  }

  /**
   * Runs long work outside a transaction, on a connection beside the pool that has no limits of time and takes its locks
   * along when the work ends. Where `signal` aborts, the statement under way is cancelled.
   * @throws NoSessionError where the connection is no session
   */
  async withDedicatedConnection<T>(work: (executor: Executor) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { direct } = this.options;
    const client = new GuardedClient(direct ? { ...clientOptions(direct), keepAlive: true } : this.#pool.options);
    const run = async <Row>({ text, values }: Statement) => (await client.query(text, [...values])).rows as Row[];
    let cancel = (): void => undefined;
    try {
      await client.connect();
      const backend = await backendOf(client, this);
      await run(DISABLE_TIMEOUTS);
      cancel = () => void this.run(cancelStatement(backend)).catch(() => undefined);
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
    // What a pooler tells as the number of a connection is one of its own, and only the pooler knows whose.
    if (this.options.pooled) return requestCancel(client);
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

  /** Where it is more than the connections have anyway. */
  #idleTimeout({ idleTimeout = 0 }: TransactionOptions): number | undefined {
    return idleTimeout > (this.options.idleTimeout ?? Infinity) ? idleTimeout : undefined;
  }

  #query<Row>(client: PoolClient, statement: Statement): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#send(client, statement, (error, result) => {
        this.#prepared.disableIfUnprepared(error);
        if (error || !result) reject(error ?? new Error('a query answers rows or an error'));
        else resolve(result.rows as Row[]);
      });
    });
  }

  /** Whether it went under a name. */
  #send(client: PoolClient, statement: Statement, settled: QueryCallback): boolean {
    this.onSend?.(statement);
    this.#prepared.noteSent(client, statement);
    const name = this.#prepared.nameOf(client, statement);
    client.query(preparedQuery(statement, name, settled));
    return name !== undefined;
  }
}

function asRefusal(error: unknown): Error {
  if (error instanceof Error) return commonRefusal(error) ?? error;
  return new Error('the pool gave neither a connection nor an error');
}
