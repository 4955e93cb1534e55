/** HTTP requests of a campaign. */
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The parsed body; undefined where it is no JSON. */
  readonly body: { readonly content: unknown; readonly messages: readonly Message[] } | undefined;
  readonly text: string;
}

interface Message {
  readonly code: string;
  readonly text: string;
}

/** There is no answer. `refused`: nothing was sent; `kept`: over a connection with earlier answers. */
export interface NoAnswer {
  readonly status: 0;
  readonly refused: boolean;
  readonly kept: boolean;
  readonly reason: string;
}

export interface Sent {
  readonly method: string;
  /** Below `/api/lib`. */
  readonly path: string;
  /** A string is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const RETRIED_MS = 30_000;
const RETRY_PAUSE_MS = 200;

export class Client {
  readonly #agent: http.Agent;

  /**
   * @param urlNow of the service, at the moment of each request
   * @param keepAlive whether connections are kept: one may be closed at the moment at which it is used again
   */
  constructor(
    private readonly urlNow: () => string,
    readonly headers: Readonly<Record<string, string>>,
    private readonly observe: (sent: Sent, answer: Answer | NoAnswer) => void = () => undefined,
    keepAlive = false,
  ) {
    this.#agent = new http.Agent({ maxSockets: 64, keepAlive });
  }

  get url(): string {
    return this.urlNow();
  }

  /** The same with other headers. */
  as(headers: Readonly<Record<string, string>>): Client {
    return new Client(this.urlNow, { ...this.headers, ...headers });
  }

  /** The same, telling of each answer. */
  observed(observe: (sent: Sent, answer: Answer | NoAnswer) => void, keepAlive = false): Client {
    return new Client(this.urlNow, this.headers, observe, keepAlive);
  }

  async send(sent: Sent): Promise<Answer | NoAnswer> {
    const answer = await this.#send(sent);
    this.observe(sent, answer);
    return answer;
  }

  #send({ method, path, body, headers }: Sent): Promise<Answer | NoAnswer> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const all = {
      ...this.headers,
      ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    };
    return new Promise((resolve) => {
      const fail = (error: NodeJS.ErrnoException): void => {
        const { reusedSocket: kept } = request;
        resolve({ status: 0, refused: error.code === 'ECONNREFUSED', kept, reason: error.code ?? error.message });
      };
      const request = http.request(`${this.url}/api/lib${path}`, { method, headers: all, agent: this.#agent });
      request.on('error', fail);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => resolve(answerOf(response, Buffer.concat(chunks).toString())));
      });
      request.end(text);
    });
  }

  /** Tries again as long as the answer says that it may, for half a minute. @throws Error where it is refused */
  async ok(sent: Sent): Promise<unknown> {
    const deadline = performance.now() + RETRIED_MS;
    for (;;) {
      const answer = await this.send(sent);
      if (answer.status === 200) return answer.body?.content;
      const mayRetry = isAnswer(answer) && answer.status === 503 && answer.headers['retry-after'] !== undefined;
      if (!mayRetry || performance.now() > deadline) throw new Error(`${sent.method} ${sent.path} → ${shown(answer)}`);
      await pause(RETRY_PAUSE_MS);
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

function answerOf({ statusCode = 0, headers }: http.IncomingMessage, text: string): Answer {
  const isJson = text !== '' && (headers['content-type'] ?? '').startsWith('application/json');
  return { status: statusCode, headers, text, body: isJson ? (JSON.parse(text) as Answer['body']) : undefined };
}

export function isAnswer(answer: Answer | NoAnswer): answer is Answer {
  return answer.status !== 0;
}

export function shown(answer: Answer | NoAnswer): string {
  return isAnswer(answer)
    ? `${answer.status} ${answer.text.slice(0, 300)}`
    : `no answer (${answer.reason}, ${answer.kept ? 'kept' : 'new'} connection)`;
}

/** What is said about a write in the text of its 503 (docs/errors.md). */
const UNKNOWN = /whether it was stored is not known/;

/**
 * What is wrong with a 503: it says when to try again, unless it is not known whether the write was stored. Undefined for
 * a right one.
 */
export function refusalFault(answer: Answer): string | undefined {
  const unknown = UNKNOWN.test(answer.text);
  const later = answer.headers['retry-after'] !== undefined;
  if (unknown === later) return `${unknown ? 'Retry-After' : 'no Retry-After'} in ${shown(answer)}`;
  return undefined;
}

export type Stored = 'stored' | 'absent' | 'unknown';

/** Whether a write was stored, as far as its answer tells. */
export function storedBy(answer: Answer | NoAnswer): Stored {
  if (!isAnswer(answer)) return answer.refused ? 'absent' : 'unknown';
  if (answer.status === 200) return 'stored';
  return answer.status === 503 && UNKNOWN.test(answer.text) ? 'unknown' : 'absent';
}
