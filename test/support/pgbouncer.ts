/** PgBouncer (Debian package `pgbouncer`) in transaction mode before a database. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atEnd } from './at-end.js';

/** What `pgbouncer --version` says first; undefined if it is not installed. */
export function pgbouncerVersion(): string | undefined {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' });
  return (stdout as string | null)?.split('\n', 1)[0];
}

/** The address of the database through a PgBouncer of its own, which ends with the tests. */
export async function startPgbouncer(url: string): Promise<string> {
  const to = new URL(url);
  const through = new URL(url);
  through.host = `127.0.0.1:${await freePort()}`;
  const folder = mkdtempSync(join(tmpdir(), 'kind-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  const server = [
    `host=${to.hostname} port=${to.port || 5432} user=${decodeURIComponent(to.username)}`,
    ...(to.password === '' ? [] : [`password=${decodeURIComponent(to.password)}`]),
  ];
  const settings = {
    ...{ pool_mode: 'transaction', default_pool_size: 6, auth_type: 'any' },
    ...{ listen_addr: '127.0.0.1', listen_port: through.port, unix_socket_dir: '' },
    // It refuses to run as root.
    ...(process.getuid?.() === 0 && { user: 'nobody' }),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(file, ['[databases]', `* = ${server.join(' ')}`, '[pgbouncer]', ...lines, ''].join('\n'));
  const child = spawn('pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'] });
  atEnd(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  const said: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    said.push(line);
    if (line.includes('process up')) break;
  }
  if (child.exitCode !== null) throw new Error(`PgBouncer does not start: ${said.join('\n')}`);
  child.stderr.resume();
  return through.href;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
