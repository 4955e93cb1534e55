/** Changes and live lists through nginx with the files of `deploy/nginx/`: nothing is held back, and nothing cut off. */
import { afterAll, expect, it, vi } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { ok } from '../support/definitions.js';
import { follow } from '../support/live.js';
import { startNginx } from '../support/nginx.js';
import { startTestService, type TestProject } from '../support/service.js';

// The certificate is its own.
vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
afterAll(() => vi.unstubAllEnvs());

const [one, two] = [await startTestService({ trustProxy: 1 }), await startTestService({ trustProxy: 1 })];
const project = await one.project();
const url = await startNginx([one.service.url, two.service.url]);
/** The same caller, through nginx. */
const through = Object.assign(Object.create(project) as TestProject, { service: { url } });
await defineKinds(project, {
  id: 'task',
  changes: 'feed',
  parameters: [
    { id: 'title', kind_id: 'string' },
    { id: 'more', kind_id: 'json' },
  ],
});
const create = (body: object) => ok(project.post('/task/unit', body)) as Promise<{ id: string }>;

it('an answer that waits for a change comes with it', async () => {
  const changes = async (query: string) => {
    const headers = { 'kind-project-key': project.id, authorization: `Bearer ${project.token}` };
    const answer = await fetch(`${url}/api/lib/changes?kinds=task${query}`, { headers });
    return ((await answer.json()) as { content: { items: unknown[]; next: string } }).content;
  };
  const { next } = await changes('');
  const began = performance.now();
  const waiting = changes(`&wait=25&since=${next}`);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const { id } = await create({ title: 'a' });
  expect((await waiting).items).toMatchObject([{ operation: 'create', unit_id: id }]);
  expect(performance.now() - began).toBeLessThan(10_000);
});

it('each event of a live list comes at once, and a comment keeps a quiet stream open', async () => {
  const live = await follow(through, { tasks: '/task/unit' });
  await live.next('page');
  expect(live.response.headers['content-type']).toBe('text/event-stream');
  for (const title of ['b', 'c', 'd']) {
    const { id } = await create({ title });
    await live.until(() => live.lists.get('tasks')?.has(id) === true, 3000);
  }
  await live.until(() => live.comments.length >= 5, 90_000);
  const { id } = await create({ title: 'after more than a minute' });
  await live.until(() => live.lists.get('tasks')?.has(id) === true, 3000);
  live.close();
}, 120_000);

it('a reader that does not read is sent nothing more, and a page when it reads on', async () => {
  const units = await Promise.all(Array.from({ length: 5 }, () => create({ title: 'large' })));
  const live = await follow(through, { tasks: '/task/unit?filter=eq(title,large)' });
  await live.next('page');
  live.response.pause();
  const text = 'x'.repeat(400_000);
  // More than the sockets on the way take, which is up to 40 MB.
  const writes = 200;
  for (let n = 1; n <= writes; n++) {
    await ok(project.put(`/task/unit/${units[n % 5]?.id}`, { more: { text, n } }));
  }
  live.response.resume();
  const numbers = () =>
    [...(live.lists.get('tasks')?.values() ?? [])].map(({ more }) => (more as { n: number } | null)?.n);
  await live.until(() => numbers().includes(writes), 60_000);
  expect(numbers().toSorted()).toEqual([196, 197, 198, 199, 200]);
  expect(live.events.filter(({ event }) => event === 'page').length).toBeGreaterThan(1);
  expect(live.events.filter(({ event }) => event === 'update').length).toBeLessThan(writes);
  live.close();
}, 150_000);
