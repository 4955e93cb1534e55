/** Transactions: how they begin and end, and parts of them that can be undone by themselves. */
import { ident, integer, join, render, sql, type Fragment, type Statement } from './fragment.js';

/** READ COMMITTED: each statement sees what was committed before it. REPEATABLE READ: all see what was before the first. */
export type Isolation = 'read committed' | 'repeatable read';

export interface Beginning {
  readonly isolation: Isolation;
  readonly readOnly?: boolean;
  /** Milliseconds. */
  readonly lockTimeout?: number;
  readonly statementTimeout?: number;
  readonly idleTimeout?: number | undefined;
}

/**
 * BEGIN, with settings that end with it, in one message. None of it takes a snapshot: what REPEATABLE READ sees is decided
 * by the first statement after it.
 */
export function beginStatement(beginning: Beginning): Statement {
  const { isolation, readOnly, lockTimeout, statementTimeout, idleTimeout } = beginning;
  const level = isolation === 'repeatable read' ? sql`REPEATABLE READ` : sql`READ COMMITTED`;
  const begin = readOnly ? sql`BEGIN ISOLATION LEVEL ${level} READ ONLY` : sql`BEGIN ISOLATION LEVEL ${level}`;
  const settings = [
    ...setting('lock_timeout', lockTimeout),
    ...setting('statement_timeout', statementTimeout),
    ...setting('idle_in_transaction_session_timeout', idleTimeout),
  ];
  return render(join([begin, ...settings], '; '));
}

export function lockTimeoutStatement(timeout: number): Statement {
  return render(join(setting('lock_timeout', timeout)));
}

function setting(name: string, time: number | undefined): Fragment[] {
  return time === undefined ? [] : [sql`SET LOCAL ${ident(name)} = ${integer(Math.ceil(time))}`];
}

export const ROLLBACK: Statement = render(sql`ROLLBACK`);

const name = (depth: number) => ident(`part_${depth}`);

/** @param depth parts inside parts have different ones */
export function savepointStatement(depth: number): Statement {
  return render(sql`SAVEPOINT ${name(depth)}`);
}

export function releaseStatement(depth: number): Statement {
  return render(sql`RELEASE SAVEPOINT ${name(depth)}`);
}

export function undoStatement(depth: number): Statement {
  return render(sql`ROLLBACK TO SAVEPOINT ${name(depth)}`);
}
