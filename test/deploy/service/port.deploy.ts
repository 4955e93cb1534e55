/**
 * A port that is in use is found before the first project is created, so that the next start still prints the password.
 */
import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/run.js';
import { loadConfig } from '../../../src/config/config.js';
import { compiled } from '../../support/compiled.js';

const root = join(import.meta.dirname, '../../..');
const dataDir = mkdtempSync(join(tmpdir(), 'kind-port-'));
const other = createServer().listen(0, '127.0.0.1');
await once(other, 'listening');
const port = String((other.address() as AddressInfo).port);
afterAll(() => {
  other.close();
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

function start(env: Record<string, string>): Promise<{ code: unknown; out: string; err: string }> {
  const args = [compiled('main.js')];
  const options = { cwd: root, env: { ...process.env, DATA_DIR: dataDir, PORT: port, LOG_LEVEL: 'warn', ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, out, err) => resolve({ code: error?.code, out, err }));
  });
}

it.each([{ WORKERS: '1' }, { WORKERS: '2' }])(
  'says so in one line, and makes no project: %o',
  async (env) => {
    expect(await start(env)).toEqual({
      code: 1,
      out: '',
      err: `PORT: got ${port}, which is in use on 127.0.0.1; wants a free one\n`,
    });
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log']);
    let told = '';
    const terminal = { out: (text: string) => void (told += text), err: (text: string) => void (told += text) };
    await runCommandLine(['project', 'list', '--json'], terminal, () => loadConfig({ DATA_DIR: dataDir }, dataDir));
    expect(told).toMatch(/^error: the database of DATA_DIR \S+ has never been served: /);
  },
  60_000,
);
