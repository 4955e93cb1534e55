/** Work that needs a session: a connection of its own, which is one backend of the server as long as it lasts. */
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { announceStatement, READ_BACKEND_PID, listenStatement } from '../sql/registry.sql.js';
import type { Executor } from './transaction/executor.js';

/** Milliseconds in which an announcement arrives, where it does. */
const HEARD_WITHIN = 2000;
const CHANNEL = 'kind_session';

/** The connection leads through a pooler that lends a backend for one transaction at a time. */
export class NoSessionError extends Error {
  override readonly name = 'NoSessionError';
}

/**
 * The number of the backend that a connection is. @param database another way to the same server
 * @throws NoSessionError where it is another one for each statement
 */
export async function backendOf(client: Client, database: Executor): Promise<number> {
  const { rows } = await client.query<{ backend: number }>(READ_BACKEND_PID.text);
  const backend = rows[0]?.backend ?? 0;
  const { processID } = client as unknown as { processID: number | null };
  if (processID === backend || (await hears(client, database))) return backend;
  throw new NoSessionError('the connection leads through a transaction pooler, and what is to be done needs a session');
}

/**
 * Whether what is announced to the backend arrives at the connection while it is idle. Behind a transaction pooler it
 * does not, however few others there are: the backend that listens is nobody's then, or somebody else's.
 */
async function hears(client: Client, database: Executor): Promise<boolean> {
  const token = randomUUID();
  await client.query(listenStatement(CHANNEL).text);
  return new Promise((resolve, reject) => {
    const end = (heard: boolean): void => {
      clearTimeout(timer);
      client.removeListener('notification', hear);
      resolve(heard);
    };
    const hear = ({ payload }: { payload?: string | undefined }): void => {
      if (payload === token) end(true);
    };
    const timer = setTimeout(() => end(false), HEARD_WITHIN);
    client.on('notification', hear);
    database.run(announceStatement(CHANNEL, token)).catch(reject);
  });
}
