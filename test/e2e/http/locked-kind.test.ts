/**
 * If the table of a kind is locked, as by a change of definitions whose process hangs, only requests for that kind
 * wait.
 */
import { expect, it, vi } from 'vitest';
import { ok } from '../../support/definitions.js';
import { startTestService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await startTestService({ databasePool: 8 });
const side = await sideConnection();

/** How many of eight connections a project may hold long, which is where its requests wait for locks. */
const HELD = 2;
const REQUESTS = 12;

it('leaves connections for the other kinds of its project, and for other projects', async () => {
  const project = await service.project();
  for (const id of ['city', 'land', 'sea']) {
    await ok(
      project.post('/kind/unit', { id, parameters: id === 'city' ? [{ id: 'name', kind_id: 'string' }] : ['name'] }),
    );
    await ok(project.post(`/${id}/unit`, { name: id }));
  }
  await ok(project.post('/group/unit', { id: 'places', kind_list: ['land', 'sea'] }));
  const unlock = await side.lock(project, 'city');
  const held = Array.from({ length: REQUESTS }, () => project.get('/city/unit'));
  const { long } = service.service.database.places;
  await vi.waitFor(() => expect(long.counts).toMatchObject({ running: HELD, waiting: REQUESTS - HELD }));
  await side.waiting(project, 'city', HELD);
  await ok(project.get('/land/unit'));
  await ok(project.post('/sea/unit', { name: 'another' }));
  await ok(project.get('/group/places/unit'));
  await ok(project.get('/land/struct'));
  expect(await side.waiting(project, 'city', HELD)).toHaveLength(HELD);
  await unlock();
  for (const reply of await Promise.all(held)) expect(reply.status).toBe(200);
});

it('is waited for ten seconds at most, and held by a silent process for fifteen', async () => {
  const { database } = service.service;
  const [alone] = await database.run({ text: 'SHOW lock_timeout', values: [] });
  const [row] = await database.transaction((tx) => tx.run({ text: 'SHOW lock_timeout', values: [] }), {
    isolation: 'read committed',
  });
  const [idle] = await database.run({ text: 'SHOW idle_in_transaction_session_timeout', values: [] });
  expect([alone, row, idle]).toEqual([
    { lock_timeout: '100ms' },
    { lock_timeout: '10s' },
    { idle_in_transaction_session_timeout: '15s' },
  ]);
});
