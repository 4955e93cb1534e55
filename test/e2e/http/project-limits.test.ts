/** Limits of a project: requests per second, units, and storage. */
import { expect, it } from 'vitest';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import type { ProjectSettings } from '../../../src/database/entities/project.entity.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import type { Reply, TestProject } from '../../support/service.js';
import { send } from '../../support/wire.js';

const folder = new FunctionsFolder({
  'thing.ts': `
    import { kind } from 'kind';
    const thing = kind('thing');
    export default thing.module({
      functions: {
        make: thing.function({ description: 'Makes one', methods: ['POST'], run: ({ units }) => units('thing').create({ name: 'made' }) }),
      },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
const neighbour = await service.project();
await defineKinds(project, {
  id: 'thing',
  parameters: [{ id: 'name', kind_id: 'string', unique: true }],
  access: { create: 'member' },
});
await reload(service);
const set = (of: TestProject, settings: ProjectSettings) =>
  service.service.app.get(Provisioning).set(of.id, { settings });
const count = async () => ((await ok(project.get('/thing/unit?limit=0'))) as { count: number }).count;

it('more requests than allowed are 429 and say when to come back; other projects go on', async () => {
  await set(project, { requestsPerSecond: 1 });
  const refused: Reply[] = [];
  const isLimited = async (): Promise<boolean> => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => project.get('/thing/unit?limit=0')));
    refused.push(...replies.filter(({ status }) => status === 429));
    return refused.length > 0;
  };
  await expect.poll(isLimited).toBe(true);
  for (const reply of refused) {
    expect(refusalOf(reply)).toEqual({ status: 429, messages: ['project.limit'] });
    expect(reply.headers.get('retry-after')).toBe('1');
  }
  // Without a token too: it is the project that is limited.
  const headers = { 'kind-project-key': project.id };
  const path = '/api/lib/thing/unit';
  const anonymous = await Promise.all(Array.from({ length: 10 }, () => send(service.service, { path, headers })));
  expect(anonymous.map(({ status }) => status)).toContain(429);
  for (let request = 0; request < 20; request += 1) await ok(neighbour.get('/kind/unit?limit=0'));
  await set(project, { requestsPerSecond: null });
  await expect.poll(async () => (await project.get('/kind/unit?limit=0')).status).toBe(200);
  await Promise.all(Array.from({ length: 20 }, () => ok(project.get('/kind/unit?limit=0'))));
});

it('a create beyond the units of a project is refused, whichever way it comes, and stores nothing', async () => {
  await ok(project.post('/thing/unit', [{ name: 'a' }, { name: 'b' }, { name: 'c' }]));
  const member = await asMember(project);
  // The member is a unit too.
  await set(project, { units: 5 });
  await expect.poll(async () => (await service.service.app.get(ProjectStore).find(project.id))?.settings.units).toBe(5);
  const csv = { 'content-type': 'text/csv' };
  const ways: readonly (readonly [string, () => Promise<Reply>])[] = [
    ['bulk', () => project.post('/thing/unit', [{ name: 'd' }, { name: 'e' }])],
    ['upsert', () => project.post('/thing/unit?on_conflict=update&by=name', [{ name: 'd' }, { name: 'e' }])],
    [
      'batch',
      () =>
        project.post('/batch', {
          operations: ['d', 'e'].map((name) => ({ method: 'POST', path: '/thing/unit', body: { name } })),
        }),
    ],
    ['import', () => project.post('/thing/import?format=csv', 'name\nd\ne\n', { headers: csv })],
  ];
  for (const [way, call] of ways) {
    const reply = await call();
    // Faults of a file are 400, with the codes of creates.
    expect(reply.status, way).toBe(way === 'import' ? 400 : 409);
    expect(reply.body.messages[0], way).toMatchObject({
      code: 'project.full',
      text: expect.stringContaining('at most 5, and it has') as string,
    });
    expect(await count(), way).toBe(3);
  }
  await ok(project.post('/thing/function/make'));
  expect(refusalOf(await project.post('/thing/function/make'))).toEqual({ status: 409, messages: ['project.full'] });
  expect(await count()).toBe(4);
  const { body } = await member.post('/thing/unit', { name: 'mine' });
  expect(body.messages[0]?.text).toBe('The project has as many units as it may have');
});

it('edits and deletions are not refused, and make room', async () => {
  const { items } = (await ok(project.get('/thing/unit?limit=1'))) as { items: [{ id: string }] };
  await ok(project.put(`/thing/unit/${items[0].id}`, { name: 'edited' }));
  await ok(project.post('/thing/unit?on_conflict=update&by=name', { name: 'edited' }));
  await ok(project.delete(`/thing/unit/${items[0].id}`));
  await ok(project.post('/thing/unit', { name: 'new' }));
  expect(await count()).toBe(4);
  await set(project, { units: null });
  await expect.poll(async () => (await project.post('/thing/unit', { name: 'more' })).status).toBe(200);
});

it('a project that takes as much storage as it may can only be read and deleted from', async () => {
  const full = await service.project();
  await defineKinds(full, {
    id: 'thing',
    parameters: [{ id: 'name', kind_id: 'string', unique: true }],
    access: { create: 'member' },
  });
  const first = await createdId(full.post('/thing/unit', { name: 'first' }));
  const second = await createdId(full.post('/thing/unit', { name: 'second' }));
  const member = await asMember(full);
  // Less than the tables of an empty project take. It is measured after the first write, and then once a minute.
  await set(full, { storage: 1000 });
  let created = 0;
  const more = () => full.post('/thing/unit', { name: `more ${(created += 1)}` });
  await expect.poll(async () => (await more()).status).toBe(409);
  const { body } = await more();
  expect(body.messages[0]).toMatchObject({
    code: 'project.full',
    text: expect.stringMatching(
      /^The project takes as much storage as it may: at most 1000b, and it takes [\d.]+[km]b$/,
    ) as string,
  });
  const told = await member.post('/thing/unit', { name: 'mine' });
  expect(told.body.messages[0]?.text).toBe('The project takes as much storage as it may');
  const link = `/thing/unit/${first}/link/link/thing/unit/${second}`;
  const writes: readonly (readonly [string, () => Promise<Reply>])[] = [
    ['bulk', () => full.post('/thing/unit', [{ name: 'a' }, { name: 'b' }])],
    ['edit', () => full.put(`/thing/unit/${first}`, { name: 'longer' })],
    ['edit by filter', () => full.put('/thing/unit?filter=eq(name,first)', { name: 'longer' })],
    ['upsert', () => full.post('/thing/unit?on_conflict=update&by=name', { name: 'new' })],
    ['link', () => full.post(link)],
    ['administrator', () => full.post('/kind_admin/unit', { username: 'more', email: 'more@example.com' })],
  ];
  for (const [way, write] of writes) {
    const reply = await write();
    expect([way, reply.status, reply.body.messages[0]?.code]).toEqual([way, 409, 'project.full']);
  }
  // Answers that are kept for a key do not get around it: they have the same limit.
  const kept = [];
  for (const key of ['one', 'two', 'three']) {
    const headers = { 'idempotency-key': key };
    const definition = { id: key, label: 'x'.repeat(200), parameters: [{ id: `of_${key}`, kind_id: 'string' }] };
    kept.push((await full.post('/kind/unit', definition, { headers })).status);
  }
  expect([kept.at(0), kept.at(-1)]).toEqual([200, 429]);
  await ok(full.get('/thing/unit'));
  await ok(full.post('/kind/unit', { id: 'other' }));
  await ok(full.delete(`/thing/unit/${first}`));
  await set(full, { storage: null });
  await expect.poll(async () => (await full.put(`/thing/unit/${second}`, { name: 'x' })).status).toBe(200);
});
