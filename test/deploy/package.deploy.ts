/** The package that `npm pack` makes runs where only it was installed. Needs a registry for the packages that it uses. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { atEnd } from '../support/at-end.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const PROJECT = { 'kind-project-key': 'demo', 'content-type': 'application/json' };

async function installed(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kind-package-'));
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: root, maxBuffer: 2 ** 24 });
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await run('npm', ['install', `./${file}`, '--omit=dev', '--prefer-offline'], { cwd: folder });
  return folder;
}

/** Starts the installed service on the embedded PostgreSQL. Answers its address. */
async function start(folder: string): Promise<string> {
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'error', BOOTSTRAP_ADMIN_PASSWORD: 'correct horse 1' };
  const service = spawn(join(folder, 'node_modules/.bin/kind'), ['start'], { cwd: folder, env, stdio: 'pipe' });
  let said = '';
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  atEnd(async () => {
    if (service.exitCode !== null) return;
    service.kill('SIGTERM');
    await once(service, 'exit');
  });
  return vi.waitFor(
    () => {
      const [, url] = /Service +(\S+)/.exec(said) ?? [];
      if (url === undefined) throw new Error(`it did not start: ${said}`);
      return url;
    },
    { timeout: 60_000, interval: 100 },
  );
}

it('starts without a build, and serves its console and a new kind', { timeout: 300_000 }, async () => {
  const folder = await installed();
  const packages = await readdir(join(folder, 'node_modules'));
  // Of the console, the tests and the build.
  for (const name of ['react', 'vite', 'vitest', 'rolldown', 'typescript']) expect(packages).not.toContain(name);
  const url = await start(folder);
  expect(await (await fetch(`${url}/console/`)).text()).toContain('<script type="module"');
  const send = async (path: string, body: object, token = ''): Promise<{ content: Record<string, string> }> => {
    const headers = { ...PROJECT, ...(token && { authorization: `Bearer ${token}` }) };
    const reply = await fetch(`${url}/api/lib${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(reply.status, path).toBe(200);
    return (await reply.json()) as { content: Record<string, string> };
  };
  const { content } = await send('/auth/signin', { username: 'admin', password: 'correct horse 1' });
  await send('/kind/unit', { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] }, content['access_token']);
  const made = await send('/city/unit', { name: 'Ghent' }, content['access_token']);
  expect(made.content).toMatchObject({ kind_id: 'city', name: 'Ghent' });
  const { stdout } = await run(join(folder, 'node_modules/.bin/kind'), ['project', 'list', '--json'], { cwd: folder });
  expect(JSON.parse(stdout)).toMatchObject([{ key: 'demo' }]);
  const client = ['client', 'demo', '--out', join(folder, 'client'), '--as', 'administrator'];
  await run(join(folder, 'node_modules/.bin/kind'), client, { cwd: folder });
  expect(await readdir(join(folder, 'client'))).toEqual(['index.ts', 'runtime.ts', 'types.ts']);
});
