/** Work on a connection that is a session: one backend of the server for its lifetime. */
import { randomUUID } from 'node:crypto';
import type { Client, ClientConfig } from 'pg';
import {
  cancelStatement,
  DISABLE_TIMEOUTS,
  listenStatement,
  notifyStatement,
  READ_BACKEND_PID,
} from '../sql/server/connection.sql.js';
import { GuardedClient } from './connection/data-source.js';
import { runOnClient } from './statement/run-on-client.js';
import { asRefusal } from './statement/sqlstate.js';
import type { Executor } from './transaction/transaction.js';
import { keyOfClient } from './pg-internals.js';

/** Milliseconds for a notification to arrive. */
const NOTIFY_TIMEOUT = 2000;
const TEST_CHANNEL = 'kind_session';

/** The connection leads through a pooler that assigns a backend per transaction. */
export class NoSessionError extends Error {
  override readonly name = 'NoSessionError';
}

/**
 * Runs `work` on a new connection without timeouts, and closes it. If `signal` aborts, the running statement is cancelled.
 * @param database another connection to the same server
 * @throws NoSessionError if the connection leads through a transaction pooler
 */
export async function withSession<T>(
  options: ClientConfig,
  database: Executor,
  work: (executor: Executor) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const client = new GuardedClient(options);
  let cancel = (): void => undefined;
  try {
    await client.connect();
    const backend = await backendOf(client, database);
    await runOnClient(client, DISABLE_TIMEOUTS);
    cancel = () => void database.run(cancelStatement(backend)).catch(() => undefined);
    signal.addEventListener('abort', cancel);
    signal.throwIfAborted();
    return await work({ run: (statement) => runOnClient(client, statement) });
  } catch (error) {
    throw asRefusal(error);
  } finally {
    signal.removeEventListener('abort', cancel);
    await client.end().catch(() => undefined);
  }
}

/**
 * The process id of the backend of a connection. @param database another connection to the same server
 * @throws NoSessionError if the backend can change between statements
 */
async function backendOf(client: Client, database: Executor): Promise<number> {
  const [row] = await runOnClient<{ backend: number }>(client, READ_BACKEND_PID);
  const backend = row?.backend ?? 0;
  if (keyOfClient(client).processID === backend || (await receivesNotifications(client, database))) return backend;
  throw new NoSessionError('the connection leads through a transaction pooler, and what is to be done needs a session');
}

/**
 * Whether notifications arrive at the idle connection. Behind a transaction pooler they do not: no client is attached
 * to the backend that listens, or another one is.
 */
async function receivesNotifications(client: Client, database: Executor): Promise<boolean> {
  const token = randomUUID();
  await runOnClient(client, listenStatement(TEST_CHANNEL));
  return new Promise((resolve, reject) => {
    const end = (received: boolean): void => {
      clearTimeout(timer);
      client.removeListener('notification', onNotification);
      resolve(received);
    };
    const onNotification = ({ payload }: { payload?: string | undefined }): void => {
      if (payload === token) end(true);
    };
    const timer = setTimeout(() => end(false), NOTIFY_TIMEOUT);
    client.on('notification', onNotification);
    database.run(notifyStatement(TEST_CHANNEL, token)).catch(reject);
  });
}
