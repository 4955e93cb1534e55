/** Requests sent exactly as written: no client normalises the path, adds headers or reads the body. */
import type http from 'node:http';
import net from 'node:net';
import type { Service } from '../../src/service.js';
import { checkAnswer, type AnswerCheck } from './answers.js';
import { exchange } from './exchange.js';
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
  const { method = 'GET', path, headers: sent = {}, body: content } = request;
  const reply = await exchange(service.url, { method, path, headers: sent, body: content });
  await checkAnswer({ ...reply, method, path, type: reply.headers.get('content-type'), sent: content }, own);
  return reply;
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
