/**
 * Two processes on one database: definitions of one apply to the next request of the other, whether the notification came
 * in time, late, or never. Notifications are for speed; the version in every statement keeps answers correct.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ModelStore } from '../../../src/catalog/model/model-store.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import type { Database } from '../../../src/database/database.js';
import { projectOf } from '../../../src/tenancy/project.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { tokensOf } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { startTestService, TestProject } from '../../support/service.js';

const [a, b] = [await startTestService(), await startTestService()];

/** A project with the kind `city`, as A and B see it; both have its model in memory. */
async function twice(): Promise<{ onA: TestProject; onB: TestProject }> {
  const onA = await a.project();
  const onB = new TestProject(b.service, onA.id, onA.token);
  await ok(onA.post('/kind/unit', { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] }));
  await ok(onA.post('/city/unit', { name: 'Rome' }));
  await ok(onA.post('/group/unit', { id: 'places', kind_list: ['city'] }));
  await ok(onB.get('/city/unit'));
  return { onA, onB };
}

/** B hears of nothing any more. */
function deafen(): void {
  const { app } = b.service;
  vi.spyOn(app.get(ModelStore), 'announced').mockImplementation(() => undefined);
  vi.spyOn(app.get(ProjectStore), 'forget').mockImplementation(() => undefined);
}

/** Holds what the next load of a model on B brings, until it is let go: news from then arrive late. */
function holdNextLoad(): { held: Promise<void>; release: () => void } {
  const { database } = b.service as { database: Database };
  const run = database.run.bind(database);
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  let arrived = (): void => undefined;
  const held = new Promise<void>((resolve) => (arrived = resolve));
  let waiting = true;
  vi.spyOn(database, 'run').mockImplementation(async (statement) => {
    const rows = await run(statement);
    if (waiting && statement.text.includes("'parameters'")) {
      waiting = false;
      arrived();
      await gate;
    }
    return rows;
  });
  return { held, release: () => release() };
}

afterEach(() => void vi.restoreAllMocks());

interface Change {
  readonly name: string;
  /** On A. */
  readonly change: (project: TestProject) => Promise<unknown>;
  /** On B, at once. */
  readonly ask: (project: TestProject) => ReturnType<TestProject['get']>;
  readonly expect: object;
}

const put = (path: string, body: object) => (project: TestProject) => ok(project.put(path, body));
const post = (path: string, body?: object) => (project: TestProject) => ok(project.post(path, body));

