/** A stop loses no request, also where the process is paused, as it is on a busy machine. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { OpenConnections, stopListening, stopServing } from '../../../src/http/server/stop-serving.js';
import { OpenRequests } from '../../../src/http/server/open-requests.js';
import { MetricSources } from '../../../src/shared/metric-sources.js';
import { atEnd } from '../../support/at-end.js';

/** Clients in a thread of their own, which go on while this one is paused. They tell what they have received. */
const CLIENTS = `
const { parentPort, workerData } = require('node:worker_threads');
const { connect } = require('node:net');
const sockets = [];
parentPort.on('message', ({ open = 0, send = false }) => {
  for (let left = open; left > 0; left -= 1) {
    const socket = connect(workerData, '127.0.0.1');
    let text = '';
    socket.on('data', (part) => (text += part));
    socket.on('error', (error) => (text += error.code));
    socket.on('close', () => parentPort.postMessage(text));
    sockets.push(socket);
  }
  if (send) for (const socket of sockets) socket.write('GET / HTTP/1.1\\r\\nHost: test\\r\\n\\r\\n');
});
`;

async function serve(answer: (response: ServerResponse) => void = (response) => response.end('answered')) {
  const requests = new OpenRequests(new MetricSources());
  const server = createServer((_, response) => {
    const close = requests.open(response);
    response.once('close', close);
    answer(response);
  });
  const connections = new OpenConnections(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, requests, connections };
}

function clientsOf(server: Server): Worker {
  const clients = new Worker(CLIENTS, { eval: true, workerData: (server.address() as AddressInfo).port });
  atEnd(() => void clients.terminate());
  return clients;
}

/** Nothing else runs in this thread meanwhile. */
function pauseThread(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

it('a request that arrives while the process is paused at the end of a stop', async () => {
  const serving = await serve();
  const clients = clientsOf(serving.server);
  clients.postMessage({ open: 1 });
  await once(serving.server, 'connection');
  const enter = serving.requests.enter.bind(serving.requests);
  serving.requests.enter = (state) => {
    enter(state);
    if (state !== 'refusing') return;
    setImmediate(() => {
      clients.postMessage({ send: true });
      pauseThread(600);
    });
  };
  const received = once(clients, 'message');
  await stopServing(serving, { shutdownGrace: 10_000, shutdownIdle: 0 });
  expect(await received).toEqual([expect.stringContaining('answered')]);
});

it('connections that arrive while the process is paused before it stops listening', async () => {
  const { server } = await serve((response) => response.setHeader('Connection', 'close').end('answered'));
  const clients = clientsOf(server);
  await once(clients, 'online');
  setImmediate(() => {
    clients.postMessage({ open: 4, send: true });
    pauseThread(1100);
  });
  const received: unknown[] = [];
  clients.on('message', (text) => received.push(text));
  await stopListening(server);
  while (received.length < 4) await turn();
  expect(received).toEqual(Array(4).fill(expect.stringContaining('answered')));
});

it('answers that begin after a stop has begun say that their connection ends, whenever their request came', async () => {
  const held: ServerResponse[] = [];
  const serving = await serve((response) => void held.push(response));
  const { port } = serving.server.address() as AddressInfo;
  const asked = fetch(`http://127.0.0.1:${port}/`);
  while (held.length === 0) await turn();
  const stopped = stopServing(serving, { shutdownGrace: 10_000, shutdownIdle: 0 });
  while (serving.server.listening) await turn();
  await turn();
  held[0]?.end('answered');
  expect((await asked).headers.get('connection')).toBe('close');
  await stopped;
});
