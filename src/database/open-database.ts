/** Opens the database: that of DATABASE_URL, or an embedded PostgreSQL in DATA_DIR, which is started here. */
import type { Config } from '../config/config.js';
import { type ConnectionOptions, NoDatabaseError } from './connection/connection.js';
import { dataFolder, isInitialised } from './embedded/data-folder.js';
import { EmbeddedDatabase } from './embedded/embedded-database.js';
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
  const folder = dataFolder(config.dataDir);
  if (options.existing && !(await isInitialised(folder))) {
    throw new NoDatabaseError(
      `there is no database in DATA_DIR ${config.dataDir}: "npm start" or "project create" makes one, or DATABASE_URL names one`,
    );
  }
  const database = new EmbeddedDatabase(config, options);
  const connection = await database.open();
  return { connection, embedded: true, stop: () => database.stop() };
}
