/**
 * Limits answers that clients do not read and that wait in memory. A client that reads nothing for a while is
 * disconnected; if all of them are too large, connections of the owner with most bytes are closed, the oldest first.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '../../shared/limits.js';

interface UnreadOptions {
  /** Maximum for all answers of the process. */
  readonly bytes: number;
  /** Milliseconds after which a client that reads nothing is disconnected. */
  readonly milliseconds: number;
}

export class UnreadAnswers {
  /** The owner of each waiting connection, oldest first. */
  readonly #waiting = new Map<Socket, string>();

  constructor(private readonly options: UnreadOptions) {}

  /** @param owner returns the owner of the answer; called only if the answer has to wait */
  watch(response: ServerResponse, owner: () => string): void {
    response.once('prefinish', () => {
      const { socket } = response;
      if (!socket || socket.writableLength === 0) return;
      this.#wait(socket, response, owner());
    });
  }

  /** Of an answer that goes on and has much unsent. @returns a function that ends it */
  hold(response: ServerResponse, owner: string): () => void {
    const { socket } = response;
    return socket ? this.#wait(socket, response, owner) : () => undefined;
  }

  #wait(socket: Socket, response: ServerResponse, owner: string): () => void {
    // Node destroys a connection on which nothing was sent for that long. It sets another time when the answer is sent.
    socket.setTimeout(this.options.milliseconds);
    const end = (): void => {
      this.#waiting.delete(socket);
      response.off('finish', end).off('close', end);
    };
    this.#waiting.set(socket, owner);
    response.once('finish', end).once('close', end);
    this.#limit();
    return end;
  }

  #limit(): void {
    let all = 0;
    const owners = new Map<string, number>();
    for (const [socket, owner] of this.#waiting) {
      const bytes = socket.writableLength;
      all += bytes;
      owners.set(owner, (owners.get(owner) ?? 0) + bytes);
    }
    while (all > this.options.bytes) {
      const [most] = [...owners].reduce((a, b) => (b[1] > a[1] ? b : a));
      const [oldest] = [...this.#waiting].find(([, owner]) => owner === most) ?? [];
      if (!oldest) return;
      const bytes = oldest.writableLength;
      all -= bytes;
      owners.set(most, (owners.get(most) ?? 0) - bytes);
      // Its event `close` comes only later.
      this.#waiting.delete(oldest);
      oldest.destroy();
    }
  }
}

export const unreadAnswers = new UnreadAnswers({
  bytes: LIMITS.unreadBytes,
  milliseconds: LIMITS.unreadSeconds * 1000,
});
