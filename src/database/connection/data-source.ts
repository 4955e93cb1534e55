/** TypeORM's data source: the connection pool of the process, and the entities and migrations of the registry. */
import pg, { Client, type ClientConfig, type Pool } from 'pg';
import { DataSource } from 'typeorm';
import { REGISTRY_SCHEMA } from '../../model/names.js';
import { typeormOptions, type ConnectionOptions } from './connection.js';
import { MIGRATIONS } from '../migrations/migrations.js';
import { ProjectEntity } from '../entities/project.entity.js';
import type { Duplex } from 'node:stream';
import { streamOf, idleOf } from '../pg-internals.js';

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

type DataHandler = (chunk: Buffer) => void;

/**
 * An exception in the parser of `pg`, as for a string longer than the maximum of JavaScript, would otherwise be
 * uncaught, and the query would never settle.
 */
export class GuardedClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    // The query reports the error. Without a listener, the event would end the process.
    this.on('error', () => undefined);
    this.once('connect', () => guardHandlers(streamOf(this)));
  }
}

function guardHandlers(stream: Duplex): void {
  for (const handler of stream.listeners('data') as DataHandler[]) {
    const guarded = (chunk: Buffer): void => {
      try {
        handler(chunk);
      } catch (error) {
        stream.destroy(error as Error);
      }
    };
    stream.on('data', guarded);
    stream.off('data', handler);
  }
}

/**
 * Makes the pool take a connection that is preferred next, if one is idle. `pg-pool` takes the last of its private list;
 * without that list, it takes any connection.
 */
export function preferIdle(pool: Pool, isPreferred: (client: object) => boolean): void {
  const idle = idleOf(pool);
  if (!idle || idle.length < 2) return;
  for (let at = idle.length - 1; at >= 0; at -= 1) {
    const item = idle[at];
    if (!item || !isPreferred(item.client)) continue;
    if (at < idle.length - 1) idle.push(...idle.splice(at, 1));
    return;
  }
}
