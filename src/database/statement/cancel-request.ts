/** PostgreSQL's request to end what a connection is doing, which a pooler passes on to the backend that serves it. */
import { connect } from 'node:net';
import type { PoolClient } from 'pg';

/** The code of the request (PostgreSQL documentation, "Message Formats", CancelRequest). */
const CANCEL = 80877102;
/** Milliseconds. */
const PATIENCE = 5000;

interface Known {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/**
 * Sent beside the connection, unencrypted, as it may be; no answer ever comes. The other side closes when it is done: a
 * pooler (PgBouncer) forgets the request of whoever closes first.
 */
export function requestCancel(client: PoolClient): void {
  const { host, port, processID, secretKey } = client as unknown as Known;
  if (processID === null || secretKey === null) return;
  const message = Buffer.alloc(16);
  [message.length, CANCEL, processID, secretKey].forEach((value, at) => message.writeInt32BE(value | 0, at * 4));
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(PATIENCE, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.on('end', () => socket.destroy());
  socket.resume();
  socket.write(message);
}
