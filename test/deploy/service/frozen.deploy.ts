/** A process that hangs during a change of definitions (SIGSTOP) does not block others for long. */
import { expect, it } from 'vitest';
import { ok } from '../../support/definitions.js';
import { ownDatabase, startServiceOn, urlOf } from '../../support/own-database.js';
import { TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';
import { startChild } from './child.js';

/** Of `startServiceOn`. */
const SECRET = 'another secret for tests, at least thirty-two characters';

/** Milliseconds after which PostgreSQL ends its transaction. */
const SILENCE = 15_000;

it('other processes serve other kinds immediately, and the changed kind soon; the paused one answers that nothing is stored', async () => {
  const connection = await ownDatabase();
  const service = await startServiceOn(connection);
  const project = await service.project();
  for (const id of ['city', 'land']) {
    await ok(project.post('/kind/unit', { id, parameters: [{ id: `${id}_name`, kind_id: 'string' }] }));
    await ok(project.post(`/${id}/unit`, { [`${id}_name`]: id }));
  }
  const child = await startChild({ DATABASE_URL: urlOf(connection), JWT_SECRET: SECRET, FUNCTIONS_WATCH: 'off' });
  const there = new TestProject({ ...service.service, url: child.url }, project.id, project.token);
  await ok(there.get('/land/unit'));

  // It has locked the table of the kind, and has still to raise the version of the model.
  const side = await sideConnection(connection);
  const release = await side.holding(project, 'SELECT FROM _model FOR UPDATE');
  const edit = { parameters: ['city_name', { id: 'area', kind_id: 'integer' }] };
  const changed = there.put('/kind/unit/city', edit);
  await side.blocked();
  child.process.kill('SIGSTOP');
  const stopped = performance.now();
  await release();

  const held = Array.from({ length: 12 }, () => project.get('/city/unit'));
  await side.waiting(project, 'city', 4);
  for (let times = 0; times < 5; times += 1) {
    await ok(project.get('/land/unit'));
    await ok(project.post('/land/unit', { land_name: 'another' }));
  }
  // A generous bound: they took a tenth of a second.
  expect(performance.now() - stopped).toBeLessThan(SILENCE / 3);
  for (const { status, body } of await Promise.all(held)) {
    expect([status, body.messages[0]?.code]).toEqual([503, expect.stringMatching(/^(database|server)\.busy$/)]);
  }
  // It waits for the end of the silent transaction.
  await ok(project.post('/kind/unit', { id: 'sea', parameters: ['land_name'] }));
  await ok(project.get('/city/unit'));
  child.process.kill('SIGCONT');
  const { status, body } = await changed;
  const text = 'The database does not answer: not stored; try again shortly';
  expect([status, body.messages]).toEqual([503, [{ code: 'database.unavailable', text }]]);
  await ok(there.put('/kind/unit/city', edit));
  expect(await ok(project.post('/city/unit', { area: 1 }))).toMatchObject({ area: 1 });
}, 60_000);
