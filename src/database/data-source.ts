/** TypeORM's data source: the one pool of a process, the registry's entities and migrations. */
import { DataSource } from 'typeorm';
import { REGISTRY_SCHEMA } from '../model/names.js';
import { typeormOptions, type ConnectionOptions } from './connection.js';
import { GuardedClient } from './guarded-client.js';
import { Registry1763700000000 } from './migrations/1763700000000-registry.js';
import { Unindexed1763800000000 } from './migrations/1763800000000-unindexed.js';
import { ProjectEntity } from './registry/project.entity.js';

export interface PoolOptions {
  /** Connections of this process at most. */
  readonly pool: number;
  /** Milliseconds after which PostgreSQL ends a statement. */
  readonly statementTimeout: number;
}

export function createDataSource(connection: ConnectionOptions, options: PoolOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    ...typeormOptions(connection),
    schema: REGISTRY_SCHEMA,
    entities: [ProjectEntity],
    migrations: [Registry1763700000000, Unindexed1763800000000],
    migrationsTableName: 'migrations',
    applicationName: 'kind',
    poolSize: options.pool,
    connectTimeoutMS: 5000,
    logging: false,
    installExtensions: false,
    // Broken idle connections are replaced by the pool; requests in flight get their own error.
    poolErrorHandler: () => undefined,
    extra: {
      Client: GuardedClient,
      // A connection ends after a while, so that what PostgreSQL caches for its tables and statements stays bounded.
      maxLifetimeSeconds: 1800,
      idleTimeoutMillis: 60_000,
      statement_timeout: options.statementTimeout,
      // No statement here is worth compiling: it takes longer than most of them do.
      options:
        '-c jit=off -c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c bytea_output=hex -c extra_float_digits=1',
    },
  });
}
