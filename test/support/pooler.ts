/**
 * A transaction pooler before a PostgreSQL, as PgBouncer's transaction mode is one, over PostgreSQL's protocol: clients
 * share a few connections of the server, each for one transaction at a time, in turn. It knows the startup parameters
 * that PgBouncer knows; what the server says to a connection that nobody has at that moment is lost.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from 'pg';
import { atEnd } from './at-end.js';
import { clientOptions, type ConnectionOptions } from '../../src/database/connection/connection.js';

export interface PoolerOptions {
  /** Connections to the server: 2 where it is left out, so that two statements never meet the same one. */
  readonly servers?: number;
  /** What becomes of startup parameters that it does not know. */
  readonly startup?: 'refused' | 'dropped';
  /** `session`: a client keeps its connection of the server until it leaves. */
  readonly mode?: 'transaction' | 'session';
}

export interface Pooler {
  readonly connection: ConnectionOptions;
  /** The connections of the server, as its backends. */
  readonly backends: () => number[];
  /** How many were ended because their client left amid a transaction. */
  readonly broken: () => number;
}

const CODE = { ssl: 80877103, cancel: 80877102 };
const KNOWN = new Set([
  ...['user', 'database', 'client_encoding', 'application_name'],
  ...['datestyle', 'timezone', 'standard_conforming_strings'],
]);

/** A connection of the server, and who has it. */
interface Server {
  readonly stream: Socket;
  readonly pid: number;
  readonly secret: number;
  user: Visitor | undefined;
}

/** A client of the pooler. */
interface Visitor {
  readonly socket: Socket;
  readonly key: number;
  /** Messages that wait for a connection of the server. */
  readonly waiting: Buffer[];
  server: Server | undefined;
  /** Answers `ReadyForQuery` that are still to come. */
  due: number;
}

export async function startPooler(to: ConnectionOptions, options: PoolerOptions = {}): Promise<Pooler> {
  const pooler = new TransactionPooler(to, options);
  // Without delay: messages are sent one by one, and each would wait for the acknowledgement of the one before it.
  const listening = createServer({ noDelay: true }, (socket) => pooler.serve(socket)).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  await pooler.open();
  atEnd(() => {
    listening.close();
    pooler.close();
  });
  const { port } = listening.address() as AddressInfo;
  return {
    connection: at(to, port),
    backends: () => pooler.servers.map(({ pid }) => pid),
    broken: () => pooler.broken,
  };
}

function at(to: ConnectionOptions, port: number): ConnectionOptions {
  if (!('url' in to)) return { ...to, host: '127.0.0.1', port };
  const url = new URL(to.url);
  [url.hostname, url.port] = ['127.0.0.1', String(port)];
  return { url: url.href };
}

class TransactionPooler {
  readonly servers: Server[] = [];
  broken = 0;
  readonly #idle: Server[] = [];
  readonly #line: Visitor[] = [];
  readonly #visitors = new Map<number, Visitor>();
  #keys = 0x7f000000;
  #closed = false;

  constructor(
    private readonly to: ConnectionOptions,
    private readonly options: PoolerOptions,
  ) {}

  async open(): Promise<void> {
    for (let at = 0; at < (this.options.servers ?? 2); at += 1) await this.#connect();
  }

