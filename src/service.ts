/**
 * A service in one process: starting it from a configuration and a database, and stopping it without losing requests.
 */
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { createApp } from './app.setup.js';
import { prepareProjects, type FirstProject } from './before-serving.js';
import { MODEL_CHANNEL } from './catalog/model/raise-version.js';
import { IndexBuilder } from './catalog/indexes/index-builder.js';
import { ModelStore } from './catalog/model/model-store.js';
import { ProjectUpgrades } from './catalog/project/project-upgrades.js';
import { PROJECT_CHANNEL } from './catalog/project/provisioning.js';
import type { Config } from './config/config.js';
import { directConnection, serverAddress, type ConnectionOptions } from './database/connection/connection.js';
import { Database, type Transaction } from './database/database.js';
import { Listener, type ListenerEvents } from './database/listener.js';
import { openPool } from './database/connection/open-pool.js';
import { Replica } from './database/replica.js';
import { ServiceRegistration } from './database/registry/service-registration.js';
import { checkSecretsKey } from './database/registry/secrets-check.js';
import { ProjectRepository } from './database/registry/project.repository.js';
import { slowStatementsAtOnce } from './database/statement/slow-statements.js';
import { migrateRegistry } from './database/registry/registry.js';
import { idleTimeoutFor, STATEMENT_TIMEOUT } from './database/connection/session-settings.js';
import { Metrics } from './metrics/metrics.js';
import { ProjectLoads } from './metrics/project-loads.js';
import { serveMetrics } from './metrics/metrics.server.js';
import { ObjectCollector } from './file/object-collector.js';
import { CHANGE_CHANNEL, ChangeNotices } from './changes/change-notices.js';
import { FeedGeneration } from './changes/feed-generation.js';
import { LiveLists } from './changes/live/live-lists.js';
import { Followers } from './changes/follow/followers.js';
import { Waiting } from './changes/waiting/waiting.js';
import { OpenConnections, stopServing } from './http/server/stop-serving.js';
import { OpenRequests } from './http/server/open-requests.js';
import { serviceUrl } from './listen-address.js';
import { MailQueue } from './mail/mail-queue.js';
import { Schedules } from './function/schedule/schedules.js';
import { UnservedLog } from './function/unserved-modules.js';
import { PublicAddress } from './mail/public-address.js';
import { SecretBox } from './shared/secret-box.js';
import { errorText } from './shared/texts.js';
import { notifyStatement } from './sql/server/connection.sql.js';
import type { ReceivedConnections } from './workers/connection-balancer.js';
import { ProjectStore } from './tenancy/project-store.js';
import { OwnPlaces } from './outgoing/own-places.js';
import { placeOfUrl, type HostAndPort } from './outgoing/places.js';
import type { WorkerLoads } from './workers/worker-loads.js';

export interface Service {
  readonly app: NestExpressApplication;
  readonly database: Database;
  /** The address on which it listens. */
  readonly url: string;
  readonly first: FirstProject;
  /** The separate address of its metrics, if there is one. */
  readonly metricsUrl?: string;
  /**
   * Finishes requests in progress, for at most the grace time, then closes the database connections. Further calls
   * return the same promise.
   */
  stop(): Promise<void>;
  /** Lets `/health/ready` fail, before the stop. */
  announceStop(): void;
}

export interface ServiceOptions {
  readonly config: Config;
  readonly secret: string;
  readonly connection: ConnectionOptions;
  readonly logger: Logger;
  /** Set if no other service can use the database, as with an embedded one. */
  readonly alone?: boolean;
  /** The first project, if another process has prepared registry and projects. */
  readonly prepared?: FirstProject;
  /** Set in one of several processes that share the port. */
  readonly worker?: WorkerOptions;
  /** Aborts a start that is waiting. */
  readonly signal?: AbortSignal;
}

interface WorkerOptions {
  /** The address on which the primary listens. */
  readonly url: string;
  readonly connections: ReceivedConnections;
  /** Collects the metrics of all processes. */
  readonly metricsOfAll: () => Promise<string>;
  /** The numbers of one project, likewise. */
  readonly loads: WorkerLoads;
}

/** The minimum time in milliseconds to send queued mails, also with a shorter grace time. */
export const MAIL_GRACE = 2000;

