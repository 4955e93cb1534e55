/**
 * What every connection of the pool is set to, whatever server, database and role say: the values that statements rely
 * on, and the limits that keep one of them from being everybody's trouble.
 */

export interface SessionLimits {
  /** Milliseconds after which PostgreSQL ends a statement. */
  readonly statementTimeout: number;
  /** Milliseconds after which PostgreSQL ends a transaction whose process says nothing. */
  readonly idleTimeout: number;
}

interface Setting {
  /** As `SET` takes it. */
  readonly value: string;
  /** Whether what the server has, in its own unit, will do. Left out where a connection is good without it. */
  readonly holds?: (value: string) => boolean;
}

export type SessionSettings = ReadonlyMap<string, Setting>;

/** Milliseconds that a statement waits for a lock, where its transaction does not say so: longer than changes take. */
const LOCK_TIMEOUT = 10_000;

/** How the server is told of connections whose other end is gone: seconds, and how often. */
const KEEPALIVES = { idle: 30, interval: 10, count: 3 };
/** Milliseconds that what was sent may go unconfirmed. */
const UNCONFIRMED = 60_000;

/** Milliseconds that a statement of a request may take: one tenant's question must not starve the others. */
export const STATEMENT_TIMEOUT = 30_000;

/** Milliseconds that code of authors may take inside a transaction at least, and what is left to the service beside it. */
const SILENCE = { authors: 10_000, beside: 5000 };

/** How long a transaction may be silent in which functions, hooks or sources of `limit` milliseconds run. */
export function idleTimeoutFor(limit: number): number {
  return Math.max(SILENCE.authors, limit) + SILENCE.beside;
}

const isPositive = (value: string): boolean => Number(value) > 0;

export function sessionSettings({ statementTimeout, idleTimeout }: SessionLimits): SessionSettings {
  return new Map<string, Setting>([
    ['statement_timeout', { value: `${statementTimeout}ms`, holds: isPositive }],
    // A process that is stopped, or a machine that is gone, must not hold its locks for ever.
    ['idle_in_transaction_session_timeout', { value: `${idleTimeout}ms`, holds: isPositive }],
    // Who waits for a lock is told so, and not that a query was slow.
    ['lock_timeout', { value: `${LOCK_TIMEOUT}ms` }],
    ['timezone', { value: 'UTC', holds: (value) => /^(Etc\/)?(UTC|UCT|Universal|Zulu|GMT)$/i.test(value) }],
    ['datestyle', { value: 'ISO', holds: (value) => /^ISO\b/i.test(value) }],
    ['intervalstyle', { value: 'postgres', holds: (value) => value === 'postgres' }],
    ['bytea_output', { value: 'hex', holds: (value) => value === 'hex' }],
    ['extra_float_digits', { value: '1', holds: isPositive }],
    ['standard_conforming_strings', { value: 'on', holds: (value) => value === 'on' }],
    // No statement here is worth compiling: it takes longer than most of them do.
    ['jit', { value: 'off' }],
    ['tcp_keepalives_idle', { value: String(KEEPALIVES.idle) }],
    ['tcp_keepalives_interval', { value: String(KEEPALIVES.interval) }],
    ['tcp_keepalives_count', { value: String(KEEPALIVES.count) }],
    ['tcp_user_timeout', { value: `${UNCONFIRMED}ms` }],
  ]);
}

/** As the startup parameter `options`: no value has a space or a backslash. */
export function startupOptions(settings: SessionSettings): string {
  return [...settings].map(([name, { value }]) => `-c ${name}=${value}`).join(' ');
}

/** A setting that a connection has not as it must. */
export interface MissingSetting {
  readonly name: string;
  readonly has: string | undefined;
  readonly wants: string;
}

/** @param found by name, each in PostgreSQL's own unit */
export function missingSettings(settings: SessionSettings, found: ReadonlyMap<string, string>): MissingSetting[] {
  return [...settings].flatMap(([name, { value, holds }]) => {
    const has = found.get(name);
    return holds === undefined || (has !== undefined && holds(has)) ? [] : [{ name, has, wants: value }];
  });
}

export function describeMissing(missing: readonly MissingSetting[]): string {
  return missing.map(({ name, has = 'not known', wants }) => `${name} is ${has}, wants ${wants}`).join('; ');
}
