/** Several processes that share a port behave like one. */
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { atEnd } from '../../support/at-end.js';
import { startChild } from './child.js';

/** Makes each process name itself in its answers. */
const NAMES_PROCESS = `
  import { subscribe } from 'node:diagnostics_channel';
  subscribe('http.server.request.start', ({ response }) => response.setHeader('x-test-process', process.pid));
`;
const PASSWORD = 'a password of tests';
const { url, process: primary } = await startChild({
  WORKERS: '2',
  // Nothing listens there.
  DATABASE_REPLICA_URL: 'postgres://127.0.0.1:1/none',
  BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
  // The last test closes its connections itself.
  SHUTDOWN_IDLE: '30s',
  SHUTDOWN_GRACE: '30s',
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NAMES_PROCESS)}`,
});
const { port, hostname } = new URL(url);

/** Over a connection of its own, so that any worker may answer, or over one that is open. */
function ask(path: string, socket?: Socket, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const over = { ...(socket ? { createConnection: () => socket } : { agent: new Agent() }), headers };
  return new Promise((resolve, reject) => {
    get(url + path, over, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text));
    }).on('error', reject);
  });
}

interface Connection {
  readonly socket: Socket;
  /** Sends a request and returns the id of the process that answers. */
  readonly process: () => Promise<number>;
  answeredBy?: number;
}

/** A connection that is kept. */
async function open(): Promise<Connection> {
  const socket = connect({ port: Number(port), host: hostname });
  atEnd(() => void socket.destroy());
  await once(socket, 'connect');
  // The process of the connection was killed.
  socket.on('error', () => undefined);
  const process = async (): Promise<number> => {
    socket.write('GET /health/live HTTP/1.1\r\nHost: test\r\n\r\n');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return Number(/^x-test-process: (\d+)/im.exec(chunk.toString())?.[1]);
  };
  return { socket, process };
}

const openMany = (count: number) => Promise.all(Array.from({ length: count }, open));

/** The number of connections of each process. */
async function shares(connections: readonly Connection[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const count = async (connection: Connection): Promise<void> => {
    const process = await connection.process();
    connection.answeredBy = process;
    counts.set(process, (counts.get(process) ?? 0) + 1);
  };
  await Promise.all(connections.map(count));
  return counts;
}

it('share the connections evenly, also with one that replaces a killed one', async () => {
  const connections = await openMany(16);
  const before = await shares(connections);
  expect([...before.values()]).toEqual([8, 8]);

  const [killed = 0, left = 0] = before.keys();
  const kept = connections.filter(({ answeredBy }) => answeredBy === left);
  process.kill(killed, 'SIGKILL');

  let first = await open();
  // The other one answers until the new one is ready. Without requests, it would close the connections that it keeps.
  for (; (await first.process()) === left; first = await open()) {
    first.socket.destroy();
    await shares(kept);
  }
  const after = await shares([...kept, first, ...(await openMany(7))]);
  expect([...after.values()]).toEqual([8, 8]);
  expect(after.get(left)).toBe(8);
  expect(after.has(killed)).toBe(false);
}, 60_000);

it('lose no connection that a killed one has not taken', async () => {
  const [stopped = 0] = (await shares(await openMany(2))).keys();
  process.kill(stopped, 'SIGSTOP');
  const connections = await openMany(8);
  const answers = shares(connections);
  process.kill(stopped, 'SIGKILL');
  const [[answering = 0, count]] = [...(await answers)] as [[number, number]];
  expect(answering).not.toBe(stopped);
  expect(count).toBe(8);
  // The killed one is not waited for, and neither is the one that replaces it.
  expect(await ask('/metrics')).toContain('kind_workers_unanswered 1');
}, 60_000);

/** One that replaces a killed one may not be ready yet. */
async function allAnswer(): Promise<void> {
  await vi.waitUntil(async () => (await ask('/metrics')).includes('kind_workers_unanswered 0'), 30_000);
}

/** Requests that all workers have answered, those that have ended included. */
async function answered(): Promise<number> {
  const text = await ask('/metrics');
  return Number(/^kind_http_requests_total\{method="GET",status="200"\} (\d+)$/m.exec(text)?.[1]);
}

it('what a killed one had counted stays in the metrics', async () => {
  await allAnswer();
  const connections = await openMany(2);
  for (let times = 0; times < 5; times++) await shares(connections);
  const before = await answered();
  const [killed = 0] = (await shares(connections)).keys();
  process.kill(killed, 'SIGKILL');
  await vi.waitUntil(async () => (await ask('/metrics')).includes('kind_workers_unanswered 1'), 30_000);
  expect(await answered()).toBeGreaterThanOrEqual(before);
}, 60_000);

it('metrics say that one hangs', async () => {
  await allAnswer();
  const connections = await openMany(2);
  const [stopped = 0] = (await shares(connections)).keys();
  process.kill(stopped, 'SIGSTOP');
  const other = connections.find(({ answeredBy }) => answeredBy !== stopped);
  const text = await ask('/metrics', other?.socket);
  process.kill(stopped, 'SIGCONT');
  expect(text).toContain('kind_workers_unanswered 1');
  expect(text).toContain('kind_http_requests_in_progress 1');
}, 60_000);

it('answer a client that has already ended its side of the connection', async () => {
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.end('GET /health/live HTTP/1.1\r\nHost: test\r\n\r\n');
  await once(socket, 'end');
  socket.destroy();
  expect(text).toMatch(/^HTTP\/1.1 200 /);
});

it('metrics are those of all of them, whichever answers', async () => {
  for (let times = 0; times < 10; times++) await ask('/health/live');
  const texts = await Promise.all([ask('/metrics'), ask('/metrics')]);
  texts.push(await ask('/metrics'), await ask('/metrics'));
  for (const text of texts) {
    const [, count] = /^kind_http_requests_total\{method="GET",status="200"\} (\d+)$/m.exec(text) ?? [];
    expect(Number(count)).toBeGreaterThanOrEqual(10);
    expect(text).toContain('kind_indexes_pending 0');
    expect(text).toContain('kind_replica_lag_seconds +Inf');
  }
});

it('tell the numbers of a project of all of them, whichever answers', async () => {
  const project = { 'kind-project-key': 'demo', 'content-type': 'application/json' };
  const credentials = JSON.stringify({ username: 'admin', password: PASSWORD });
  const signedIn = await fetch(`${url}/api/lib/auth/signin`, { method: 'POST', headers: project, body: credentials });
  const { content: tokens } = (await signedIn.json()) as { content: { access_token: string } };
  const headers = { ...project, authorization: `Bearer ${tokens.access_token}` };
  const requests = async (): Promise<number> => {
    const text = await ask('/api/lib/metrics', undefined, headers);
    expect(text).toContain('"messages":[]');
    const { content } = JSON.parse(text) as { content: { items: { requests: number }[] } };
    return content.items.reduce((sum, minute) => sum + minute.requests, 0);
  };
  const before = await requests();
  for (let times = 0; times < 6; times += 1) await ask('/api/lib/kind/unit?limit=1', undefined, headers);
  // Each request has a connection of its own, so both have answered some.
  for (let times = 0; times < 4; times += 1) await expect.poll(requests).toBe(before + 6);
});

/** The answer after which its connection ends. */
const ENDED = /\r\nconnection: close\r\n/i;

it('answer what arrives on kept connections after SIGTERM, and take no new ones', async () => {
  const connections = [await open()];
  // The one that replaces the killed one may not be ready yet.
  while ((await shares(connections)).size < 2) connections.push(await open());
  const gone = once(primary, 'exit');
  primary.kill('SIGTERM');
  while (
    await ask('/health/live').then(
      () => true,
      () => false,
    )
  );
  for (const { socket } of connections) {
    const ended = once(socket, 'close');
    let text = '';
    const send = () => socket.write('GET /health/ready HTTP/1.1\r\nHost: test\r\n\r\n');
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      // A worker that only begins to stop keeps the connection, and is asked again.
      if (!/^HTTP\/1.1 (200|503) [^]*\}$/.test(text) || ENDED.test(text)) return;
      text = '';
      send();
    });
    send();
    await ended;
    expect(text).toMatch(/^HTTP\/1.1 (200|503 [^]*server.stopping)/);
    expect(text).toMatch(ENDED);
  }
  expect(await gone).toEqual([0, null]);
});
