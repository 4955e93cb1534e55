/**
 * A service that speaks the protocol of S3, as far as the store uses it, and strictly: a request has to be signed by
 * Signature Version 4, which is computed here without the library that signs, and with the hash of its content. It fails
 * as a test says.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BucketAddress } from '../../src/config/store-address.js';
import { atEnd } from './at-end.js';

interface Stored {
  readonly body: Buffer;
  readonly at: Date;
}

interface Upload {
  readonly key: string;
  readonly at: Date;
  readonly parts: Map<number, Buffer>;
}

/**
 * What becomes of a request: `silent` has no answer; `unheard` is done and its connection closed; `half` has half of its
 * answer, and then the connection is closed (`halfway`: nothing more comes); others are answered with a status and code.
 */
export type Failure = 'silent' | 'unheard' | 'half' | 'halfway' | readonly [status: number, code: string];

/** Milliseconds for which a signature holds. */
const VALID = 15 * 60_000;

class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code);
  }
}

export class FakeS3 {
  readonly objects = new Map<string, Stored>();
  readonly uploads = new Map<string, Upload>();
  /** Method and address of each request, in order. */
  readonly requests: string[] = [];
  /** Objects, and uploads, of one page. */
  page = 1000;
  /** Milliseconds by which its clock is ahead. */
  ahead = 0;
  /** Answers that are not sent to the end, nor given up. */
  open = 0;
  /** Says what becomes of a request. */
  fail: (request: string) => Failure | undefined = () => undefined;
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));

  private constructor(private readonly account: BucketAddress) {}

  /** Until the test, or file, ends. */
  static async start(account: Partial<BucketAddress> = {}): Promise<{ s3: FakeS3; address: BucketAddress }> {
    const own = { bucket: 'kind', prefix: '', region: 'eu-central-1', pathStyle: true, key: 'KEY', secret: 'sec/ret+' };
    const s3 = new FakeS3({ origin: '', ...own, ...account });
    s3.#server.listen(0, '127.0.0.1');
    await once(s3.#server, 'listening');
    atEnd(() => {
      s3.#server.close();
      s3.#server.closeAllConnections();
    });
    const { port } = s3.#server.address() as AddressInfo;
    // A bucket in the host name is called 127.
    const host = s3.account.pathStyle ? '127.0.0.1' : '0.0.1';
    return { s3, address: { ...s3.account, origin: `http://${host}:${port}` } };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = `${request.method ?? ''} ${request.url ?? ''}`;
    this.requests.push(name);
    this.open += 1;
    response.once('close', () => (this.open -= 1));
    const body = Buffer.concat(await request.toArray().catch(() => []));
    const failure = this.fail(name);
    if (failure === 'silent') return;
    if (Array.isArray(failure)) return error(response, failure[0] as number, failure[1] as string);
    try {
      this.#authenticate(request, body);
      const answer = this.#answer(request, body);
      if (failure === 'unheard') return void response.destroy();
      if (failure === undefined) return void response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
      const length = Buffer.byteLength(answer.body ?? '');
      response.writeHead(answer.status ?? 200, { ...answer.headers, 'content-length': length });
      response.write(Buffer.from(answer.body ?? '').subarray(0, length / 2));
      if (failure === 'half') setImmediate(() => response.destroy());
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      error(response, refused.status, refused.code);
    }
  }

  #authenticate({ method = '', url = '', headers }: IncomingMessage, body: Buffer): void {
    const { key, secret, region } = this.account;
    const [, credential = '', names = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([\da-f]{64})$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    if (signature === undefined) throw new Refused(403, 'AccessDenied');
    const at = String(headers['x-amz-date']);
    const time = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
    if (!(Math.abs(Date.now() + this.ahead - time) < VALID)) throw new Refused(403, 'RequestTimeTooSkewed');
    const scope = `${at.slice(0, 8)}/${region}/s3/aws4_request`;
    if (credential !== `${key}/${scope}`) throw new Refused(403, 'InvalidAccessKeyId');
    const hash = String(headers['x-amz-content-sha256']);
    if (hash !== sha256(body)) throw new Refused(400, 'XAmzContentSHA256Mismatch');
    const signed = names.split(';');
    const needed = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
    if (needed.some((name) => !signed.includes(name))) throw new Refused(403, 'AccessDenied');
    const [path = '', query = ''] = url.split('?');
    const sorted =
      query === ''
        ? ''
        : query
            .split('&')
            .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
            .sort()
            .join('&');
    const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
    const canonical = [method, path, sorted, lines, names, hash].join('\n');
    const text = ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n');
    const signingKey = scope.split('/').reduce<Buffer | string>((from, part) => hmac(from, part), `AWS4${secret}`);
    if (hmac(signingKey, text).toString('hex') !== signature) throw new Refused(403, 'SignatureDoesNotMatch');
  }

  #answer({ method, url = '', headers }: IncomingMessage, body: Buffer): Answer {
    const { pathname, searchParams } = new URL(url, 'http://s3');
    const segments = pathname.slice(1).split('/').map(decodeURIComponent);
    const [bucket, ...rest] = this.account.pathStyle ? segments : [headers.host?.split('.')[0], ...segments];
    if (bucket !== this.account.bucket) throw new Refused(404, 'NoSuchBucket');
    const key = rest.join('/');
    if (key === '') return searchParams.has('uploads') ? this.#listUploads(searchParams) : this.#list(searchParams);
    if (method === 'POST' && searchParams.has('uploads')) return this.#begin(key);
    const upload = searchParams.get('uploadId');
    if (upload !== null) return this.#ofUpload(method, key, upload, Number(searchParams.get('partNumber')), body);
    if (method === 'PUT') {
      this.objects.set(key, { body, at: new Date() });
      return { headers: { etag: etagOf(body) } };
    }
    if (method === 'DELETE') {
      this.objects.delete(key);
      return { status: 204 };
    }
    const found = this.objects.get(key)?.body;
    if (!found) throw new Refused(404, 'NoSuchKey');
    return method === 'HEAD' ? { headers: { 'content-length': found.length } } : ranged(found, headers.range);
  }

  #begin(key: string): Answer {
    const id = randomUUID();
    this.uploads.set(id, { key, at: new Date(), parts: new Map() });
    return xml('InitiateMultipartUploadResult', `<UploadId>${id}</UploadId>`);
  }

  #ofUpload(method: string | undefined, key: string, id: string, part: number, body: Buffer): Answer {
    const upload = this.uploads.get(id);
    if (upload?.key !== key) throw new Refused(404, 'NoSuchUpload');
    if (method === 'PUT') {
      upload.parts.set(part, body);
      return { headers: { etag: etagOf(body) } };
    }
    if (method === 'POST') {
      const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/g)];
      const parts = named.map(([, number, etag]) => {
        const stored = upload.parts.get(Number(number));
        if (!stored || etagOf(stored) !== etag) throw new Refused(400, 'InvalidPart');
        return stored;
      });
      if (parts.length === 0) throw new Refused(400, 'MalformedXML');
      this.objects.set(key, { body: Buffer.concat(parts), at: new Date() });
    }
    this.uploads.delete(id);
    return method === 'POST' ? xml('CompleteMultipartUploadResult', `<Key>${key}</Key>`) : { status: 204 };
  }

  #list(query: URLSearchParams): Answer {
    const after = query.get('continuation-token') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort();
    const rest = keys.filter((key) => key > after);
    const shown = rest.slice(0, this.page);
    const contents = shown.map((key) => {
      const { body, at } = this.objects.get(key) as Stored;
      return `<Contents><Key>${key}</Key><LastModified>${at.toISOString()}</LastModified><ETag>&quot;x&quot;</ETag><Size>${body.length}</Size><Owner><ID>a</ID></Owner></Contents>`;
    });
    const more = rest.length > shown.length;
    const token = more ? `<NextContinuationToken>${shown.at(-1) ?? ''}</NextContinuationToken>` : '';
    return xml('ListBucketResult', `<Name>kind</Name><IsTruncated>${more}</IsTruncated>${token}${contents.join('')}`);
  }

  #listUploads(query: URLSearchParams): Answer {
    const after = query.get('upload-id-marker') ?? '';
    const rest = [...this.uploads].sort(([a], [b]) => (a < b ? -1 : 1)).filter(([id]) => id > after);
    const shown = rest.slice(0, this.page);
    const more = rest.length > shown.length;
    const [id = '', last] = shown.at(-1) ?? [];
    const markers = `<NextKeyMarker>${last?.key ?? ''}</NextKeyMarker><NextUploadIdMarker>${id}</NextUploadIdMarker>`;
    const uploads = shown.map(
      ([uploadId, { key, at }]) =>
        `<Upload><Key>${key}</Key><UploadId>${uploadId}</UploadId><Initiated>${at.toISOString()}</Initiated></Upload>`,
    );
    return xml('ListMultipartUploadsResult', `<IsTruncated>${more}</IsTruncated>${markers}${uploads.join('')}`);
  }
}

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string | number>;
  readonly body?: string | Buffer;
}

function xml(name: string, content: string): Answer {
  return { body: `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://s3/">${content}</${name}>` };
}

function error(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status)
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no &amp; no</Message></Error>`);
}

function ranged(body: Buffer, range: string | undefined): Answer {
  if (range === undefined) return { body };
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  if (Number(first) >= body.length) throw new Refused(416, 'InvalidRange');
  const part = body.subarray(Number(first), Number(last) + 1);
  const headers = { 'content-range': `bytes ${first}-${Number(first) + part.length - 1}/${body.length}` };
  return { status: 206, headers, body: part };
}

function etagOf(body: Buffer): string {
  return `"${sha256(body).slice(0, 32)}"`;
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
