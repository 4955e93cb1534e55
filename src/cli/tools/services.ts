/**
 * The application without HTTP, for one command: on the database of a running service, or on the embedded one, which is
 * started for the time of the command.
 */
import { randomBytes } from 'node:crypto';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '../../config/config.js';
import { findSecret, loadSecret } from '../../config/secret.js';
import { directConnection, type ConnectionOptions, NoDatabaseError } from '../../database/connection/connection.js';
import { Database } from '../../database/database.js';
import { openDatabase } from '../../database/open-database.js';
import { openPool } from '../../database/connection/open-pool.js';
import { ProjectRepository } from '../../database/registry/project.repository.js';
import { hasRegistry, migrateRegistry } from '../../database/registry/registry.js';
import { idleTimeoutFor, STATEMENT_TIMEOUT } from '../../database/connection/session-settings.js';
import { PlatformModule, type Platform } from '../../platform.module.js';
import type { Services, ServicesOptions } from './command-context.js';

const POOL_SIZE = 2;
/** Milliseconds that a command waits for the mails that it leads to. */
const MAIL_TIME = 10_000;

/** @throws DatabaseStartError, NoDatabaseError, and whatever `work` throws */
export async function withServices<T>(
  config: Config,
  work: (services: Services) => Promise<T>,
  options: ServicesOptions = {},
): Promise<T> {
  const database = await openDatabase(config, { role: 'command', log: () => undefined, existing: !options.make });
  try {
    return await withDatabase(config, database.connection, work, options);
  } finally {
    await database.stop();
  }
}

async function withDatabase<T>(
  config: Config,
  connection: ConnectionOptions,
  work: (services: Services) => Promise<T>,
  { make, seals, only }: ServicesOptions,
): Promise<T> {
  const { dataSource, reachability } = await openPool(connection, {
    pool: POOL_SIZE,
    statementTimeout: STATEMENT_TIMEOUT,
    idleTimeout: idleTimeoutFor(config.functionTimeout),
    warn: () => undefined,
  });
  try {
    if (!make && !(await hasRegistry(dataSource))) throw new NoDatabaseError(noRegistry(config));
    await migrateRegistry(dataSource);
    // Commands issue no tokens: without stored secrets to read or write, any is sufficient.
    const secret = seals ? await loadSecret(config) : ((await findSecret(config)) ?? randomBytes(32).toString('hex'));
    const platform: Platform = {
      isCommand: true,
      config,
      secret,
      registry: new ProjectRepository(dataSource),
      database: new Database(dataSource, {
        pooled: reachability.pooled,
        prepares: config.databasePrepared,
        direct: directConnection(connection),
      }),
    };
    const root = only
      ? { module: CommandModule, imports: [PlatformModule.register(platform)], providers: [...only] }
      : await wholeApplication(platform);
    const app = await NestFactory.createApplicationContext(root, {
      logger: false,
      abortOnError: false,
    });
    try {
      const result = await work({ app, config });
      if (!only) await sendMails(app);
      return result;
    } finally {
      await app.close();
    }
  } finally {
    await dataSource.destroy();
  }
}

/** The end of the process would take them along. */
async function sendMails(app: INestApplicationContext): Promise<void> {
  const { MailQueue } = await import('../../mail/mail-queue.js');
  await app.get(MailQueue).drain(MAIL_TIME);
}

/** The module of a command that does not need the whole application. */
class CommandModule {}

async function wholeApplication(platform: Platform): Promise<DynamicModule> {
  const { AppModule } = await import('../../app.module.js');
  return AppModule.register(platform);
}

function noRegistry({ databaseUrl, dataDir }: Config): string {
  const where = databaseUrl === undefined ? `of DATA_DIR ${dataDir}` : 'of DATABASE_URL';
  return `the database ${where} has never been served: "npm start" or "project create" makes it ready`;
}
