/** docker-compose.yml: what its services are started with. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/config.js';

interface Api {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | number>>;
  readonly env_file: unknown;
  readonly volumes: readonly string[];
  readonly read_only: boolean;
}

interface Compose {
  readonly services: Readonly<Record<string, object>> & { readonly 'api-1': Api; readonly 'api-2': Api };
  readonly configs: { readonly role: { readonly content: string } };
}

const file = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const { services, configs } = parse(file('docker-compose.yml'), { merge: true }) as Compose;
const api = services['api-1'];
const folder = mkdtempSync(join(tmpdir(), 'kind-compose-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const node = join(folder, 'node');
writeFileSync(node, '#!/bin/sh\nprintf %s "$JWT_SECRET"');
chmodSync(node, 0o755);

/** The variables of a process's environment, and the secret that its command finds. */
function started(given = ''): Record<string, string> {
  expect(api.environment['JWT_SECRET']).toBe('${JWT_SECRET:-}');
  const defaults = Object.entries(api.environment).map(([name, value]) => [
    name,
    /^\$\{\w+:-(.*)\}$/.exec(String(value))?.[1] ?? String(value),
  ]);
  const [, , command = ''] = api.command;
  const script = command.replaceAll('$$', '$').replaceAll('/data', folder);
  const env = { PATH: `${folder}:${process.env['PATH']}`, JWT_SECRET: given };
  const secret = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' });
  return { ...(Object.fromEntries(defaults) as Record<string, string>), JWT_SECRET: secret };
}

test('run in production mode, with one secret that is created once and kept', () => {
  const first = started();
  expect(first['NODE_ENV']).toBe('production');
  expect(loadConfig(first, folder)).toMatchObject({ production: true, functionsWatch: false });
  expect(started()).toEqual(first);
  expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600);
  const given = 'a secret of the operator, thirty-two characters';
  expect(started(given)['JWT_SECRET']).toBe(given);
  expect(services['api-2']).toEqual(api);
});

test('a process that starts at the same time takes the secret of the other one', () => {
  const secret = join(folder, 'secret');
  rmSync(secret, { force: true });
  // The other process is faster: its secret is there when this one has made its own.
  const slower = join(folder, 'base64');
  writeFileSync(slower, `#!/bin/sh\nprintf 'the secret of the faster process' > ${secret}\nprintf other`);
  chmodSync(slower, 0o755);
  expect(started()['JWT_SECRET']).toBe('the secret of the faster process');
  rmSync(slower);
  rmSync(secret);
});

test('mails link to the public address, and are sent to Mailpit', () => {
  const { host, port, publicUrl, mailUrl } = loadConfig(started(), folder);
  expect({ host, port, publicUrl }).toEqual({ host: '0.0.0.0', port: 3000, publicUrl: 'http://localhost:3000' });
  expect(services['proxy']).toMatchObject({ ports: ['127.0.0.1:3000:80'] });
  for (const name of ['api-1', 'api-2']) {
    expect(file('deploy/nginx/compose.conf')).toContain(`server ${name}:${port} resolve`);
  }
  expect(mailUrl).toBe('smtp://mail:1025');
  expect(services['mail']).toMatchObject({ image: 'axllent/mailpit' });
});

test('nginx says where a request comes from, and metrics are not behind it', () => {
  const config = loadConfig(started(), folder);
  expect(config.trustProxy).toBe(1);
  expect(config.metrics).toEqual({ host: '0.0.0.0', port: 9100 });
});

test('nginx takes no answer for a failure of a process, as a 503 may be that of one project', () => {
  const given = file('deploy/nginx/kind-proxy.conf').match(/^ *proxy_next_upstream .*;$/gm);
  expect(given?.map((line) => line.trim())).toEqual(['proxy_next_upstream error timeout;', 'proxy_next_upstream off;']);
});

test('load the functions of the checkout, and write nothing but their data', () => {
  expect(file('Dockerfile')).toContain('WORKDIR /app\n');
  expect(api.volumes).toEqual(['data:/data', './functions:/app/functions:ro']);
  expect(api.read_only).toBe(true);
});

test('settings of .env reach the service, except those of its container', () => {
  expect(api.env_file).toEqual([{ path: '.env', required: false }]);
  const given = {
    HOST: '127.0.0.1',
    PORT: '4000',
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: '4001',
    DATA_DIR: './elsewhere',
    DATABASE_URL: 'postgres://localhost/other',
    DATABASE_DIRECT_URL: 'postgres://localhost/other',
    FUNCTIONS_DIR: './elsewhere',
    NODE_ENV: 'development',
    TRUST_PROXY: 'off',
    BOOTSTRAP_PROJECT: 'acme',
    CORS_ORIGINS: '*',
  };
  // Compose gives `environment` precedence over `env_file`.
  const config = loadConfig({ ...given, ...started() }, '/app');
  expect(config).toEqual({
    ...loadConfig(started(), '/app'),
    bootstrap: expect.objectContaining({ project: 'acme' }) as object,
    corsOrigins: '*',
  });
  expect(config.functionsDir).toBe('/app/functions');
});

test('connect as a role that owns its database and is not a superuser', () => {
  expect(configs.role.content).toMatch(
    /CREATE ROLE kind LOGIN PASSWORD 'kind';\nGRANT SET ON PARAMETER temp_file_limit TO kind;\nCREATE DATABASE kind OWNER kind;/,
  );
  expect(JSON.stringify(services['database'])).not.toMatch(/POSTGRES_USER|POSTGRES_DB/);
  expect(new URL(started()['DATABASE_URL'] ?? '').username).toBe('kind');
});
