/** A small HTTP service as the source of a remote kind, with switches for its faults. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.js';

type Unit = Record<string, unknown> & { id: string };

/** What was asked of it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly body: unknown;
}

export class RemoteService {
  readonly units = new Map<string, Unit>();
  readonly asked: Asked[] = [];
  /** Answers this in place of what is there. */
  instead: unknown = undefined;
  status = 200;
  /** Answers nothing; those who wait are told when it is over. */
  silent = false;
  /** Requests that were given up by who asked. */
  abandoned = 0;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  /** @param port that of a source that was there before */
  async start(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    if (port === 0) atEnd(() => this.stop());
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** What the last request asked. */
  get last(): Asked | undefined {
    return this.asked.at(-1);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://source');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
    const method = request.method ?? '';
    const path = decodeURIComponent(url.pathname.slice(1));
    this.asked.push({ method, path, query: Object.fromEntries(url.searchParams), body });
    if (this.silent) return void response.on('close', () => void (this.abandoned += 1));
    const content = this.instead ?? this.#answer(method, path, url.searchParams, body);
    response.writeHead(content === undefined ? 404 : this.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(content ?? null));
  }

  #answer(method: string, id: string, query: URLSearchParams, body: Record<string, unknown> = {}): unknown {
    if (method === 'GET' && id === '') {
      const all = [...this.units.values()];
      const offset = Number(query.get('offset'));
      return { count: all.length, items: all.slice(offset, offset + Number(query.get('limit'))) };
    }
    if (method === 'POST') {
      const made = { id: `u${this.units.size + 1}`, ...body };
      this.units.set(made.id, made);
      return made;
    }
    const found = this.units.get(id);
    if (!found || method === 'GET') return found;
    if (method === 'DELETE') return { gone: this.units.delete(id) };
    const changed = { ...found, ...body };
    this.units.set(id, changed);
    return changed;
  }
}

/** A module whose source is such a service. */
export function remoteModule(kind: string, url: string, more = ''): string {
  return `
import { kind, FunctionError, type Context, type RemoteUnit } from 'kind';
import { atEnd } from './at-end.js';
const ask = async (path: string, { signal }: Context, init: RequestInit = {}) => {
  const response = await fetch('${url}/' + path, { ...init, signal });
  if (response.status === 404) return null;
  if (response.status === 422) throw new FunctionError(422, 'source.refused', 'The source says no');
  if (!response.ok) throw new Error('the source answered ' + response.status);
  return response.json();
};
const send = (method: string, values: object = {}): RequestInit => ({ method, body: JSON.stringify(values) });
export default kind('${kind}').module({
  remote: {
    list: ({ filterText, filter, order, offset, limit }, context) => ask('?' + new URLSearchParams({
      filter: filterText ?? '', op: filter?.op ?? '', order: JSON.stringify(order), offset: String(offset), limit: String(limit),
    }), context),
    get: (id, context) => ask(encodeURIComponent(id), context),
    create: (values, context) => ask('', context, send('POST', values)) as Promise<RemoteUnit>,
    update: (id, values, context) => ask(encodeURIComponent(id), context, send('PUT', values)),
    delete: async (id, context) => (await ask(encodeURIComponent(id), context, send('DELETE'))) !== null,
  },
  ${more}
});
`;
}
