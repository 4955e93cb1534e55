/** `npm start`: from the environment to a running service, and back down on a signal. */
import './tune.js';
import 'reflect-metadata';
import cluster from 'node:cluster';
import { addressFault, checkAddress } from './address.js';
import { serveAsWorker, startWorkers, type Running } from './cluster.js';
import { ConfigError, loadConfig, type Config } from './config/config.js';
import { loadSecret } from './config/secret.js';
import { openDatabase } from './database/open-database.js';
import { DatabaseStartError } from './database/start-error.js';
import { outliveAuthors } from './function/authored.js';
import { greeting } from './greeting.js';
import { createLogger } from './http/logger.js';
import { startService } from './service.js';

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger(config);
  outliveAuthors(logger, config.functionsDir);
  if (cluster.isWorker) return serveAsWorker(config, logger);
  const database = await openDatabase(config, { role: 'service', log: (line) => logger.info(line) });
  let running: Running | undefined;
  const signals = onSignals(async (signal) => {
    logger.info(`stopping on ${signal}`);
    await running?.stop();
    await database.stop();
    logger.info('stopped');
  });
  try {
    running = await start(config, { connection: database.connection, logger });
  } catch (error) {
    await database.stop();
    throw error;
  }
  process.stdout.write(greeting(running.url, running.first, process.stdout.isTTY));
  logger.info({ url: running.url }, 'ready');
  signals.ready();
}

async function start(
  config: Config,
  given: Pick<Parameters<typeof startService>[0], 'connection' | 'logger'>,
): Promise<Running> {
  await checkAddress(config);
  const options = { config, secret: await loadSecret(config), ...given };
  return config.workers > 1 ? startWorkers(options) : startService(options);
}

/** The first signal stops the service; more of them change nothing. One that comes during the start waits for its end. */
function onSignals(work: (signal: string) => Promise<void>): { ready(): void } {
  let ready = false;
  let pending: string | undefined;
  let stopping = false;
  const run = (signal: string): void => {
    if (stopping) return;
    if (!ready) {
      pending = signal;
      return;
    }
    stopping = true;
    work(signal).then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, run);
  return {
    ready() {
      ready = true;
      if (pending) run(pending);
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
