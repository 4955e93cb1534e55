/** Parts of a transaction that can be undone by themselves. */
import { ident, render, sql, type Statement } from './fragment.js';

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
