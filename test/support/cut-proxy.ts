/**
 * A proxy for PostgreSQL that cuts the connection on demand: before a message of the service is passed on, or after the server has
 * answered it and before the service hears of that.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { atEnd } from './at-end.js';
import type { ConnectionOptions } from '../../src/database/connection/connection.js';

/** `unsent`: the server never sees the message. `unheard`: it does what it says, and nobody hears of it. */
export type Cut = 'unsent' | 'unheard';

interface Armed {
  readonly when: Cut;
  readonly message: RegExp;
  /** What the connection has to have sent before, or with it. */
  readonly after: RegExp;
  /** The connections that have sent it. */
  readonly candidates: WeakSet<Socket>;
  /** Called when the connection is cut. */
  readonly cut: () => void;
}

export class CutProxy {
  #armed: Armed | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly to: ConnectionOptions,
    readonly connection: ConnectionOptions,
  ) {}

  static async start(to: ConnectionOptions): Promise<CutProxy> {
    const listening = createServer((socket) => proxy.#serve(socket)).listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const proxy = new CutProxy(to, at(to, (listening.address() as AddressInfo).port));
    atEnd(() => {
      listening.close();
      for (const socket of proxy.#sockets) socket.destroy();
    });
    return proxy;
  }

  /**
   * The next connection that sends a message like this one is cut; the answered promise comes back when it was.
   * @param after what this connection has sent since `cut` was called
   */
  cut(when: Cut, message: RegExp, after = message): Promise<void> {
    return new Promise((resolve) => {
      this.#armed = { when, message, after, candidates: new WeakSet(), cut: resolve };
    });
  }

  #serve(client: Socket): void {
    const server = open(this.to);
    let doomed: (() => void) | undefined;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', end).on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    client.on('data', (bytes) => {
      const armed = this.#armed;
      const text = bytes.toString('latin1');
      if (armed?.after.test(text)) armed.candidates.add(client);
      if (armed?.candidates.has(client) && armed.message.test(text)) {
        this.#armed = undefined;
        if (armed.when === 'unsent') {
          armed.cut();
          return end();
        }
        doomed = armed.cut;
      }
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (!doomed) return void client.write(bytes);
      // ReadyForQuery, the last message of an answer: what was sent is done.
      if (!/Z\0\0\0\x05[IET]$/.test(bytes.toString('latin1'))) return;
      doomed();
      end();
    });
  }
}

function open(to: ConnectionOptions): Socket {
  if (!('url' in to))
    return to.host.startsWith('/') ? connect(`${to.host}/.s.PGSQL.${to.port}`) : connect(to.port, to.host);
  const { hostname, port } = new URL(to.url);
  return connect(Number(port || 5432), hostname);
}

function at(to: ConnectionOptions, port: number): ConnectionOptions {
  if (!('url' in to)) return { ...to, host: '127.0.0.1', port };
  const url = new URL(to.url);
  [url.hostname, url.port] = ['127.0.0.1', String(port)];
  return { url: url.href };
}
