/**
 * If the table of a kind is locked, as by a change of definitions whose process hangs, only requests for that kind
 * wait.
 */
import { expect, it } from 'vitest';
import { ok } from '../../support/definitions.js';
import { startTestService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await startTestService({ databasePool: 8 });
const side = await sideConnection();

/** What of eight places a project may have alone, and of these one kind. */
const PLACES = { project: 6, kind: 4 };

it('leaves connections for the other kinds of its project', async () => {
  const project = await service.project();
  for (const id of ['city', 'land', 'sea']) {
    await ok(
      project.post('/kind/unit', { id, parameters: id === 'city' ? [{ id: 'name', kind_id: 'string' }] : ['name'] }),
    );
    await ok(project.post(`/${id}/unit`, { name: id }));
  }
  await ok(project.post('/group/unit', { id: 'places', kind_list: ['land', 'sea'] }));
  const unlock = await side.lock(project, 'city');
  const held = Array.from({ length: 2 * PLACES.project }, () => project.get('/city/unit'));
  await side.waiting(project, 'city', PLACES.kind);
  await ok(project.get('/land/unit'));
  await ok(project.post('/sea/unit', { name: 'another' }));
  await ok(project.get('/group/places/unit'));
  await ok(project.get('/land/struct'));
  expect(await side.waiting(project, 'city', PLACES.kind)).toHaveLength(PLACES.kind);
  await unlock();
  for (const reply of await Promise.all(held)) expect(reply.status).toBe(200);
});

it('is waited for ten seconds at most, and held by a silent process for fifteen', async () => {
  const { database } = service.service;
  const [row] = await database.run({ text: 'SHOW lock_timeout', values: [] });
  const [idle] = await database.run({ text: 'SHOW idle_in_transaction_session_timeout', values: [] });
  expect([row, idle]).toEqual([{ lock_timeout: '10s' }, { idle_in_transaction_session_timeout: '15s' }]);
});
