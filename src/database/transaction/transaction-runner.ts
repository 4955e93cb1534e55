/** Runs transactions on connections of the pool. */
import type { Pool, PoolClient } from 'pg';
import { observedWork } from '../../shared/observed-work.js';
import type { Statement } from '../../sql/fragment.js';
import { cancelStatement } from '../../sql/server/connection.sql.js';
import type { ConnectionPlaces } from '../connection/connection-places.js';
import type { DatabaseOptions, TransactionOptions } from '../database-options.js';
import { requestCancel } from '../statement/cancel-request.js';
import { Deadline } from '../statement/deadline.js';
import { streamRows } from '../statement/row-stream.js';
import { sendText } from '../statement/send-text.js';
import { commonRefusal, isConnectionLost, isReadOnly } from '../statement/sqlstate.js';
import type { StatementSender } from '../statement/statement-sender.js';
import { beginTransaction } from './begin.js';
import { acquirePlaces, delayRetry, prepareNextRun } from './between-runs.js';
import { commit } from './commit.js';
import type { TransactionRuns } from './conflict-retries.js';
import { NoLongPlaceError, type Executor, type Transaction } from './executor.js';
import { OpenTransaction, type TransactionConnection, type TransactionState } from './open-transaction.js';
import { StatementQueue } from './statement-queue.js';
import { keyOfClient } from '../pg-internals.js';

export class TransactionRunner {
  /** @param statements for statements outside of the transactions */
  constructor(
    private readonly pool: () => Pool,
    private readonly places: () => ConnectionPlaces,
    private readonly sender: StatementSender,
    private readonly statements: Executor,
    private readonly options: DatabaseOptions,
  ) {}

  /** Runs it again after each conflict. */
  async run<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions, runs: TransactionRuns): Promise<T> {
    const { isolation = 'repeatable read', project, longTimeout } = options;
    let { long = false } = options;
    const acquire = project && (() => this.places().acquire(project, { long, ...(longTimeout && { longTimeout }) }));
    const takeLongPlace = () => this.places().long.tryAcquire(project?.id ?? '');
    for (let attempt = 1; ; attempt++) {
      const onEnd = await acquirePlaces(runs, acquire);
      try {
        return await this.#attempt(work, options, {
          isolation,
          runs,
          isLong: long || !project,
          takeLongPlace,
          beforeCommit: new Set(),
          witnesses: new Map(),
          afterCommit: [],
          onEnd,
        });
      } catch (error) {
        if (error instanceof NoLongPlaceError) {
          long = true;
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
    // An export cannot begin again after its first line, and behind a pooler a name may turn out to be lost.
    const mayBeNamed = !(this.options.pooled && options.once && options.readOnly);
    const queue = new StatementQueue();
    const connection: TransactionConnection = {
      query: (statement) => queue.send(() => this.sender.query(client, statement, mayBeNamed)),
      stream: (statement, sink) =>
        queue.send(() => {
          this.sender.prepared.noteSent(client, statement);
          return observedWork('statement', statement.text, () => streamRows(client, statement, sink));
        }),
    };
    const tx = new OpenTransaction(connection, state, interrupt);
    try {
      const send = (statement: Statement): Promise<unknown> =>
        statement.values.length > 0
          ? this.sender.query(client, statement, mayBeNamed)
          : sendText(client, statement.text);
      await beginTransaction(send, { ...options, idleTimeout: this.#idleTimeout(options) }, state.runs);
      result = await work(tx);
      tx.finish();
      if (options.undo) await queue.send(() => client.query('ROLLBACK'));
      else await queue.send(() => commit((text) => sendText(client, text), state));
    } catch (error) {
      tx.close();
      if (isConnectionLost(error) && !(options.readOnly && isReadOnly(error))) broken = true;
      // If ROLLBACK fails, the transaction may still be open: the connection is closed.
      await queue.send(() => client.query('ROLLBACK')).catch(() => (broken = true));
      throw error;
    } finally {
      cancelling?.stop();
      client.removeListener('error', onError);
      client.release(broken || this.sender.prepared.needsReplacement(client));
    }
    for (const callback of options.undo ? [] : state.afterCommit) {
      try {
        await callback();
      } catch (error) {
        this.options.onAfterCommitError?.(error);
      }
    }
    return result;
  }

  async #cancel(client: PoolClient): Promise<void> {
    // Behind a pooler, the process id of a connection is known to the pooler only.
    if (this.options.pooled) return requestCancel(client);
    const { processID } = keyOfClient(client);
    if (processID !== null) await this.statements.run(cancelStatement(processID)).catch(() => undefined);
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.pool().connect();
    } catch (error) {
      throw commonRefusal(error) ?? error;
    }
  }

  /** The idle timeout of a transaction if it is longer than that of the connections. */
  #idleTimeout({ idleTimeout = 0 }: TransactionOptions): number | undefined {
    return idleTimeout > (this.options.idleTimeout ?? Infinity) ? idleTimeout : undefined;
  }
}
