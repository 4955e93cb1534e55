/** A project that asks for more than the service can do is refused before anything is done for it. */
import { expect, it, vi } from 'vitest';
import { activeProjects } from '../../../src/shared/active-keys.js';
import { retryLater } from '../../../src/shared/errors.js';
import { FairQueue } from '../../../src/shared/fair-queue.js';
import { Overload } from '../../../src/tenancy/overload.js';
import { defineKinds } from '../../support/callers.js';
import { refusalOf } from '../../support/definitions.js';
import { sideConnection } from '../../support/side-connection.js';
import { startTestService } from '../../support/service.js';
import { send } from '../../support/wire.js';

const service = await startTestService();
const [noisy, quiet] = [await service.project(), await service.project()];
for (const project of [noisy, quiet]) {
  await defineKinds(project, { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] });
}

it('with Retry-After; other kinds, other projects, health and metrics are answered', async () => {
  const queue = new FairQueue({
    concurrency: 1,
    congestion: { milliseconds: 0, waiting: 0 },
    refusal: () => retryLater('server.busy', 'Too many requests of this project are under way'),
  });
  service.service.app.get(Overload).watch(queue);
  const release = await queue.acquire(noisy.id, undefined, 'city');
  const waiting = queue.acquire(noisy.id, undefined, 'city');

  const body = JSON.stringify({ name: 'Rome' });
  const headers = { 'kind-project-key': noisy.id, 'content-type': 'application/json' };
  const refused = await Promise.all([
    noisy.get('/city/unit'),
    noisy.post('/city/unit', { name: 'Rome' }),
    // Without a body, which is not asked for, and with a token that nobody looks at.
    send(service.service, {
      method: 'POST',
      path: '/api/lib/city/unit',
      headers: { ...headers, authorization: 'Bearer x', expect: '100-continue', 'content-length': body.length },
    }),
  ]);
  for (const reply of refused) {
    expect(refusalOf(reply)).toEqual({ status: 503, messages: ['server.busy'] });
    expect(reply.headers.get('retry-after')).toBe('1');
  }
  expect((await noisy.get('/kind/unit?limit=1')).status).toBe(200);
  expect((await quiet.get('/city/unit')).status).toBe(200);
  for (const path of ['/health/live', '/health/ready', '/metrics']) {
    expect((await send(service.service, { path })).status).toBe(200);
  }

  release();
  (await waiting)();
  expect((await noisy.get('/city/unit')).status).toBe(200);
});

it('projects are active while they have requests under way', async () => {
  const side = await sideConnection();
  const release = await side.lock(noisy, 'city');
  const asked = noisy.get('/city/unit');
  await side.waiting(noisy, 'city');
  expect(activeProjects.hasOthers(`project_${quiet.id}`)).toBe(true);
  await release();
  expect((await asked).status).toBe(200);
  await vi.waitFor(() => expect(activeProjects.hasOthers('')).toBe(false));
});
