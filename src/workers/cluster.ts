/**
 * Several processes of one host that share a port (`WORKERS`). The primary owns the database, prepares projects, and
 * accepts connections, each for one worker. Workers serve requests, are replaced if they crash, and stop when the
 * primary tells them, not on signals.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { FirstProject } from '../before-serving.js';
import { ConfigError, type Config } from '../config/config.js';
import { ConnectionBalancer, ReceivedConnections, type ConnectionReport } from './connection-balancer.js';
import type { ConnectionOptions } from '../database/connection/connection.js';
import { serveMetrics } from '../metrics/metrics.server.js';
import { Metrics } from '../metrics/metrics.js';
import { WorkersMetrics, type ProcessMetrics } from '../metrics/workers-metrics.js';
import { serviceUrl } from '../listen-address.js';
import { stopListening } from '../http/server/stop-serving.js';
import { prepareService, startService, type Service, type ServiceOptions, MAIL_GRACE } from '../service.js';
import { passOn, WorkerLoads, type LoadQuestion, type LoadReply } from './worker-loads.js';

/** Messages between primary and workers. */
type ToWorker =
  | { type: 'start'; connection: ConnectionOptions; secret: string; first: FirstProject; url: string }
  /** With the connection as the handle of the message. */
  | { type: 'connection'; id: number }
  /** It answers with its values. */
  | { type: 'measure' }
  | { type: 'metrics'; text: string }
  /** `/health/ready` fails from now on. */
  | { type: 'stopping' }
  /** After all connections. */
  | { type: 'stop' }
  | LoadQuestion
  | LoadReply;
type ToPrimary =
  | { type: 'hello' }
  | { type: 'ready' }
  /** Asks for those of all workers. */
  | { type: 'metrics' }
  | { type: 'measured'; values: ProcessMetrics }
  | ConnectionReport
  | LoadQuestion
  | LoadReply;

export interface RunningService {
  readonly url: string;
  readonly first: FirstProject;
  readonly metricsUrl?: string;
  stop(): Promise<void>;
}

/** Milliseconds before a crashed worker is replaced, so that one that cannot start does not use up the CPU. */
const RESTART_DELAY = 500;

export async function startWorkers(options: ServiceOptions): Promise<RunningService> {
  const { config, secret, connection, logger } = options;
  // Metrics can be infinite, which JSON can't say.
  const serialization = 'advanced';
  cluster.setupPrimary({ exec: fileURLToPath(new URL('../main.js', import.meta.url)), serialization });
  const first = await prepareService(options);
  const balancer = new ConnectionBalancer<Worker>(sendConnection);
  const server = await acceptConnections(config, logger, balancer);
  const url = serviceUrl(server, config.host);
  const start: ToWorker = { type: 'start', connection, secret, first, url };
  const metrics = metricsOfWorkers(config, logger);
  const metricsServer = config.metrics && (await serveMetrics(config.metrics, () => metrics.text()));
  cluster.on('message', (worker, message: ToPrimary) => {
    switch (message.type) {
      case 'metrics':
        void metrics.text().then((text) => sendTo(worker, { type: 'metrics', text }));
        return;
      case 'measured':
        metrics.answered(worker, message.values);
        return;
      case 'loads':
      case 'own loads':
        passOn(message, worker, balancer.workers);
        return;
      case 'ready':
        balancer.add(worker);
        metrics.add(worker);
        return;
      case 'confirmed':
        balancer.confirm(worker, message.id);
        return;
      case 'closed':
        balancer.closed(worker);
        return;
      case 'hello':
        // Handled by `startWorker`.
        return;
    }
  });
  let stopping = false;
  cluster.on('exit', (worker, code, signal) => {
    metrics.remove(worker);
    // After its last messages, which have arrived, but may not have been read.
    setImmediate(() => setImmediate(() => balancer.remove(worker)));
    if (stopping) return;
    logger.error({ worker: worker.process.pid, code, signal }, 'a worker ended and is replaced');
    setTimeout(() => {
      if (!stopping) startWorker(start).catch(() => undefined); // its exit is an event of its own
    }, RESTART_DELAY);
  });
  const starts = await Promise.allSettled(Array.from({ length: config.workers }, () => startWorker(start)));
  // One that ended while another serves is replaced, as at any other time.
  if (starts.every(({ status }) => status === 'rejected') && balancer.workers.length === 0) {
    stopping = true;
    throw new ConfigError(
      `WORKERS: got ${config.workers}, but none of these processes could be started; the lines above say why, unless they were killed, as where memory is short: look there, or set fewer`,
    );
  }
  const stop = async (): Promise<void> => {
    stopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    for (const worker of workers) sendTo(worker, { type: 'stopping' });
    await stopListening(server);
    const deadline = stopTime(config);
    const stopped = workers.map((worker) => {
      return stopWorker(worker, (told) => worker.send({ type: 'stop' } satisfies ToWorker, told), deadline, logger);
    });
    await Promise.all(stopped);
    balancer.stop();
    await metricsServer?.stop();
  };
  return { url, first, stop, ...(metricsServer && { metricsUrl: metricsServer.url }) };
}

