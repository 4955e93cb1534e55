/**
 * Runs user code. All calls of it are made here, so that errors that escape from it, such as in a timer or in a promise
 * without `await`, are recognized. They are logged and don't end the process.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import type { Logger } from 'pino';
import { RestartError } from '../../database/transaction/contention.js';
import { loggedError } from '../../http/log/logger.js';
import { FunctionError } from '../../kit/function-error.js';
import { KindError } from '../../shared/errors.js';
import { observedWork } from '../../shared/observed-work.js';
import { originOf } from './refusal-origin.js';
import { deepCopy } from './deep-copy.js';
import { lineOf, sourceLocationOf } from '../declare/source-location.js';

export interface UserCode {
  /** Undefined while the module is loaded, which may be for all projects. */
  readonly project?: string;
  /** The file of the module. */
  readonly file: string;
  /** The function, the hook, or another operation with the module. */
  readonly name: string;
}

/**
 * Milliseconds after the last call of user code for which asynchronous calls are tracked. Tracking slows down every
 * promise of the process (measured with Node 20: a get takes 13 % more CPU).
 */
const TRACKING_PERIOD = 30_000;

const running = new AsyncLocalStorage<UserCode>();
let trackingTimer: NodeJS.Timeout | undefined;

function enterUserCode<T>(code: UserCode, work: () => T): T {
  trackingTimer ??= setTimeout(stopTracking, TRACKING_PERIOD).unref();
  trackingTimer.refresh();
  return running.run(code, work);
}

/** Stops tracking until the next call of user code. */
export function stopTracking(): void {
  running.disable();
}

/** An error of user code that is not a refusal. Its properties, such as `code`, mean nothing to the service. */
export class UserCodeError extends Error {
  declare readonly cause: Error;

  constructor(cause: Error) {
    super('authored code failed', { cause });
  }
}

/** Whether an error is a refusal, or restarts the transaction. */
function isPassedOn(error: unknown): boolean {
  try {
    return [KindError, FunctionError, RestartError].some((type) => error instanceof type);
  } catch {
    return false;
  }
}

/**
 * Runs user code. `work` must also read the result, because getters and proxies in it are user code too.
 * @throws refusals and restarts as they are; `UserCodeError` for everything else
 */
export function withinUserCode<T>(code: UserCode, work: () => T | Promise<T>): Promise<T> {
  const run = async (): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw isPassedOn(error) ? error : new UserCodeError(readableError(error));
    }
  };
  return observedWork('function', `${code.file} ${code.name}`, () => enterUserCode(code, run));
}

/** Runs a handler and returns a copy of its result, so that reading it runs no user code. */
export function runUserCode(code: UserCode, handler: () => unknown): Promise<unknown> {
  return withinUserCode(code, async () => deepCopy(await handler()));
}

/** A copy of a signal, whose listeners run as user code. */
export function signalFor(code: UserCode, signal: AbortSignal): AbortSignal {
  const own = new AbortController();
  const abort = () => enterUserCode(code, () => own.abort(signal.reason));
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return own.signal;
}

/** The thrown value if it is an error that can be read and logged, otherwise an error that describes it. */
export function readableError(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error)) return new Error(typeof thrown === 'string' ? thrown : `threw ${inspect(thrown)}`);
    loggedError(thrown);
    const { message, stack = '' } = thrown as { message: unknown; stack?: unknown };
    if (typeof message === 'string' && typeof stack === 'string') return thrown;
  } catch {
    // Handled below.
  }
  return new Error('threw what cannot be read');
}

/**
 * Handles uncaught errors of the process; called once. Errors that escaped from user code are logged. So are errors
 * without a line of the service in their trace while user code is tracked. Any other uncaught error ends the process.
 */
export function handleStrayErrors(logger: Logger, folder: string): void {
  const handle = (thrown: unknown): void => {
    const code = running.getStore();
    const err = readableError(thrown);
    if (code || isFromFolder(folder, err) || (trackingTimer && !(err === thrown && isFromService(err)))) {
      const place = userCodeLine(folder, err, code?.file);
      logger.error(
        { ...code, ...(place !== undefined && { place }), err },
        'a function let an error escape from its call',
      );
      return;
    }
    logger.fatal({ err }, 'an error that nobody caught');
    process.exit(1);
  };
  process.on('uncaughtException', handle);
  process.on('unhandledRejection', handle);
}

/** Whether a file of the folder is in the trace, which has real paths. */
function isFromFolder(folder: string, { stack = '' }: Error): boolean {
  const root = realFolder(folder);
  return root !== undefined && stack.includes(root + sep);
}

/** The line of user code in a trace; for a refusal the line of the refused operation. */
function userCodeLine(folder: string, error: Error, file = ''): string | undefined {
  const root = realFolder(folder);
  const trace = error instanceof KindError ? originOf(error)?.from.stack : error.stack;
  return root === undefined ? undefined : lineOf(sourceLocationOf(trace ?? '', { root, path: join(root, file), file }));
}

function realFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    return undefined;
  }
}

/** The folder of the service's code. */
const SERVICE_FOLDER = fileURLToPath(new URL('../../', import.meta.url));

function isFromService({ stack = '' }: Error): boolean {
  return stack.includes(SERVICE_FOLDER);
}
