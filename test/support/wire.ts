/** Requests exactly as written: no client normalises the path, adds a header or reads the body for us. */
import http from 'node:http';
import net from 'node:net';
import type { Service } from '../../src/service.js';
import { checkAnswer, type AnswerCheck } from './answers.js';
import type { Reply } from './service.js';

export interface WireRequest {
  readonly method?: string;
  /** From the root of the service, as it goes over the wire. */
  readonly path: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** Every answer is held to the API document: that of no project, and `own`. */
export async function send(service: Service, request: WireRequest, own?: AnswerCheck): Promise<Reply> {
  const reply = await exchange(service, request);
  const { method = 'GET', path } = request;
  const { status, headers, body } = reply;
  await checkAnswer({ method, path, status, type: headers.get('content-type'), body, sent: request.body }, own);
  return reply;
}

function exchange(service: Service, { method = 'GET', path, headers = {}, body }: WireRequest): Promise<Reply> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const length =
      body === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) };
    const request = http.request(
      { hostname, port, method, path, headers: { ...length, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const json = /json/.test(response.headers['content-type'] ?? '') && text !== '';
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(
              Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]),
            ),
            text,
            body: (json ? JSON.parse(text) : undefined) as Reply['body'],
          });
        });
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Sends bytes over a bare connection and answers all bytes that come back before it ends. */
export function sendBytes(service: Service, bytes: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
