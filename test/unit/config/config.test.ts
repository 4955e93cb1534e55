import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/config/config.js';
import { readEnvironment } from '../../../src/config/environment.js';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'kind-config-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

const HIDDEN = 'a value that is not shown here';
const DURATION = 'a number with the unit ms, s, m, h or d';
const SIZE = 'a size from 1kb to 1gb, a number with the unit b, kb, mb or gb';
const FLAG = 'on or off (or true, false, 1, 0)';
const SECRET = 'at least 32 characters (it is required where NODE_ENV=production and DATABASE_URL is set)';
const PROXIES =
  'on, off, the number of proxies, or a comma-separated list of addresses, networks, loopback, linklocal or uniquelocal';
const ADDRESS = 'an address with a host that begins with';
const POSTGRES = `${ADDRESS} postgres:// or postgresql://, such as postgres://kind:password@localhost:5432/kind`;
const MAIL = `${ADDRESS} smtp:// or smtps://, such as smtp://user:password@mail.example.com:587`;
const RECEIVER = `${ADDRESS} http:// or https://, such as http://localhost:4318`;
const PUBLIC = `${ADDRESS} http:// or https://, such as https://kind.example.com`;
const ORIGINS = '* or a comma-separated list of origins such as https://app.example.com';
const PROJECT = 'a lower-case letter, then 1 to 39 lower-case letters, digits, _ and -';

test('nothing set gives the defaults of the contract', () => {
  const { logFormat, ...config } = loadConfig({}, cwd);
  expect(['pretty', 'json']).toContain(logFormat);
  expect(config).toEqual({
    production: false,
    host: '127.0.0.1',
    port: 3000,
    databasePool: 10,
    databasePrepared: true,
    dataDir: join(cwd, '.data'),
    files: { folder: join(cwd, '.data/files') },
    fileLimit: 104_857_600,
    accessTokenTtl: 900_000,
    refreshTokenTtl: 2_592_000_000,
    stepUpTtl: 600_000,
    mailFrom: 'Kind <kind@localhost>',
    bootstrap: { project: 'demo', adminUsername: 'admin', adminEmail: 'admin@example.com' },
    functionsDir: join(cwd, 'functions'),
    functionsWatch: true,
    functionTimeout: 10_000,
    fileHookTimeout: 60_000,
    oldSecretsKeys: [],
    webhooks: { allow: [], allowPrivate: false, allowHttp: false },
    identityProviders: { allow: [], allowPrivate: false },
    bodyLimit: 1_048_576,
    bodyLimitUnits: 16_777_216,
    corsOrigins: [],
    authRateLimit: true,
    trustProxy: false,
    workers: 1,
    logLevel: 'info',
    shutdownGrace: 10_000,
    shutdownIdle: 5000,
    auditLog: 'off',
    console: true,
    compression: true,
    serverTiming: 'off',
    warnings: [],
  });
});

