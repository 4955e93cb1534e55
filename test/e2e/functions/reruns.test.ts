/** A call that conflicts with others is run again: what becomes of the runs before, and what user code must see. */
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { anonymous, defineKinds, signUp, tokensOf } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { Gate, gateOf } from '../../support/gate.js';
import { Mailbox, temporaryFolder } from '../../support/mailbox.js';
import { startTestService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const gate = new Gate('gate');
const HEAD = `import { kind } from 'kind';
${gateOf('gate')}`;
const folder = new FunctionsFolder({
  'job.ts': `${HEAD}
    const job = kind('job');
    const text = { type: 'string', required: true } as const;
    let runs = 0;
    export default job.module({ functions: {
      add: job.function({
        description: 'Tells of itself on the way',
        parameters: { which: text, list: { type: 'json', required: true } },
        timeout: 1200,
        async run({ units, parameters, log, mail }) {
          const run = (runs += 1);
          const { total } = await units('counter').get(parameters.which);
          (parameters.list as string[]).push('run');
          log.info('added', { run });
          mail({ to: 'ann@example.com', subject: 'Added', text: String(run) });
          await gate.pass();
          await units('counter').update(parameters.which, { total: Number(total) + 1 });
          return { run, list: parameters.list };
        },
      }),
      waits_and_creates: job.function({
        description: 'Looks, waits, creates what was allowed when it looked',
        parameters: { values: { type: 'json', required: true } },
        async run({ units, parameters }) {
          await units('counter').list({ limit: 1 });
          await gate.pass();
          return units('note').create(parameters.values as object);
        },
      }),
      waits_and_removes: job.function({
        description: 'Looks, waits, removes',
        parameters: { of: text, which: text },
        async run({ units, system, parameters }) {
          await units('counter').list({ limit: 1 });
          await gate.pass();
          await system.units(parameters.of).remove(parameters.which);
        },
      }),
    } });`,
  'noted.ts': `import { FunctionError, kind } from 'kind';
    export default kind('noted').module({
      hooks: {
        before_create({ values, log }) {
          if (values.title === 'bad') throw new FunctionError(422, 'title.bad', 'bad', 'title');
          log.info('noted', { title: values.title });
        },
      },
    });`,
  'far.ts': `${HEAD}
    const count = async ({ system }, id, name) => {
      const { total } = await system.units('counter').get(id);
      await system.units('counter').update(id, { total: Number(total) + 1 });
    };
    export default kind('far').module({
      hooks: {
        before_create: (context) => count(context, context.values['title']),
        after_create: (context) => count(context, context.unit['title']),
      },
      remote: {
        list: () => ({ count: 0, items: [] }),
        get: (id) => ({ id, title: id }),
        create: ({ title }) => ({ id: String(title), title }),
      },
    });`,
});
const lines: { msg: string; run?: number; title?: string; at?: string }[] = [];
const log = pino(
  { level: 'info' },
  { write: (text: string) => void lines.push(JSON.parse(text) as (typeof lines)[0]) },
);
const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ functionsDir: folder.path, dataDir }, log);
const project = await service.project();
await defineKinds(
  project,
  { id: 'counter', parameters: [{ id: 'total', kind_id: 'integer', default_integer: 0 }] },
  {
    id: 'note',
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'text', kind_id: 'string' },
    ],
  },
  { id: 'job', parameters: ['title'] },
  { id: 'noted', parameters: ['title'] },
  { id: 'far', remote: true, parameters: ['title'] },
  { id: 'person' },
);
await ok(project.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person'] }));
await reload(service);
const made = async (kind: string, body: object = {}) =>
  (await ok(project.post(`/${kind}/unit`, body))) as { id: string };
const total = async (id: string) => ((await ok(project.get(`/counter/unit/${id}`))) as { total: number }).total;
const call = (name: string, body: object) => project.post(`/job/function/${name}`, body);

afterEach(() => gate.open());

it('an import writes the lines of the hooks of each record that it stores, once', async () => {
  const file = 'title\na\nbad\nb\n';
  const csv = { headers: { 'content-type': 'text/csv' } };
  expect(await ok(project.call('POST', '/noted/import?errors=skip', file, csv))).toMatchObject({
    created: 2,
    failed: 1,
  });
  const noted = lines.filter(({ msg }) => msg === 'noted');
  expect(noted.map(({ title }) => title)).toEqual(['a', 'b']);
});

describe('a repeated call', () => {
  it('logs, mails and answers with its last run only', async () => {
    const { id } = await made('counter');
    gate.close();
    const adding = call('add', { which: id, list: [] });
    await gate.reached(1);
    await ok(project.put(`/counter/unit/${id}`, { total: 41 }));
    expect(lines.filter(({ msg }) => msg === 'added')).toEqual([]);
    gate.open();
    expect(await ok(adding)).toEqual({ run: 2, list: ['run'] });
    expect(await total(id)).toBe(42);
    const added = lines.filter(({ msg }) => msg === 'added');
    expect(added).toEqual([expect.objectContaining({ run: 2, at: expect.stringMatching(/^\d{4}-.*Z$/) as string })]);
    await mailbox.last('ann@example.com', 1);
    expect((await mailbox.to('ann@example.com')).map(({ text }) => text.trim())).toEqual(['2']);
  });

  it('is rejected at its time limit, with Retry-After', async () => {
    const { id } = await made('counter');
    const side = await sideConnection();
    const release = await side.holding(project, `SELECT FROM "counter" WHERE id = '${id}' FOR UPDATE`);
    const reply = await call('add', { which: id, list: [] });
    expect(refusalOf(reply)).toEqual({ status: 503, messages: ['server.busy'] });
    expect(reply.headers.get('retry-after')).toBe('1');
    await release();
    expect(await total(id)).toBe(0);
    await ok(call('add', { which: id, list: [] }));
    expect(await total(id)).toBe(1);
  });
});

describe('definitions that change during a call', () => {
  const creating = async (values: object, meanwhile: () => Promise<unknown>) => {
    gate.close();
    const calling = call('waits_and_creates', { values });
    await gate.reached(1);
    await meanwhile();
    gate.open();
    return refusalOf(await calling);
  };

  it('apply to it: a value that is now too long', async () => {
    const refused = await creating({ title: 'far too long' }, () =>
      ok(project.put('/string/unit/title', { max_length: 5 })),
    );
    expect(refused).toEqual({ status: 400, messages: ['parameter.too_long title'] });
    expect(await ok(project.get('/note/unit?limit=0'))).toMatchObject({ count: 0 });
  });

  it('apply to it: a deleted parameter', async () => {
    const refused = await creating({ text: 'x' }, () =>
      ok(project.delete('/kind/unit/note/link/parameter/string/unit/text')),
    );
    expect(refused).toEqual({ status: 400, messages: ['parameter.unknown text'] });
  });

  it('apply to it: a removed right', async () => {
    const refused = await creating({ title: 'a' }, () =>
      ok(project.put('/kind/unit/note', { access: { create: 'nobody' } })),
    );
    expect(refused).toMatchObject({ status: 403 });
  });
});

describe('objects created during a call for a unit that the call deletes', () => {
  const removing = async (kind: string, id: string, meanwhile: () => Promise<unknown>) => {
    gate.close();
    const calling = call('waits_and_removes', { of: kind, which: id });
    await gate.reached(1);
    const result = await meanwhile();
    gate.open();
    await ok(calling);
    return result;
  };

  it('a link', async () => {
    await ok(project.post('/link/unit', { id: 'road', label: 'Road' }));
    const [one, other] = [await made('counter'), await made('counter')];
    const path = (from: string, to: string) => `/counter/unit/${from}/link/road/counter/unit/${to}`;
    await removing('counter', one.id, async () => {
      await ok(project.post(path(one.id, other.id)));
      await ok(project.post(path(other.id, one.id)));
    });
    // A type that is in use cannot be deleted.
    await ok(project.delete('/link/unit/road'));
  });

  it('the session of a member', async () => {
    const ann = await signUp(anonymous(project), 'ann');
    const side = await sideConnection();
    const credentials = `SELECT password_hash AS hash FROM "project_${project.id}"."kind_system_user" WHERE member_id = $1`;
    const [row] = await side.rows<{ hash: string }>(credentials, [ann.id]);
    const signIn = () => tokensOf(project, 'person', ann.id, row?.hash);
    const { access_token } = (await removing('person', ann.id, signIn)) as { access_token: string };
    expect((await project.as(access_token).get('/auth/verify')).status).toBe(401);
  });

  it('but not the last administrator', async () => {
    const admins = (await ok(project.get('/kind_admin/unit'))) as { items: { id: string }[] };
    const second = await made('kind_admin', { username: 'second', email: 'second@example.com' });
    const ids = [admins.items[0]?.id ?? '', second.id];
    gate.close();
    const calls = ids.map((id) => call('waits_and_removes', { of: 'kind_admin', which: id }));
    await gate.reached(2);
    gate.open();
    expect((await Promise.all(calls)).filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('hooks around a source', () => {
  it('hooks lose no update either', async () => {
    const admin = await service.project();
    await defineKinds(
      admin,
      { id: 'counter', parameters: [{ id: 'total', kind_id: 'integer', default_integer: 0 }] },
      { id: 'far', remote: true, parameters: [{ id: 'title', kind_id: 'string' }] },
    );
    const id = await createdId(admin.post('/counter/unit', {}));
    const replies = await Promise.all(Array.from({ length: 30 }, () => admin.post('/far/unit', { title: id })));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await ok(admin.get(`/counter/unit/${id}`))).toMatchObject({ total: 60 });
  });
});
