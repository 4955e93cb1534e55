/** docker-compose.yml: what its service is started with. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.js';

const compose = readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'kind-compose-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The variables of the service's environment, and the secret that its command finds. */
function started(given = ''): Record<string, string> {
  const [, block = ''] = /\n {4}environment:\n( {6}NODE_ENV[^]*?)\n {4}\w/.exec(compose) ?? [];
  const environment = Object.fromEntries(
    [...block.matchAll(/^ {6}(\w+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  expect(environment['JWT_SECRET']).toBe('${JWT_SECRET:-}');
  const defaults = Object.entries(environment).map(([name, value]) => [
    name,
    value === "''" ? '' : (/^\$\{\w+:-(.*)\}$/.exec(value)?.[1] ?? value),
  ]);
  const [, command = ''] = /\n {6}- -c\n {6}- (umask .*)\n/.exec(compose) ?? [];
  const npm = join(folder, 'npm');
  writeFileSync(npm, '#!/bin/sh\nprintf %s "$JWT_SECRET"');
  chmodSync(npm, 0o755);
  const script = command.replaceAll('$$', '$').replaceAll('/data', folder);
  const env = { PATH: `${folder}:${process.env['PATH']}`, JWT_SECRET: given };
  const secret = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' });
  return { ...(Object.fromEntries(defaults) as Record<string, string>), JWT_SECRET: secret };
}

test('runs in production mode, with a secret that is created once and kept', () => {
  const first = started();
  expect(first['NODE_ENV']).toBe('production');
  expect(loadConfig(first, folder)).toMatchObject({ production: true, functionsWatch: false });
  expect(started()).toEqual(first);
  expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600);
  const given = 'a secret of the operator, thirty-two characters';
  expect(started(given)['JWT_SECRET']).toBe(given);
});

test('mails link to the public address, and are sent to Mailpit', () => {
  const { host, port, publicUrl, mailUrl } = loadConfig(started(), folder);
  expect({ host, port, publicUrl }).toEqual({ host: '0.0.0.0', port: 3000, publicUrl: 'http://localhost:3000' });
  expect(compose).toContain(`- 127.0.0.1:${port}:${port}`);
  expect(mailUrl).toBe('smtp://mail:1025');
  expect(compose).toMatch(/\n {2}mail:\n {4}image: axllent\/mailpit\n/);
});

test('loads the functions of the checkout', () => {
  expect(compose).toContain('WORKDIR /app\n');
  expect(compose).toContain('- ./functions:/app/functions:ro\n');
});

test('settings of .env reach the service, except those of its container', () => {
  expect(compose).toMatch(/\n {4}env_file:\n {6}- path: \.env\n {8}required: false\n/);
  const file = {
    HOST: '127.0.0.1',
    PORT: '4000',
    DATA_DIR: './elsewhere',
    DATABASE_URL: 'postgres://localhost/other',
    DATABASE_DIRECT_URL: 'postgres://localhost/other',
    FUNCTIONS_DIR: './elsewhere',
    NODE_ENV: 'development',
    BOOTSTRAP_PROJECT: 'acme',
    CORS_ORIGINS: '*',
  };
  // Compose gives `environment` precedence over `env_file`.
  const config = loadConfig({ ...file, ...started() }, '/app');
  expect(config).toEqual({
    ...loadConfig(started(), '/app'),
    bootstrap: expect.objectContaining({ project: 'acme' }) as object,
    corsOrigins: '*',
  });
  expect(config.functionsDir).toBe('/app/functions');
});

test('connects as a role that owns its database and is not a superuser', () => {
  expect(compose).toMatch(/CREATE ROLE kind LOGIN PASSWORD 'kind';\n +CREATE DATABASE kind OWNER kind;/);
  expect(compose).not.toMatch(/POSTGRES_USER|POSTGRES_DB/);
  expect(new URL(started()['DATABASE_URL'] ?? '').username).toBe('kind');
});
