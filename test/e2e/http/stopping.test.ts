/** A shutdown answers the requests in progress and refuses new ones. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { refusalOf } from '../../support/definitions.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import { expectWellFormed } from '../../support/scenario.js';
import { sideConnection } from '../../support/side-connection.js';
import { send } from '../../support/wire.js';

const database = await ownDatabase();
const started = await startServiceOn(database);
const { service } = started;
const project = await started.project();
await defineKinds(project, { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] });

it('requests in progress are answered; meanwhile the service listens and answers that it is stopping', async () => {
  const side = await sideConnection(database);
  const release = await side.lock(project, 'city');
  const asked = project.post('/city/unit', { name: 'Rome' });
  await side.waiting(project, 'city');
  const stopped = service.stop();
  for (const path of ['/health/ready', '/api/lib/city/unit', '/api/lib/nowhere']) {
    const reply = await send(service, { path, headers: { 'kind-project-key': project.id } });
    expectWellFormed(reply);
    expect(refusalOf(reply)).toEqual({ status: 503, messages: ['server.stopping'] });
    expect(reply.headers.get('connection')).toBe('close');
    expect(reply.headers.get('retry-after')).toBe('1');
  }
  expect((await send(service, { path: '/health/live' })).status).toBe(200);
  expect((await send(service, { path: '/metrics' })).status).toBe(200);
  await release();
  expect(await asked).toMatchObject({ status: 200, body: { content: { name: 'Rome' } } });
  await stopped;
  await expect(send(service, { path: '/health/live' })).rejects.toThrow('ECONNREFUSED');
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
  await side.rows('SELECT pg_cancel_backend($1)', [pid]);
  await release();
  await stopped;
});
