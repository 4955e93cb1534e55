/** TypeORM's data source: the one pool of a process, the registry's entities and migrations. */
import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import { REGISTRY_SCHEMA } from '../../model/names.js';
import { typeormOptions, type ConnectionOptions } from './connection.js';
import { GuardedClient } from './guarded-client.js';
import { Registry1763700000000 } from '../migrations/1763700000000-registry.js';
import { Unindexed1763800000000 } from '../migrations/1763800000000-unindexed.js';
import { Presence1764000000000 } from '../migrations/1764000000000-presence.js';
import { ProjectEntity } from '../entities/project.entity.js';

export interface PoolOptions {
  /** Connections of this process at most. */
  readonly pool: number;
  /** The startup parameter `options`, as `findReach` found it to be taken. */
  readonly options?: string | undefined;
  /** Looks at each new connection; one that it refuses is not used. */
  readonly verify?: (client: Client) => Promise<void>;
}

/** Milliseconds after which the system asks whether the other end of a silent connection is still there. */
const KEEPALIVE = 30_000;

export function createDataSource(connection: ConnectionOptions, { pool, options, verify }: PoolOptions): DataSource {
  const { extra, ...address } = typeormOptions(connection, options);
  return new DataSource({
    type: 'postgres',
    ...address,
    schema: REGISTRY_SCHEMA,
    entities: [ProjectEntity],
    migrations: [Registry1763700000000, Unindexed1763800000000, Presence1764000000000],
    migrationsTableName: 'migrations',
    applicationName: 'kind',
    poolSize: pool,
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
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE,
      ...extra,
      ...(verify && {
        verify: (client: Client, done: (error?: Error) => void) => {
          verify(client).then(() => done(), done);
        },
      }),
    },
  });
}
