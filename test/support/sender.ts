/** Sends requests from a worker thread, so that large bodies take no time of the service's event loop. */
import { Worker } from 'node:worker_threads';
import type { TestProject } from './service.js';

const SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const http = require('node:http');
parentPort.on('message', ({ id, method, path, body }) => {
  const bytes = Buffer.from(body ? eval(body) : '');
  const headers = { ...workerData.headers, ...(body && { 'content-type': 'application/json' }), 'content-length': bytes.length };
  const request = http.request(workerData.url + path, { method, headers }, (response) => {
    let head = '';
    let length = 0;
    response.on('data', (chunk) => {
      length += chunk.length;
      if (head.length < 500) head += chunk.toString('latin1').slice(0, 500);
    });
    response.on('end', () => parentPort.postMessage({ id, status: response.statusCode, length, head, sent: bytes.length }));
  });
  request.on('error', (error) => parentPort.postMessage({ id, status: 0, length: 0, head: String(error), sent: bytes.length }));
  request.end(bytes);
});
`;

export interface Sent {
  readonly status: number;
  /** Bytes of the answer. */
  readonly length: number;
  /** Its first characters. */
  readonly head: string;
  /** Bytes of the body. */
  readonly sent: number;
}

export class Sender {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (sent: Sent) => void>();
  #sent = 0;

  constructor(project: TestProject) {
    const headers = { 'kind-project-key': project.id, authorization: `Bearer ${project.token ?? ''}` };
    const workerData = { url: `${project.service.url}/api/lib`, headers };
    this.#worker = new Worker(SOURCE, { eval: true, workerData });
    this.#worker.on('message', ({ id, ...sent }: Sent & { readonly id: number }) => {
      this.#waiting.get(id)?.(sent);
      this.#waiting.delete(id);
    });
  }

  /** @param body an expression that makes the body, where there is one */
  send(method: string, path: string, body?: string): Promise<Sent> {
    const id = (this.#sent += 1);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ id, method, path, body });
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
