/** Ends a statement: after a time of its own, by a CancelRequest, which a pooler forwards to the right backend. */
import { connect } from 'node:net';
import type { PoolClient } from 'pg';
import { keyOfClient } from '../pg-internals.js';

/** Milliseconds between two cancel requests. */
const REPEAT_INTERVAL = 1000;

/**
 * The timeout of one statement that is shorter than that of the connection. After it, `end` is called every second
 * until `stop`: PostgreSQL ignores a cancel request that arrives before the statement is completely read.
 */
export class Deadline {
  /** Whether the timeout has passed. */
  passed = false;
  #timer: NodeJS.Timeout;

  constructor(milliseconds: number, end: () => void) {
    const pass = (): void => {
      this.passed = true;
      this.#timer = setTimeout(pass, REPEAT_INTERVAL);
      end();
    };
    this.#timer = setTimeout(pass, milliseconds);
  }

  /** Call it when the statement has settled. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** The code of the request (PostgreSQL documentation, "Message Formats", CancelRequest). */
const CANCEL_REQUEST_CODE = 80877102;
/** Milliseconds. */
const CANCEL_TIMEOUT = 5000;

/**
 * Sent on a separate, unencrypted connection, as the protocol allows; there is no response. The other side closes the
 * connection: PgBouncer drops the request if the client closes first.
 */
export function requestCancel(client: PoolClient): void {
  const { host, port, processID, secretKey } = keyOfClient(client);
  if (processID === null || secretKey === null) return;
  const message = Buffer.alloc(16);
  [message.length, CANCEL_REQUEST_CODE, processID, secretKey].forEach((value, at) =>
    message.writeInt32BE(value | 0, at * 4),
  );
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(CANCEL_TIMEOUT, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.on('end', () => socket.destroy());
  socket.resume();
  socket.write(message);
}
