/**
 * Where authored code runs. What it lets loose outside of its call, such as an error in a timer or a promise that nobody
 * waits for, is known by that, and ends no process.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { sep } from 'node:path';
import type { Logger } from 'pino';

export interface Authored {
  readonly project: string;
  /** The file of the module. */
  readonly file: string;
  /** The function or hook. */
  readonly name: string;
}

const running = new AsyncLocalStorage<Authored>();

/** Runs a handler; what it throws at once is a rejection too. */
export function runAuthored(who: Authored, work: () => unknown): Promise<unknown> {
  return running.run(who, async () => work());
}

/**
 * Logs what escaped from authored code and goes on; any other error that nobody caught ends the process, as without this.
 * For the process of a service: once.
 */
export function outliveAuthors(logger: Logger, folder: string): void {
  const handle = (error: unknown): void => {
    const who = running.getStore();
    const trace = error instanceof Error ? (error.stack ?? '') : '';
    if (who || trace.includes(folder + sep)) {
      logger.error({ ...who, err: error }, 'a function let an error escape from its call');
      return;
    }
    logger.fatal({ err: error }, 'an error that nobody caught');
    process.exit(1);
  };
  process.on('uncaughtException', handle);
  process.on('unhandledRejection', handle);
}
