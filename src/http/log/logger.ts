/**
 * The structured log of the service on standard error: pretty for a terminal, JSON for machines. Stack traces are
 * written only here.
 */
import { createRequire } from 'node:module';
import type { LoggerService } from '@nestjs/common';
import { destination, pino, stdTimeFunctions, type DestinationStream, type Logger, stdSerializers } from 'pino';
import type { Config } from '../../config/config.js';

const STANDARD_ERROR = 2;

/** Injection token of the logger, for logging outside of a request. */
export const LOGGER = Symbol('logger');

/** @param target replaces standard error in tests */
export function createLogger(config: Pick<Config, 'logLevel' | 'logFormat'>, target?: DestinationStream): Logger {
  const options = {
    level: config.logLevel,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: loggedError, error: loggedError },
  };
  // Synchronous, so that the last lines before an exit are not lost.
  const stream =
    target ?? (config.logFormat === 'pretty' ? prettyStream() : destination({ fd: STANDARD_ERROR, sync: true }));
  return pino(options, stream);
}

/** Loads `pino-pretty` only if it is used. */
function prettyStream(): DestinationStream {
  const { PinoPretty } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  return PinoPretty({
    destination: STANDARD_ERROR,
    sync: true,
    colorize: process.stderr.isTTY,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
  });
}

/** Contexts of Nest's startup messages, which are logged at level debug. */
const NEST_CONTEXTS: ReadonlySet<unknown> = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** The context of errors that Nest also throws. Who calls it reports them. */
const THROWN_CONTEXT = 'ExceptionHandler';

/** Writes Nest's messages to the log of the service, with the context as a field. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.#write(NEST_CONTEXTS.has(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    if (rest.at(-1) === THROWN_CONTEXT) return;
    this.#write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#write('fatal', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#write('trace', message, rest);
  }

  /** Nest passes the context as the last argument, and for an error the stack before it. */
  #write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    rest: readonly unknown[],
  ): void {
    const context = rest.length > 0 && typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
    const details = context === undefined ? rest : rest.slice(0, -1);
    const stack = details.find((part) => typeof part === 'string' && part.includes('\n'));
    const error = message instanceof Error ? message : details.find((part) => part instanceof Error);
    const fields = {
      ...(context !== undefined && { context }),
      ...(error && { err: error }),
      ...(stack !== undefined && { stack }),
    };
    this.logger[level](fields, message instanceof Error ? message.message : messageText(message));
  }
}

function messageText(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify(message);
}

/** The fields that are logged besides type, message and stack. */
const LOGGED_FIELDS = ['code', 'errno', 'syscall', 'severity', 'schema', 'table', 'column', 'constraint', 'routine'];

/** Errors of this SQLSTATE class quote the bad value, in the language of the database. */
const DATA_EXCEPTION = /^22...$/;

export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack, ...own } = stdSerializers.err(error);
  const redact = (text: string) => causeChain(error).filter(quotesValues).reduce(withoutMessage, text);
  return {
    type,
    message: redact(message),
    stack: redact(stack),
    ...Object.fromEntries(Object.entries(own).filter(([name]) => LOGGED_FIELDS.includes(name))),
    ...(error instanceof AggregateError && { aggregateErrors: error.errors.map(loggedError) }),
  };
}

function causeChain(error: Error): Error[] {
  const chain: Error[] = [];
  for (let next: unknown = error; next instanceof Error && !chain.includes(next); next = next.cause) chain.push(next);
  return chain;
}

function quotesValues(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && DATA_EXCEPTION.test(error.code);
}

function withoutMessage(text: string, { message }: Error): string {
  return message === '' ? text : text.replaceAll(message, 'data exception');
}
