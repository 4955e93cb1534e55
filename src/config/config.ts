/**
 * The settings of the service. Only this folder reads the environment; other code receives a `Config`. All variables
 * are documented in docs/operations.md.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'dotenv';
import { nearestTo } from '../shared/texts.js';
import { LOG_LEVELS, readEnvironment, SECRET_VARIABLES, TRACE_PROTOCOLS, type Environment } from './environment.js';
import type { StoreAddress } from './store-address.js';

type LogLevel = (typeof LOG_LEVELS)[number];

/** How traces are sent. */
export type TraceProtocol = (typeof TRACE_PROTOCOLS)[number];

export interface Address {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** Times are in milliseconds, sizes in bytes, folders absolute. */
export interface Config extends Address {
  readonly production: boolean;
  /** The address of `/metrics`, if it is a separate one. */
  readonly metrics?: Address;
  readonly databaseUrl?: string;
  /** The same database, without a transaction pooler in between. */
  readonly databaseDirectUrl?: string;
  /** A replica, for reads that accept older data. */
  readonly replica?: { readonly url: string; readonly maxLag: number };
  /** Connections per process. */
  readonly databasePool: number;
  /** Whether repeated statements are prepared by name. */
  readonly databasePrepared: boolean;
  readonly dataDir: string;
  /** Where the contents of files are kept. */
  readonly files: StoreAddress;
  readonly jwtSecret?: string;
  /** What stored secrets are encrypted with, if it is not derived from the key that signs tokens. */
  readonly secretsKey?: string;
  /** What they may be encrypted with too; `jwt:` is before a former `JWT_SECRET`. */
  readonly oldSecretsKeys: readonly string[];
  readonly accessTokenTtl: number;
  readonly refreshTokenTtl: number;
  /** How long a proof of who a member is counts. */
  readonly stepUpTtl: number;
  readonly mailUrl?: string;
  readonly mailFrom: string;
  readonly publicUrl?: string;
  readonly bootstrap: BootstrapConfig;
  readonly webhooks: WebhookConfig;
  /** Where identity providers may be beside public addresses. */
  readonly identityProviders: AllowedAddresses;
  readonly functionsDir: string;
  readonly functionsWatch: boolean;
  readonly functionTimeout: number;
  /** Of a hook that looks at the content of a file. */
  readonly fileHookTimeout: number;
  readonly bodyLimit: number;
  readonly bodyLimitUnits: number;
  /** Of one content. */
  readonly fileLimit: number;
  readonly corsOrigins: readonly string[] | '*';
  readonly authRateLimit: boolean;
  /** Express' `trust proxy`. */
  readonly trustProxy: boolean | number | string | readonly string[];
  readonly workers: number;
  readonly logLevel: LogLevel;
  readonly logFormat: 'pretty' | 'json';
  readonly shutdownGrace: number;
  /** How long a stop waits for requests on connections that clients have kept. */
  readonly shutdownIdle: number;
  /** Where changes of definitions, members, keys and projects are recorded. */
  readonly auditLog: 'off' | 'log' | { readonly file: string };
  /** Whether the page `/console/` is served. */
  readonly console: boolean;
  /** Whether answers are compressed for clients that accept it. */
  readonly compression: boolean;
  /** Whose answers have the header Server-Timing. */
  readonly serverTiming: 'off' | 'administrators' | 'on';
  /** Set if traces are sent. The libraries read their other settings from the environment. */
  readonly traces?: { readonly protocol: TraceProtocol };
  /** Names in `.env` that look like misspelled variables. */
  readonly warnings: readonly string[];
}

/** Where requests that tenants ask for may be sent beside public addresses. */
export interface AllowedAddresses {
  /** Networks, such as `10.1.0.0/16`. */
  readonly allow: readonly string[];
  readonly allowPrivate: boolean;
}

interface WebhookConfig extends AllowedAddresses {
  readonly allowHttp: boolean;
}

interface BootstrapConfig {
  readonly project: string;
  readonly adminUsername: string;
  readonly adminEmail: string;
  readonly adminPassword?: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The message has one line per invalid variable, and is shown without a stack. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads the environment, and `.env` in the folder `cwd` for variables that are not set. @throws ConfigError */
export function loadConfig(env: Variables = process.env, cwd = process.cwd()): Config {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  const dotenv = readDotenv(join(cwd, '.env'));
  const raw: Variables = { ...dotenv, ...Object.fromEntries(set) };
  if (env === process.env) offerToLibraries(raw);
  const { environment, faults } = readEnvironment(raw);
  if (faults.length > 0) {
    throw new ConfigError(
      faults
        .map(({ variable, wants }) => `${variable}: got ${displayValue(variable, raw[variable])}, wants ${wants}`)
        .join('\n'),
    );
  }
  return { ...toConfig(environment, cwd), warnings: [...misspelled(dotenv, environment), ...unknownMode(environment)] };
}

function toConfig(environment: Environment, cwd: string): Omit<Config, 'warnings'> {
  const production = environment.NODE_ENV === 'production';
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_REPLICA_URL } = environment;
  const { JWT_SECRET, SECRETS_KEY, MAIL_URL, PUBLIC_URL, BOOTSTRAP_ADMIN_PASSWORD } = environment;
  return {
    production,
    host: environment.HOST,
    port: environment.PORT,
    ...metricsAddress(environment),
    ...(DATABASE_URL !== undefined && { databaseUrl: DATABASE_URL }),
    ...(DATABASE_DIRECT_URL !== undefined && { databaseDirectUrl: DATABASE_DIRECT_URL }),
    ...(DATABASE_REPLICA_URL !== undefined && {
      replica: { url: DATABASE_REPLICA_URL, maxLag: environment.DATABASE_REPLICA_MAX_LAG },
    }),
    databasePool: environment.DATABASE_POOL,
    databasePrepared: environment.DATABASE_PREPARED,
    dataDir: resolve(cwd, environment.DATA_DIR),
    files: environment.FILES_URL ?? { folder: resolve(cwd, environment.DATA_DIR, 'files') },
    ...(JWT_SECRET !== undefined && { jwtSecret: JWT_SECRET }),
    ...(SECRETS_KEY !== undefined && { secretsKey: SECRETS_KEY }),
    oldSecretsKeys: environment.SECRETS_KEY_OLD,
    accessTokenTtl: environment.ACCESS_TOKEN_TTL,
    stepUpTtl: environment.STEP_UP_TTL,
    refreshTokenTtl: environment.REFRESH_TOKEN_TTL,
    ...(MAIL_URL !== undefined && { mailUrl: MAIL_URL }),
    mailFrom: environment.MAIL_FROM,
    ...(PUBLIC_URL !== undefined && { publicUrl: PUBLIC_URL.replace(/\/+$/, '') }),
    bootstrap: {
      project: environment.BOOTSTRAP_PROJECT,
      adminUsername: environment.BOOTSTRAP_ADMIN_USERNAME,
      adminEmail: environment.BOOTSTRAP_ADMIN_EMAIL,
      ...(BOOTSTRAP_ADMIN_PASSWORD !== undefined && { adminPassword: BOOTSTRAP_ADMIN_PASSWORD }),
    },
    webhooks: {
      allow: environment.WEBHOOK_ALLOW,
      allowPrivate: environment.WEBHOOK_ALLOW_PRIVATE,
      allowHttp: environment.WEBHOOK_ALLOW_HTTP,
    },
    identityProviders: { allow: [], allowPrivate: environment.OIDC_ALLOW_PRIVATE },
    functionsDir: resolve(cwd, environment.FUNCTIONS_DIR),
    functionsWatch: environment.FUNCTIONS_WATCH ?? !production,
    functionTimeout: environment.FUNCTION_TIMEOUT,
    fileHookTimeout: environment.FILE_HOOK_TIMEOUT,
    bodyLimit: environment.BODY_LIMIT,
    bodyLimitUnits: environment.BODY_LIMIT_UNITS,
    fileLimit: environment.FILE_LIMIT,
    corsOrigins: environment.CORS_ORIGINS,
    authRateLimit: environment.AUTH_RATE_LIMIT,
    trustProxy: environment.TRUST_PROXY,
    workers: environment.WORKERS,
    logLevel: environment.LOG_LEVEL,
    logFormat: environment.LOG_FORMAT ?? (process.stderr.isTTY ? 'pretty' : 'json'),
    shutdownGrace: environment.SHUTDOWN_GRACE,
    shutdownIdle: environment.SHUTDOWN_IDLE,
    auditLog: auditLog(environment, cwd),
    console: environment.CONSOLE,
    compression: environment.COMPRESSION,
    serverTiming: environment.SERVER_TIMING,
    ...traceSettings(environment),
  };
}

/** Unset parts are those of the service; an equal address is no separate one. */
function metricsAddress({ HOST, PORT, METRICS_HOST, METRICS_PORT }: Environment): Pick<Config, 'metrics'> {
  const [host, port] = [METRICS_HOST ?? HOST, METRICS_PORT ?? PORT];
  const given = METRICS_HOST !== undefined || METRICS_PORT !== undefined;
  return given && (host !== HOST || port !== PORT || port === 0) ? { metrics: { host, port } } : {};
}

function auditLog({ AUDIT_LOG, NODE_ENV }: Environment, cwd: string): Config['auditLog'] {
  if (AUDIT_LOG === undefined) return NODE_ENV === 'production' ? 'log' : 'off';
  return AUDIT_LOG === 'log' || AUDIT_LOG === 'off' ? AUDIT_LOG : { file: resolve(cwd, AUDIT_LOG) };
}

/** Traces are sent if an address is given, or the exporter is named; not if they are switched off. */
function traceSettings(environment: Environment): Pick<Config, 'traces'> {
  const { OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_ENDPOINT } = environment;
  const address = OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = OTEL_TRACES_EXPORTER ?? (address === undefined ? 'none' : 'otlp');
  if (environment.OTEL_SDK_DISABLED || exporter === 'none') return {};
  const { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, OTEL_EXPORTER_OTLP_PROTOCOL } = environment;
  return { traces: { protocol: OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? OTEL_EXPORTER_OTLP_PROTOCOL } };
}

/** The libraries of OpenTelemetry read these variables themselves, also those that `.env` sets. */
function offerToLibraries(raw: Variables): void {
  for (const [name, value] of Object.entries(raw)) {
    if (name.startsWith('OTEL_') && value !== undefined && value !== '') process.env[name] = value;
  }
}

function readDotenv(file: string): Variables {
  try {
    return parse(readFileSync(file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new ConfigError(`${file} cannot be read: ${message}`);
  }
}

/** Other programs may read the file too, so only names that are similar to a variable are reported. */
function misspelled(dotenv: Variables, environment: Environment): string[] {
  const known = Object.keys(environment);
  return Object.keys(dotenv).flatMap((name) => {
    const nearest = known.includes(name) ? undefined : nearestTo(name.toUpperCase(), known);
    return nearest === undefined ? [] : [`.env: ${name} is not a setting of the service (did you mean ${nearest}?)`];
  });
}

/** Values that say what the process is for; only `production` changes defaults. */
const MODES = ['production', 'development', 'test'];

function unknownMode({ NODE_ENV }: Environment): string[] {
  if (NODE_ENV === undefined || MODES.includes(NODE_ENV)) return [];
  return [`NODE_ENV: ${NODE_ENV} is none of ${MODES.join(', ')}, so the defaults are not those of production`];
}

function displayValue(variable: string, value: string | undefined): string {
  if (value === undefined || value === '') return 'nothing';
  return SECRET_VARIABLES.has(variable) ? 'a value that is not shown here' : JSON.stringify(value);
}

/** The injection token of the process's `Config`. */
export const CONFIG = Symbol('config');

/** The injection token of the key that signs tokens. */
export const SECRET = Symbol('secret');