const CHANGES: readonly Change[] = [
  {
    name: 'a new kind',
    change: post('/kind/unit', { id: 'town', parameters: [{ id: 'size', kind_id: 'integer' }] }),
    ask: (project) => project.post('/town/unit', { size: 7 }),
    expect: { status: 200, body: { content: { kind_id: 'town', size: 7 } } },
  },
  {
    name: 'a new parameter, written',
    change: put('/kind/unit/city', { parameters: ['name', { id: 'size', kind_id: 'integer' }] }),
    ask: (project) => project.post('/city/unit', { name: 'Oslo', size: 7 }),
    expect: { status: 200, body: { content: { name: 'Oslo', size: 7 } } },
  },
  {
    name: 'a new parameter, read',
    change: put('/kind/unit/city', { parameters: ['name', { id: 'size', kind_id: 'integer', default_integer: 3 }] }),
    ask: (project) => project.get('/city/unit'),
    expect: { status: 200, body: { content: { count: 1, items: [{ name: 'Rome', size: 3 }] } } },
  },
  {
    name: 'a new parameter, filtered by',
    change: put('/kind/unit/city', { parameters: ['name', { id: 'size', kind_id: 'integer', default_integer: 3 }] }),
    ask: (project) => project.get('/city/unit?filter=eq(size,3)&order=size;asc'),
    expect: { status: 200, body: { content: { count: 1 } } },
  },
  {
    name: 'a parameter taken away, read',
    change: (project) => ok(project.put('/kind/unit/city?cascade=true', { parameters: [] })),
    ask: (project) => project.get('/city/unit'),
    expect: { status: 200, body: { content: { items: [expect.not.objectContaining({ name: 'Rome' })] } } },
  },
  {
    name: 'a parameter taken away, written',
    change: (project) => ok(project.put('/kind/unit/city?cascade=true', { parameters: [] })),
    ask: (project) => project.post('/city/unit', { name: 'Oslo' }),
    expect: { status: 400, body: { messages: [{ code: 'parameter.unknown', parameter: 'name' }] } },
  },
  {
    name: 'a parameter replaced by one of the same name and another type',
    change: async (project) => {
      await ok(project.delete('/string/unit/name?cascade=true'));
      await ok(
        project.put('/kind/unit/city', { parameters: [{ id: 'name', kind_id: 'integer', default_integer: 4 }] }),
      );
    },
    ask: (project) => project.get('/city/unit?filter=eq(name,4)'),
    expect: { status: 200, body: { content: { count: 1, items: [{ name: 4 }] } } },
  },
  {
    name: 'required',
    change: put('/string/unit/name', { required: true }),
    ask: (project) => project.post('/city/unit', {}),
    expect: { status: 400, body: { messages: [{ code: 'parameter.required', parameter: 'name' }] } },
  },
  {
    name: 'a rule of values',
    change: put('/string/unit/name', { max_length: 5 }),
    ask: (project) => project.post('/city/unit', { name: 'Reykjavík' }),
    expect: { status: 400, body: { messages: [{ code: 'parameter.too_long', parameter: 'name' }] } },
  },
  {
    name: 'hidden',
    change: put('/string/unit/name', { hidden: true }),
    ask: (project) => project.get('/city/unit'),
    expect: { status: 200, body: { content: { items: [expect.not.objectContaining({ name: 'Rome' })] } } },
  },
  {
    name: 'inactive, read',
    change: put('/kind/unit/city', { active: false }),
    ask: (project) => project.get('/city/unit'),
    expect: { status: 403, body: { messages: [{ code: 'kind.inactive' }] } },
  },
  {
    name: 'inactive, written',
    change: put('/kind/unit/city', { active: false }),
    ask: (project) => project.post('/city/unit', { name: 'Oslo' }),
    expect: { status: 403, body: { messages: [{ code: 'kind.inactive' }] } },
  },
  {
    name: 'remote',
    change: (project) => ok(project.put('/kind/unit/city?cascade=true', { remote: true })),
    ask: (project) => project.get('/city/unit'),
    expect: { status: 503, body: { messages: [{ code: 'kind.remote_unavailable' }] } },
  },
  {
    name: 'read by nobody',
    change: put('/kind/unit/city', { access: { read: 'nobody' } }),
    ask: (project) => project.get('/city/unit'),
    expect: { status: 403, body: { messages: [{ code: 'access.denied' }] } },
  },
  {
    name: 'created by nobody',
    change: put('/kind/unit/city', { access: { create: 'nobody' } }),
    ask: (project) => project.post('/city/unit', { name: 'Oslo' }),
    expect: { status: 403, body: { messages: [{ code: 'access.denied' }] } },
  },
  {
    name: 'public: the next request needs no token',
    change: put('/kind/unit/city', { public: true }),
    ask: (project) => project.as(undefined).get('/city/unit'),
    expect: { status: 200, body: { content: { count: 1 } } },
  },
  {
    name: 'a deleted kind',
    change: (project) => ok(project.delete('/kind/unit/city?cascade=true')),
    ask: (project) => project.get('/city/unit'),
    expect: { status: 404, body: { messages: [{ code: 'kind.unknown' }] } },
  },
  {
    name: 'a group',
    change: post('/group/unit', { id: 'others', kind_list: ['city'] }),
    ask: (project) => project.get('/group/others/kind'),
    expect: { status: 200, body: { content: { count: 1, items: [{ id: 'city' }] } } },
  },
  {
    name: 'a new parameter, in the struct',
    change: put('/kind/unit/city', { parameters: ['name', { id: 'size', kind_id: 'integer' }] }),
    ask: (project) => project.get('/city/struct'),
    expect: { status: 200, body: { content: { count: 3 } } },
  },
  {
    name: 'who may read, in the struct',
    change: put('/kind/unit/city', { access: { read: 'nobody', create: 'nobody', signup: 'nobody' } }),
    ask: (project) => project.get('/city/struct'),
    expect: { status: 403, body: { messages: [{ code: 'access.denied' }] } },
  },
  {
    name: 'a kind taken from a group, in the struct of the group',
    change: put('/group/unit/places', { kind_list: [] }),
    ask: (project) => project.get('/group/places/struct'),
    expect: { status: 200, body: { content: { label: 'places', parameters: [] } } },
  },
];

