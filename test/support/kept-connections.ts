/**
 * HTTP/1.1 over kept connections, for the small requests that most tests send. Node's own client takes as much CPU time
 * for them as the service takes to answer.
 */
import net from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** In the order of the answer; names in lower case. */
  readonly headers: [name: string, value: string][];
  readonly body: Buffer;
}

interface Head {
  readonly status: number;
  readonly headers: [string, string][];
  /** Where the body starts. */
  readonly end: number;
  /** Bytes of the body; undefined if it comes in chunks. */
  readonly length: number | undefined;
  readonly closes: boolean;
}

/** A connection was closed before the first byte of an answer. */
export class ClosedBeforeAnswer extends Error {}

/** Free connections by `host:port`; the last one is used first. */
const free = new Map<string, Connection[]>();

/** @throws ClosedBeforeAnswer if the connection was kept, and the service closed it meanwhile */
export function sendRaw(host: string, port: number, request: string | Buffer): Promise<RawAnswer> {
  const key = `${host}:${port}`;
  const connection = free.get(key)?.pop() ?? new Connection(key, host, port);
  return connection.send(request);
}

class Connection {
  readonly #socket: net.Socket;
  #received: Buffer[] = [];
  #length = 0;
  #head: Head | undefined;
  #waiting: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void } | undefined;
  #used = 0;

  constructor(
    private readonly key: string,
    host: string,
    port: number,
  ) {
    this.#socket = net.connect({ host, port, noDelay: true });
    this.#socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })));
  }

  send(request: string | Buffer): Promise<RawAnswer> {
    this.#used += 1;
    this.#socket.ref();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  #receive(bytes: Buffer): void {
    this.#received.push(bytes);
    this.#length += bytes.length;
    this.#head ??= parseHead(this.#joined());
    const head = this.#head;
    if (!head) return;
    if (head.length !== undefined) {
      if (this.#length >= head.end + head.length) this.#finish(head, this.#joined().subarray(head.end));
      return;
    }
    const last = bytes.length < LAST_CHUNK.length ? this.#joined() : bytes;
    if (!last.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) return;
    const body = unchunked(this.#joined().subarray(head.end));
    if (body) this.#finish(head, body);
  }

  /** What was received, in one piece. */
  #joined(): Buffer {
    const [first] = this.#received;
    if (this.#received.length === 1 && first) return first;
    const joined = Buffer.concat(this.#received);
    this.#received = [joined];
    return joined;
  }

  #finish({ status, headers, closes }: Head, body: Buffer): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    [this.#received, this.#length, this.#head] = [[], 0, undefined];
    if (closes) this.#socket.destroy();
    else {
      // A connection that is not in use keeps no process alive.
      this.#socket.unref();
      const others = free.get(this.key) ?? [];
      free.set(this.key, others);
      others.push(this);
    }
    waiting?.resolve({ status, headers, body });
  }

  #fail(error: Error): void {
    this.#socket.destroy();
    const others = free.get(this.key);
    const at = others?.indexOf(this) ?? -1;
    if (at >= 0) others?.splice(at, 1);
    const wasKept = this.#used > 1 && this.#length === 0;
    this.#waiting?.reject(wasKept ? new ClosedBeforeAnswer(error.message) : error);
    this.#waiting = undefined;
  }
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Undefined while its end has not come. */
function parseHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(first.slice(9, 12));
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const valueOf = (name: string) => headers.find(([each]) => each === name)?.[1];
  const hasNoBody = status === 204 || status === 304;
  const length = valueOf('transfer-encoding') === 'chunked' ? undefined : Number(valueOf('content-length') ?? 0);
  return {
    status,
    headers,
    end: end + 4,
    length: hasNoBody ? 0 : length,
    closes: valueOf('connection')?.toLowerCase() === 'close',
  };
}

/** Undefined while the last chunk has not come. */
function unchunked(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (size === 0) return Buffer.concat(parts);
    const start = lineEnd + 2;
    if (start + size + 2 > bytes.length) return undefined;
    parts.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
