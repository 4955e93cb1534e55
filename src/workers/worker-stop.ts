/** Stops a worker, which is killed if it does not end in time. */
import type { Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { MAIL_GRACE } from '../service.js';

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
