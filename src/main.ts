/** `npm start`: from the environment to a running service, and back down on a signal. */
import 'reflect-metadata';
import { ConfigError, loadConfig } from './config/config.js';
import { loadSecret } from './config/secret.js';
import { openDatabase } from './database/open-database.js';
import { DatabaseStartError } from './database/start-error.js';
import { createLogger } from './http/logger.js';
import { startService, type Service } from './service.js';
import { greeting } from './greeting.js';

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger(config);
  const database = await openDatabase(config, { role: 'service', log: (line) => logger.info(line) });
  let service: Service | undefined;
  const stop = onSignals(async (signal) => {
    logger.info(`stopping on ${signal}`);
    await service?.stop();
    await database.stop();
    logger.info('stopped');
  });
  try {
    service = await startService({ config, secret: await loadSecret(config), connection: database.connection, logger });
  } catch (error) {
    await database.stop();
    throw error;
  }
  process.stdout.write(greeting(service.url, service.first, process.stdout.isTTY));
  logger.info({ url: service.url }, 'ready');
  stop.ready();
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
    work(signal).then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
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
  const text = error instanceof Error ? (expected ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

main().catch(fail);