/** What the other tables repeat: one change of each sort. */
const SOME = CHANGES.filter(({ name }) =>
  /^(a new parameter, read|inactive, read|created by nobody|a deleted kind|who may read)/.test(name),
);

describe('process B uses the change with its next request', () => {
  it.each(SOME)('$name, if the notification is delayed', async ({ change, ask, ...row }) => {
    const { onA, onB } = await twice();
    await change(onA);
    expect(await ask(onB)).toMatchObject(row.expect);
  });

  it.each(CHANGES)('$name, if the notification is lost', async ({ change, ask, ...row }) => {
    const { onA, onB } = await twice();
    deafen();
    await change(onA);
    expect(await ask(onB)).toMatchObject(row.expect);
  });
});

describe('process B and late notifications', () => {
  it('obeys at once what operations without access allow in the project', async () => {
    const { onA, onB } = await twice();
    await ok(onA.put('/kind/unit/city', { public: true }));
    const create = () => onB.as(undefined).post('/city/unit', { name: 'Oslo' });
    expect((await create()).status).toBe(200);
    deafen();
    vi.spyOn(b.service.app.get(ModelStore), 'forget').mockImplementation(() => undefined);
    await a.service.app.get(Provisioning).set(onA.id, { accessDefault: 'closed' });
    expect((await create()).status).toBe(401);
    await a.service.app.get(Provisioning).set(onA.id, { accessDefault: 'open' });
    expect((await create()).status).toBe(200);
  });

  it('finds a unit that only the new rule shows, though the statement of the old one returns no row', async () => {
    const { onA, onB } = await twice();
    const [city] = (await ok(onA.get('/city/unit'))).items as { id: string }[];
    const read = () => onB.as(undefined).get(`/city/unit/${city?.id}`);
    await ok(onA.put('/kind/unit/city', { public: true, access: { read: 'eq(name,Oslo)' } }));
    expect(refusalOf(await read())).toEqual({ status: 404, messages: ['unit.unknown'] });
    deafen();
    await ok(onA.put('/kind/unit/city', { access: { read: 'eq(name,Rome)' } }));
    expect(await read()).toMatchObject({ status: 200, body: { content: { name: 'Rome' } } });
  });

  it.each(SOME)(
    '$name: a load that began before the change does not answer after it',
    async ({ change, ask, ...row }) => {
      const { onA, onB } = await twice();
      deafen();
      b.service.app.get(ModelStore).clear();
      const load = holdNextLoad();
      const asked = ask(onB);
      await load.held;
      await change(onA);
      load.release();
      expect(await asked).toMatchObject(row.expect);
      expect(await ask(onB)).toMatchObject({ status: (row.expect as { status: number }).status });
    },
  );

  it('an older model never replaces a newer one', async () => {
    const { onA, onB } = await twice();
    const models = b.service.app.get(ModelStore);
    const project = projectOf({ id: onA.id, schemaId: null, label: '', settings: {} });
    const old = await models.get(project);
    await ok(onA.post('/kind/unit', { id: 'town' }));
    await ok(onB.get('/town/unit'));
    const newer = await models.get(project);
    expect(newer.version).toBe(old.version + 1);
    expect(models.publish(project, old)).toBe(newer);
    models.announced(project.id, old.version);
    expect(await models.get(project)).toBe(newer);
  });

  it('a load that began before a model was published does not replace it, one that began later does', async () => {
    const { onA } = await twice();
    deafen();
    const models = b.service.app.get(ModelStore);
    const project = projectOf({ id: onA.id, schemaId: null, label: '', settings: {} });
    const stored = await models.get(project);
    const load = holdNextLoad();
    const late = models.reload(project);
    await load.held;
    const published = models.publish(project, { ...stored, version: stored.version + 1 });
    load.release();
    expect(await late).toBe(published);
    expect(await models.get(project)).toBe(published);
    // It was published and then lost, as a restore loses it.
    expect(await models.reload(project)).toEqual(stored);
    expect(await models.get(project)).toEqual(stored);
  });

  it('a load that began before the project was forgotten is not kept', async () => {
    const { onA } = await twice();
    const models = b.service.app.get(ModelStore);
    const project = projectOf({ id: onA.id, schemaId: null, label: '', settings: {} });
    for (const forget of [() => models.forget(project.id), () => models.clear()]) {
      const load = holdNextLoad();
      const late = models.reload(project);
      await load.held;
      forget();
      const next = await models.get(project);
      load.release();
      expect(await late).not.toBe(next);
      expect(await models.get(project)).toBe(next);
      vi.restoreAllMocks();
    }
  });

  it('a model that changes constantly is 503 with a retry', async () => {
    const { onA, onB } = await twice();
    deafen();
    const models = b.service.app.get(ModelStore);
    const old = await models.get(projectOf({ id: onA.id, schemaId: null, label: '', settings: {} }));
    await ok(onA.post('/kind/unit', { id: 'town' }));
    vi.spyOn(models, 'reload').mockResolvedValue(old);
    const reply = await onB.get('/city/unit');
    expect(refusalOf(reply)).toEqual({ status: 503, messages: ['database.busy'] });
    expect(reply.headers.get('retry-after')).toBe('1');
  });

  it('a process without notifications loads the model once for many changes', async () => {
    const { onA, onB } = await twice();
    deafen();
    for (const id of ['k1', 'k2', 'k3']) await ok(onA.post('/kind/unit', { id }));
    // A stale list, the load, the list again.
    expect(await onB.statements(() => onB.get('/city/unit'))).toBe(3);
    expect(await onB.statements(() => onB.get('/city/unit'))).toBe(1);
  });

  it('definitions of two processes without notifications are applied one after the other', async () => {
    const { onA, onB } = await twice();
    deafen();
    vi.spyOn(a.service.app.get(ModelStore), 'announced').mockImplementation(() => undefined);
    for (let at = 0; at < 4; at++) {
      await ok(
        (at % 2 ? onA : onB).post('/kind/unit', { id: `k${at}`, parameters: [{ id: `p${at}`, kind_id: 'string' }] }),
      );
      expect(refusalOf(await (at % 2 ? onB : onA).post('/kind/unit', { id: `k${at}` }))).toEqual({
        status: 409,
        messages: ['kind.exists id'],
      });
    }
  });
});

