/**
 * Several processes of one host that share a port (`WORKERS`). The primary owns the database and prepares projects.
 * Workers serve requests, are replaced if they crash, and stop when the primary tells them, not on signals.
 */
import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import type { FirstProject } from './bootstrap.js';
import type { Config } from './config/config.js';
import type { ConnectionOptions } from './database/connection/connection.js';
import { serveMetrics } from './health/metrics.server.js';
import { prepareService, startService, type ServiceOptions } from './service.js';
import { retryLater } from './shared/errors.js';

/** Messages between primary and workers. */
type ToWorker =
  | { type: 'start'; connection: ConnectionOptions; secret: string; first: FirstProject }
  | { type: 'metrics'; text: string | undefined }
  | { type: 'stop' };
type ToPrimary = { type: 'hello' } | { type: 'ready'; url: string } | { type: 'metrics' };

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
  cluster.setupPrimary({ exec: fileURLToPath(new URL('./main.js', import.meta.url)) });
  const first = await prepareService(options);
  const start: ToWorker = { type: 'start', connection, secret, first };
  const metrics = new AggregatorRegistry();
  const metricsServer = config.metrics && (await serveMetrics(config.metrics, () => metrics.clusterMetrics()));
  cluster.on('message', (worker, { type }: ToPrimary) => {
    if (type !== 'metrics') return;
    const answer = (text?: string) => worker.isConnected() && worker.send({ type: 'metrics', text } satisfies ToWorker);
    metrics.clusterMetrics().then(answer, () => answer());
  });
  let stopping = false;
  cluster.on('exit', (worker, code, signal) => {
    if (stopping) return;
    logger.error({ worker: worker.process.pid, code, signal }, 'a worker ended and is replaced');
    setTimeout(() => {
      if (!stopping) startWorker(start).catch(() => undefined); // its exit is an event of its own
    }, RESTART_DELAY);
  });
  const urls = await Promise.all(Array.from({ length: config.workers }, () => startWorker(start)));
  const stop = async (): Promise<void> => {
    stopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map(stopWorker));
    await metricsServer?.stop();
  };
  return { url: urls[0] ?? '', first, stop, ...(metricsServer && { metricsUrl: metricsServer.url }) };
}

function startWorker(start: ToWorker): Promise<string> {
  const worker = cluster.fork();
  return new Promise((resolve, reject) => {
    worker.once('exit', () => reject(new Error('a worker ended before it was ready')));
    worker.on('message', (message: ToPrimary) => {
      if (message.type === 'hello') worker.send(start);
      if (message.type === 'ready') resolve(message.url);
    });
  });
}

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.send({ type: 'stop' } satisfies ToWorker, (error) => error && resolve());
  });
}

/** Runs in a worker's process. It also ends if the primary is killed. */
export async function serveAsWorker(config: Config, logger: Logger): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const started = new Promise<RunningService>((resolve, reject) => {
    process.on('message', (message: ToWorker) => {
      switch (message.type) {
        case 'start': {
          const { connection, secret, first } = message;
          startService({ config, secret, connection, logger, prepared: first, metricsOfAll }).then(resolve, reject);
          return;
        }
        case 'stop':
          void started.then(stopAndExit);
          return;
        case 'metrics':
          // Handled by `metricsOfAll`.
          return;
      }
    });
  });
  process.on('disconnect', () => void started.then(stopAndExit, () => process.exit(1)));
  sendToPrimary({ type: 'hello' });
  const { url } = await started;
  sendToPrimary({ type: 'ready', url });
}

/** The metrics of all workers, collected by the primary. @throws KindError 503 */
function metricsOfAll(): Promise<string> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: ToWorker): void => {
      if (message.type !== 'metrics') return;
      process.off('message', onMessage);
      if (message.text !== undefined) resolve(message.text);
      else reject(retryLater('server.busy', 'Not every process told its numbers'));
    };
    process.on('message', onMessage);
    sendToPrimary({ type: 'metrics' });
  });
}

function sendToPrimary(message: ToPrimary): void {
  process.send?.(message);
}

async function stopAndExit(service: RunningService): Promise<void> {
  await service.stop();
  process.exit(0);
}
