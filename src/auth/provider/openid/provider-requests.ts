/** Requests to identity providers, by the rules of requests to addresses that tenants name. */
import { Inject, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { type Config, CONFIG } from '../../../config/config.js';
import { readJson } from '../../../http/body/json-pieces.js';
import { isLoopback } from '../../../outgoing/addresses.js';
import { AddressError, CheckedAddresses, requestTo, until } from '../../../outgoing/checked-addresses.js';
import { placeOfUrl } from '../../../outgoing/places.js';
import { LIMITS } from '../../../shared/limits.js';
import { byteSizeText } from '../../../shared/texts.js';
import { ProviderFailure, refused, unavailable } from './provider-failure.js';

interface ProviderRequest {
  /** The schema of the project that it is for. */
  readonly schema: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes of an answer; others are refused. */
  readonly most: number;
}

@Injectable()
export class ProviderRequests {
  /** Requests under way, by project and host: those of one project leave others theirs. */
  readonly #running = new Map<string, number>();

  constructor(
    private readonly addresses: CheckedAddresses,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Whether addresses of `http:` are possible, on this machine. */
  get allowsHttp(): boolean {
    return this.config.identityProviders.allowPrivate;
  }

  /** Whether requests, of a browser too, may be sent to a URL of this form. */
  allows(url: URL): boolean {
    if (url.protocol === 'https:') return true;
    return url.protocol === 'http:' && this.allowsHttp && isLoopback(placeOfUrl(url).host);
  }

  /**
   * Returns what is an answer: JSON, or a JWT, of a status below 300, or a refusal with a status of 400 and something.
   * @throws ProviderFailure
   */
  async send(address: string, request: ProviderRequest): Promise<Response> {
    const url = new URL(address);
    if (!this.allows(url)) throw refused('one of its addresses is not https:');
    const { status, type, text } = await this.#inTurn(`${request.schema} ${url.host}`, () =>
      this.#sendInTime(url, request),
    );
    if (status < 200 || (status >= 300 && status < 400) || status === 429 || status >= 500) {
      throw unavailable(`it answered with the status ${status}`);
    }
    if (status < 300 && !type.startsWith('application/jwt') && !(await isJson(text, request.schema))) {
      throw unavailable('it did not answer JSON');
    }
    return new Response(text, { status, headers: { 'content-type': type } });
  }

  async #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key) ?? 0;
    if (running >= LIMITS.providerRequests) throw unavailable('too many requests to it have no answer yet');
    this.#running.set(key, running + 1);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left === 0) this.#running.delete(key);
      else this.#running.set(key, left);
    }
  }

  async #sendInTime(url: URL, request: ProviderRequest): Promise<ReadAnswer> {
    const signal = AbortSignal.timeout(LIMITS.providerSeconds * 1000);
    try {
      const addresses = await until(signal, this.addresses.of(url, this.config.identityProviders));
      return await answerOf(url, addresses, request, signal);
    } catch (error) {
      if (signal.aborted) throw unavailable(`it did not answer within ${LIMITS.providerSeconds} seconds`);
      throw error instanceof ProviderFailure ? error : unavailable(whyUnreached(error));
    }
  }
}

interface ReadAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function answerOf(
  url: URL,
  addresses: readonly string[],
  { method, headers, body = '', most }: ProviderRequest,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const bytes = Buffer.from(body);
  const sent = { ...headers, ...(method !== 'GET' && { 'content-length': bytes.length }) };
  return new Promise((resolve, reject) => {
    const request = requestTo(url, addresses, { method, headers: sent, signal });
    request.on('error', reject);
    request.on('response', (answer) => {
      textOf(answer, most)
        .then((text) => {
          resolve({ status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '', text });
        }, reject)
        .finally(() => request.destroy());
    });
    request.end(bytes);
  });
}

async function textOf(answer: IncomingMessage, most: number): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > most) throw unavailable(`it answered more than ${byteSizeText(most)}`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

async function isJson(text: string, schema: string): Promise<boolean> {
  try {
    await readJson(text, schema);
    return true;
  } catch {
    return false;
  }
}

function whyUnreached(error: unknown): string {
  if (error instanceof AddressError) {
    return error.code === 'dns'
      ? 'one of its hosts has no address'
      : 'one of its hosts has an address that is not allowed';
  }
  const { code } = error as NodeJS.ErrnoException;
  return `there is no connection to it${code === undefined ? '' : ` (${code})`}`;
}