describe('a model that becomes older', () => {
  it('by a restore of the schema: both processes use the stored model', async () => {
    const { onA, onB } = await twice();
    await ok(onA.post('/kind/unit', { id: 'town' }));
    await ok(onA.put('/kind/unit/city', { parameters: ['name', { id: 'size', kind_id: 'integer' }] }));
    for (const project of [onA, onB]) await ok(project.get('/town/unit'));
    await query(
      onA,
      `DO $do$ BEGIN
        DROP TABLE $schema."town";
        DELETE FROM $schema."kind" WHERE "id" = 'town';
        ALTER TABLE $schema."city" DROP COLUMN "size";
        UPDATE $schema."kind" SET "parameters" = ARRAY['name'] WHERE "id" = 'city';
        UPDATE $schema."_model" SET "version" = "version" - 2;
      END $do$`,
    );
    for (const project of [onA, onB]) {
      expect(await ok(project.get('/city/unit'))).toMatchObject({ count: 1, items: [{ name: 'Rome' }] });
      expect(refusalOf(await project.get('/town/unit'))).toEqual({ status: 404, messages: ['kind.unknown'] });
      expect(await project.statements(() => project.get('/city/unit'))).toBe(1);
    }
    await ok(onB.post('/kind/unit', { id: 'town' }));
    for (const project of [onA, onB]) await ok(project.get('/town/unit'));
  });

  it('by a project that was deleted and created again without a notification', async () => {
    const { onA } = await twice();
    deafen();
    vi.spyOn(b.service.app.get(ModelStore), 'forget').mockImplementation(() => undefined);
    await a.service.app.get(Provisioning).delete(onA.id);
    await a.project(onA.id);
    const onB = await b.signIn(onA.id);
    expect((await onB.get('/kind/unit')).status).toBe(200);
    expect(refusalOf(await onB.get('/city/unit'))).toEqual({ status: 404, messages: ['kind.unknown'] });
  });
});

