/** The module of shared services: configuration, database, projects, models. */
import { Module, type DynamicModule } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { Catalog } from './catalog/catalog.service.js';
import { DefinitionChangeService } from './catalog/definition/definition-change.service.js';
import { IndexBuilder } from './catalog/indexes/index-builder.js';
import { ModelStore } from './catalog/model/model-store.js';
import { ExpiredRows } from './catalog/project/expired-rows.js';
import { PatternMatcher } from './catalog/pattern/pattern-matcher.js';
import { ProjectContents } from './catalog/project/project-contents.js';
import { ProjectUpgrades } from './catalog/project/project-upgrades.js';
import { Provisioning } from './catalog/project/provisioning.js';
import { StorageSizes } from './catalog/project/storage-sizes.js';
import { type Config, CONFIG, SECRET } from './config/config.js';
import { Database } from './database/database.js';
import { ProjectRepository } from './database/registry/project.repository.js';
import { FILE_STORE } from './file/objects.js';
import { OwnStore } from './file/own-store.js';
import { ProjectObjects } from './file/project-objects.js';
import { openStore } from './file/store/open-store.js';
import { LOGGER } from './http/log/logger.js';
import { InnerRoutes } from './http/server/inner-routes.js';
import { OpenRequests } from './http/server/open-requests.js';
import { MetricSources } from './shared/metric-sources.js';
import { SecretBox } from './shared/secret-box.js';
import { Deployments } from './catalog/session/session.js';
import { IdempotencyKeys } from './run/idempotency-keys.js';
import { KeptBytes } from './tenancy/kept-bytes.js';
import { Runner } from './run/runner.js';
import { Overload } from './tenancy/overload.js';
import { RequestBodies } from './tenancy/request-bodies.js';
import { RequestRates } from './tenancy/request-rates.js';
import { AuditLog } from './tenancy/audit-log.js';
import { ProjectStore } from './tenancy/project-store.js';

export interface Platform {
  readonly config: Config;
  readonly secret: string;
  readonly registry: ProjectRepository;
  readonly database: Database;
  /** Without it, nothing is logged. */
  readonly logger?: Logger;
  /** Whether the process runs a command of the command line. */
  readonly isCommand?: true;
}

@Module({})
export class PlatformModule {
  static register({
    config,
    secret,
    registry,
    database,
    logger = pino({ enabled: false }),
    isCommand,
  }: Platform): DynamicModule {
    const values = [
      { provide: CONFIG, useValue: config },
      { provide: SECRET, useValue: secret },
      { provide: ProjectRepository, useValue: registry },
      { provide: SecretBox, useFactory: () => SecretBox.of(config, secret) },
      { provide: Database, useValue: database },
      { provide: FILE_STORE, useFactory: () => new OwnStore(database, openStore(config.files)) },
      { provide: ProjectContents, useClass: ProjectObjects },
      { provide: LOGGER, useValue: logger },
      { provide: AuditLog, useFactory: () => new AuditLog(config, logger, isCommand === true) },
      { provide: MetricSources, useFactory: () => databaseMeasurements(database) },
    ];
    const services = [
      OpenRequests,
      InnerRoutes,
      RequestBodies,
      RequestRates,
      Overload,
      ProjectStore,
      ModelStore,
      Catalog,
      IndexBuilder,
      DefinitionChangeService,
      PatternMatcher,
      Provisioning,
      ProjectUpgrades,
      ExpiredRows,
      StorageSizes,
      Deployments,
      IdempotencyKeys,
      KeptBytes,
      Runner,
    ];
    return {
      module: PlatformModule,
      global: true,
      providers: [...values, ...services],
      exports: [
        CONFIG,
        SECRET,
        FILE_STORE,
        ProjectContents,
        SecretBox,
        ProjectRepository,
        Database,
        LOGGER,
        AuditLog,
        MetricSources,
        ...services,
      ],
    };
  }
}

function databaseMeasurements(database: Database): MetricSources {
  const metricSources = new MetricSources();
  const name = 'kind_database_connections';
  const help = 'Connections of the pool.';
  metricSources.addGauge(name, help, () => database.connections.used, { state: 'used' });
  metricSources.addGauge(name, help, () => database.connections.idle, { state: 'idle' });
  metricSources.addGauge(`${name}_waiting`, 'Work that waits for a connection.', () => database.connections.waiting);
  const { replica } = database;
  if (replica) {
    const lag = 'The age of the data of the replica in seconds.';
    metricSources.addGauge('kind_replica_lag_seconds', lag, () => replica.lag, {}, 'max');
    const reads = 'Statements with Kind-Consistency: eventual, by the server that answered them.';
    metricSources.addCounter('kind_replica_reads_total', reads, () => replica.reads.replica, { server: 'replica' });
    metricSources.addCounter('kind_replica_reads_total', reads, () => replica.reads.primary, { server: 'primary' });
  }
  metricSources.addGauge(`${name}_max`, 'The most connections (DATABASE_POOL).', () => database.connections.max);
  return metricSources;
}
