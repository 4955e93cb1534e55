/** Transactions and savepoints. */
import { ident, integer, join, render, sql, type Fragment, type Statement } from '../fragment.js';

/** READ COMMITTED: each statement has a snapshot of its own. REPEATABLE READ: all have the snapshot of the first. */
export type Isolation = 'read committed' | 'repeatable read';

interface TransactionStart {
  readonly isolation: Isolation;
  readonly readOnly?: boolean;
  /** Milliseconds. */
  readonly lockTimeout?: number;
  readonly statementTimeout?: number;
  readonly idleTimeout?: number | undefined;
}

/**
 * BEGIN with the settings of the transaction, in one message. None of it takes a snapshot: the first statement after it
 * does.
 */
export function beginStatement(beginning: TransactionStart): Statement {
  const { isolation, readOnly, lockTimeout, statementTimeout, idleTimeout } = beginning;
  const level = isolation === 'repeatable read' ? sql`REPEATABLE READ` : sql`READ COMMITTED`;
  const begin = readOnly ? sql`BEGIN ISOLATION LEVEL ${level} READ ONLY` : sql`BEGIN ISOLATION LEVEL ${level}`;
  const settings = [
    ...setLocal('lock_timeout', lockTimeout),
    ...setLocal('statement_timeout', statementTimeout),
    ...setLocal('idle_in_transaction_session_timeout', idleTimeout),
  ];
  return render(join([begin, ...settings], '; '));
}

export function lockTimeoutStatement(timeout: number): Statement {
  return render(join(setLocal('lock_timeout', timeout)));
}

export function statementTimeoutStatement(timeout: number): Statement {
  return render(join(setLocal('statement_timeout', timeout)));
}

function setLocal(name: string, time: number | undefined): Fragment[] {
  return time === undefined ? [] : [sql`SET LOCAL ${ident(name)} = ${integer(Math.ceil(time))}`];
}

export const ROLLBACK: Statement = render(sql`ROLLBACK`);

const savepointName = (depth: number) => ident(`part_${depth}`);

/** @param depth nested savepoints have different ones @param done of one that is released before, in the same message */
export function savepointStatement(depth: number, done?: number): Statement {
  const release = done === undefined ? sql`` : sql`RELEASE SAVEPOINT ${savepointName(done)}; `;
  return render(sql`${release}SAVEPOINT ${savepointName(depth)}`);
}

export function releaseSavepointStatement(depth: number): Statement {
  return render(sql`RELEASE SAVEPOINT ${savepointName(depth)}`);
}

export function rollbackToSavepointStatement(depth: number): Statement {
  return render(sql`ROLLBACK TO SAVEPOINT ${savepointName(depth)}`);
}

/** Undoes what came after the savepoint, which is gone then, in one message. */
export function undoSavepointStatement(depth: number): Statement {
  return render(sql`ROLLBACK TO SAVEPOINT ${savepointName(depth)}; RELEASE SAVEPOINT ${savepointName(depth)}`);
}