function metricsOfWorkers({ workers }: Config, logger: Logger): WorkersMetrics<Worker> {
  const onUnanswered = (worker: Worker): void =>
    logger.warn({ worker: worker.process.pid }, 'a worker did not tell its metrics in time');
  return new WorkersMetrics<Worker>({ workers, ask: (worker) => sendTo(worker, { type: 'measure' }), onUnanswered });
}

/** A worker that is ending does not get it. */
function sendTo(worker: Worker, message: ToWorker): void {
  worker.send(message, () => undefined);
}

/** Listens on the address of the service. */
async function acceptConnections(
  { host, port }: Config,
  logger: Logger,
  balancer: ConnectionBalancer<Worker>,
): Promise<Server> {
  // As the HTTP server of a single process would; paused, because the primary reads nothing.
  const options = { allowHalfOpen: true, noDelay: true, pauseOnConnect: true };
  const server = createServer(options, (socket) => {
    socket.on('error', () => undefined);
    balancer.assign(socket);
  });
  await once(server.listen({ host, port }), 'listening');
  return server.on('error', (err) => logger.error({ err }, 'a connection could not be accepted'));
}

function sendConnection(worker: Worker, id: number, socket: Socket): void {
  // If it can't be sent, the worker is ending, and the connection is assigned to another one then.
  worker.send({ type: 'connection', id } satisfies ToWorker, socket, { keepOpen: true }, () => undefined);
}

function startWorker(start: ToWorker): Promise<void> {
  const worker = cluster.fork();
  return new Promise((resolve, reject) => {
    worker.once('exit', () => reject(new Error('a worker ended before it was ready')));
    worker.on('message', (message: ToPrimary) => {
      if (message.type === 'hello') worker.send(start);
      if (message.type === 'ready') resolve();
    });
  });
}

/** Runs in a worker's process. It also ends if the primary is killed. */
export async function serveAsWorker(config: Config, logger: Logger): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const connections = new ReceivedConnections(sendToPrimary);
  const loads = new WorkerLoads(sendToPrimary);
  const started = new Promise<Service>((resolve, reject) => {
    process.on('message', (message: ToWorker, socket?: Socket) => {
      switch (message.type) {
        case 'start': {
          const { connection, secret, first, url } = message;
          const worker = { url, connections, metricsOfAll, loads };
          startService({ config, secret, connection, logger, prepared: first, worker }).then(resolve, reject);
          return;
        }
        case 'connection':
          connections.receive(message.id, socket);
          return;
        case 'stopping':
          void started.then((service) => service.announceStop());
          return;
        case 'stop':
          void started.then((service) => stopAndExit(service, logger));
          return;
        case 'measure':
          void started.then((service) => sendMetrics(service, logger));
          return;
        case 'loads':
        case 'own loads':
          loads.receive(message);
          return;
        case 'metrics':
          // Handled by `metricsOfAll`.
          return;
      }
    });
  });
  process.on(
    'disconnect',
    () =>
      void started.then(
        (service) => stopAndExit(service, logger),
        () => process.exit(1),
      ),
  );
  sendToPrimary({ type: 'hello' });
  await started;
  sendToPrimary({ type: 'ready' });
}

async function sendMetrics(service: Service, logger: Logger): Promise<void> {
  try {
    sendToPrimary({ type: 'measured', values: await service.app.get(Metrics).values() });
  } catch (err) {
    logger.error({ err }, 'metrics could not be read');
  }
}

/** The metrics of all workers, collected by the primary. */
function metricsOfAll(): Promise<string> {
  return new Promise((resolve) => {
    const onMessage = (message: ToWorker): void => {
      if (message.type !== 'metrics') return;
      process.off('message', onMessage);
      resolve(message.text);
    };
    process.on('message', onMessage);
    sendToPrimary({ type: 'metrics' });
  });
}

function sendToPrimary(message: ToPrimary): void {
  process.send?.(message);
}

async function stopAndExit(service: Service, logger: Logger): Promise<void> {
  try {
    await service.stop();
    process.exit(0);
  } catch (err) {
    logger.error({ err }, 'a worker did not stop as it should');
    process.exit(1);
  }
}

/** Milliseconds for the steps of a stop besides waiting for requests and mails. */
const STOP_MARGIN = 10_000;

/** Milliseconds in which a worker stops: requests and mails have `SHUTDOWN_GRACE` each. */
export function stopTime({ shutdownGrace }: Pick<Config, 'shutdownGrace'>): number {
  return 2 * Math.max(MAIL_GRACE, shutdownGrace) + STOP_MARGIN;
}

export type StoppableWorker = Pick<Worker, 'once'> & { readonly process: Pick<Worker['process'], 'pid' | 'kill'> };

/**
 * Kills a worker that does not stop in time, because a function computes without end.
 * @param tell tells it to stop, and calls back with an error if it can't be told
 */
export function stopWorker(
  worker: StoppableWorker,
  tell: (told: (error: Error | null) => void) => void,
  milliseconds: number,
  logger: Logger,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      logger.error({ worker: worker.process.pid }, 'a worker did not stop in time and is killed');
      worker.process.kill('SIGKILL');
    }, milliseconds);
    const stopped = (): void => {
      clearTimeout(timer);
      resolve();
    };
    worker.once('exit', stopped);
    tell((error) => error && stopped());
  });
}
