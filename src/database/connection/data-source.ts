/** TypeORM's data source: the connection pool of the process, and the entities and migrations of the registry. */
import pg, { type Client } from 'pg';
import { DataSource } from 'typeorm';
import { REGISTRY_SCHEMA } from '../../model/names.js';
import { typeormOptions, type ConnectionOptions } from './connection.js';
import { GuardedClient } from './guarded-client.js';
import { MIGRATIONS } from '../migrations/migrations.js';
import { ProjectEntity } from '../entities/project.entity.js';

interface PoolOptions {
  /** Maximum of connections of this process. */
  readonly pool: number;
  /** The startup parameter `options`, from `findReachability`. */
  readonly options?: string | undefined;
  /** Checks each new connection; if it rejects, the connection is not used. */
  readonly verify?: (client: Client) => Promise<void>;
}

/** Milliseconds of silence before the first TCP keepalive. */
const KEEPALIVE_DELAY = 30_000;

export function createDataSource(connection: ConnectionOptions, { pool, options, verify }: PoolOptions): DataSource {
  const { extra, ...address } = typeormOptions(connection, options);
  return new DataSource({
    type: 'postgres',
    // TypeORM would load them itself, from outside of the bundle.
    driver: pg,
    nativeDriver: false,
    ...address,
    schema: REGISTRY_SCHEMA,
    entities: [ProjectEntity],
    migrations: [...MIGRATIONS],
    migrationsTableName: 'migrations',
    applicationName: 'kind',
    poolSize: pool,
    connectTimeoutMS: 5000,
    logging: false,
    installExtensions: false,
    // The pool replaces broken idle connections; requests in flight get their own error.
    poolErrorHandler: () => undefined,
    extra: {
      Client: GuardedClient,
      // Connections are replaced regularly, so that the caches of their PostgreSQL processes stay bounded.
      maxLifetimeSeconds: 1800,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_DELAY,
      ...extra,
      ...(verify && {
        verify: (client: Client, done: (error?: Error) => void) => {
          verify(client).then(() => done(), done);
        },
      }),
    },
  });
}