test.each([
  ['PORT', 'abc', '"abc"', 'a whole number from 0 to 65535'],
  ['PORT', '65536', '"65536"', 'a whole number from 0 to 65535'],
  ['PORT', '-1', '"-1"', 'a whole number from 0 to 65535'],
  ['PORT', '80.5', '"80.5"', 'a whole number from 0 to 65535'],
  ['PORT', ' 80', '" 80"', 'a whole number from 0 to 65535'],
  ['HOST', 'a b', '"a b"', 'a host name or an address'],
  ['DATABASE_URL', 'mysql://u:secret@h/d', HIDDEN, POSTGRES],
  ['DATABASE_URL', 'postgres://', HIDDEN, POSTGRES],
  ['DATABASE_URL', 'postgres:///kind', HIDDEN, POSTGRES],
  ['DATABASE_REPLICA_URL', 'mysql://u:secret@h/d', HIDDEN, POSTGRES],
  ['DATABASE_REPLICA_MAX_LAG', '0s', '"0s"', `a duration from 1s to 1h, ${DURATION}`],
  ['DATABASE_POOL', '0', '"0"', 'a whole number from 1 to 1000'],
  ['JWT_SECRET', 'short-secret', HIDDEN, SECRET],
  ['ACCESS_TOKEN_TTL', '15', '"15"', `a duration from 1s to 365d, ${DURATION}`],
  ['ACCESS_TOKEN_TTL', '15 m', '"15 m"', `a duration from 1s to 365d, ${DURATION}`],
  ['REFRESH_TOKEN_TTL', '1w', '"1w"', `a duration from 1s to 3650d, ${DURATION}`],
  ['MAIL_URL', 'http://mail', HIDDEN, MAIL],
  ['MAIL_URL', 'smtp://', HIDDEN, MAIL],
  ['MAIL_URL', 'smtps://:465', HIDDEN, MAIL],
  ['MAIL_FROM', 'nobody', '"nobody"', 'a sender such as Kind <kind@example.com>'],
  ['PUBLIC_URL', 'kind.example.com', '"kind.example.com"', PUBLIC],
  ['BOOTSTRAP_PROJECT', 'Demo', '"Demo"', PROJECT],
  ['BOOTSTRAP_ADMIN_EMAIL', 'admin', '"admin"', 'an e-mail address'],
  ['BOOTSTRAP_ADMIN_PASSWORD', '1234567', HIDDEN, '8 to 128 characters'],
  ['FUNCTIONS_WATCH', 'maybe', '"maybe"', FLAG],
  ['FUNCTION_TIMEOUT', '0s', '"0s"', `a duration from 1ms to 1h, ${DURATION}`],
  ['BODY_LIMIT', '1 mb', '"1 mb"', SIZE],
  ['BODY_LIMIT', '2gb', '"2gb"', SIZE],
  ['BODY_LIMIT_UNITS', 'big', '"big"', SIZE],
  ['CORS_ORIGINS', 'https://a.example/path', '"https://a.example/path"', ORIGINS],
  ['CORS_ORIGINS', 'https://a.example,*', '"https://a.example,*"', ORIGINS],
  ['AUTH_RATE_LIMIT', 'no', '"no"', FLAG],
  ['TRUST_PROXY', '10.0.0.0/64', '"10.0.0.0/64"', PROXIES],
  ['TRUST_PROXY', 'proxy.example', '"proxy.example"', PROXIES],
  ['WORKERS', '1e3', '"1e3"', 'a whole number from 1 to 256'],
  ['LOG_LEVEL', 'verbose', '"verbose"', 'one of fatal, error, warn, info, debug, trace, silent'],
  ['LOG_FORMAT', 'xml', '"xml"', 'one of pretty, json'],
  ['SHUTDOWN_GRACE', '-1s', '"-1s"', `a duration from 0s to 1h, ${DURATION}`],
  ['AUDIT_LOG', 'on', '"on"', 'log, off, or the path of a file, which contains a slash'],
  ['SERVER_TIMING', 'yes', '"yes"', 'one of off, administrators, on'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', HIDDEN, RECEIVER],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'grpc://u:secret@h', HIDDEN, RECEIVER],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', '"grpc"', 'one of http/protobuf, http/json'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc', '"grpc"', 'one of http/protobuf, http/json'],
  ['OTEL_TRACES_EXPORTER', 'console', '"console"', 'one of otlp, none'],
  ['OTEL_SDK_DISABLED', 'maybe', '"maybe"', FLAG],
])('%s=%s is refused in one line', (variable, value, got, wants) => {
  expect(() => loadConfig({ [variable]: value }, cwd)).toThrow(
    new ConfigError(`${variable}: got ${got}, wants ${wants}`),
  );
});

test.each([
  ['file:///srv/my%20files/', { folder: '/srv/my files/' }],
  ['s3://key:secret@s3.example.com/bucket', {}],
  ['s3://key:secret@s3.example.com/bucket/', {}],
  ['s3://key:se%2Fc%2Bret%40@s3.example.com/bucket', { secret: 'se/c+ret@' }],
  ['s3://key:secret@10.0.0.1:7480/my.bucket?tls=off', { origin: 'http://10.0.0.1:7480', bucket: 'my.bucket' }],
  ['s3://key:secret@S3.example.com:443/bucket/a/b_1', { prefix: 'a/b_1/' }],
  ['s3://key:secret@s3.example.com/bucket?region=auto&path_style=off', { region: 'auto', pathStyle: false }],
])('FILES_URL=%s', (value, expected) => {
  const bucket = {
    origin: 'https://s3.example.com',
    bucket: 'bucket',
    prefix: '',
    region: 'us-east-1',
    pathStyle: true,
  };
  const { files } = loadConfig({ FILES_URL: value }, cwd);
  expect(files).toEqual('folder' in expected ? expected : { ...bucket, key: 'key', secret: 'secret', ...expected });
});

test.each([
  '/srv/files',
  'file://srv/files',
  'file:///',
  'file:///a?b=c',
  'file:///a%2Fb',
  'https://key:secret@s3.example.com/bucket',
  's3://s3.example.com/bucket',
  's3://key@s3.example.com/bucket',
  's3://key:secret@s3.example.com',
  's3://key:secret@s3.example.com/x',
  's3://key:secret@/bucket',
  's3://key:se/cret@s3.example.com/bucket',
  's3://key:se%zzcret@s3.example.com/bucket',
  's3://key:secret@s3.example.com/bucket//a',
  's3://key:secret@s3.example.com/bucket/.a',
  's3://key:secret@s3.example.com/bucket?regoin=a',
  's3://key:secret@s3.example.com/bucket?region=a&region=b',
  's3://key:secret@s3.example.com/bucket?region=a/b',
  's3://key:secret@s3.example.com/bucket?tls=maybe',
  's3://key:secret@s3.example.com/bucket#a',
])('FILES_URL=%s is refused in one line', (value) => {
  expect(() => loadConfig({ FILES_URL: value }, cwd)).toThrow(
    new ConfigError(
      `FILES_URL: got ${HIDDEN}, wants file:///folder, or s3://key:secret@host/bucket or s3://key:secret@host/bucket/prefix, with ?region=, path_style=on or off and tls=on or off after it; signs such as / in the key and secret are percent-encoded`,
    ),
  );
});

test('every invalid variable has its line, in the documented order', () => {
  expect(() => loadConfig({ WORKERS: 'x', PORT: 'y' }, cwd)).toThrow(
    new ConfigError(
      'PORT: got "y", wants a whole number from 0 to 65535\nWORKERS: got "x", wants a whole number from 1 to 256',
    ),
  );
});

test('JWT_SECRET is required in production with DATABASE_URL, and only there', () => {
  const env = { NODE_ENV: 'production', DATABASE_URL: 'postgres://u:p@h/d' };
  expect(() => loadConfig(env, cwd)).toThrow(new ConfigError(`JWT_SECRET: got nothing, wants ${SECRET}`));
  expect(loadConfig({ ...env, JWT_SECRET: 'x'.repeat(32) }, cwd).jwtSecret).toBe('x'.repeat(32));
  expect(loadConfig({ NODE_ENV: 'production' }, cwd).jwtSecret).toBeUndefined();
  expect(loadConfig({ DATABASE_URL: env.DATABASE_URL }, cwd).jwtSecret).toBeUndefined();
});

test.each([
  [{ PORT: '' }, { port: 3000 }],
  [{ PORT: '0' }, { port: 0 }],
  [
    { ACCESS_TOKEN_TTL: '90s', REFRESH_TOKEN_TTL: '12h', STEP_UP_TTL: '5m' },
    { accessTokenTtl: 90_000, refreshTokenTtl: 43_200_000, stepUpTtl: 300_000 },
  ],
  [
    { FUNCTION_TIMEOUT: '500ms', SHUTDOWN_GRACE: '0s', SHUTDOWN_IDLE: '2s' },
    { functionTimeout: 500, shutdownGrace: 0, shutdownIdle: 2000 },
  ],
  [
    { BODY_LIMIT: '64KB', BODY_LIMIT_UNITS: '2048' },
    { bodyLimit: 65_536, bodyLimitUnits: 2048 },
  ],
  [{ NODE_ENV: 'production' }, { production: true, functionsWatch: false }],
  [{ NODE_ENV: 'production', FUNCTIONS_WATCH: 'on' }, { functionsWatch: true }],
  [{ AUTH_RATE_LIMIT: 'OFF' }, { authRateLimit: false }],
  [{ TRUST_PROXY: 'on' }, { trustProxy: true }],
  [{ TRUST_PROXY: '1' }, { trustProxy: 1 }],
  [{ TRUST_PROXY: 'loopback' }, { trustProxy: 'loopback' }],
  [{ TRUST_PROXY: 'loopback, 10.0.0.0/8' }, { trustProxy: ['loopback', '10.0.0.0/8'] }],
  [{ CORS_ORIGINS: '*' }, { corsOrigins: '*' }],
  [
    { CORS_ORIGINS: 'https://a.example, http://localhost:5173' },
    { corsOrigins: ['https://a.example', 'http://localhost:5173'] },
  ],
  [{ DATABASE_URL: 'postgres:///kind?host=/run/pg' }, { databaseUrl: 'postgres:///kind?host=/run/pg' }],
  [{ DATABASE_URL: 'postgres://u:p@%2Frun%2Fpg/kind' }, { databaseUrl: 'postgres://u:p@%2Frun%2Fpg/kind' }],
  [
    { DATABASE_PREPARED: 'off', DATABASE_DIRECT_URL: 'postgres://u:p@h/d' },
    { databasePrepared: false, databaseDirectUrl: 'postgres://u:p@h/d' },
  ],
  [{ METRICS_PORT: '9090' }, { metrics: { host: '127.0.0.1', port: 9090 } }],
  [{ METRICS_HOST: '10.0.0.5', HOST: '0.0.0.0' }, { metrics: { host: '10.0.0.5', port: 3000 } }],
  [{ METRICS_PORT: '0', PORT: '0' }, { metrics: { host: '127.0.0.1', port: 0 } }],
  [{ DATABASE_REPLICA_URL: 'postgres://u@r/d' }, { replica: { url: 'postgres://u@r/d', maxLag: 10_000 } }],
  [{ NODE_ENV: 'production' }, { auditLog: 'log' }],
  [{ AUDIT_LOG: '/var/log/kind/audit.log' }, { auditLog: { file: '/var/log/kind/audit.log' } }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://o:4318' }, { traces: { protocol: 'http/protobuf' } }],
  [
    { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
    { traces: { protocol: 'http/json' } },
  ],
  [{ PUBLIC_URL: 'https://kind.example.com/' }, { publicUrl: 'https://kind.example.com' }],
  [
    { DATA_DIR: '/var/lib/kind', FUNCTIONS_DIR: '/srv/f' },
    { dataDir: '/var/lib/kind', functionsDir: '/srv/f' },
  ],
  [
    { LOG_FORMAT: 'json', LOG_LEVEL: 'debug' },
    { logFormat: 'json', logLevel: 'debug' },
  ],
])('%j is read as %j', (env, expected) => {
  expect(loadConfig(env, cwd)).toMatchObject(expected);
});

test('the address of the service is not a separate address of the metrics', () => {
  expect(loadConfig({ METRICS_PORT: '3000', METRICS_HOST: '127.0.0.1' }, cwd).metrics).toBeUndefined();
});

test.each([
  {},
  { OTEL_SERVICE_NAME: 'kind' },
  { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://o:4318' },
  { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://o:4318' },
])('%j sends no traces', (env) => {
  expect(loadConfig(env, cwd).traces).toBeUndefined();
});

test('.env supplies unset variables', async () => {
  await writeFile(join(cwd, '.env'), 'PORT=4000\nHOST="0.0.0.0"\nWORKERS=2\n');
  expect(loadConfig({ PORT: '5000', WORKERS: '' }, cwd)).toMatchObject({ port: 5000, host: '0.0.0.0', workers: 2 });
});

test('names in .env that are similar to a variable are reported', async () => {
  await writeFile(join(cwd, '.env'), 'DATABSE_URL=x\nport=4000\nVITE_TITLE=x\nPUBLIC_URL=http://a.example\n');
  expect(loadConfig({ PROT: '1' }, cwd).warnings).toEqual([
    '.env: DATABSE_URL is not a setting of the service (did you mean DATABASE_URL?)',
    '.env: port is not a setting of the service (did you mean PORT?)',
  ]);
});

test('a NODE_ENV that looks like production is reported', () => {
  expect(loadConfig({ NODE_ENV: 'prod' }, cwd).warnings).toEqual([
    'NODE_ENV: prod is none of production, development, test, so the defaults are not those of production',
  ]);
  expect(loadConfig({ NODE_ENV: 'development' }, cwd).warnings).toEqual([]);
});

test('.env.example names every variable with the default that holds without it', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../.env.example'), 'utf8');
  const variables = parse(text.replace(/^# (?=[A-Z_]+=)/gm, ''));
  const { environment } = readEnvironment({});
  expect(Object.keys(variables).sort()).toEqual(Object.keys(environment).sort());
  expect(loadConfig(variables, cwd)).toEqual(loadConfig({}, cwd));
});
