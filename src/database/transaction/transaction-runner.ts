/** Runs transactions on connections of the pool: begins, commits or rolls back, and runs them again after conflicts. */
import type { Pool, PoolClient } from 'pg';
import { observedWork } from '../../shared/observed-work.js';
import type { Statement } from '../../sql/fragment.js';
import { cancelStatement } from '../../sql/server/connection.sql.js';
import { beginStatement, lockTimeoutStatement, ROLLBACK } from '../../sql/server/transaction.sql.js';
import type { ConnectionPlaces } from '../connection/connection-places.js';
import { LOCK_TIMEOUTS } from '../connection/session-settings.js';
import type { DatabaseOptions, TransactionOptions } from '../database-options.js';
import { keyOfClient } from '../pg-internals.js';
import { Deadline, requestCancel } from '../statement/deadline.js';
import { streamRows } from '../statement/prepared-query.js';
import {
  asRefusal,
  isConnectionLost,
  isLockTimeout,
  isReadOnly,
  isRetryable,
  noteLostAnswer,
} from '../statement/sqlstate.js';
import { type StatementSender, sendText } from '../statement/statement-sender.js';
import { READ_COMMITTED_ATTEMPTS, type TransactionRuns } from './conflict-retries.js';
import { NoLongPlaceError, Transaction, type Executor, type TransactionConnection } from './transaction.js';

/**
 * Lock timeout in milliseconds at REPEATABLE READ: the holder of the lock usually changes the row, and then the run
 * fails anyway. The next run waits in the queue without a connection.
 */
const SHORT_LOCK_TIMEOUT = 50;

/** Attempts to take the initial locks of a run; each can fail because another transaction changed a row in between. */
const LOCK_ATTEMPTS = 10;

/** What runs of transactions use. */
interface RunnerParts {
  readonly pool: Pool;
  readonly places: ConnectionPlaces;
  readonly sender: StatementSender;
  /** For statements outside of the transactions. */
  readonly statements: Executor;
  readonly onRecorded: (schema: string) => void;
  readonly options: DatabaseOptions;
}

type Work<T> = (tx: Transaction) => Promise<T>;

/** Runs work in a transaction, again after each conflict. */
export async function runTransaction<T>(
  parts: RunnerParts,
  work: Work<T>,
  options: TransactionOptions,
  runs: TransactionRuns,
): Promise<T> {
  const { isolation = 'repeatable read', once, readOnly, beforeNextRun } = options;
  let { long = false, waitsBriefly = false } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await new TransactionRun(parts, { ...options, isolation, long, waitsBriefly }, runs).run(work);
    } catch (error) {
      if (error instanceof NoLongPlaceError) {
        long = waitsBriefly = true;
        attempt -= 1;
        continue;
      }
      // A write in a read-only transaction is a programming error.
      if (once || (readOnly && isReadOnly(error))) throw error;
      try {
        await (isolation === 'repeatable read' ? runs.afterFailure(error) : delayRetry(error, attempt, options));
      } catch (failure) {
        throw asRefusal(failure);
      }
      await beforeNextRun?.();
    }
  }
}

/** At READ COMMITTED: waits a random time after a deadlock or lock timeout. @throws the error of others */
async function delayRetry(error: unknown, attempt: number, { lockTimeout }: TransactionOptions): Promise<void> {
  const isTemporary = isRetryable(error) || (lockTimeout !== undefined && isLockTimeout(error));
  if (!isTemporary || attempt === READ_COMMITTED_ATTEMPTS) throw error;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
}

/** One run of a transaction, on one connection. */
class TransactionRun {
  readonly #tx: Transaction;
  #beginning: Promise<TransactionConnection> | undefined;
  #client: PoolClient | undefined;
  /** A connection takes the next statement when it has answered. */
  #last: Promise<unknown> | undefined;
  #broken = false;
  #cancelling: Deadline | undefined;
  #onAbort: (reason: unknown) => void = () => undefined;

