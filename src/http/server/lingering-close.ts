/**
 * Reads and discards the rest of a request after its answer was sent ("lingering close" in nginx), even if the
 * connection is then closed. If a connection is closed while the client still sends, the operating system resets it,
 * and the client loses the answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { LIMITS } from '../../shared/limits.js';

interface LingerOptions {
  /** Bytes of one request; beyond them its connection is destroyed. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** Bytes that all connections together may send; what is beyond waits in the operating system of the client. */
  readonly bytesPerSecond: number;
  /** Maximum of lingering connections; beyond it the oldest is destroyed. */
  readonly connections: number;
}

export class LingeringClose {
  /** The lingering connections, oldest first, with a function that stops reading. */
  readonly #open = new Map<Socket, () => void>();
  /** When all that was read so far is over at the rate that is allowed. */
  #freeAt = 0;

  constructor(private readonly options: LingerOptions) {}

  /** Watches a request with a body: discards what has not arrived when its answer is sent. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    // Before Node's own listener, which closes the connection if it is not kept alive.
    response.prependOnceListener('finish', () => {
      if (!request.complete && !request.socket.destroyed) this.#readBody(request);
    });
  }

  /** Ends a connection from which no further request is accepted. */
  end(socket: Socket): void {
    discardInput(socket);
    this.#read(socket, socket);
    socket.end();
  }

  #readBody(request: IncomingMessage): void {
    const { socket } = request;
    const stop = this.#read(socket, request);
    let ends = false;
    const endSoon = (): void => {
      ends = true;
      socket.end();
    };
    // Node calls `destroySoon` if the connection is not kept alive.
    socket.destroySoon = endSoon;
    request.once('close', () => {
      stop();
      // The next request of the connection may have replaced it.
      if (socket.destroySoon === endSoon) Reflect.deleteProperty(socket, 'destroySoon');
      if (ends) socket.destroySoon();
    });
  }

  /** Reads until the returned function is called or the connection is closed. */
  #read(socket: Socket, source: Readable): () => void {
    const { bytes, milliseconds, connections } = this.options;
    this.#open.get(socket)?.();
    let left = bytes;
    const cut = (): void => void socket.destroy();
    const timer = setTimeout(cut, milliseconds);
    let pause: NodeJS.Timeout | undefined;
    const take = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) return cut();
      const wait = this.#waitAfter(chunk.length);
      if (wait < 1) return;
      source.pause();
      pause = setTimeout(() => source.resume(), wait);
    };
    const stop = (): void => {
      clearTimeout(timer);
      clearTimeout(pause);
      source.off('data', take);
      socket.off('close', stop);
      if (this.#open.get(socket) === stop) this.#open.delete(socket);
    };
    const [oldest] = this.#open;
    if (oldest && this.#open.size >= connections) {
      const [other, stopReading] = oldest;
      // Its event `close` comes only later.
      stopReading();
      other.destroy();
    }
    this.#open.set(socket, stop);
    socket.once('close', stop);
    source.on('data', take);
    source.resume();
    return stop;
  }

  /** Milliseconds until more may be read, after so many bytes. */
  #waitAfter(bytes: number): number {
    const now = performance.now();
    this.#freeAt = Math.max(now, this.#freeAt) + (bytes / this.options.bytesPerSecond) * 1000;
    return this.#freeAt - now;
  }
}

/** Detaches a connection from Node's HTTP parser: what arrives from now on is discarded. */
export function discardInput(socket: Socket): void {
  socket.removeAllListeners('data');
  // The parser reads from the operating system directly until there is a data listener.
  socket.on('data', () => undefined);
}

export const lingeringClose = new LingeringClose({
  bytes: LIMITS.lingerBytes,
  milliseconds: LIMITS.lingerSeconds * 1000,
  bytesPerSecond: LIMITS.lingerBytesPerSecond,
  connections: LIMITS.lingerRequests,
});
