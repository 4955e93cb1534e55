/** Imports that wait for their client: what changes meanwhile is noticed, and others have places too. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { MetricSources } from '../../../src/shared/metric-sources.js';
import { defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { sharedService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await sharedService();
const quiet = await service.project();
const project = await service.project();
await defineKinds(project, { id: 'other', parameters: [{ id: 'name', kind_id: 'string' }] });
const side = await sideConnection();
/** Transactions whose last statement, on which nothing followed, is about a key. */
const OPEN_CLAIMS = `SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE $1`;
const CSV = { 'content-type': 'text/csv' };

/** How much of a queue's work runs or waits. */
const workOf = (queue: string) => (state: 'running' | 'waiting') =>
  service.service.app
    .get(MetricSources)
    .all.find(({ name, labels }) => name === `kind_queue_${state}` && labels['queue'] === queue)
    ?.read();
const transfers = workOf('imports and exports');
const arriving = workOf('arriving imports');

/** An import of which only a part is sent. */
async function begin(kind: string, part: string, length: number, header = ''): Promise<Socket> {
  const { hostname, port } = new URL(service.service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    `POST /api/lib/${kind}/import HTTP/1.1\r\nhost: x\r\nkind-project-key: ${project.id}\r\nauthorization: Bearer ${project.token ?? ''}\r\n` +
      `content-type: text/csv\r\ncontent-length: ${length}\r\n${header}\r\n${part}`,
  );
  return socket;
}

describe('while an import waits for its client', () => {
  const part = `name\n${'x\n'.repeat(40_000)}`;

  it('a change of the definitions is noticed, and the import begins again with the new ones', async () => {
    lowerLimit('importedAhead', 0);
    const rest = 'y\n'.repeat(1000);
    const socket = await begin('other', part, part.length + rest.length);
    // The service has begun to write when it has read what was sent.
    await expect.poll(() => socket.writableLength).toBe(0);
    await project.get('/kind/unit?limit=0');
    await ok(project.put('/kind/unit/other', { label: 'Others' }));
    socket.write(rest);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200[^]*"created":41000,/);
    expect(await ok(project.get('/other/unit?limit=0'))).toEqual({ count: 41_000, items: [] });
  });

  it('two of a project leave no place for a third, but other projects have theirs', async () => {
    await defineKinds(quiet, { id: 'row', parameters: [{ id: 'name', kind_id: 'string' }] });
    lowerLimit('importedAhead', 0);
    const sockets = await Promise.all([1, 2].map(() => begin('other', 'name\nx\n', 1_000_000)));
    await expect.poll(() => transfers('running')).toBe(2);
    const third = project.call('POST', '/other/import', 'name\na\n', { headers: CSV });
    await expect.poll(() => transfers('waiting')).toBe(1);
    expect((await quiet.call('POST', '/row/import', 'name\na\n', { headers: CSV })).status).toBe(200);
    // The client that keeps the others waiting loses its place.
    expect((await third).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('it has no place before enough has arrived, whoever sends it how slowly', async () => {
    await expect.poll(() => transfers('running')).toBe(0);
    const sockets = await Promise.all([1, 2, 3].map(() => begin('other', 'name\nx\n', 1_000_000)));
    await expect.poll(() => arriving('running')).toBe(3);
    expect(transfers('running')).toBe(0);
    expect((await project.call('POST', '/other/import', 'name\na\n', { headers: CSV })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => arriving('running')).toBe(0);
  });

  it('whose key has an answer already, no transaction waits with it', async () => {
    lowerLimit('importedAhead', 0);
    const key = 'idempotency-key: waits';
    const file = 'name\nz\n';
    await ok(project.call('POST', '/other/import', file, { headers: { ...CSV, 'idempotency-key': 'waits' } }));
    const socket = await begin('other', 'name\n', file.length, `${key}\r\n`);
    const claims = () => side.rows(OPEN_CLAIMS, [`%project_${project.id}%_idempotency%`]);
    await expect.poll(() => transfers('running')).toBe(1);
    await expect.poll(claims).toEqual([]);
    socket.write('z\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200[^]*idempotency-replayed: true/i);
  });
});

describe('an import whose client goes away before it is answered', () => {
  const goneWhileLocked = async (kind: string, header = '') => {
    await expect.poll(() => transfers('running')).toBe(0);
    const unlock = await side.lock(project, kind);
    const file = `name\n${'x\n'.repeat(500)}`;
    const socket = await begin(kind, file, file.length, header);
    await side.waiting(project, kind);
    socket.destroy();
    await once(socket, 'close');
    await unlock();
    await expect.poll(() => transfers('running')).toBe(0);
    return (await ok(project.get(`/${kind}/unit?limit=0`))).count as number;
  };

  it('is undone, and works no longer', async () => {
    await defineKinds(project, { id: 'undone', parameters: ['name'] });
    expect(await goneWhileLocked('undone')).toBe(0);
  });

  it('is done if it has a key, by which the client may ask again', async () => {
    await defineKinds(project, { id: 'kept', parameters: ['name'] });
    expect(await goneWhileLocked('kept', 'idempotency-key: gone\r\n')).toBe(500);
  });
});
