/** The connections of a worker. It does not listen; the primary sends them to it. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export type ConnectionReport =
  /** The worker has the connection with this number. */
  | { readonly type: 'confirmed'; readonly id: number }
  /** One of its connections was closed. */
  | { readonly type: 'closed' };

export class ReceivedConnections {
  #server: Server | undefined;

  constructor(private readonly report: (report: ConnectionReport) => void) {}

  /** From now on until it is closed, the server serves the connections. */
  serveWith(server: Server): void {
    this.#server = server;
    server.once('close', () => (this.#server = undefined));
    // With this event, Node begins to list the connections of a server and to limit the time of requests.
    server.emit('listening');
  }

  /** @param socket undefined if the connection was closed on its way */
  receive(id: number, socket: Socket | undefined): void {
    if (!this.#server) {
      // Not confirmed, so the primary gives the connection to another worker; this closes only the copy.
      socket?.destroy();
      return;
    }
    this.report({ type: 'confirmed', id });
    if (!socket) return this.report({ type: 'closed' });
    socket.once('close', () => this.report({ type: 'closed' }));
    // As for connections that the server accepts itself: clients may end their side before the answer.
    socket.allowHalfOpen = true;
    this.#server.emit('connection', socket);
  }
}
