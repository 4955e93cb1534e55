/** The service as a process of its own, as `npm start` runs it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { ConnectionOptions } from '../../../src/database/connection/connection.js';
import { atEnd } from '../../support/at-end.js';
import { compiled } from '../../support/compiled.js';
import { copyInitialised } from '../../support/initialised.js';
import { urlOf } from '../../support/own-database.js';

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

const PASSWORD = 'a password of tests';

/** The administrator of the project `demo`, which services on one database make: each process takes the same session. */
export class DemoAdmin {
  #token = '';

  constructor(
    private readonly connection: ConnectionOptions,
    private readonly env: Record<string, string>,
  ) {}

  start(): Promise<ServiceChild> {
    return startChild({
      DATABASE_URL: urlOf(this.connection),
      JWT_SECRET: 'a secret for tests, at least thirty-two characters',
      BOOTSTRAP_PROJECT: 'demo',
      BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
      SHUTDOWN_GRACE: '1s',
      ...this.env,
    });
  }

  async signIn(service: ServiceChild): Promise<void> {
    const session = await this.send(service, '/auth/signin', { username: 'admin', password: PASSWORD });
    this.#token = (session as { access_token: string }).access_token;
  }

  /** A `POST` with a body, or a `GET`; the content of the answer. */
  async send({ url }: ServiceChild, path: string, body?: object): Promise<unknown> {
    const headers = {
      'kind-project-key': 'demo',
      'content-type': 'application/json',
      ...(this.#token !== '' && { authorization: `Bearer ${this.#token}` }),
    };
    const init = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers };
    const answer = await fetch(`${url}/api/lib${path}`, init);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { content: unknown }).content;
  }
}
