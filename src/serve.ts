/** Starts the service from the environment, and stops it on a signal. */
import 'reflect-metadata';
import cluster from 'node:cluster';
import { addressFault, checkAddresses } from './listen-address.js';
import type { RunningService } from './workers/cluster.js';
import { ConfigError, loadConfig, type Config } from './config/config.js';
import { loadSecret } from './config/secret.js';
import { openDatabase } from './database/open-database.js';
import { DatabaseStartError } from './database/connection/connection.js';
import { handleStrayErrors } from './function/sandbox/user-code.js';
import { greeting } from './greeting.js';
import { createLogger } from './http/log/logger.js';
import type { ServiceOptions } from './service.js';

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger(config);
  handleStrayErrors(logger, config.functionsDir);
  if (cluster.isWorker) return (await import('./workers/cluster.js')).serveAsWorker(config, logger);
  for (const warning of config.warnings) logger.warn(warning);
  const database = await openDatabase(config, {
    role: 'service',
    log: (line) => logger.info(line),
    onWaiting: loadService,
  });
  let running: RunningService | undefined;
  const starting = new AbortController();
  const stop = async (): Promise<void> => {
    await running?.stop();
    await database.stop();
    logger.info('stopped');
  };
  const signals = onSignals(config.shutdownGrace, {
    onFirstSignal: (signal) => {
      logger.info(`stopping on ${signal}`);
      starting.abort();
    },
    stop,
  });
  try {
    running = await start(config, {
      connection: database.connection,
      alone: database.embedded,
      logger,
      signal: starting.signal,
    });
  } catch (error) {
    if (starting.signal.aborted) {
      if (error !== starting.signal.reason) logger.warn({ err: error }, 'the start ended with an error');
      return signals.ready();
    }
    await database.stop();
    throw error;
  }
  const { console, publicUrl } = config;
  process.stdout.write(greeting(running.url, running.first, { terminal: process.stdout.isTTY, console, publicUrl }));
  logger.info({ url: running.url, ...(running.metricsUrl !== undefined && { metrics: running.metricsUrl }) }, 'ready');
  signals.ready();
  const { checkMail } = await import('./mail/transport.js');
  await checkMail(config, logger);
}

/** Loads most of the code, which takes as long as PostgreSQL's start. `start` reports errors. */
function loadService(): void {
  import('./service.js').catch(() => undefined);
}

async function start(
  config: Config,
  context: Pick<ServiceOptions, 'connection' | 'alone' | 'logger' | 'signal'>,
): Promise<RunningService> {
  await checkAddresses(config);
  const options = { config, secret: await loadSecret(config), ...context };
  return config.workers > 1
    ? (await import('./workers/cluster.js')).startWorkers(options)
    : (await import('./service.js')).startService(options);
}

interface StopHandlers {
  /** Called with the first signal. */
  readonly onFirstSignal: (signal: string) => void;
  readonly stop: () => Promise<void>;
}

/**
 * The first signal stops the service, further ones are ignored. A signal during the start takes effect after the start,
 * but at the latest after `graceTime` milliseconds; unfinished transactions then end with their connections.
 */
function onSignals(graceTime: number, { onFirstSignal, stop }: StopHandlers): { ready(): void } {
  let ready = false;
  let signalled = false;
  let stopping = false;
  const stopOnce = (): void => {
    if (stopping) return;
    stopping = true;
    stop().then(() => process.exit(0), fail);
  };
  const onSignal = (signal: string): void => {
    if (signalled) return;
    signalled = true;
    onFirstSignal(signal);
    if (ready) stopOnce();
    else setTimeout(stopOnce, graceTime);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    ready() {
      ready = true;
      if (signalled) stopOnce();
    },
  };
}

function fail(error: unknown): never {
  const expected = error instanceof ConfigError || error instanceof DatabaseStartError;
  const address = addressFault(error);
  const text =
    address ?? (error instanceof Error ? (expected ? error.message : (error.stack ?? error.message)) : String(error));
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

main().catch(fail);
