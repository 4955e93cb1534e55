/**
 * What a client loses when a worker is killed, and when all are stopped: with the connections handed out by `node:cluster`
 * (round robin), and as the service does it (`src/workers/`). `node bench/workers.mjs`, after `npm run build`. Each request
 * opens a connection; workers answer after 5 ms. Figures are in docs/adr/0016-machineries.md.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { Agent, createServer as createHttpServer, get } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fork } from 'node:child_process';

const dist = join(import.meta.dirname, '../dist');
const PORTS = { cluster: 47_101, balancer: 47_102 };
const WORKERS = 2;
const CLIENTS = 32;
const PATIENCE = 3000;
const ROUNDS = Number(process.argv[2] ?? 10);
const [, , role, how] = process.argv;

if (cluster.isWorker) await work();
else if (role === 'primary') await lead(/** @type {keyof typeof PORTS} */ (how));
else await measure();

async function measure() {
  /** @type {Record<string, Record<string, number>>} */
  const sums = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const mode of /** @type {(keyof typeof PORTS)[]} */ (['cluster', 'balancer'])) {
      for (const event of ['kill', 'stop']) {
        const outcomes = await underLoad(mode, event);
        const sum = (sums[`${event}, ${mode}`] ??= {});
        for (const [name, count] of Object.entries(outcomes)) sum[name] = (sum[name] ?? 0) + count;
      }
    }
  }
  for (const [name, outcomes] of Object.entries(sums).sort()) console.log(name, JSON.stringify(outcomes));
}

/** @param {keyof typeof PORTS} mode @param {string} event */
async function underLoad(mode, event) {
  const primary = fork(import.meta.filename, ['primary', mode], { env: { ...process.env, MODE: mode } });
  await once(primary, 'message');
  /** @type {Record<string, number>} */
  const outcomes = {};
  let ended = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!ended) {
      const outcome = await ask(PORTS[mode]);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (outcome === 'ECONNREFUSED') break;
    }
  });
  await delay(300);
  primary.send(event);
  if (event === 'kill') {
    await delay(1500);
    ended = true;
    await Promise.all(clients);
    primary.send('stop');
  }
  await once(primary, 'exit');
  ended = true;
  await Promise.all(clients);
  return outcomes;
}

/** @param {number} port @returns {Promise<string>} */
function ask(port) {
  return new Promise((resolve) => {
    const agent = new Agent({ keepAlive: false });
    const request = get({ port, host: '127.0.0.1', agent, headers: { connection: 'close' } }, (response) => {
      response.resume();
      response.on('end', () => resolve(String(response.statusCode)));
      response.on('error', () => resolve('broken answer'));
    });
    request.setTimeout(PATIENCE, () => request.destroy(Object.assign(new Error('hangs'), { code: 'hangs' })));
    request.on('error', (error) => resolve(/** @type {NodeJS.ErrnoException} */ (error).code ?? error.message));
  });
}

/** @param {keyof typeof PORTS} mode */
async function lead(mode) {
  cluster.setupPrimary({ serialization: 'advanced' });
  const workers = Array.from({ length: WORKERS }, () => cluster.fork());
  let stop = async () => {};
  if (mode === 'balancer') {
    /** @type {typeof import('../src/workers/connection-balancer.js')} */
    const { ConnectionBalancer } = await import(join(dist, 'workers/connection-balancer.js'));
    /** @type {typeof import('../src/http/server/stop-serving.js')} */
    const { stopListening } = await import(join(dist, 'http/server/stop-serving.js'));
    const balancer = new ConnectionBalancer((/** @type {import('node:cluster').Worker} */ worker, id, socket) => {
      worker.send({ type: 'connection', id }, socket, { keepOpen: true }, () => undefined);
    });
    cluster.on('message', (worker, { type, id }) => {
      if (type === 'ready') balancer.add(worker);
      if (type === 'confirmed') balancer.confirm(worker, id);
      if (type === 'closed') balancer.closed(worker);
    });
    cluster.on('exit', (worker) => setImmediate(() => setImmediate(() => balancer.remove(worker))));
    const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => {
      socket.on('error', () => undefined);
      balancer.assign(socket);
    });
    await once(server.listen(PORTS.balancer, '127.0.0.1'), 'listening');
    stop = () => stopListening(server);
  }
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise((resolve) => worker.on('message', (message) => message.type === 'ready' && resolve(undefined))),
    ),
  );
  process.on('message', async (event) => {
    if (event === 'kill') return workers[0]?.process.kill('SIGKILL');
    await stop();
    const left = Object.values(cluster.workers ?? {});
    await Promise.all(
      left.map(async (worker) => {
        worker?.send({ type: 'stop' });
        if (worker) await once(worker, 'exit');
      }),
    );
    process.exit(0);
  });
  process.send?.('ready');
}

async function work() {
  const mode = process.env['MODE'];
  const server = createHttpServer((_, response) => void setTimeout(() => response.end('done'), 5));
  /** @type {typeof import('../src/http/server/stop-serving.js')} */
  const { stopServing } = await import(join(dist, 'http/server/stop-serving.js'));
  /** @type {typeof import('../src/http/server/stop-serving.js')} */
  const { OpenConnections } = await import(join(dist, 'http/server/stop-serving.js'));
  /** @type {typeof import('../src/workers/connection-balancer.js')} */
  const { ReceivedConnections } = await import(join(dist, 'workers/connection-balancer.js'));
  const connections = new OpenConnections(server);
  const received = new ReceivedConnections((report) => process.send?.(report));
  if (mode === 'balancer') received.serveWith(server);
  else await once(server.listen(PORTS.cluster, '127.0.0.1'), 'listening');
  let open = 0;
  let whenNone = () => {};
  server.on('request', (_, response) => {
    open += 1;
    if (stopping) response.setHeader('connection', 'close');
    response.on('close', () => {
      open -= 1;
      if (open === 0) whenNone();
    });
  });
  let stopping = false;
  const requests = {
    enter: () => void (stopping = true),
    whenAllAnswered: () =>
      open === 0 ? Promise.resolve() : new Promise((resolve) => (whenNone = () => resolve(undefined))),
  };
  process.on('message', async ({ type, id }, socket) => {
    if (type === 'connection') received.receive(id, /** @type {import('node:net').Socket} */ (socket));
    if (type !== 'stop') return;
    await stopServing(
      { server, requests: /** @type {any} */ (requests), connections },
      { shutdownGrace: 2000, shutdownIdle: 0 },
    );
    process.exit(0);
  });
  process.send?.({ type: 'ready' });
}
