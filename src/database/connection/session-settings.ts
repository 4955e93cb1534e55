/**
 * Settings of every connection of the pool, independent of server, database and role: values that statements rely on,
 * and timeouts that protect other requests.
 */

export interface SessionLimits {
  /** Milliseconds after which PostgreSQL ends a statement. */
  readonly statementTimeout: number;
  /** Milliseconds after which PostgreSQL ends an idle transaction. */
  readonly idleTimeout: number;
}

interface Setting {
  /** The value for `SET`. */
  readonly value: string;
  /** Whether a value of the server, in its own unit, is acceptable. Undefined if the setting is not required. */
  readonly holds?: (value: string) => boolean;
}

export type SessionSettings = ReadonlyMap<string, Setting>;

/**
 * Lock timeouts in milliseconds. A statement that runs alone fails soon, so that many that wait for one row do not hold
 * all connections; it is then run again in a transaction (`Database`), which waits longer than usual changes take.
 */
export const LOCK_TIMEOUTS = { alone: 100, transaction: 10_000 };
/** Milliseconds: the longest that a role may have instead of `LOCK_TIMEOUTS.alone`, behind a pooler. */
const LONGEST_LOCK_TIMEOUT = 1000;

/** TCP keepalives of the server, which detect broken connections: seconds, and count. */
const KEEPALIVES = { idle: 30, interval: 10, count: 3 };
/** Milliseconds that sent data may stay unacknowledged. */
const TCP_USER_TIMEOUT = 60_000;

/** Statement timeout in milliseconds, so that a query of one tenant does not block others. */
export const STATEMENT_TIMEOUT = 30_000;

/** Milliseconds: the minimum for user code inside a transaction, and a margin for the service. */
const IDLE_TIME = { userCode: 10_000, margin: 5000 };

/** The idle timeout for transactions in which functions, hooks or sources with this time limit run. */
export function idleTimeoutFor(limit: number): number {
  return Math.max(IDLE_TIME.userCode, limit) + IDLE_TIME.margin;
}

const isPositive = (value: string): boolean => Number(value) > 0;
const isShort = (value: string): boolean => isPositive(value) && Number(value) <= LONGEST_LOCK_TIMEOUT;

export function sessionSettings({ statementTimeout, idleTimeout }: SessionLimits): SessionSettings {
  return new Map<string, Setting>([
    ['statement_timeout', { value: `${statementTimeout}ms`, holds: isPositive }],
    // A stopped process or a lost machine must not hold its locks for ever.
    ['idle_in_transaction_session_timeout', { value: `${idleTimeout}ms`, holds: isPositive }],
    ['lock_timeout', { value: `${LOCK_TIMEOUTS.alone}ms`, holds: isShort }],
    ['timezone', { value: 'UTC', holds: (value) => /^(Etc\/)?(UTC|UCT|Universal|Zulu|GMT)$/i.test(value) }],
    ['datestyle', { value: 'ISO', holds: (value) => /^ISO\b/i.test(value) }],
    ['intervalstyle', { value: 'postgres', holds: (value) => value === 'postgres' }],
    ['bytea_output', { value: 'hex', holds: (value) => value === 'hex' }],
    ['extra_float_digits', { value: '1', holds: isPositive }],
    ['standard_conforming_strings', { value: 'on', holds: (value) => value === 'on' }],
    // JIT compilation takes longer than most of these statements.
    ['jit', { value: 'off' }],
    // Starting two parallel workers takes about as much CPU time as aggregating 100,000 rows, which PostgreSQL's default
    // of 1000 does not account for: 135,000 cities by country took 30 ms of CPU time with workers, and 17 ms without.
    ['parallel_setup_cost', { value: '10000' }],
    ['tcp_keepalives_idle', { value: String(KEEPALIVES.idle) }],
    ['tcp_keepalives_interval', { value: String(KEEPALIVES.interval) }],
    ['tcp_keepalives_count', { value: String(KEEPALIVES.count) }],
    ['tcp_user_timeout', { value: `${TCP_USER_TIMEOUT}ms` }],
  ]);
}

/** The startup parameter `options`. No value contains a space or a backslash. */
export function startupOptions(settings: SessionSettings): string {
  return [...settings].map(([name, { value }]) => `-c ${name}=${value}`).join(' ');
}

/** A required setting that a connection lacks. */
export interface MissingSetting {
  readonly name: string;
  readonly has: string | undefined;
  readonly wants: string;
}

/** @param found values by name, each in PostgreSQL's unit */
export function missingSettings(settings: SessionSettings, found: ReadonlyMap<string, string>): MissingSetting[] {
  return [...settings].flatMap(([name, { value, holds }]) => {
    const has = found.get(name);
    return holds === undefined || (has !== undefined && holds(has)) ? [] : [{ name, has, wants: value }];
  });
}

export function describeMissing(missing: readonly MissingSetting[]): string {
  return missing.map(({ name, has = 'not known', wants }) => `${name} is ${has}, wants ${wants}`).join('; ');
}
