/**
 * A query whose rows are passed on as they arrive, so that the memory it takes does not depend on their number. While
 * the receiver is full, nothing is read from the connection, and PostgreSQL waits.
 */
import type { PoolClient } from 'pg';
import type { Statement } from '../../sql/fragment.js';
import { asQuery, InnerQuery, streamOf, type QueryCallback } from '../pg-internals.js';

/** Receives the rows of a query one by one. */
export interface TextSink {
  /** Takes the text of a row. No more rows are read until the returned promise resolves; it must never reject. */
  add(text: string): Promise<void> | undefined;
}

class RowQuery extends InnerQuery {
  constructor(
    { text, values }: Statement,
    private readonly take: (text: string) => void,
    settled: QueryCallback,
  ) {
    super(text, values, settled);
  }

  override handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.take(fields[0] ?? '');
  }
}

/** Returns the number of rows. @param statement of one text column */
export function streamRows(client: PoolClient, statement: Statement, sink: TextSink): Promise<number> {
  const stream = streamOf(client);
  return new Promise((resolve, reject) => {
    let rows = 0;
    let waiting = false;
    const take = (text: string): void => {
      rows += 1;
      const full = sink.add(text);
      if (!full || waiting) return;
      waiting = true;
      stream.pause();
      void full.then(() => {
        waiting = false;
        stream.resume();
      });
    };
    const settled: QueryCallback = (error) => {
      if (error) reject(error);
      else resolve(rows);
    };
    client.query(asQuery(new RowQuery(statement, take, settled)));
  });
}
