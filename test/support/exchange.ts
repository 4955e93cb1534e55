/**
 * One HTTP request and its answer, over connections that are kept. `fetch` costs a tenth of the CPU time of the e2e tests,
 * asks for compressed answers and reports each request to the performance timeline.
 */
import http from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ClosedBeforeAnswer, sendRaw, type RawAnswer } from './kept-connections.js';
import type { Reply } from './service.js';

export interface Exchange {
  readonly method: string;
  /** As it goes over the wire. */
  readonly path: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: string | Buffer | undefined;
}

const agent = new http.Agent({ keepAlive: true });

/** Bytes; a larger body may be answered before it is sent. */
const SMALL = 65_536;
const PLAIN_METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE']);
/** They change how a request or an answer is read. */
const FRAMING = /^(?:connection|content-length|expect|host|te|trailer|transfer-encoding|upgrade)$/i;

/** @param url where the service listens. @throws where there is no answer */
export async function exchange(url: string, sent: Exchange): Promise<Reply> {
  const { hostname, port } = locate(url);
  const text = plainRequest(`${hostname}:${port}`, sent);
  // An idle connection may be closed by the service at the moment at which it is used again.
  for (;;) {
    try {
      return text === undefined ? await byNode(hostname, port, sent) : replyOf(await sendRaw(hostname, port, text));
    } catch (error) {
      if (!(error instanceof ClosedBeforeAnswer)) throw error;
      await turn();
    }
  }
}

const located = new Map<string, { hostname: string; port: number }>();
function locate(url: string): { hostname: string; port: number } {
  const known = located.get(url);
  if (known) return known;
  const { hostname, port } = new URL(url);
  const found = { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
  located.set(url, found);
  return found;
}

/** The bytes of a small request without peculiarities; undefined for others, which Node's client checks and sends. */
function plainRequest(host: string, { method, path, headers, body }: Exchange): string | undefined {
  if (!PLAIN_METHODS.has(method) || Buffer.isBuffer(body) || (body?.length ?? 0) > SMALL) return undefined;
  if (!/^\/[\x21-\x7e]*$/.test(path)) return undefined;
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  if (body !== undefined || method === 'POST' || method === 'PUT') {
    head += `content-length: ${Buffer.byteLength(body ?? '')}\r\n`;
  }
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || !/^[\x20-\x7e]*$/.test(value) || FRAMING.test(name)) return undefined;
    head += `${name}: ${value}\r\n`;
  }
  return `${head}connection: keep-alive\r\n\r\n${body ?? ''}`;
}

async function byNode(hostname: string, port: number, { method, path, headers, body }: Exchange): Promise<Reply> {
  const length =
    body === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) };
  const request = http.request({ hostname, port, method, path, headers: { ...length, ...headers }, agent });
  try {
    return replyOf(await answerOf(request, body));
  } catch (error) {
    const isLate = request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
    throw isLate ? new ClosedBeforeAnswer() : error;
  }
}

function answerOf(request: http.ClientRequest, body: Exchange['body']): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        resolve({ status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks) });
      });
    });
    request.end(body);
  });
}

/** Of the codings that answers may have. */
const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync };

function replyOf({ status, headers: pairs, body }: RawAnswer): Reply {
  const headers = new Headers(pairs);
  const decode = DECODERS[headers.get('content-encoding') ?? ''];
  const bytes = decode ? decode(body) : body;
  const text = bytes.toString();
  const isJson = text !== '' && (headers.get('content-type') ?? '').startsWith('application/json');
  return { status, headers, text, bytes, body: (isJson ? JSON.parse(text) : undefined) as Reply['body'] };
}
