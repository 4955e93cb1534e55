/** Opens the connection pool with the session settings that statements rely on, also behind a pooler. */
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { EventThrottle } from '../../shared/event-throttle.js';
import { LIMITS } from '../../shared/limits.js';
import { type ConnectionOptions, clientOptions, databaseAddress, DatabaseStartError } from './connection.js';
import { createDataSource } from './data-source.js';
import {
  sessionSettings,
  describeMissing,
  type SessionLimits,
  type SessionSettings,
  missingSettings,
  startupOptions,
  type MissingSetting,
} from './session-settings.js';
import { alterRoleText, readSettingsStatement } from '../../sql/server/connection.sql.js';
import { isDatabaseFault } from '../statement/sqlstate.js';
import { keyOfClient } from '../pg-internals.js';

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

/**
 * Finds out by connecting whether a pooler is in between, and how the session settings can be applied: by the startup
 * parameter, or because the role has them.
 */
interface Reachability {
  /** The startup parameter `options`; undefined if the settings apply without it. */
  readonly options?: string;
  /** Whether a pooler is in between, so that a connection may not be one backend of the server. */
  readonly pooled: boolean;
  /** Whether the role is a superuser. */
  readonly superuser: boolean;
  /** Whether the temporary files of a statement have a limit, could get one by `options`, or have none. */
  readonly temporaryFiles: 'limited' | 'limitable' | 'unlimited';
}

interface ProbeResult extends Reachability {
  readonly missing: readonly MissingSetting[];
  readonly role: string;
  readonly database: string;
}

/** Runs a statement on one connection. */
type SendQuery = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>;

interface SettingRow {
  readonly name: string;
  readonly value: string;
  readonly backend: number;
  readonly role: string;
  readonly database: string;
  readonly superuser: boolean;
  readonly unlimited: boolean;
  readonly limits: boolean;
}

/** @throws DatabaseStartError if connections would lack required settings */
async function findReachability(connection: ConnectionOptions, settings: SessionSettings): Promise<Reachability> {
  const options = startupOptions(settings);
  const withStartup = await probeConnection(connection, settings, options).catch((error: unknown) => {
    // Poolers reject unknown startup parameters. Any other problem occurs without them too.
    if (isDatabaseFault(error)) return undefined;
    throw error;
  });
  if (withStartup?.missing.length === 0) return withStartup;
  const withoutStartup = await probeConnection(connection, settings);
  if (withoutStartup.missing.length === 0) return withoutStartup;
  throw new DatabaseStartError(missingSettingsError(connection, withoutStartup));
}

/** The required settings that a connection lacks. */
async function findMissingSettings(send: SendQuery, settings: SessionSettings): Promise<MissingSetting[]> {
  return missingSettings(settings, settingValues(await readSettings(send, settings)));
}

/** A pooler can assign another backend to each connection: behind one, two connections are checked. */
async function probeConnection(
  connection: ConnectionOptions,
  settings: SessionSettings,
  options?: string,
): Promise<ProbeResult> {
  const first = await probeOnce(connection, settings, options);
  if (!first.pooled) return first;
  const second = await probeOnce(connection, settings, options);
  return first.missing.length > 0 ? first : second;
}

async function probeOnce(
  connection: ConnectionOptions,
  settings: SessionSettings,
  options?: string,
): Promise<ProbeResult> {
  const client = new Client({ ...clientOptions(connection, options), connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const rows = await readSettings((text, values) => client.query(text, values), settings);
    const [row] = rows;
    if (!row) throw new DatabaseStartError(`the database at ${databaseAddress(connection)} tells none of its settings`);
    const { backend, role, database, superuser, unlimited, limits } = row;
    // A pooler reports a process id of its own, not that of the backend.
    const pooled = keyOfClient(client).processID !== backend;
    const missing = missingSettings(settings, settingValues(rows));
    const limitable = limits && !pooled && options !== undefined;
    const temporaryFiles = !unlimited ? 'limited' : limitable ? 'limitable' : 'unlimited';
    return { pooled, superuser, temporaryFiles, role, database, missing, ...(options !== undefined && { options }) };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function readSettings(send: SendQuery, settings: SessionSettings): Promise<SettingRow[]> {
  const { text, values } = readSettingsStatement([...settings.keys()]);
  return (await send(text, [...values])).rows as SettingRow[];
}

function settingValues(rows: readonly SettingRow[]): Map<string, string> {
  return new Map(rows.map(({ name, value }) => [name, value]));
}

function missingSettingsError(connection: ConnectionOptions, { missing, role, database, pooled }: ProbeResult): string {
  const wanted = new Map(missing.map(({ name, wants }) => [name, wants]));
  const through = pooled ? `a pooler at ${databaseAddress(connection)}` : databaseAddress(connection);
  return (
    `DATABASE_URL: leads through ${through}, which does not hand on what the service sets its connections to: ` +
    `${describeMissing(missing)}. Give the role these settings itself, then let the pooler connect anew: ${alterRoleText(role, database, wanted)}`
  );
}
