/**
 * What still comes of a request whose answer is out is read and thrown away for a while, also where the connection ends
 * with that answer ("lingering close" in nginx): the system resets a connection that is closed while its client sends,
 * and the client loses the answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { LIMITS } from '../../shared/limits.js';

export interface LingerOptions {
  /** Of one request; its connection is cut at either. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** Connections that are read from at once; beyond them the oldest is cut. */
  readonly connections: number;
}

export class LingeringClose {
  /** The connections that are read from, the oldest first, and what ends that. */
  readonly #open = new Map<Socket, () => void>();

  constructor(private readonly options: LingerOptions) {}

  /** For a request that brings a body: what of it has not come when its answer is out. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    // Before Node's own listener, which ends the connection where it is not kept.
    response.prependOnceListener('finish', () => {
      if (!request.complete && !request.socket.destroyed) this.#readBody(request);
    });
  }

  /** For a connection that has nothing more to say, and of which nothing more is taken for a request. */
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
    // Node calls it where the connection is not kept.
    socket.destroySoon = endSoon;
    request.once('close', () => {
      stop();
      // The next request of the connection may have put its own there.
      if (socket.destroySoon === endSoon) Reflect.deleteProperty(socket, 'destroySoon');
      if (ends) socket.destroySoon();
    });
  }

  /** Reads until the answered function is called, or the connection is closed. */
  #read(socket: Socket, source: Readable): () => void {
    const { bytes, milliseconds, connections } = this.options;
    this.#open.get(socket)?.();
    let left = bytes;
    const cut = (): void => void socket.destroy();
    const timer = setTimeout(cut, milliseconds);
    const take = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) cut();
    };
    const stop = (): void => {
      clearTimeout(timer);
      source.off('data', take);
      socket.off('close', stop);
      if (this.#open.get(socket) === stop) this.#open.delete(socket);
    };
    const [oldest] = this.#open.keys();
    if (oldest && this.#open.size >= connections) oldest.destroy();
    this.#open.set(socket, stop);
    socket.once('close', stop);
    source.on('data', take);
    source.resume();
    return stop;
  }
}

/** Takes a connection from Node's parser: what comes from now on is no request. */
export function discardInput(socket: Socket): void {
  socket.removeAllListeners('data');
  // The parser reads from the system itself until somebody listens.
  socket.on('data', () => undefined);
}

export const lingeringClose = new LingeringClose({
  bytes: LIMITS.lingerBytes,
  milliseconds: LIMITS.lingerSeconds * 1000,
  connections: LIMITS.lingerRequests,
});
