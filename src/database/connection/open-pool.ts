/** Opens the connection pool with the session settings that statements rely on, also behind a pooler. */
import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { EventThrottle } from '../../shared/event-throttle.js';
import { LIMITS } from '../../shared/limits.js';
import type { ConnectionOptions } from './connection.js';
import { createDataSource } from './data-source.js';
import { findMissingSettings, findReachability, type Reachability } from './reachability.js';
import { sessionSettings, describeMissing, type SessionLimits, type SessionSettings } from './session-settings.js';

interface OpenPoolOptions extends SessionLimits {
  /** Maximum of connections of this process. */
  readonly pool: number;
  /** Limits the temporary files of each statement, where the role may. */
  readonly limitsTemporaryFiles?: boolean;
  /** Logs a warning if a later connection lacks settings that the first ones had. */
  readonly warn: (line: string) => void;
}

interface OpenedPool {
  readonly dataSource: DataSource;
  readonly reachability: Reachability;
}

/** Milliseconds between two warnings. */
const WARNING_INTERVAL = 60_000;

/**
 * The data source must be destroyed when no request uses it any more. @throws DatabaseStartError as `findReachability`
 * does
 */
export async function openPool(connection: ConnectionOptions, options: OpenPoolOptions): Promise<OpenedPool> {
  const settings = sessionSettings(options);
  const reachability = await findReachability(connection, settings);
  const dataSource = createDataSource(connection, {
    pool: options.pool,
    options: optionsOf(reachability, options),
    ...(reachability.pooled && { verify: settingsCheck(settings, options.warn) }),
  });
  await dataSource.initialize();
  return { dataSource, reachability };
}

/** A limit that the server, database or role has is kept. */
function optionsOf(
  { options, temporaryFiles }: Reachability,
  { limitsTemporaryFiles = false }: OpenPoolOptions,
): string | undefined {
  if (options === undefined || !limitsTemporaryFiles || temporaryFiles !== 'limitable') return options;
  return `${options} -c temp_file_limit=${Math.ceil(LIMITS.temporaryBytes / 1024)}kB`;
}

/** The settings that a pooler passes on can change while the service is running. */
function settingsCheck(settings: SessionSettings, warn: (line: string) => void): (client: Client) => Promise<void> {
  const throttle = new EventThrottle(WARNING_INTERVAL);
  return async (client) => {
    const missing = await findMissingSettings((text, values) => client.query(text, values), settings);
    if (missing.length > 0 && throttle.pass('missing') !== undefined) {
      warn(`a connection of the pooler lacks settings that it had before: ${describeMissing(missing)}`);
    }
  };
}
