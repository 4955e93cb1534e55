/** A receiver of webhooks, which keeps what it gets, and answers as a test says. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { atEnd } from './at-end.js';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

type Answering = (received: Received, response: ServerResponse) => void;

export interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, never>> & {
    readonly unit_id: string;
    readonly operation: string;
    readonly unit: Readonly<Record<string, unknown>>;
    readonly changes: object;
  };
}

const succeed: Answering = (_, response) => void response.writeHead(204).end();

export class Receiver {
  readonly received: Received[] = [];
  /** Requests that have no answer yet, now and at most. */
  open = 0;
  mostOpen = 0;
  answer: Answering = succeed;
  readonly #unanswered = new Set<ServerResponse>();
  #url = '';
  #server: Server | undefined;

  /** Until the test ends. */
  static async start(): Promise<Receiver> {
    const receiver = await Receiver.listen();
    atEnd(() => receiver.close());
    return receiver;
  }

  static async listen(): Promise<Receiver> {
    const receiver = new Receiver();
    const server = createServer((request, response) => {
      receiver.open += 1;
      receiver.mostOpen = Math.max(receiver.mostOpen, receiver.open);
      receiver.#unanswered.add(response);
      const close = (): void => {
        if (receiver.#unanswered.delete(response)) receiver.open -= 1;
      };
      response.once('finish', close).once('close', close);
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const received = {
          path: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(pieces).toString(),
          at: performance.now(),
        };
        receiver.received.push(received);
        receiver.answer(received, response);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    receiver.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    receiver.#server = server;
    return receiver;
  }

  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  url(path = '/hook'): string {
    return `${this.#url}${path}`;
  }

  get port(): number {
    return Number(new URL(this.#url).port);
  }

  succeed(): void {
    this.answer = succeed;
  }

  /** Takes what has no answer yet. */
  release(): void {
    for (const response of this.#unanswered) response.writeHead(204).end();
  }

  fail(status = 500): void {
    this.answer = (_, response) => void response.writeHead(status).end('no');
  }

  /** What came to a path. */
  to(path: string): readonly Received[] {
    return this.received.filter((each) => each.path === path);
  }

  /** The same, parsed. */
  messages(path: string): readonly Message[] {
    return this.to(path).map(({ body }) => JSON.parse(body) as Message);
  }
}
