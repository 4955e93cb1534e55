/** A server for metrics only, at `METRICS_HOST` and `METRICS_PORT`. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Address } from '../config/config.js';
import { METRICS_TYPE } from './metrics.js';
import { setCommonHeaders } from '../http/answer/common-headers.js';

interface MetricsServer {
  /** The address of `/metrics`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Milliseconds to receive a request. */
const METRICS_REQUEST_TIMEOUT = 10_000;

/** @param text returns the metrics @throws the error of `listen` */
export async function serveMetrics({ host, port }: Address, text: () => Promise<string>): Promise<MetricsServer> {
  const server = createServer(
    { headersTimeout: METRICS_REQUEST_TIMEOUT, requestTimeout: METRICS_REQUEST_TIMEOUT },
    (request, response) => {
      void answerMetrics(request, response, text);
    },
  );
  server.listen({ host, port });
  await once(server, 'listening');
  const { address, family, port: had } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${had}/metrics`, stop };
}

async function answerMetrics(
  request: IncomingMessage,
  response: ServerResponse,
  text: () => Promise<string>,
): Promise<void> {
  setCommonHeaders(response);
  const [path] = (request.url ?? '').split('?');
  const end = (status: number, type: string, body: string): void => {
    response.writeHead(status, { 'Content-Type': type });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  const plain = 'text/plain; charset=utf-8';
  if (path !== '/metrics') return end(404, plain, 'Here is /metrics, and nothing else.\n');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return end(405, plain, 'GET, HEAD\n');
  }
  try {
    end(200, METRICS_TYPE, await text());
  } catch (error) {
    end(503, plain, `${(error as Error).message}\n`);
  }
}
