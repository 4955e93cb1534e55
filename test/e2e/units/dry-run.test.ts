/** Dry runs: everything is done, answered and undone. */
import { describe, expect, it } from 'vitest';
import { anonymous, defineKinds, withMembers } from '../../support/callers.js';
import { createdId, definitionsOf, expectNoDrift, ok, query } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { Mailbox, temporaryFolder } from '../../support/mailbox.js';
import { startTestService, type Reply } from '../../support/service.js';

const folder = new FunctionsFolder({
  'task.ts': `
    import { kind } from 'kind';
    const task = kind('task');
    export default task.module({
      functions: { notify: task.function({ description: 'Mails', methods: ['POST'], run({ mail }) { mail({ to: 'a@example.com', subject: 's', text: 't' }); } }) },
      hooks: { after_create: ({ mail, unit }) => { if (unit.title === 'mailed') mail({ to: 'a@example.com', subject: 's', text: 't' }); } },
    });`,
  'far.ts': `
    import { kind } from 'kind';
    export default kind('far').module({ remote: { list: () => ({ count: 0, items: [] }), get: () => null, create: () => { throw new Error('called'); } } });`,
});
const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ functionsDir: folder.path, dataDir });
const project = await withMembers(await service.project());
await defineKinds(
  project,
  {
    id: 'task',
    parameters: [
      { id: 'title', kind_id: 'string', unique: true },
      { id: 'list', kind_id: 'unit', reference_kind: 'task', on_delete: 'cascade' },
    ],
  },
  { id: 'far', remote: true, parameters: ['title'] },
);
await ok(project.post('/group/unit', { id: 'lists', label: 'Lists' }));
await reload(service);
const caller = await project.documented();
const one = await createdId(project.post('/task/unit', { title: 'one' }));
const two = await createdId(project.post('/task/unit', { title: 'two', list: one }));

/** All rows of the project's tables, to compare; changes have their numbers, which they get by themselves soon. */
async function rows(): Promise<unknown> {
  await ok(project.get('/changes?kinds=kind'));
  const tables = await query<{ name: string }>(
    project,
    `SELECT tablename AS name FROM pg_tables WHERE '"' || schemaname || '"' = '$schema' ORDER BY 1`,
  );
  const all = tables.filter(({ name }) => !['_session', '_query'].includes(name));
  const texts = await Promise.all(
    all.map(({ name }) => query<{ t: string }>(project, `SELECT r::text AS t FROM $schema."${name}" AS r ORDER BY 1`)),
  );
  return Object.fromEntries(all.map(({ name }, at) => [name, texts[at]]));
}

/** The answer of a dry run, after which everything is as before. */
async function dry(method: string, path: string, body?: unknown): Promise<Reply> {
  const before = [await definitionsOf(project), await rows()];
  const reply = await caller.call(method, `${path}${path.includes('?') ? '&' : '?'}dry_run=true`, body);
  expect([await definitionsOf(project), await rows()]).toEqual(before);
  expect(reply.headers.get('kind-dry-run')).toBe('true');
  return reply;
}