describe('a deleted project', () => {
  const deleteOnA = (project: TestProject) => a.service.app.get(Provisioning).delete(project.id);

  it.each([
    { name: 'where the announcement comes when it comes', deaf: false },
    { name: 'where it never comes', deaf: true },
  ])('answers 401 on both, $name', async ({ deaf }) => {
    const { onA, onB } = await twice();
    const [me] = (await onB.get('/kind_admin/unit')).body.content['items'] as { id: string }[];
    const unseen = await tokensOf(onB, 'kind_admin', me?.id ?? '');
    if (deaf) deafen();
    await deleteOnA(onA);
    const unknown = { status: 401, messages: ['project.unknown'] };
    // The session of that token was never asked about.
    for (const project of [onB.as(unseen.access_token), onA, onB]) {
      for (const path of ['/city/unit', '/kind/unit', '/city/struct', '/kind/struct'])
        expect([path, refusalOf(await project.get(path))]).toEqual([path, unknown]);
      expect(refusalOf(await project.post('/city/unit', { name: 'x' }))).toEqual(unknown);
      expect(refusalOf(await project.post('/kind/unit', { id: 'town' }))).toEqual(unknown);
      expect(refusalOf(await project.as(undefined).post('/auth/signin', { username: 'admin', password: 'x' }))).toEqual(
        unknown,
      );
    }
  });

  it('leaves no schema, and its id can be used by a new project that inherits nothing', async () => {
    const { onA } = await twice();
    deafen();
    await deleteOnA(onA);
    const rows = await a.service.database.run({
      text: 'SELECT 1 FROM pg_namespace WHERE nspname = $1',
      values: [`project_${onA.id}`],
    });
    expect(rows).toEqual([]);
    const again = await a.project(onA.id);
    // As many changes as before, so that both models have one version, but not one content.
    await ok(again.post('/kind/unit', { id: 'city', parameters: [{ id: 'name', kind_id: 'string', hidden: true }] }));
    await ok(again.post('/city/unit', { name: 'Secret' }));
    await ok(again.post('/group/unit', { id: 'places' }));
    const { items } = (await ok((await b.signIn(again.id)).get('/city/unit'))) as { items: object[] };
    expect(items).toEqual([expect.not.objectContaining({ name: 'Secret' })]);
  });
});

it('a kind that is no longer remote works on a process that was not notified', async () => {
  const { onA, onB } = await twice();
  await ok(onA.put('/kind/unit/city?cascade=true', { remote: true }));
  expect(refusalOf(await onB.get('/city/unit'))).toEqual({ status: 503, messages: ['kind.remote_unavailable'] });
  deafen();
  await ok(onA.put('/kind/unit/city', { remote: false }));
  expect(await ok(onB.get('/city/unit'))).toEqual({ count: 0, items: [] });
});

it('a table that the newest model requires and that is missing is an error of the service, after one retry', async () => {
  const { onA } = await twice();
  await query(onA, 'ALTER TABLE $schema."city" RENAME TO "lost"');
  const reload = vi.spyOn(a.service.app.get(ModelStore), 'reload');
  expect(refusalOf(await onA.get('/city/unit'))).toEqual({ status: 500, messages: ['server.error'] });
  expect(reload).toHaveBeenCalledTimes(1);
});
