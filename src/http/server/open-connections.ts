/** Counts the connections of a server, also those that it did not accept itself. */
import type { Server, Socket } from 'node:net';

export class OpenConnections {
  #open = 0;
  #whenNone: () => void = () => undefined;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#open += 1;
      socket.once('close', () => {
        this.#open -= 1;
        if (this.#open === 0) this.#whenNone();
      });
    });
  }

  /** Resolves when no connection is open. */
  whenNone(): Promise<void> {
    return this.#open === 0 ? Promise.resolve() : new Promise((resolve) => (this.#whenNone = resolve));
  }
}
