/** Runs rendered statements, alone or in a transaction. All access to PostgreSQL passes here. */
import type { DataSource } from 'typeorm';
import type { Pool, PoolClient } from 'pg';
import type { FairQueue } from '../shared/fair-queue.js';
import { beginWork, observedWork } from '../shared/observed-work.js';
import { isWrite, type Statement } from '../sql/fragment.js';
import { cancelStatement } from '../sql/server/connection.sql.js';
import { withSession } from './session-connection.js';
import { beginTransaction } from './transaction/begin.js';
import { commit } from './transaction/commit.js';
import { requestCancel } from './statement/cancel-request.js';
import { clientOptions } from './connection/connection.js';
import { preferIdle } from './connection/idle-connections.js';
import { ShareFullError, type Executor, type Transaction } from './transaction/executor.js';
import { Deadline } from './statement/deadline.js';
import { noteLostAnswer } from './statement/lost-answers.js';
import { OpenTransaction, type TransactionConnection, type TransactionState } from './transaction/open-transaction.js';
import { preparedQuery, rowsOf, type QueryCallback } from './statement/prepared-query.js';
import { PreparedStatements } from './statement/prepared-statements.js';
import { SlowStatements } from './statement/slow-statements.js';
import { streamRows } from './statement/row-stream.js';
import { asRefusal, sendText } from './statement/send-text.js';
import { StatementQueue } from './transaction/statement-queue.js';
import { prepareNextRun, acquirePlaces, delayRetry } from './transaction/between-runs.js';
import {
  ContentionState,
  RETRY_TIMEOUT,
  TransactionRuns,
  type TransactionRunsOptions,
} from './transaction/conflict-retries.js';
import { commonRefusal, isConnectionLost, isReadOnly } from './statement/sqlstate.js';
import { type TransactionOptions, type DatabaseOptions, type ReadReplica } from './database-options.js';

export type { CommitWitness, Executor, ConnectionShare, TextSink, Transaction } from './transaction/executor.js';

export interface PoolCounts {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
  /** The most that there may be. */
  readonly max: number;
}

export class Database implements Executor {
  readonly #prepared: PreparedStatements;
  readonly #contention = new ContentionState();
  readonly #slow: SlowStatements;

  constructor(
    private readonly dataSource: DataSource,
    private readonly options: DatabaseOptions = {},
  ) {
    const { prepares = true, onUnprepared } = options;
    this.#prepared = new PreparedStatements(prepares, (error) => onUnprepared?.(error));
    this.#slow = new SlowStatements(options.slowStatements ?? Infinity);
  }

