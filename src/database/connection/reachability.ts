/**
 * What stands between the service and PostgreSQL, found out by connecting: whether the settings of a connection are kept
 * when they come with its startup, or hold without that, and whether a pooler is in between.
 */
import { Client } from 'pg';
import { alterRoleText, readSettingsStatement } from '../../sql/session-settings.sql.js';
import { clientOptions, addressOf, type ConnectionOptions } from './connection.js';
import {
  missingSettings,
  startupOptions,
  describeMissing,
  type MissingSetting,
  type SessionSettings,
} from './session-settings.js';
import { isDatabaseFault } from '../statement/sqlstate.js';
import { DatabaseStartError } from './start-error.js';

export interface Reachability {
  /** The startup parameter `options`; left out where the settings hold without it. */
  readonly options?: string;
  /** Whether a pooler is in between, so that a connection is perhaps not one backend of the server. */
  readonly pooled: boolean;
  /** Whether the role may do anything on the server. */
  readonly superuser: boolean;
}

interface Found extends Reachability {
  readonly missing: readonly MissingSetting[];
  readonly role: string;
  readonly database: string;
}

/** What runs a statement on one connection. */
type Ask = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>;

interface SettingRow {
  readonly name: string;
  readonly value: string;
  readonly backend: number;
  readonly role: string;
  readonly database: string;
  readonly superuser: boolean;
}

/** @throws DatabaseStartError in one line where a connection would not have the settings that it must have */
export async function findReachability(
  connection: ConnectionOptions,
  settings: SessionSettings,
): Promise<Reachability> {
  const options = startupOptions(settings);
  const sent = await look(connection, settings, options).catch((error: unknown) => {
    // A pooler refuses startup parameters that it does not know. What else is wrong is found without them too.
    if (isDatabaseFault(error)) return undefined;
    throw error;
  });
  if (sent?.missing.length === 0) return sent;
  const kept = await look(connection, settings);
  if (kept.missing.length === 0) return kept;
  throw new DatabaseStartError(refusal(connection, kept));
}

/** The settings that a connection does not have as it must. */
export async function findMissingSettings(ask: Ask, settings: SessionSettings): Promise<MissingSetting[]> {
  return missingSettings(settings, valuesOf(await readSettings(ask, settings)));
}

/** A pooler may lead each connection to another backend: behind one, two are looked at. */
async function look(connection: ConnectionOptions, settings: SessionSettings, options?: string): Promise<Found> {
  const first = await lookOnce(connection, settings, options);
  if (!first.pooled) return first;
  const second = await lookOnce(connection, settings, options);
  return first.missing.length > 0 ? first : second;
}

async function lookOnce(connection: ConnectionOptions, settings: SessionSettings, options?: string): Promise<Found> {
  const client = new Client({ ...clientOptions(connection, options), connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const rows = await readSettings((text, values) => client.query(text, values), settings);
    const [row] = rows;
    if (!row) throw new DatabaseStartError(`the database at ${addressOf(connection)} tells none of its settings`);
    const { backend, role, database, superuser } = row;
    // A pooler tells a number of its own, not that of the backend.
    const pooled = (client as unknown as { processID: number | null }).processID !== backend;
    const missing = missingSettings(settings, valuesOf(rows));
    return { pooled, superuser, role, database, missing, ...(options !== undefined && { options }) };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function readSettings(ask: Ask, settings: SessionSettings): Promise<SettingRow[]> {
  const { text, values } = readSettingsStatement([...settings.keys()]);
  return (await ask(text, [...values])).rows as SettingRow[];
}

function valuesOf(rows: readonly SettingRow[]): Map<string, string> {
  return new Map(rows.map(({ name, value }) => [name, value]));
}

function refusal(connection: ConnectionOptions, { missing, role, database, pooled }: Found): string {
  const wanted = new Map(missing.map(({ name, wants }) => [name, wants]));
  const through = pooled ? `a pooler at ${addressOf(connection)}` : addressOf(connection);
  return (
    `DATABASE_URL: leads through ${through}, which does not hand on what the service sets its connections to: ` +
    `${describeMissing(missing)}. Give the role these settings itself, then let the pooler connect anew: ${alterRoleText(role, database, wanted)}`
  );
}
