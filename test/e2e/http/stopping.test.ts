/** A shutdown answers the requests on open connections, and takes no new connections. */
import { once } from 'node:events';
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { atEnd } from '../../support/at-end.js';
import { defineKinds } from '../../support/callers.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import { sideConnection } from '../../support/side-connection.js';
import { send } from '../../support/wire.js';

const database = await ownDatabase();
/** Milliseconds: connections are closed for other reasons, or the test fails. */
const VERY_LONG = 600_000;
const started = await startServiceOn(database, { shutdownGrace: VERY_LONG, shutdownIdle: VERY_LONG });
const { service } = started;
const project = await started.project();
await defineKinds(project, { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] });

interface KeptConnection {
  readonly get: (path: string) => Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: unknown }>;
  readonly close: () => void;
}

/** A connection that the client keeps, on which one request was answered. */
async function keptConnection({ url } = service): Promise<KeptConnection> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  atEnd(() => agent.destroy());
  const kept: KeptConnection = {
    async get(path) {
      const headers = { 'kind-project-key': project.id, authorization: `Bearer ${project.token}` };
      const asked = request(url + path, { agent, headers }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      return { status: answer.statusCode, headers: answer.headers, body: await json(answer) };
    },
    close: () => agent.destroy(),
  };
  expect(await kept.get('/health/live')).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
  return kept;
}

/** Waits until the service takes no new connections. */
async function untilRefused(): Promise<void> {
  for (;;) {
    const failure = await send(service, { path: '/health/live' }).then(() => undefined, String);
    if (failure === undefined) continue;
    expect(failure).toContain('ECONNREFUSED');
    return;
  }
}

it('requests in progress and those on kept connections are answered, and connections end with the answer', async () => {
  const side = await sideConnection(database);
  const [ready, list, idle] = [await keptConnection(), await keptConnection(), await keptConnection()];
  const release = await side.lock(project, 'city');
  const asked = project.post('/city/unit', { name: 'Rome' });
  await side.waiting(project, 'city');
  const stopped = service.stop();
  await untilRefused();

  expect(await ready.get('/health/ready')).toMatchObject({
    status: 503,
    headers: { connection: 'close', 'retry-after': '1' },
    body: { content: null, messages: [{ code: 'server.stopping' }] },
  });
  expect(await list.get('/api/lib/kind/unit?limit=1')).toMatchObject({ status: 200, headers: { connection: 'close' } });

  await release();
  expect(await asked).toMatchObject({ status: 200, body: { content: { name: 'Rome' } } });
  // The service waits for a request on this one.
  idle.close();
  await stopped;
});

it('kept connections that no request uses are closed', async () => {
  const { service: other } = await startServiceOn(database, { shutdownIdle: 1 });
  const socket = connect(Number(new URL(other.url).port), '127.0.0.1');
  const closed = once(socket, 'close');
  socket.write('GET /health/live HTTP/1.1\r\nHost: test\r\n\r\n');
  await once(socket, 'data');
  await other.stop();
  expect(await closed).toEqual([false]);
});

it('a request that arrives with the end is refused, and its connection not cut', async () => {
  const { service: last } = await startServiceOn(database);
  const { port, hostname } = new URL(last.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // The service has accepted the connection before this one.
  expect((await send(last, { path: '/health/live' })).status).toBe(200);
  const stopped = last.stop();
  socket.write('GET /health/ready HTTP/1.1\r\nHost: test\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  expect(text).toMatch(/^HTTP\/1.1 503 /);
  expect(text).toContain('server.stopping');
  await stopped;
});

it('requests beyond the grace time are aborted', async () => {
  const other = await startServiceOn(database, { shutdownGrace: 50 });
  const own = await other.signIn(project.id);
  const side = await sideConnection(database);
  const release = await side.lock(project, 'city');
  const asked = expect(own.post('/city/unit', { name: 'Oslo' })).rejects.toThrow();
  const [pid] = await side.waiting(project, 'city');
  const stopped = other.service.stop();
  await asked;
  await side.rows('SELECT pg_cancel_backend($1::int)', [pid]);
  await release();
  await stopped;
});
