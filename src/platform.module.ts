/** The module of shared services: configuration, database, projects, models. */
import { Module, type DynamicModule } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { Catalog } from './catalog/catalog.service.js';
import { DefinitionChangeService } from './catalog/definition/definition-change.service.js';
import { IndexBuilder } from './catalog/indexes/index-builder.js';
import { ModelStore } from './catalog/model/model-store.js';
import { ExpiredRows } from './catalog/project/expired-rows.js';
import { PatternMatcher } from './catalog/pattern/pattern-matcher.js';
import { ProjectMaintenance } from './catalog/project/project-maintenance.js';
import { Provisioning } from './catalog/project/provisioning.js';
import { StorageSizes } from './catalog/project/storage-sizes.js';
import { type Config, CONFIG, SECRET } from './config/config.js';
import { Database } from './database/database.js';
import { ProjectRepository } from './database/registry/project.repository.js';
import { LOGGER } from './http/log/logger.js';
import { InnerRoutes } from './http/server/inner-routes.js';
import { OpenRequests } from './http/server/open-requests.js';
import { Measurements } from './shared/measurements.js';
import { Deployments } from './catalog/session/session.js';
import { KeptAnswers } from './run/kept-answers.js';
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
      { provide: Database, useValue: database },
      { provide: LOGGER, useValue: logger },
      { provide: AuditLog, useFactory: () => new AuditLog(config, logger, isCommand === true) },
      { provide: Measurements, useFactory: () => databaseMeasurements(database) },
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
      ProjectMaintenance,
      ExpiredRows,
      StorageSizes,
      Deployments,
      KeptAnswers,
      KeptBytes,
      Runner,
    ];
    return {
      module: PlatformModule,
      global: true,
      providers: [...values, ...services],
      exports: [CONFIG, SECRET, ProjectRepository, Database, LOGGER, AuditLog, Measurements, ...services],
    };
  }
}

function databaseMeasurements(database: Database): Measurements {
  const measurements = new Measurements();
  const name = 'kind_database_connections';
  const help = 'Connections of the pool.';
  measurements.addGauge(name, help, () => database.connections.used, { state: 'used' });
  measurements.addGauge(name, help, () => database.connections.idle, { state: 'idle' });
  measurements.addGauge(`${name}_waiting`, 'Work that waits for a connection.', () => database.connections.waiting);
  const { replica } = database;
  if (replica) {
    const lag = 'The age of the data of the replica in seconds.';
    measurements.addGauge('kind_replica_lag_seconds', lag, () => replica.lag, {}, 'max');
    const reads = 'Statements with Kind-Consistency: eventual, by the server that answered them.';
    measurements.addCounter('kind_replica_reads_total', reads, () => replica.reads.replica, { server: 'replica' });
    measurements.addCounter('kind_replica_reads_total', reads, () => replica.reads.primary, { server: 'primary' });
  }
  measurements.addGauge(`${name}_max`, 'The most connections (DATABASE_POOL).', () => database.connections.max);
  return measurements;
}
