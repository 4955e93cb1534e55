/**
 * Sends requests to a bucket: signed, within a time limit, and again after a temporary failure. What is asked for is the
 * matter of `s3.store.ts`. Errors have statuses and codes, never a key, a signature or what was sent.
 */
import { AwsV4Signer } from 'aws4fetch';
import { createHash } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { BucketAddress } from '../../config/store-address.js';
import { LIMITS } from '../../shared/limits.js';
import type { ContentPart } from './content-parts.js';
import { parseXml, textOf, type XmlElement } from './xml.js';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Without the prefix of the address; without a key the request is about the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: ContentPart | string;
  /** Seconds for an answer, instead of `storeSeconds`. */
  readonly seconds?: number;
}

/** An answer that is a refusal. */
export class S3Error extends Error {
  override readonly name = 'S3Error';

  constructor(
    method: string,
    readonly status: number,
    /** `NoSuchKey` and the like; empty if the answer has none. */
    readonly code: string,
  ) {
    super(`${method} was answered ${status}${code === '' ? '' : ` (${code})`}`);
  }
}

const ATTEMPTS = 3;
/** Milliseconds after which an idle connection is closed, before a firewall in between forgets it. */
const IDLE = 30_000;
/** Milliseconds before the second attempt; four times as many before the third. */
const PAUSE = 100;
/** Bytes of an answer in XML: a page of 1000 keys is a third of it. */
const LONGEST_ANSWER = 4 * 1024 * 1024;
/** What is answered, beside a status of 500 and more, when the same request may succeed later. */
const TEMPORARY = ['SlowDown', 'RequestTimeout', 'InternalError', 'ServiceUnavailable', 'OperationAborted'];

export class S3Client {
  readonly secure: boolean;
  readonly #agent: HttpAgent;
  /** Keys that are derived from the secret, one for each day. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();

  constructor(
    private readonly address: BucketAddress,
    private readonly pause = PAUSE,
  ) {
    this.secure = address.origin.startsWith('https:');
    const options = { keepAlive: true, timeout: IDLE };
    this.#agent = this.secure ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** The root element of an answer. @throws S3Error, SyntaxError, and errors of the connection */
  async xml(request: S3Request, name: string): Promise<XmlElement> {
    return this.send(request, async (answer) => {
      const root = parseXml(await textOfBody(answer));
      if (root.name === 'Error') throw new S3Error(request.method, 500, codeIn(root));
      if (root.name !== name) throw new SyntaxError(`the answer is no ${name}`);
      return root;
    });
  }

  /** The headers of an answer whose body says nothing. @throws S3Error, and errors of the connection */
  async done(request: S3Request): Promise<IncomingMessage['headers']> {
    return this.send(request, async (answer) => {
      await textOfBody(answer);
      return answer.headers;
    });
  }

  /**
   * @param use gets an answer of success. Both have to be done in time, all attempts together
   * @throws S3Error, errors of the connection and what `use` throws
   */
  async send<T>(request: S3Request, use: (answer: IncomingMessage) => T | Promise<T>): Promise<T> {
    const stop = new AbortController();
    const milliseconds = 1000 * (request.seconds ?? LIMITS.storeSeconds + bytesOf(request) / LIMITS.bodyBytesPerSecond);
    const timer = setTimeout(() => stop.abort(), milliseconds);
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await use(await this.#attempt(request, stop.signal));
        } catch (error) {
          if (attempt === ATTEMPTS || !isTemporary(error)) throw error;
        }
        await delay(this.pause * 4 ** (attempt - 1) * (0.5 + Math.random() / 2), undefined, { signal: stop.signal });
      }
    } catch (error) {
      throw stop.signal.aborted ? new Error(`${request.method} was not answered in time`) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #attempt(request: S3Request, signal: AbortSignal): Promise<IncomingMessage> {
    const url = this.#urlOf(request);
    const headers = await this.#signed(request, url);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method: request.method, headers, agent: this.#agent, signal };
      const sent = this.secure ? httpsRequest(url, options) : httpRequest(url, options);
      sent.on('response', resolve).on('error', reject);
      for (const piece of piecesOf(request)) sent.write(piece);
      sent.end();
    });
    const { statusCode = 0 } = answer;
    if (statusCode >= 200 && statusCode < 300) return answer;
    throw new S3Error(request.method, statusCode, codeOf(await textOfBody(answer)));
  }

  async #signed(request: S3Request, url: string): Promise<Record<string, string>> {
    const { region, key, secret } = this.address;
    const signer = new AwsV4Signer({
      method: request.method,
      url,
      headers: { ...request.headers, 'x-amz-content-sha256': this.secure ? 'UNSIGNED-PAYLOAD' : hashOf(request) },
      accessKeyId: key,
      secretAccessKey: secret,
      service: 's3',
      region,
      cache: this.#signingKeys,
    });
    const { headers } = await signer.sign();
    const length = request.body === undefined ? {} : { 'content-length': String(bytesOf(request)) };
    return { ...Object.fromEntries(headers), ...length };
  }

  #urlOf({ key, query = {} }: S3Request): string {
    const { origin, bucket, prefix, pathStyle } = this.address;
    const object = key === undefined ? '' : `/${`${prefix}${key}`.split('/').map(encoded).join('/')}`;
    const place = pathStyle
      ? `${origin}/${bucket}${object}`
      : `${origin.replace('://', `://${bucket}.`)}${object || '/'}`;
    const search = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
    return search.length === 0 ? place : `${place}?${search.join('&')}`;
  }
}

/** As signatures want it. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function piecesOf({ body = '' }: S3Request): readonly (Uint8Array | string)[] {
  if (typeof body !== 'string') return body.pieces;
  return body === '' ? [] : [body];
}

function bytesOf({ body = '' }: S3Request): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.bytes;
}

function hashOf({ body = '' }: S3Request): string {
  const known = typeof body === 'string' ? undefined : body.sha256();
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for (const piece of piecesOf({ method: 'PUT', body })) hash.update(piece);
  return hash.digest('hex');
}

async function textOfBody(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > LONGEST_ANSWER) throw new SyntaxError('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The code of a refusal; empty if it is none of S3, as of a proxy before it. */
function codeOf(body: string): string {
  try {
    return codeIn(parseXml(body));
  } catch {
    return '';
  }
}

function codeIn(root: XmlElement): string {
  const code = root.name === 'Error' ? (textOf(root, 'Code') ?? '') : '';
  return /^\w{1,60}$/.test(code) ? code : '';
}

function isTemporary(error: unknown): boolean {
  if (error instanceof S3Error) return error.status >= 500 || error.status === 429 || TEMPORARY.includes(error.code);
  return !(error instanceof SyntaxError);
}
