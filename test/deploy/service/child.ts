/** The service as a process of its own, as `npm start` runs it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atEnd } from '../../support/at-end.js';
import { compiled } from '../../support/compiled.js';
import { copyInitialised } from '../../support/initialised.js';

const root = join(import.meta.dirname, '../../..');

export interface ServiceChild {
  readonly process: ChildProcess;
  readonly url: string;
}

/** Starts one on a data folder of its own; it stops after the file's tests. */
export async function startChild(env: Record<string, string>): Promise<ServiceChild> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kind-service-'));
  if (env['DATABASE_URL'] === undefined) copyInitialised(dataDir);
  const child = spawn(process.execPath, [compiled('main.js')], {
    cwd: root,
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'fatal', SHUTDOWN_IDLE: '0s', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  atEnd(async () => {
    const gone = once(child, 'exit');
    if (child.kill('SIGTERM')) await gone;
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });
  for await (const line of createInterface(child.stdout)) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url) return { process: child, url };
  }
  throw new Error('the service ended before it was ready');
}
