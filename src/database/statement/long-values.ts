/**
 * Sends the values of a statement. `pg` would copy long ones into its message at once; here their pieces are written to
 * the connection as they are.
 */
import { LongValue } from '../../shared/byte-pieces.js';
import type { BindingConnection } from '../pg-internals.js';

const NOTHING = Buffer.alloc(0);

/** The connection, for a statement that has long values. */
export function sendingInPieces<C extends BindingConnection>(connection: C): C {
  const bind = (options: Parameters<BindingConnection['bind']>[0]): void => {
    const { values } = options;
    const send = (message: Buffer): void => {
      for (const piece of filled(message, values)) connection._send(piece);
    };
    const given = values.map((value) => (value instanceof LongValue ? NOTHING : value));
    connection.bind.call({ _send: send } as C, { ...options, values: given });
  };
  return Object.create(connection, { bind: { value: bind } }) as C;
}

/** The message with the long values in their places, which are empty in it. */
function filled(message: Buffer, values: readonly unknown[]): Buffer[] {
  const parts: Buffer[] = [];
  // After its type and length, the names of the portal and of the statement, and the formats of the values.
  let at = message.indexOf(0, message.indexOf(0, 5) + 1) + 1 + 2 + 2 * values.length + 2;
  let [from, added] = [0, 0];
  for (const value of values) {
    const length = message.readInt32BE(at);
    at += 4;
    if (value instanceof LongValue) {
      message.writeInt32BE(value.length, at - 4);
      parts.push(message.subarray(from, at), ...value.pieces);
      from = at;
      added += value.length;
    } else at += Math.max(length, 0);
  }
  message.writeInt32BE(message.readInt32BE(1) + added, 1);
  return [...parts, message.subarray(from)];
}