  constructor(
    private readonly parts: RunnerParts,
    private readonly options: TransactionOptions & Required<Pick<TransactionOptions, 'isolation' | 'long'>>,
    private readonly runs: TransactionRuns,
  ) {
    const { isolation, long, project } = options;
    this.#tx = new Transaction({
      isolation,
      runs,
      isLong: long || !project,
      begin: () => (this.#beginning = this.#begin()),
      interrupt: (reason) => this.#interrupt(reason),
      takeLongPlace: () => parts.places.long.tryAcquire(project?.id ?? ''),
    });
  }

  /** Rejects immediately if a signal aborts the transaction; the rollback continues in the background. */
  run<T>(work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#onAbort = reject;
      this.#run(work)
        .finally(() => this.#tx.released())
        .then(resolve, reject);
    });
  }

  async #run<T>(work: Work<T>): Promise<T> {
    const tx = this.#tx;
    const { lazy, undo } = this.options;
    let result: T;
    try {
      if (!lazy) await tx.begin();
      result = await work(tx);
      // What began with a statement that nobody waited for has begun.
      if (lazy && tx.hasBegun) await tx.begin();
      tx.finish();
      const client = this.#client;
      if (client) await this.#inTurn<unknown>(() => (undo ? client.query('ROLLBACK') : this.#commit(client)));
    } catch (error) {
      await this.#rollback(error);
      throw error;
    } finally {
      this.#release();
    }
    if (!undo) for (const schema of tx.recorded) this.parts.onRecorded(schema);
    for (const job of undo ? [] : tx.jobs) {
      try {
        await job();
      } catch (error) {
        this.parts.options.onAfterCommitError?.(error);
      }
    }
    return result;
  }

  /** Takes its places and a connection, and sends BEGIN. */
  async #begin(): Promise<TransactionConnection> {
    await this.#acquirePlaces();
    const client = await this.#connect();
    if (this.#tx.hasEnded) throw new Error('the transaction was over before it began');
    await this.#sendBegin(client);
    const { sender } = this.parts;
    return {
      query: (statement) => this.#inTurn(() => sender.query(client, statement, this.#mayBeNamed)),
      stream: (statement, sink) =>
        this.#inTurn(() => {
          sender.prepared.noteSent(client, statement);
          return observedWork('statement', statement.text, () => streamRows(client, statement, sink));
        }),
    };
  }

  /**
   * Waits for the turn on the units to lock, then for its places. If remembered locks appear during that wait, both are
   * repeated. A long transaction waits for its places as long as its runs have time.
   */
  async #acquirePlaces(): Promise<void> {
    const { project, long, waitsBriefly } = this.options;
    for (;;) {
      this.runs.adoptRememberedLocks();
      const endTurn = await this.runs.waitForTurn();
      if (!project) return this.#tx.onEnd(endTurn);
      try {
        const timeLeft = waitsBriefly ? 0 : this.runs.timeLeft;
        const releasePlace = await this.parts.places.acquire(project, long ? timeLeft : undefined);
        if (!this.runs.adoptRememberedLocks()) {
          this.#tx.onEnd(endTurn);
          return this.#tx.onEnd(releasePlace);
        }
        releasePlace();
      } catch (error) {
        endTurn();
        throw error;
      }
      endTurn();
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      const client = await this.parts.pool.connect();
      // Without a listener, a connection that breaks between two statements would end the process.
      client.on('error', this.#onError);
      return (this.#client = client);
    } catch (error) {
      throw asRefusal(error);
    }
  }

  readonly #onError = (): void => void (this.#broken = true);

  /** BEGIN with its settings, and at REPEATABLE READ the locks of repeated runs. */
  async #sendBegin(client: PoolClient): Promise<void> {
    const { isolation, lockTimeout, ...settings } = this.options;
    const { runs } = this;
    const idleTimeout = this.#idleTimeout;
    const send = (statement: Statement): Promise<unknown> =>
      statement.values.length > 0
        ? this.parts.sender.query(client, statement, this.#mayBeNamed)
        : sendText(client, statement.text);
    const begin = (timeout: number): Promise<unknown> =>
      send(beginStatement({ isolation, ...settings, idleTimeout, lockTimeout: timeout }));
    const timeLeft = () => Math.max(1, runs.timeLeft);
    const lockTimeoutOfRun = () => (runs.waitsForLocks ? timeLeft() : SHORT_LOCK_TIMEOUT);
    if (isolation === 'read committed') return void (await begin(lockTimeout ?? LOCK_TIMEOUTS.transaction));
    if (runs.locks.length === 0) return void (await begin(lockTimeoutOfRun()));
    for (let attempt = 1; ; attempt++) {
      await begin(timeLeft());
      try {
        for (const lock of runs.locks) await send(lock);
        return void (await send(lockTimeoutStatement(lockTimeoutOfRun())));
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (attempt === LOCK_ATTEMPTS) {
          runs.lockTables();
          throw error;
        }
        await send(ROLLBACK);
      }
    }
  }

  /** Ends the transaction, with what is sent before COMMIT in the same message. */
  async #commit(client: PoolClient): Promise<void> {
    const { sentAtCommit, witnesses } = this.#tx;
    for (const [witness, written] of witnesses) witness.before(written);
    try {
      const ended = await sendLast(client, [...sentAtCommit, 'COMMIT'].join('; '));
      const { command } = (Array.isArray(ended) ? ended.at(-1) : ended) as { command: string };
      // PostgreSQL answers ROLLBACK if a statement had failed and the error was ignored.
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
    } catch (error) {
      for (const [witness, written] of witnesses) witness.failed(written, error);
      throw error;
    }
  }

  async #rollback(error: unknown): Promise<void> {
    this.#tx.close();
    await this.#beginning?.catch(() => undefined);
    const client = this.#client;
    if (!client) return;
    if (isConnectionLost(error) && !(this.options.readOnly && isReadOnly(error))) this.#broken = true;
    // If ROLLBACK fails, the transaction may still be open: the connection is closed.
    await this.#inTurn(() => client.query('ROLLBACK')).catch(() => (this.#broken = true));
  }

  #release(): void {
    const client = this.#client;
    this.#cancelling?.stop();
    client?.removeListener('error', this.#onError);
    client?.release(this.#broken || this.parts.sender.prepared.needsReplacement(client));
  }

  #interrupt(reason: unknown): void {
    this.#onAbort(reason);
    const client = this.#client;
    if (!client) return;
    this.#broken = true;
    this.#cancelling ??= new Deadline(0, () => void this.#cancel(client));
  }

  async #cancel(client: PoolClient): Promise<void> {
    // Behind a pooler, the process id of a connection is known to the pooler only.
    if (this.parts.options.pooled) return requestCancel(client);
    const { processID } = keyOfClient(client);
    if (processID !== null) await this.parts.statements.run(cancelStatement(processID)).catch(() => undefined);
  }

  /** Calls `send` at once if no statement runs, or else when those before it have ended, however they ended. */
  #inTurn<T>(send: () => Promise<T>): Promise<T> {
    const sent = this.#last ? this.#last.then(send, send) : send();
    this.#last = sent;
    const end = (): void => {
      if (this.#last === sent) this.#last = undefined;
    };
    sent.then(end, end);
    return sent;
  }

  /** An export cannot begin again after its first line, and behind a pooler a name may turn out to be lost. */
  get #mayBeNamed(): boolean {
    const { once, readOnly } = this.options;
    return !(this.parts.options.pooled && once && readOnly);
  }

  /** The idle timeout of the transaction if it is longer than that of the connections. */
  get #idleTimeout(): number | undefined {
    const { idleTimeout = 0 } = this.options;
    return idleTimeout > (this.parts.options.idleTimeout ?? Infinity) ? idleTimeout : undefined;
  }
}

async function sendLast(client: PoolClient, text: string): Promise<unknown> {
  try {
    return await sendText(client, text);
  } catch (error) {
    noteLostAnswer(error);
    throw error;
  }
}
