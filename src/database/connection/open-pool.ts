/** The pool of a process, on whatever DATABASE_URL leads to: its connections have the settings that statements rely on. */
import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { EventThrottle } from '../../shared/event-throttle.js';
import type { ConnectionOptions } from './connection.js';
import { createDataSource } from './data-source.js';
import { findMissingSettings, findReachability, type Reachability } from './reachability.js';
import { sessionSettings, describeMissing, type SessionLimits, type SessionSettings } from './session-settings.js';

export interface OpenPoolOptions extends SessionLimits {
  /** Connections of this process at most. */
  readonly pool: number;
  /** Gets a line where a connection of later has not what the first ones had. */
  readonly warn: (line: string) => void;
}

export interface OpenedPool {
  readonly dataSource: DataSource;
  readonly reachability: Reachability;
}

/** Milliseconds between two lines. */
const TELL_EVERY = 60_000;

/** To be destroyed when no request uses it any more. @throws DatabaseStartError as `findReach` does */
export async function openPool(connection: ConnectionOptions, options: OpenPoolOptions): Promise<OpenedPool> {
  const settings = sessionSettings(options);
  const reach = await findReachability(connection, settings);
  const dataSource = createDataSource(connection, {
    pool: options.pool,
    options: reach.options,
    ...(reach.pooled && { verify: teller(settings, options.warn) }),
  });
  await dataSource.initialize();
  return { dataSource, reachability: reach };
}

/** What a pooler hands on may change while the service runs. */
function teller(settings: SessionSettings, warn: (line: string) => void): (client: Client) => Promise<void> {
  const throttle = new EventThrottle(TELL_EVERY);
  return async (client) => {
    const missing = await findMissingSettings((text, values) => client.query(text, values), settings);
    if (missing.length > 0 && throttle.pass('missing') !== undefined) {
      warn(`a connection of the pooler lacks settings that it had before: ${describeMissing(missing)}`);
    }
  };
}