  /** The connections of the pool, and how many wait for one. */
  get connections(): PoolCounts {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, max: options.max };
  }

  /** The slow statements of projects that share PostgreSQL with others. */
  get slowStatements(): FairQueue {
    return this.#slow.queue;
  }

  /** From which reads may come that accept older data; undefined if there is none. */
  get replica(): ReadReplica | undefined {
    return this.options.replica;
  }

  run<Row>(statement: Statement): Promise<Row[]> {
    return this.#run(statement, undefined);
  }

  /** An executor with a shorter statement timeout, in milliseconds. */
  withTimeout(limit: number): Executor {
    return { run: (statement) => this.#run(statement, limit) };
  }

  /** An executor for statements of one project, which leave time to others. @param limit as of `withTimeout` */
  ofProject(schema: string, limit?: number): Executor {
    return { run: (statement) => this.#slow.run(schema, statement.text, () => this.#run(statement, limit)) };
  }

  /**
   * Uses callbacks because all reads pass here and each promise between here and `pg` has a cost. The timeout is a
   * timer here: as a setting it would need a transaction, and three more messages.
   */
  #run<Row>(statement: Statement, limit: number | undefined): Promise<Row[]> {
    const prepared = this.#prepared.preparedOn(statement);
    if (prepared) preferIdle(this.#pool, prepared);
    return new Promise((resolve, reject) => {
      const end = beginWork('statement', statement.text);
      this.#pool.connect((fault, client, release) => {
        if (!client) {
          end?.(fault);
          return reject(asRefusal(fault));
        }
        let named = false;
        const deadline = limit === undefined ? undefined : new Deadline(limit, () => requestCancel(client));
        const done: QueryCallback = (error, result) => {
          // PostgreSQL did not execute it: it is sent again without a name.
          if (named && error && this.#prepared.disableIfUnprepared(error)) {
            named = this.#send(client, statement, done);
            return;
          }
          const broken = error && (!(error as { severity?: string }).severity || isConnectionLost(error));
          deadline?.stop();
          // The cancel request may arrive late and must not hit the next statement of the connection.
          release(broken || deadline?.passed || this.#prepared.needsReplacement(client));
          if (error && isWrite(statement)) noteLostAnswer(error);
          end?.(error);
          if (error || !result) reject(asRefusal(error));
          else resolve(rowsOf(result));
        };
        try {
          named = this.#send(client, statement, done);
        } catch (error) {
          done(error as Error, undefined);
        }
      });
    });
  }

  /** Tracks the runs of one transaction. */
  runs(options: TransactionRunsOptions = {}): TransactionRuns {
    return new TransactionRuns(this.#contention, { timeout: this.options.retryTimeout ?? RETRY_TIMEOUT, ...options });
  }

  /**
   * Runs `work` in a transaction. If it conflicts with another transaction, all of it is run again, so `work` must not
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
      const onEnd = await acquirePlaces(runs, share);
      try {
        return await this.#attempt(work, options, {
          isolation,
          runs,
          share,
          beforeCommit: new Set(),
          witnesses: new Map(),
          afterCommit: [],
          onEnd,
        });
      } catch (error) {
        if (error instanceof ShareFullError) {
          ({ share } = error);
          attempt -= 1;
          continue;
        }
        // A write in a read-only transaction is a programming error.
        if (options.once || (options.readOnly && isReadOnly(error))) throw error;
        await (isolation === 'repeatable read' ? prepareNextRun(runs, error) : delayRetry(error, attempt, options));
      }
    }
  }

  /** Rejects immediately if a signal aborts the transaction; the rollback continues in the background. */
  #attempt<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions, state: TransactionState): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        for (const callback of state.onEnd) callback();
      };
      this.#runOnce(work, options, state, reject).finally(end).then(resolve, reject);
    });
  }

  async #runOnce<T>(
    work: (tx: Transaction) => Promise<T>,
    options: TransactionOptions,
    state: TransactionState,
    onAbort: (reason: unknown) => void,
  ): Promise<T> {
    const client = await this.#connect();
    let result: T;
    let broken = false;
    // Without a listener, a connection that breaks between two statements would end the process.
    const onError = () => void (broken = true);
    client.on('error', onError);
    let cancelling: Deadline | undefined;
    const interrupt = (reason: unknown): void => {
      broken = true;
      onAbort(reason);
      cancelling ??= new Deadline(0, () => void this.#cancel(client));
    };
    // An export can't begin again after its first line, and behind a pooler a name may turn out to be lost.
    const mayBeNamed = !(this.options.pooled && options.once && options.readOnly);
    const queue = new StatementQueue();
    const connection: TransactionConnection = {
      query: (statement) => queue.send(() => this.#query(client, statement, mayBeNamed)),
      stream: (statement, sink) =>
        queue.send(() => {
          this.#prepared.noteSent(client, statement);
          return observedWork('statement', statement.text, () => streamRows(client, statement, sink));
        }),
    };
    const tx = new OpenTransaction(connection, state, interrupt);
    try {
      const send = (statement: Statement): Promise<unknown> =>
        statement.values.length > 0 ? this.#query(client, statement, mayBeNamed) : sendText(client, statement.text);
      await beginTransaction(send, { ...options, idleTimeout: this.#idleTimeout(options) }, state.runs);
      result = await work(tx);
      tx.finish();
      await queue.send(() => commit((text) => sendText(client, text), state));
    } catch (error) {
      tx.close();
      if (isConnectionLost(error) && !(options.readOnly && isReadOnly(error))) broken = true;
      // If ROLLBACK fails, the transaction may still be open: the connection is closed.
      await queue.send(() => client.query('ROLLBACK')).catch(() => (broken = true));
      throw error;
    } finally {
      cancelling?.stop();
      client.removeListener('error', onError);
      client.release(broken || this.#prepared.needsReplacement(client));
    }
    for (const callback of state.afterCommit) {
      try {
        await callback();
      } catch (error) {
        this.options.onAfterCommitError?.(error);
      }
    }
    return result;
  }

  /**
   * Runs long work outside a transaction on a connection of its own, without timeouts; its locks end with the work. If
   * `signal` aborts, the running statement is cancelled.
   * @throws NoSessionError if the connection leads through a transaction pooler
   */
  withDedicatedConnection<T>(work: (executor: Executor) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { direct } = this.options;
    const options = direct ? { ...clientOptions(direct), keepAlive: true } : this.#pool.options;
    return withSession(options, this, work, signal);
  }

  async #cancel(client: PoolClient): Promise<void> {
    // Behind a pooler, the process id of a connection is known to the pooler only.
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

  /** The idle timeout of a transaction if it is longer than that of the connections. */
  #idleTimeout({ idleTimeout = 0 }: TransactionOptions): number | undefined {
    return idleTimeout > (this.options.idleTimeout ?? Infinity) ? idleTimeout : undefined;
  }

  #query<Row>(client: PoolClient, statement: Statement, mayBeNamed: boolean): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const end = beginWork('statement', statement.text);
      const settled: QueryCallback = (error, result) => {
        this.#prepared.disableIfUnprepared(error);
        end?.(error);
        if (error || !result) reject(error ?? new Error('a query answers rows or an error'));
        else resolve(rowsOf(result));
      };
      this.#send(client, statement, settled, mayBeNamed);
    });
  }

  /** Returns whether it was sent under a name. */
  #send(client: PoolClient, statement: Statement, settled: QueryCallback, mayBeNamed = true): boolean {
    this.#prepared.noteSent(client, statement);
    const name = this.#prepared.nameOf(client, statement, mayBeNamed);
    client.query(preparedQuery(statement, name, settled));
    return name !== undefined;
  }
}