  close(): void {
    this.#closed = true;
    for (const { stream } of this.servers) stream.destroy();
    for (const { socket } of this.#visitors.values()) socket.destroy();
  }

  /** The driver signs in; from then on what it hears is ours. */
  async #connect(): Promise<void> {
    const client = new Client(clientOptions(this.to));
    client.on('error', () => undefined);
    await client.connect();
    const { connection, processID, secretKey } = client as unknown as {
      connection: { stream: Socket };
      processID: number;
      secretKey: number;
    };
    const { stream } = connection;
    if (this.#closed) return void stream.destroy();
    stream.removeAllListeners('data');
    const server: Server = { stream, pid: processID, secret: secretKey, user: undefined };
    stream.on(
      'data',
      messages((message) => this.#answer(server, message)),
    );
    stream.once('close', () => this.#ended(server));
    this.servers.push(server);
    this.#idle.push(server);
    this.#next();
  }

  #ended(server: Server): void {
    this.servers.splice(this.servers.indexOf(server), 1);
    if (this.#idle.includes(server)) this.#idle.splice(this.#idle.indexOf(server), 1);
    server.user?.socket.destroy();
    if (!this.#closed) void this.#connect().catch(() => undefined);
  }

  serve(socket: Socket): void {
    let begun = false;
    let head: Buffer = Buffer.alloc(0);
    let visitor: Visitor | undefined;
    const hear = messages((message) => visitor && this.#ask(visitor, message));
    socket.on('error', () => undefined);
    socket.on('close', () => visitor && this.#leave(visitor));
    socket.on('data', (chunk: Buffer) => {
      if (begun) return hear(chunk);
      head = Buffer.concat([head, chunk]);
      while (!begun && head.length >= 8 && head.length >= head.readInt32BE(0)) {
        const packet = head.subarray(0, head.readInt32BE(0));
        head = head.subarray(packet.length);
        const code = packet.readInt32BE(4);
        if (code === CODE.ssl) socket.write('N');
        else if (code === CODE.cancel) return this.#cancel(packet, socket);
        else {
          begun = true;
          visitor = this.#welcome(socket, packet);
          if (head.length > 0) hear(head);
        }
      }
    });
  }

  #welcome(socket: Socket, packet: Buffer): Visitor | undefined {
    const words = packet.subarray(8).toString().split('\0');
    const names = words.filter((word, at) => at % 2 === 0 && word !== '');
    const unknown = names.find((name) => !KNOWN.has(name.toLowerCase()));
    if (unknown !== undefined && this.options.startup === 'refused') {
      const text = `unsupported startup parameter: ${unknown}`;
      socket.end(message('E', Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`)));
      return undefined;
    }
    const visitor: Visitor = { socket, key: (this.#keys += 1), waiting: [], server: undefined, due: 0 };
    this.#visitors.set(visitor.key, visitor);
    socket.write(
      Buffer.concat([
        message('R', numbers(0)),
        message('S', Buffer.from('client_encoding\0UTF8\0')),
        message('K', numbers(visitor.key, visitor.key)),
        message('Z', Buffer.from('I')),
      ]),
    );
    return visitor;
  }

  #ask(visitor: Visitor, packet: Buffer): void {
    const type = String.fromCharCode(packet[0] ?? 0);
    if (type === 'X') return void visitor.socket.end();
    if (type === 'Q' || type === 'S') visitor.due += 1;
    if (visitor.server) visitor.server.stream.write(packet);
    else {
      visitor.waiting.push(packet);
      if (!this.#line.includes(visitor)) this.#line.push(visitor);
      this.#next();
    }
  }

  #next(): void {
    while (this.#line.length > 0 && this.#idle.length > 0) {
      const visitor = this.#line.shift();
      const server = this.#idle.shift();
      if (!visitor || !server) return;
      visitor.server = server;
      server.user = visitor;
      for (const packet of visitor.waiting.splice(0)) server.stream.write(packet);
    }
  }

  #answer(server: Server, packet: Buffer): void {
    const { user } = server;
    // Nobody hears it.
    if (!user) return;
    user.socket.write(packet);
    if (packet[0] !== 'Z'.charCodeAt(0)) return;
    user.due -= 1;
    const isOver = packet[5] === 'I'.charCodeAt(0);
    if (isOver && user.due === 0 && this.options.mode !== 'session') this.#free(server);
  }

  #free(server: Server): void {
    if (server.user) server.user.server = undefined;
    server.user = undefined;
    this.#idle.push(server);
    this.#next();
  }

  #leave(visitor: Visitor): void {
    this.#visitors.delete(visitor.key);
    if (this.#line.includes(visitor)) this.#line.splice(this.#line.indexOf(visitor), 1);
    const { server } = visitor;
    if (!server) return;
    server.user = undefined;
    this.broken += this.options.mode === 'session' ? 0 : 1;
    server.stream.destroy();
  }

  /** As PgBouncer does it, which forgets a request whose client has gone before it could be passed on. */
  #cancel(packet: Buffer, client: Socket): void {
    const server = this.#visitors.get(packet.readInt32BE(8))?.server;
    if (!server) return;
    const options = clientOptions(this.to) as { host?: string; port?: number; connectionString?: string };
    const url = options.connectionString === undefined ? undefined : new URL(options.connectionString);
    const [host, port] = [options.host ?? url?.hostname ?? '', options.port ?? Number(url?.port || 5432)];
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      if (!client.readableEnded) socket.write(numbers(16, CODE.cancel, server.pid, server.secret));
      else socket.destroy();
    });
    socket.once('close', () => client.destroy());
  }
}

/** Cuts what arrives into whole messages: a type, a length, a body. */
function messages(each: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const whole = rest.subarray(0, rest.readInt32BE(1) + 1);
      rest = rest.subarray(whole.length);
      each(whole);
    }
  };
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), numbers(body.length + 4), body]);
}

function numbers(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => buffer.writeInt32BE(value | 0, at * 4));
  return buffer;
}
