/** Opens the database: that of DATABASE_URL, or an embedded PostgreSQL in DATA_DIR, which is started here. */
import { dataFolder, EmbeddedPostgres, EmbeddedPostgresError, isInitialised } from '@kind/embedded-postgres';
import type { Config } from '../config/config.js';
import { makeFolder, unusableFolder } from '../config/folder.js';
import { type ConnectionOptions, DatabaseStartError, NoDatabaseError } from './connection/connection.js';
import { openExternal } from './connection/external.js';

interface OpenOptions {
  /**
   * A service owns the embedded database exclusively, and stops it. A command uses that of a running service, or starts
   * it temporarily.
   */
  readonly role: 'service' | 'command';
  /** Logs progress. */
  readonly log: (line: string) => void;
  /** If set, a missing embedded database is an error and not created. */
  readonly existing?: boolean;
  /** PostgreSQL settings that override the defaults; tests switch fsync off. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called when a server is starting or connected to, for work to do meanwhile. */
  readonly onWaiting?: () => void;
}

export interface OpenedDatabase {
  readonly connection: ConnectionOptions;
  readonly embedded: boolean;
  /** Call it when no request uses the database any more. Does nothing to a database of DATABASE_URL. */
  stop(): Promise<void>;
}

/** @throws DatabaseStartError, NoDatabaseError */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir' | 'databasePool' | 'workers'>,
  options: OpenOptions,
): Promise<OpenedDatabase> {
  if (config.databaseUrl !== undefined) {
    const opening = openExternal(config.databaseUrl, options.log);
    options.onWaiting?.();
    const { url } = await opening;
    const { databaseDirectUrl: directUrl } = config;
    const connection = { url, ...(directUrl !== undefined && { directUrl }) };
    return { connection, embedded: false, stop: () => Promise.resolve() };
  }
  const { dataDir } = config;
  if (options.existing && !(await isInitialised(dataFolder(dataDir)))) {
    throw new NoDatabaseError(
      `there is no database in DATA_DIR ${dataDir}: "npm start" or "project create" makes one, or DATABASE_URL names one`,
    );
  }
  const settings = { max_connections: String(maxConnections(config)), ...options.settings };
  const database = new EmbeddedPostgres(dataDir, { ...options, settings });
  try {
    await makeFolder(dataDir);
    const connection = await database.open();
    return { connection, embedded: true, stop: () => database.stop() };
  } catch (error) {
    throw startError(dataDir, error);
  }
}

/** Connections of a process besides its pool: the listener and the index builder. */
const CONNECTIONS_BESIDE_POOL = 2;
/** Other connections: of the owner, commands, psql. */
const SPARE_CONNECTIONS = 30;

export function maxConnections({ databasePool, workers }: Pick<Config, 'databasePool' | 'workers'>): number {
  return Math.max(100, (databasePool + CONNECTIONS_BESIDE_POOL) * workers + SPARE_CONNECTIONS);
}

/** Errors of the file system become messages for the person who starts the service. */
function startError(dataDir: string, error: unknown): unknown {
  if (error instanceof EmbeddedPostgresError) return new DatabaseStartError(error.message);
  if ((error as NodeJS.ErrnoException).code === undefined) return error;
  return new DatabaseStartError(unusableFolder(dataDir, error as Error));
}
