/** An nginx (Debian package `nginx`) with the files of `deploy/nginx/` before two services. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '../../packages/embedded-postgres/settings.js';
import { atEnd } from './at-end.js';

const FILES = join(import.meta.dirname, '../../deploy/nginx');

/** Returns its address, of `https:`. @param services their addresses */
export async function startNginx(services: readonly [string, string]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'kind-nginx-'));
  const [plain, secure] = [await freePort(), await freePort()];
  const key = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'fullchain.pem')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=kind', ...key], {
    stdio: 'ignore',
  });
  const server = readFileSync(join(FILES, 'kind.conf'), 'utf8')
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${secure} ssl`)
    .replaceAll('/etc/ssl/kind', folder)
    .replace('include /etc/nginx', `include ${FILES}`)
    .replace('127.0.0.1:3000', new URL(services[0]).host)
    .replace('127.0.0.1:3001', new URL(services[1]).host);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const settings = [
    'daemon off;',
    `pid ${folder}/pid;`,
    'events {}',
    'http {',
    'access_log off;',
    ...paths,
    server,
    '}',
  ];
  writeFileSync(join(folder, 'nginx.conf'), settings.join('\n'));
  const flags = ['-e', join(folder, 'error.log'), '-p', folder, '-c', join(folder, 'nginx.conf')];
  const child = spawn('nginx', flags, { stdio: 'ignore' });
  const exited = once(child, 'exit');
  atEnd(async () => {
    child.kill();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  await vi.waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'));
      return fetch(`http://127.0.0.1:${plain}`, { redirect: 'manual' }).then(
        () => true,
        () => false,
      );
    },
    { timeout: 10_000 },
  );
  return `https://127.0.0.1:${secure}`;
}
