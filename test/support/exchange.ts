/**
 * One HTTP request and its answer, over connections that are kept. `fetch` costs a tenth of the CPU time of the e2e tests,
 * asks for compressed answers and reports each request to the performance timeline.
 */
import http from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Reply } from './service.js';

export interface Exchange {
  readonly method: string;
  /** As it goes over the wire. */
  readonly path: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: string | Buffer | undefined;
}

const agent = new http.Agent({ keepAlive: true });

/** @param url where the service listens. @throws where there is no answer */
export async function exchange(url: string, { method, path, headers, body }: Exchange): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const length =
    body === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = {
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    method,
    path,
    headers: { ...length, ...headers },
  };
  // An idle connection may be closed by the service at the moment at which it is used again.
  for (;;) {
    const request = http.request({ ...options, agent });
    try {
      return await answerOf(request, body);
    } catch (error) {
      if (!request.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
      await turn();
    }
  }
}

function answerOf(request: http.ClientRequest, body: Exchange['body']): Promise<Reply> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = /json/.test(response.headers['content-type'] ?? '') && text !== '';
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          text,
          body: (isJson ? JSON.parse(text) : undefined) as Reply['body'],
        });
      });
    });
    request.end(body);
  });
}