export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, connection, logger, worker } = options;
  const { app, database, dataSource, registration, replica } = await assemble(options);
  replica?.start(database);
  const maintenance = app.get(ProjectUpgrades);
  app.get(ModelStore).onOutdated = (id) => maintenance.upgradeOnDemand(id);
  const listener = new Listener(
    directConnection(connection),
    [MODEL_CHANNEL, PROJECT_CHANNEL, CHANGE_CHANNEL],
    announcementHandlers(app, logger, connection),
    async (channel, payload) => void (await database.run(notifyStatement(channel, payload))),
  );
  const stopListener = async (error: unknown): Promise<never> => {
    await listener.stop();
    throw error;
  };
  if (worker) app.get(Metrics).join(worker.metricsOfAll);
  worker?.loads.join(app.get(ProjectLoads));
  const listening = listener.start();
  const first = options.prepared ?? (await prepareProjects(app, config, logger, options.signal).catch(stopListener));
  await listening;
  const server = app.getHttpServer();
  const connections = new OpenConnections(server);
  if (worker) worker.connections.serveWith(server);
  else await app.listen(config.port, config.host);
  // With several processes, the primary serves the metrics.
  const metricsAddress = worker ? undefined : config.metrics;
  const metrics = metricsAddress && (await serveMetrics(metricsAddress, () => app.get(Metrics).text()));
  await app.get(IndexBuilder).watch();
  maintenance.watch();
  await app.get(UnservedLog).watch();
  app.get(Schedules).watch();
  app.get(Followers).watch();
  app.get(ObjectCollector).watch();
  const url = worker?.url ?? serviceUrl(server, config.host);
  app.get(PublicAddress).listensAt(url);
  app.get(OwnPlaces).are(ownPlaces(options, [url, ...(metrics ? [metrics.url] : [])]));
  const stop = async (): Promise<void> => {
    const serving = { server, requests: app.get(OpenRequests), connections };
    app.get(Waiting).stop();
    const grace = config.shutdownGrace;
    await Promise.all([stopServing(serving, config), app.get(Schedules).stop(grace), app.get(Followers).stop(grace)]);
    await app.get(MailQueue).drain(Math.max(MAIL_GRACE, config.shutdownGrace));
    await metrics?.stop();
    await listener.stop();
    await app.close();
    await replica?.stop();
    await registration.unregister();
    await dataSource.destroy();
  };
  let stopping: Promise<void> | undefined;
  const announceStop = (): void => app.get(OpenRequests).enter('stopping');
  const running = { app, database, first, url, announceStop, stop: () => (stopping ??= stop()) };
  return metrics ? { ...running, metricsUrl: metrics.url } : running;
}

/** Prepares registry and projects without serving: done once for several processes. */
export async function prepareService(options: ServiceOptions): Promise<FirstProject> {
  const { app, dataSource, registration } = await assemble(options);
  try {
    return await prepareProjects(app, options.config, options.logger, options.signal);
  } finally {
    await app.close();
    await registration.unregister();
    await dataSource.destroy();
  }
}

async function assemble(options: ServiceOptions) {
  const { config, secret, connection, logger, prepared, signal, alone = false } = options;
  const warn = (line: string): void => logger.warn(line);
  const idleTimeout = idleTimeoutFor(config.functionTimeout);
  const { dataSource, reachability } = await openPool(connection, {
    pool: config.databasePool,
    statementTimeout: STATEMENT_TIMEOUT,
    idleTimeout,
    limitsTemporaryFiles: true,
    warn,
  });
  if (reachability.superuser && !prepared) logger.warn(SUPERUSER_WARNING);
  if (reachability.temporaryFiles === 'unlimited' && !prepared) logger.warn(UNLIMITED_FILES_WARNING);
  const replica = replicaOf(options);
  const database = new Database(dataSource, {
    ...(replica && { replica }),
    onAfterCommitError: (error) => logger.error({ err: error }, 'work after a commit failed'),
    pooled: reachability.pooled,
    idleTimeout,
    retryTimeout: config.functionTimeout,
    prepares: config.databasePrepared,
    onUnprepared: (err) => logger.warn({ reason: err.message }, UNPREPARED_WARNING),
    slowStatements: slowStatementsAtOnce(config.databasePool, config.workers),
    direct: directConnection(connection),
  });
  const register = async (): Promise<ServiceRegistration> => {
    if (!prepared) await migrateRegistry(dataSource, { log: (line) => logger.info(line), signal });
    const origin = secretOriginOf(config);
    const { serviceId: id } = database;
    const keys = { box: SecretBox.of(config, secret), config };
    const check = (tx: Transaction): Promise<void> => checkSecretsKey(tx, keys);
    return ServiceRegistration.register(database, { id, secret, origin, alone, check, log: logger, signal });
  };
  const registry = new ProjectRepository(dataSource);
  // The application uses the database only later, so both are done at the same time.
  const [registered, created] = await Promise.allSettled([
    register(),
    createApp({ config, secret, registry, database, logger }, logger),
  ]);
  if (registered.status === 'fulfilled' && created.status === 'fulfilled') {
    return { app: created.value, database, dataSource, registration: registered.value, replica };
  }
  if (created.status === 'fulfilled') await created.value.close();
  if (registered.status === 'fulfilled') await registered.value.unregister();
  await dataSource.destroy();
  throw [registered, created].find((each) => each.status === 'rejected')?.reason;
}

