/** Sends statements on a connection, under a name where they are prepared, and texts as they are. */
import type { PoolClient } from 'pg';
import { beginWork, observedWork } from '../../shared/observed-work.js';
import type { Statement } from '../../sql/fragment.js';
import type { QueryCallback } from '../pg-internals.js';
import { preparedQuery, rowsOf } from './prepared-query.js';
import type { PreparedStatements } from './prepared-statements.js';

export class StatementSender {
  constructor(readonly prepared: PreparedStatements) {}

  /** Returns whether it was sent under a name. @param mayBeNamed whether it may have one */
  send(client: PoolClient, statement: Statement, settled: QueryCallback, mayBeNamed = true): boolean {
    this.prepared.noteSent(client, statement);
    const name = this.prepared.nameOf(client, statement, mayBeNamed);
    client.query(preparedQuery(statement, name, settled));
    return name !== undefined;
  }

  query<Row>(client: PoolClient, statement: Statement, mayBeNamed: boolean): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const end = beginWork('statement', statement.text);
      const settled: QueryCallback = (error, result) => {
        this.prepared.disableIfUnprepared(error);
        end?.(error);
        if (error || !result) reject(error ?? new Error('a query answers rows or an error'));
        else resolve(rowsOf(result));
      };
      this.send(client, statement, settled, mayBeNamed);
    });
  }
}

/** Sends statements without parameters in one message. */
export function sendText(client: PoolClient, text: string): Promise<unknown> {
  return observedWork('statement', text, () => client.query(text));
}