describe('a dry run answers as the write, and stores nothing', () => {
  it('of a create, also of many', async () => {
    expect(await ok(dry('POST', '/task/unit', { title: 'three', list: two }))).toMatchObject({
      title: 'three',
      list: two,
    });
    expect(await ok(dry('POST', '/task/unit', [{ title: 'a' }, { title: 'b' }]))).toMatchObject({ count: 2 });
    await ok(dry('POST', '/task/unit', { title: 'mailed' }));
    expect((await dry('POST', '/task/unit', { title: 'one' })).body.messages).toMatchObject([
      { code: 'parameter.not_unique' },
    ]);
  });

  it('of an edit and a deletion with what it takes along', async () => {
    expect(await ok(dry('PUT', `/task/unit/${one}`, { title: 'uno' }))).toMatchObject({ title: 'uno' });
    expect(await ok(dry('DELETE', `/task/unit/${one}`))).toBeNull();
    expect((await dry('DELETE', '/task/unit/none')).status).toBe(404);
  });

  it('of upserts, and of edits and deletions by filter', async () => {
    const upserted = await dry('POST', '/task/unit?on_conflict=ignore&by=title', { title: 'one' });
    expect([upserted.status, upserted.headers.get('kind-result')]).toEqual([200, 'ignored']);
    expect(await ok(dry('PUT', '/task/unit?filter=eq(title,one)', { title: 'uno' }))).toMatchObject({ count: 1 });
    expect(await ok(dry('DELETE', '/task/unit?filter=all()'))).toMatchObject({ count: expect.any(Number) as number });
  });

  it('of links', async () => {
    const path = `/task/unit/${one}/link/link/task/unit/${two}`;
    expect(await ok(dry('POST', path))).toMatchObject({ parent_id: one });
    expect((await dry('DELETE', path)).status).toBe(404);
    expect(
      await ok(dry('POST', `/task/unit/${one}/link/link/child`, { items: [{ kind_id: 'task', id: two }] })),
    ).toMatchObject({ count: 1 });
  });

  it('of definitions', async () => {
    const kind = { id: 'fresh', parameters: [{ id: 'color', kind_id: 'string', indexed: true }, 'title'] };
    expect(await ok(dry('POST', '/kind/unit', kind))).toMatchObject({ id: 'fresh', parameters: ['color', 'title'] });
    expect(await ok(dry('PUT', '/string/unit/title', { label: 'Heading' }))).toMatchObject({ label: 'Heading' });
    expect((await dry('PUT', '/string/unit/title', { max_length: 2 })).body.messages).toMatchObject([
      { code: 'parameter.violated' },
    ]);
    expect((await dry('DELETE', '/kind/unit/task')).body.messages[0]).toMatchObject({ code: 'kind.has_units' });
    expect(await ok(dry('DELETE', '/kind/unit/task?cascade=true'))).toBeNull();
    expect(await ok(dry('POST', '/group/unit/lists/link/group/kind/unit/task'))).toMatchObject({
      id: 'task',
    });
    await expectNoDrift(project);
    expect((await project.get('/fresh/unit')).status).toBe(404);
  });

  it('of a batch, with the functions in it', async () => {
    const operations = [
      { as: 'made', method: 'POST', path: '/task/unit', body: { title: 'mailed' } },
      { method: 'PUT', path: '/task/unit/{made.id}', body: { title: 'again' } },
      { method: 'POST', path: '/task/function/notify' },
    ];
    expect(await ok(dry('POST', '/batch', { operations }))).toMatchObject({ count: 3 });
  });
});

it('sends no mail', async () => {
  await ok(dry('POST', '/task/unit', { title: 'mailed' }));
  await ok(project.post('/task/unit', { title: 'mailed' }));
  await mailbox.last('a@example.com');
  // The mails of the dry runs above would have been sent before.
  expect(await mailbox.to('a@example.com')).toHaveLength(1);
});

it('dry_run=false stores, and says nothing of dry runs', async () => {
  const reply = await caller.post('/task/unit?dry_run=false', { title: 'stored' });
  expect([reply.status, reply.headers.get('kind-dry-run')]).toEqual([200, null]);
  await ok(project.get(`/task/unit/${reply.body.content.id}`));
});

describe('dry_run is refused', () => {
  it.each(['', 'yes', 'true&dry_run=true'])('with the value %j, and nothing is stored', async (value) => {
    const before = await rows();
    const { status, body } = await caller.post(`/task/unit?dry_run=${value}`, { title: 'never' });
    expect({ status, ...body.messages[0] }).toMatchObject({
      status: 400,
      code: 'query.bad_value',
      parameter: 'dry_run',
    });
    expect(await rows()).toEqual(before);
  });

  it.each([
    ['GET', '/task/unit'],
    ['GET', `/task/unit/${one}`],
    ['POST', '/task/function/notify'],
    ['GET', '/task/aggregate'],
    ['POST', '/auth/signin'],
    ['POST', '/auth/person/signup'],
    ['POST', '/auth/signout'],
    ['GET', '/auth/me'],
  ])('at %s %s, where there is no such parameter', async (method, path) => {
    const { status, body } = await caller.call(method, `${path}?dry_run=true`, method === 'POST' ? {} : undefined);
    expect({ status, code: body.messages.find(({ parameter }) => parameter === 'dry_run')?.code }).toEqual({
      status: 400,
      code: 'query.unknown',
    });
  });

  it('in an operation of a batch', async () => {
    const { status, body } = await caller.post('/batch', {
      operations: [{ method: 'POST', path: '/task/unit?dry_run=true', body: {} }],
    });
    expect({ status, ...body.messages[0] }).toMatchObject({ status: 400, code: 'query.unknown', operation: 0 });
  });

  it('for units of a remote kind, whose source is not called', async () => {
    const { status, body } = await caller.post('/far/unit?dry_run=true', { title: 'x' });
    expect({ status, ...body.messages[0] }).toMatchObject({ status: 400, code: 'query.unknown', parameter: 'dry_run' });
  });

  it('after missing rights', async () => {
    for (const value of ['true', 'maybe']) {
      expect((await anonymous(project).post(`/task/unit?dry_run=${value}`, {})).status).toBe(401);
    }
  });
});