/** Where the service listens, and its database. */
function ownPlaces({ config, connection }: ServiceOptions, urls: readonly string[]): HostAndPort[] {
  const databases = [connection, directConnection(connection), ...(config.replica ? [config.replica] : [])];
  return [...urls.map((each) => placeOfUrl(new URL(each))), ...databases.map(serverAddress)];
}

/** The replica of the settings, which is connected to when it is started. */
function replicaOf({ config, logger }: ServiceOptions): Replica | undefined {
  if (!config.replica) return undefined;
  const { url, maxLag } = config.replica;
  const limits = {
    statementTimeout: STATEMENT_TIMEOUT,
    idleTimeout: idleTimeoutFor(config.functionTimeout),
    limitsTemporaryFiles: true,
  };
  const open = async () => {
    const warn = (line: string): void => logger.warn(line);
    const { dataSource, reachability } = await openPool({ url }, { pool: config.databasePool, ...limits, warn });
    const { pooled } = reachability;
    const database = new Database(dataSource, { pooled, prepares: config.databasePrepared });
    return { database, close: () => dataSource.destroy() };
  };
  return new Replica({ maxLag, open, log: logger });
}

/** Describes the origin of the secret, for messages. */
function secretOriginOf({ jwtSecret, dataDir }: Config): string {
  return jwtSecret === undefined ? `the secret that was generated into ${dataDir}` : 'JWT_SECRET';
}

const SUPERUSER_WARNING =
  'the service connects to PostgreSQL as a superuser: give it a role that has its database and no rights beyond it';

const UNLIMITED_FILES_WARNING =
  'temporary files of PostgreSQL have no limit, so a statement may fill its disk: GRANT SET ON PARAMETER temp_file_limit to the role of DATABASE_URL (behind a pooler: ALTER ROLE … SET temp_file_limit)';

const UNPREPARED_WARNING =
  'prepared statements are not kept by what DATABASE_URL leads through: the service goes on without them; DATABASE_PREPARED=off says so from the start';

/** The only line about an outage of work in the background: see `isDatabaseAway`. */
const LOST_WARNING =
  'the connection to PostgreSQL is lost: announcements of other processes are not heard, and work in the background waits';

/** Removes models and projects from the caches when other processes announce changes. */
function announcementHandlers(
  app: NestExpressApplication,
  logger: Logger,
  connection: ConnectionOptions,
): ListenerEvents {
  const models = app.get(ModelStore);
  const projects = app.get(ProjectStore);
  const notices = app.get(ChangeNotices);
  return {
    onNotification(channel: string, payload: string): void {
      if (channel === CHANGE_CHANNEL) return notices.heard(payload);
      if (channel === PROJECT_CHANNEL) {
        projects.forget(payload);
        models.forget(payload);
        return;
      }
      const [project = '', version] = payload.split(':');
      models.announced(project, Number(version));
    },
    onGap(): void {
      models.clear();
      projects.clear();
      app.get(FeedGeneration).forget();
      app.get(LiveLists).readAgain();
    },
    onFailure(reason): void {
      projects.setListening(false);
      switch (reason.type) {
        case 'lost':
          logger.warn({ reason: errorText(reason.error) }, LOST_WARNING);
          return;
        case 'silent':
          logger.warn(notListeningText(connection));
          return;
      }
    },
    onRecovery(): void {
      projects.setListening(true);
      logger.info('PostgreSQL answers, and announcements of other processes are heard again');
    },
  };
}

/** The warning, with the setting that has to be changed. */
function notListeningText(connection: ConnectionOptions): string {
  const direct = 'url' in connection && connection.directUrl !== undefined;
  return direct
    ? 'announcements of other processes are not heard: DATABASE_DIRECT_URL does not lead past a transaction pooler to the database of DATABASE_URL; settings of projects are asked for every second'
    : 'announcements of other processes are not heard: DATABASE_URL leads through a transaction pooler; settings of projects are asked for every second, unless DATABASE_DIRECT_URL leads past it';
}
