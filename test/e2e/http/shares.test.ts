/** Projects share the connection pool: slow requests of some projects do not block the others. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId } from '../../support/definitions.js';
import { startTestService, type TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await startTestService({ databasePool: 8 });

async function withNotes(): Promise<TestProject> {
  const project = await service.project();
  await defineKinds(project, { id: 'note', parameters: [{ id: 'text', kind_id: 'text' }] });
  return project;
}

/** Has many lists of a project wait for a lock, of which so many hold a connection. */
async function slow(project: TestProject, places: number) {
  const side = await sideConnection();
  const release = await side.lock(project, 'note');
  const replies = Array.from({ length: 20 }, () => project.get('/note/unit'));
  await side.waiting(project, 'note', places);
  return async () => {
    await release();
    await Promise.all(replies);
  };
}

it('projects whose statements wait for locks leave connections for another', async () => {
  const [first, second, third] = [await withNotes(), await withNotes(), await withNotes()];
  const last = await withNotes();
  const id = await createdId(third.post('/note/unit', { text: 'a' }));
  const releases = [await slow(first, 2), await slow(second, 2), await slow(last, 0)];
  for (let turn = 0; turn < 20; turn += 1) expect((await third.get(`/note/unit/${id}`)).status).toBe(200);
  for (const release of releases) await release();
});
