/** Runs rendered statements, alone or in a transaction. All access to PostgreSQL passes here. */
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Pool } from 'pg';
import type { FairQueue } from '../shared/fair-queue.js';
import { beginWork } from '../shared/observed-work.js';
import { isWrite, type Statement } from '../sql/fragment.js';
import { clientOptions } from './connection/connection.js';
import { ConnectionPlaces } from './connection/connection-places.js';
import { preferIdle } from './connection/data-source.js';
import type {
  ConnectionUser,
  DatabaseOptions,
  ReadReplica,
  TransactionOptions,
  UseOptions,
} from './database-options.js';
import { withSession } from './session-connection.js';
import { Deadline, requestCancel } from './statement/deadline.js';
import { rowsOf } from './statement/prepared-query.js';
import { PreparedStatements } from './statement/prepared-statements.js';
import { SlowStatements } from './statement/slow-statements.js';
import { asRefusal, isConnectionLost, isLockTimeout, noteLostAnswer } from './statement/sqlstate.js';
import { StatementSender } from './statement/statement-sender.js';
import {
  ContentionState,
  RETRY_TIMEOUT,
  TransactionRuns,
  type TransactionRunsOptions,
} from './transaction/conflict-retries.js';
import { withCompleteRefusal } from './transaction/complete-refusal.js';
import type { Executor, Transaction } from './transaction/transaction.js';
import { runTransaction } from './transaction/transaction-runner.js';
import { poolOf, type QueryCallback } from './pg-internals.js';

export type { ConnectionUser } from './database-options.js';
export type { TextSink } from './statement/prepared-query.js';
export type { CommitWitness, Executor, Transaction } from './transaction/transaction.js';

interface PoolCounts {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
  /** The most that there may be. */
  readonly max: number;
}

export class Database implements Executor {
  /** Tells the services on one database from each other, where one of them holds something. */
  readonly serviceId = randomUUID();
  readonly #prepared: PreparedStatements;
  readonly #contention = new ContentionState();
  readonly #slow: SlowStatements;
  #places: ConnectionPlaces | undefined;
  readonly #sender: StatementSender;
  readonly #listeners: ((schema: string) => void)[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly options: DatabaseOptions = {},
  ) {
    const { prepares = true, onUnprepared } = options;
    this.#prepared = new PreparedStatements(prepares, (error) => onUnprepared?.(error));
    this.#slow = new SlowStatements(options.slowStatements ?? Infinity);
    this.#sender = new StatementSender(this.#prepared);
  }

  /** Calls `listener` when changes of the project of a schema are recorded and committed. */
  whenRecorded(listener: (schema: string) => void): void {
    this.#listeners.push(listener);
  }

  #onRecorded(schema: string): void {
    for (const listener of this.#listeners) listener(schema);
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

  /** Who uses the connections. Those of the pool are not known before it is open. */
  get places(): ConnectionPlaces {
    return (this.#places ??= new ConnectionPlaces(this.#pool.options.max));
  }

  /** For the service itself, which needs no place. */
  run<Row>(statement: Statement): Promise<Row[]> {
    return this.#runAlone(statement, undefined);
  }

  /** An executor for the service itself, with a shorter statement timeout, in milliseconds. */
  withTimeout(limit: number): Executor {
    return { run: (statement) => this.#runAlone(statement, limit) };
  }

  #runAlone<Row>(statement: Statement, limit: number | undefined): Promise<Row[]> {
    return this.#send<Row>(statement, limit).then(undefined, this.#afterFailure<Row>(statement, { limit }));
  }

  /** An executor for statements of one project, which leave time and connections to others. */
  ofProject(project: ConnectionUser, { limit, part }: UseOptions = {}): Executor {
    return {
      run: <Row>(statement: Statement) =>
        this.#slow.run(project.schema, statement.text, (measure) =>
          this.places.all
            .run(project.id, () => measure(() => this.#send<Row>(statement, limit)), part)
            .then(undefined, this.#afterFailure<Row>(statement, { limit, project })),
        ),
    };
  }

  /**
   * A statement that waits for a lock fails soon (see `LOCK_TIMEOUTS`) and had no effect: it is run again among those
   * that may hold a connection long.
   */
  #afterFailure<Row>(
    statement: Statement,
    { limit, project }: { readonly limit?: number | undefined; readonly project?: ConnectionUser },
  ): (error: unknown) => Promise<Row[]> {
    return (error) => {
      if (!isLockTimeout(error)) throw asRefusal(error);
      const long = project !== undefined;
      const options = {
        isolation: 'read committed',
        project,
        long,
        waitsBriefly: true,
        ...(limit && { statementTimeout: limit }),
      } as const;
      return this.transaction((tx) => tx.run<Row>(statement), options);
    };
  }

  /**
   * Uses callbacks because all reads pass here and each promise between here and `pg` has a cost. The timeout is a
   * timer here: as a setting it would need a transaction, and three more messages.
   */
  #send<Row>(statement: Statement, limit: number | undefined): Promise<Row[]> {
    const prepared = this.#prepared.preparedOn(statement);
    if (prepared) preferIdle(this.#pool, prepared);
    return new Promise((resolve, reject) => {
      const end = beginWork('statement', statement.text);
      this.#pool.connect((fault, client, release) => {
        if (!client) {
          end?.(fault);
          return reject(fault ?? new Error('the pool gave neither a connection nor an error'));
        }
        let named = false;
        const deadline = limit === undefined ? undefined : new Deadline(limit, () => requestCancel(client));
        const done: QueryCallback = (error, result) => {
          // PostgreSQL did not execute it: it is sent again without a name.
          if (named && error && this.#prepared.disableIfUnprepared(error)) {
            named = this.#sender.send(client, statement, done);
            return;
          }
          const broken = error && (!(error as { severity?: string }).severity || isConnectionLost(error));
          deadline?.stop();
          // The cancel request may arrive late and must not hit the next statement of the connection.
          release(broken || deadline?.passed || this.#prepared.needsReplacement(client));
          if (error && isWrite(statement)) noteLostAnswer(error);
          end?.(error);
          if (!error && statement.records !== undefined) this.#onRecorded(statement.records);
          if (error || !result) reject(error ?? new Error('a query answers rows or an error'));
          else resolve(rowsOf(result));
        };
        try {
          named = this.#sender.send(client, statement, done);
        } catch (error) {
          done(error as Error, undefined);
        }
      });
    });
  }

  /** Tracks the runs of one transaction. */
  runs({
    timeout = this.options.retryTimeout ?? RETRY_TIMEOUT,
    workKey,
  }: TransactionRunsOptions = {}): TransactionRuns {
    return new TransactionRuns(this.#contention, timeout, workKey);
  }

  /**
   * Runs `work` in a transaction. If it conflicts with another transaction, all of it is run again, so `work` must not
   * keep state between runs.
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { project, statementTimeout: limit, once, lazy } = options;
    const runs = options.runs ?? this.runs(options);
    const parts = {
      pool: this.#pool,
      places: this.places,
      sender: this.#sender,
      statements: this,
      options: this.options,
      onRecorded: (schema: string) => this.#onRecorded(schema),
    };
    const run = (): Promise<T> => runTransaction(parts, work, options, runs);
    const after = project ? this.ofProject(project, { limit }) : this;
    try {
      return await (once || lazy ? run() : withCompleteRefusal(after, run));
    } finally {
      if (!options.runs) runs.end();
    }
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

  get #pool(): Pool {
    return poolOf(this.dataSource);
  }
}
