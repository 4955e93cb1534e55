/** A start reports what it waits for and the address, and can be stopped. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it, vi } from 'vitest';
import { compiled } from '../../support/compiled.js';
import { ownDatabase, urlOf } from '../../support/own-database.js';
import { sideConnection } from '../../support/side-connection.js';

const root = join(import.meta.dirname, '../../..');
const database = await ownDatabase();
const dataDir = mkdtempSync(join(tmpdir(), 'kind-start-'));
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

interface Line {
  readonly msg: string;
  readonly url?: string;
  readonly metrics?: string;
}

function start(env: Record<string, string> = {}): { child: ChildProcess; says: (text: RegExp) => Promise<Line> } {
  const child = spawn(process.execPath, [compiled('main.js')], {
    cwd: root,
    env: {
      ...process.env,
      ...{ DATABASE_URL: urlOf(database), DATA_DIR: dataDir, PORT: '0', LOG_FORMAT: 'json', LOG_LEVEL: 'info' },
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  started.push(child);
  const lines: string[] = [];
  const reader = createInterface(child.stderr).on('line', (line) => lines.push(line));
  const says = async (text: RegExp): Promise<Line> => {
    for (;;) {
      const found = lines.find((line) => text.test(line));
      if (found !== undefined) return JSON.parse(found) as Line;
      await once(reader, 'line');
    }
  };
  return { child, says };
}

it('names the connection that locks the registry, stops on SIGTERM while waiting, and continues when it is free', async () => {
  const side = await sideConnection(database);
  const [holder] = await side.rows<{ pid: number }>(
    'SELECT pg_backend_pid() AS pid, pg_advisory_lock(7205759403792793)',
  );
  const waits = new RegExp(`waiting for another process .*backend ${holder?.pid}\\b`);
  const stopped = start();
  await stopped.says(waits);
  const gone = once(stopped.child, 'exit');
  stopped.child.kill('SIGTERM');
  expect(await gone).toEqual([0, null]);
  const served = start();
  await served.says(waits);
  await side.rows('SELECT pg_advisory_unlock(7205759403792793)');
  expect(await served.says(/"ready"/)).toMatchObject({ msg: 'ready' });
}, 60_000);

it('that blocks for another reason ends on SIGTERM within the grace time', async () => {
  const side = await sideConnection(database);
  // What the start reads of the registry.
  await side.rows('BEGIN');
  await side.rows('LOCK TABLE "kind"."project" IN ACCESS EXCLUSIVE MODE');
  const { child, says } = start({ SHUTDOWN_GRACE: '300ms', LOG_LEVEL: 'debug' });
  await says(/InstanceLoader|dependencies initialized/);
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await gone).toEqual([0, null]);
  await side.rows('ROLLBACK');
}, 60_000);

it.each(['1', '2'])(
  'serves its numbers at an address of their own, and there alone; says that the mail server is away: %s workers',
  async (workers) => {
    const { says } = start({ WORKERS: workers, METRICS_PORT: '0', MAIL_URL: 'smtp://127.0.0.1:1' });
    const { url = '', metrics = '' } = await says(/"ready"/);
    for (let times = 0; times < 4; times += 1) await fetch(`${url}/health/live`);
    const text = await (await fetch(metrics)).text();
    expect(
      Number(/^kind_http_requests_total\{method="GET",status="200"\} (\d+)$/m.exec(text)?.[1]),
    ).toBeGreaterThanOrEqual(4);
    expect(text).toContain('kind_indexes_pending 0');
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    await says(/mails cannot be sent: the server of MAIL_URL/);
  },
  60_000,
);

it('goes on if one of several processes ends before it is ready, which is replaced', async () => {
  const SECOND_ENDS = `import cluster from 'node:cluster'; if (cluster.worker?.id === 2) process.exit(1);`;
  const { says } = start({
    WORKERS: '2',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SECOND_ENDS)}`,
  });
  await says(/a worker ended and is replaced/);
  const { url = '' } = await says(/"ready"/);
  await vi.waitUntil(async () => (await (await fetch(`${url}/metrics`)).text()).includes('kind_workers_unanswered 0'));
}, 60_000);

it('says in one line that none of several processes could be started', async () => {
  const ALL_END = `import cluster from 'node:cluster'; if (cluster.isWorker) process.exit(1);`;
  const said = await failing({
    WORKERS: '2',
    LOG_LEVEL: 'fatal',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ALL_END)}`,
  });
  expect(said).toMatch(/^WORKERS: got 2, but none of these processes could be started; .*\n$/);
}, 60_000);

/** All that a start says that fails, but for warnings, such as of a superuser. */
async function failing(env: Record<string, string>): Promise<string> {
  const { child } = start({ LOG_LEVEL: 'error', ...env });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  expect(await once(child, 'exit')).toEqual([1, null]);
  return said;
}

it('with an address of the metrics that is in use fails in one line', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const said = await failing({ METRICS_PORT: String(port) });
  expect(said).toBe(`METRICS_PORT: got ${port}, which is in use on 127.0.0.1; wants a free one\n`);
  taken.close();
}, 60_000);

it('with an audit log or a folder of functions that cannot be used fails in one line', async () => {
  const none = join(dataDir, 'none/audit.log');
  expect(await failing({ AUDIT_LOG: none })).toBe(
    `AUDIT_LOG: got ${none}, wants a file in a folder that is there and can be written, log, or off: ENOENT: no such file or directory, open '${none}'\n`,
  );
  const file = join(root, 'package.json');
  expect(await failing({ FUNCTIONS_DIR: file })).toBe(`FUNCTIONS_DIR: got ${file}, wants a folder\n`);
}, 60_000);
