/** Mails of functions and hooks: queued when user code sends them, and sent after the commit. */
import { beforeEach, describe, expect, it } from 'vitest';
import { anonymous, defineKinds } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder } from '../../support/functions.js';
import { Gate, gateOf } from '../../support/gate.js';
import { Mailbox, temporaryFolder } from '../../support/mailbox.js';
import { startTestService } from '../../support/service.js';
import { MailQueue, type MailReservation } from '../../../src/mail/mail-queue.js';
import { LIMITS } from '../../../src/shared/limits.js';

const gate = new Gate('gate');
const folder = new FunctionsFolder({
  'job.ts': `
    ${gateOf('gate')}
    import { FunctionError, kind, type Context } from 'kind';
    const job = kind('job');
    const send = ({ mail }: Context, count: number, to = 'ann@example.com') => {
      for (let mails = 0; mails < count; mails++) mail({ to, subject: 'Hello', text: 'Hello' });
    };
    const f = (run: Parameters<typeof job.function>[0]['run'], parameters = {}) =>
      job.function({ description: 'x', parameters, run });
    export default job.module({
      hooks: {
        before_create: (context) => {
          send(context, 1);
          if (context.values['title'] === 'no') throw new FunctionError(409, 'job.no', 'No');
        },
      },
      functions: {
        last: f((context) => send(context, 1, 'last@example.com')),
        keeps: f(async (context) => { send(context, 1); await gate.pass(); }),
        two: f((context) => send(context, 2)),
        two_after_reading: f(async (context) => { await context.units('job').list({ limit: 1 }); send(context, 2); }),
        as_many_as_go: f((context) => {
          try { send(context, 2); } catch (error) { return (error as { code: string }).code; }
        }),
        sends_to: f((context) => send(context, 1, context.parameters['to'] as string), { to: { type: 'string' } }),
        refuses: f((context) => { send(context, 1); throw new FunctionError(409, 'job.no', 'No'); }),
        refuses_after_reading: f(async (context) => {
          await context.units('job').list({ limit: 1 });
          send(context, 1);
          throw new FunctionError(409, 'job.no', 'No');
        }),
      },
    });`,
});
const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ functionsDir: folder.path, dataDir });
const project = await service.project();
await defineKinds(project, { id: 'job', parameters: [{ id: 'title', kind_id: 'string' }] });
const outgoing = service.service.app.get(MailQueue);
const call = async (name: string) => refusalOf(await project.post(`/job/function/${name}`));
let last = 0;
/** The mails to Ann, when all that were posted by now are sent. */
const sent = async () => {
  await ok(project.post('/job/function/last'));
  await mailbox.last('last@example.com', (last += 1));
  return (await mailbox.to('ann@example.com')).length;
};

describe('an address', () => {
  it.each([
    'nope',
    'a@example.com,ann@example.com',
    'Ann <ann@example.com>',
    'ann@example.com\r\nBcc: x@example.com',
    '',
  ])('that is none, or more than one, is a fault of the author: %j', async (to) => {
    expect(refusalOf(await project.post('/job/function/sends_to', { to }))).toMatchObject({ status: 500 });
    expect(await sent()).toBe(0);
  });
});

it('hooks of an import with errors=skip send one for each unit that is stored', async () => {
  const before = await sent();
  const csv = { headers: { 'content-type': 'text/csv' } };
  expect(await ok(project.post('/job/import?errors=skip', 'title\nyes\nno\n', csv))).toMatchObject({ created: 1 });
  expect((await sent()) - before).toBe(1);
});

describe('when the mail queue has one place left for functions', () => {
  const full = { status: 503, messages: ['server.busy'] };
  const refused = { status: 409, messages: ['job.no'] };
  let taken: MailReservation[] = [];
  let before = 0;
  beforeEach(async () => {
    for (const place of taken) place.release();
    before = await sent();
    taken = Array.from({ length: LIMITS.functionMailsPerProject - 1 }, () => outgoing.reserve(project.id));
  });

  it.each(['two', 'two_after_reading'])('a call that sends more is rejected, and sends none: %s', async (name) => {
    expect(await call(name)).toEqual(full);
    expect((await sent()) - before).toBe(0);
  });

  it('the author gets the error, and may continue', async () => {
    expect(await ok(project.post('/job/function/as_many_as_go'))).toBe('server.busy');
    await mailbox.last('ann@example.com', before + 1);
    expect((await sent()) - before).toBe(1);
  });

  it.each(['refuses', 'refuses_after_reading'])(
    'a call that is undone sends none, and leaves its place: %s',
    async (name) => {
      for (let time = 0; time < 3; time++) expect(await call(name)).toEqual(refused);
      expect((await sent()) - before).toBe(0);
    },
  );

  it('a call that reserves it leaves room for the mails of the service', async () => {
    gate.close();
    const keeping = project.post('/job/function/keeps');
    await gate.reached(1);
    expect(await call('two')).toEqual(full);
    const asked = await anonymous(project).post('/auth/recover_password', { email: 'nobody@example.com' });
    expect(asked.status).toBe(200);
    gate.open();
    await ok(keeping);
    await mailbox.last('ann@example.com', before + 1);
  });

  it('so does a hook, and it sends the mail after the commit', async () => {
    for (let time = 0; time < 3; time++)
      expect(refusalOf(await project.post('/job/unit', { title: 'no' }))).toEqual(refused);
    await ok(project.post('/job/unit', { title: 'yes' }));
    await mailbox.last('ann@example.com', before + 1);
    expect((await sent()) - before).toBe(1);
  });
});
