/**
 * Where authored code runs: every entry into it is made here. What it lets loose outside of its call, such as an error in
 * a timer or a promise that nobody waits for, is known by that, and ends no process.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import type { Logger } from 'pino';
import { RestartError } from '../../database/transaction/restart-error.js';
import { loggedError } from '../../http/log/logged-error.js';
import { FunctionError } from '../../kit/function-error.js';
import { KindError } from '../../shared/errors.js';
import { originOf } from './refusal-origin.js';
import { deepCopy } from './deep-copy.js';
import { lineOf, sourceLocationOf } from '../declare/source-location.js';

export interface UserCode {
  /** Undefined while the module is loaded, which may be for all projects. */
  readonly project?: string;
  /** The file of the module. */
  readonly file: string;
  /** The function or hook, or what else is done with the module. */
  readonly name: string;
}

/**
 * Milliseconds for which it is told whose code runs, since authored code was last entered. It costs every promise of the
 * process something as long (measured with Node 20: a get takes 13 % more CPU).
 */
const TRACKING_PERIOD = 30_000;

const running = new AsyncLocalStorage<UserCode>();
let trackingTimer: NodeJS.Timeout | undefined;

function enterUserCode<T>(who: UserCode, work: () => T): T {
  trackingTimer ??= setTimeout(stopTracking, TRACKING_PERIOD).unref();
  trackingTimer.refresh();
  return running.run(who, work);
}

/** Until the next entry nothing is told of what runs. */
export function stopTracking(): void {
  running.disable();
}

/** What authored code threw that is no refusal: whatever it looks like, it says nothing of the service or its database. */
export class UserCodeError extends Error {
  declare readonly cause: Error;

  constructor(cause: Error) {
    super('authored code failed', { cause });
  }
}

/** Refusals, of the author's and of what was done for it; and why whoever began must begin again. */
function isPassedOn(error: unknown): boolean {
  try {
    return [KindError, FunctionError, RestartError].some((type) => error instanceof type);
  } catch {
    return false;
  }
}

/**
 * Runs authored code, and the reading of what it made, up to a value that has nothing of it any more.
 * @throws what it refuses with, at once or later; `Thrown` for all else
 */
export function withinUserCode<T>(who: UserCode, work: () => T | Promise<T>): Promise<T> {
  return enterUserCode(who, async () => {
    try {
      return await work();
    } catch (error) {
      throw isPassedOn(error) ? error : new UserCodeError(readableError(error));
    }
  });
}

/** Runs a handler. Answers a copy of what it returns: nothing of the author's runs when that is read. */
export function runUserCode(who: UserCode, handler: () => unknown): Promise<unknown> {
  return withinUserCode(who, async () => deepCopy(await handler()));
}

/** A signal like another one, whose listeners are the author's. */
export function signalFor(who: UserCode, signal: AbortSignal): AbortSignal {
  const own = new AbortController();
  const abort = () => enterUserCode(who, () => own.abort(signal.reason));
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return own.signal;
}

/** What was thrown: itself where it is an error that can be read and logged, else one that tells of it what can be told. */
export function readableError(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error)) return new Error(typeof thrown === 'string' ? thrown : `threw ${inspect(thrown)}`);
    loggedError(thrown);
    const { message, stack = '' } = thrown as { message: unknown; stack?: unknown };
    if (typeof message === 'string' && typeof stack === 'string') return thrown;
  } catch {
    // Told below.
  }
  return new Error('threw what can not be read');
}

/**
 * Logs what escaped from authored code and goes on, and so with what can have: once such code was entered, all that has
 * no line of ours in its trace. Any other error that nobody caught ends the process, as without this. For the process of a
 * service: once.
 */
export function handleStrayErrors(logger: Logger, folder: string): void {
  const handle = (thrown: unknown): void => {
    const who = running.getStore();
    const err = readableError(thrown);
    if (who || isFromFolder(folder, err) || (trackingTimer && !(err === thrown && isFromService(err)))) {
      const place = userCodeLine(folder, err, who?.file);
      logger.error(
        { ...who, ...(place !== undefined && { place }), err },
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

/** Whether a file of the folder is in the trace: there it is told by where it really is. */
function isFromFolder(folder: string, { stack = '' }: Error): boolean {
  const root = realFolder(folder);
  return root !== undefined && stack.includes(root + sep);
}

/** The line of the author's; of a refusal the one that asked for what was refused. */
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

/** Where the service's own code is. */
const SERVICE_FOLDER = fileURLToPath(new URL('../../', import.meta.url));

function isFromService({ stack = '' }: Error): boolean {
  return stack.includes(SERVICE_FOLDER);
}
