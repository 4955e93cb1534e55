/** Sending mails: over SMTP to a real server, and into the outbox. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { describe, expect, it, vi } from 'vitest';
import { pino, type Logger } from 'pino';
import { atEnd } from '../../support/at-end.js';
import { Metrics } from '../../../src/metrics/metrics.js';
import { checkMail, OutboxTransport } from '../../../src/mail/transport.js';
import { MailQueue } from '../../../src/mail/mail-queue.js';
import type { Service } from '../../../src/service.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { query } from '../../support/definitions.js';
import {
  codeIn,
  Mailbox,
  readMail,
  setOtp,
  temporaryFolder,
  tokenIn,
  type ReceivedMail,
} from '../../support/mailbox.js';
import { startTestService, type TestProject } from '../../support/service.js';
import { send } from '../../support/wire.js';

interface Received extends ReceivedMail {
  readonly from: string;
  readonly recipients: readonly string[];
  readonly user: string | undefined;
}

/** Refuses so many mails for a moment, and one recipient for good. */
async function mailServer() {
  const received: Received[] = [];
  const state = { refuse: 0, connections: 0 };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      password === 'mail secret' ? done(null, { user: username }) : done(new Error(`no ${password ?? ''}`)),
    onConnect: (_, done) => ((state.connections += 1), done()),
    onRcptTo: ({ address }, _, done) =>
      address.startsWith('gone') ? done(Object.assign(new Error(`unknown ${address}`), { responseCode: 550 })) : done(),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (state.refuse-- > 0) return done(Object.assign(new Error('later'), { responseCode: 451 }));
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          ...readMail(Buffer.concat(chunks).toString()),
          from: mailFrom ? mailFrom.address : '',
          recipients: rcptTo.map(({ address }) => address),
          user: session.user as string | undefined,
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const to = async (address: string): Promise<Received> => {
    await vi.waitUntil(() => received.some(({ recipients }) => recipients.includes(address)), { timeout: 10_000 });
    return received.find(({ recipients }) => recipients.includes(address))!;
  };
  return { port, received, state, to };
}

/** What a service logs, as text. */
function logOf(): { text: () => string; logger: Logger } {
  const lines: string[] = [];
  return { text: () => lines.join(''), logger: pino({ level: 'trace' }, { write: (line) => void lines.push(line) }) };
}

const server = await mailServer();
const log = logOf();
const service = await startTestService(
  {
    mailUrl: `smtp://kind:${encodeURIComponent('mail secret')}@127.0.0.1:${server.port}`,
    mailFrom: 'Kind at Work <kind@work.example>',
    publicUrl: 'https://kind.work.example/base',
    authRateLimit: false,
  },
  log.logger,
);
const unreachable = logOf();
const alone = await startTestService({ mailUrl: 'smtp://127.0.0.1:1', authRateLimit: false }, unreachable.logger);
const dataDir = temporaryFolder();
const others = [
  await startTestService({ dataDir, authRateLimit: false }),
  await startTestService({ dataDir, authRateLimit: false }),
] as const;
const impatient = logOf();
const hasty = await startTestService({ authRateLimit: false, shutdownGrace: 0 }, impatient.logger);
const events: string[] = [];
const observer = pino(
  { level: 'debug' },
  { write: (line) => void (/recover_password.*"msg":"request"/.test(line) && events.push('answered')) },
);
const watched = await startTestService({ dataDir, authRateLimit: false }, observer);
const full = await startTestService({ dataDir, authRateLimit: false });
const brokenFolder = temporaryFolder();
const lastFolder = temporaryFolder();
const admin = await withMembers(await service.project());
const open = anonymous(admin);
const recover = (project: TestProject, email: string, options = {}) =>
  project.post('/auth/recover_password', { email }, options);

describe('over SMTP', () => {
  it('a recovery has one recipient, a text and an HTML part, and a link to the public address', async () => {
    const { email, username } = await signUp(admin, 'ann');
    await recover(open, email);
    const mail = await server.to(email);
    expect(mail).toMatchObject({ from: 'kind@work.example', recipients: [email], user: 'kind' });
    expect(mail.headers.get('from')).toBe('Kind at Work <kind@work.example>');
    expect(mail.headers.get('to')).toBe(email);
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    const link = `https://kind.work.example/base/api/lib/auth/reset_password/${tokenIn(mail)}`;
    expect(mail.text).toContain(`\n${link}\n`);
    expect(mail.html).toContain(`href="${link}#${admin.id}"`);
    expect(mail.raw).not.toContain(username + ' ');
    expect((await open.post(`/auth/reset_password/${tokenIn(mail)}`, { new_password: 'the next one' })).status).toBe(
      200,
    );
  });

  it('a code is mailed after the right password', async () => {
    const project = await withMembers(await service.project());
    const { email, password } = await signUp(project, 'bob');
    await setOtp(project, true);
    expect((await anonymous(project).post('/auth/signin', { username: 'bob', password })).body.content).toBeNull();
    const mail = await server.to(email);
    expect(mail.headers.get('subject')).toBe(`Your sign-in code for ${project.id}`);
    const answer = await anonymous(project).post('/auth/signin', { username: 'bob', password, otp: codeIn(mail) });
    expect(answer.body.content.email).toBe(email);
  });

  it('no header of a request gets into it', async () => {
    const { email } = await signUp(admin, 'cid');
    const body = JSON.stringify({ email });
    await send(service.service, {
      method: 'POST',
      path: '/api/lib/auth/recover_password',
      headers: {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'gopher',
        forwarded: 'host=evil.example',
        origin: 'https://evil.example',
        referer: 'https://evil.example/',
        'kind-project-key': admin.id,
        'content-type': 'application/json',
      },
      body,
    });
    const mail = await server.to(email);
    expect(mail.raw).not.toMatch(/evil|gopher/);
    expect(mail.text).toContain('https://kind.work.example/base/api/lib/auth/reset_password/');
  });

  it('names of members are in no mail, whatever they look like', async () => {
    for (const [at, name] of ['{{7*7}}<b>x</b>', 'dan\r\nBcc: evil', '${7*7}'].entries()) {
      const email = `dan${at}@example.com`;
      const username = name.replace('\r\n', ' ');
      const made = await admin.post('/person/unit', { username, email, first_name: name, last_name: name });
      expect(made.status).toBe(200);
      await recover(open, email);
      const mail = await server.to(email);
      expect(mail.recipients).toEqual([email]);
      expect(`${mail.headers.get('subject') ?? ''} ${mail.text} ${mail.html}`).not.toMatch(/\b49\b|<b>|7\*7/);
      expect(mail.raw).not.toMatch(/evil|Bcc/);
    }
  });

  it.each([
    'eve@example.com\r\nBcc: evil@example.com',
    'eve@example.com,evil',
    'eve,evil@example.com',
    '<eve@example.com>',
    'eve<evil@example.com>',
    'eve;evil@example.com',
    'group:eve@example.com;',
  ])('%j is no address of a member', async (email) => {
    const { status, body } = await admin.post('/person/unit', { username: 'eve', email });
    expect({ status, code: body.messages[0]?.code, parameter: body.messages[0]?.parameter }).toEqual({
      status: 400,
      code: 'parameter.bad_value',
      parameter: 'email',
    });
  });

  it('an invalid address stored earlier gets no mail, nor does anybody else', async () => {
    const { id } = await signUp(admin, 'fay');
    const bad = 'fay@example.com,evil@example.com';
    await query(admin, 'UPDATE $schema.kind_system_user SET "email" = $1, "email_key" = $1 WHERE "member_id" = $2', [
      bad,
      id,
    ]);
    await recover(open, bad);
    await vi.waitUntil(() => log.text().includes('EENVELOPE'), { timeout: 5000 });
    expect(server.received.flatMap(({ recipients }) => recipients).join()).not.toMatch(/evil|fay/);
  });

  it('is retried after a temporary refusal, and not after a permanent one', async () => {
    server.state.refuse = 1;
    const { email } = await signUp(admin, 'gus');
    await recover(open, email);
    await server.to(email);
    expect(log.text()).toContain('tried again');

    await admin.post('/person/unit', { username: 'gone', email: 'gone@example.com' });
    const before = server.state.connections;
    await recover(open, 'gone@example.com');
    await vi.waitUntil(() => log.text().includes('"responseCode":550'), { timeout: 5000 });
    expect(server.state.connections).toBe(before + 1);
  });

  it('failures are logged without addresses, contents and passwords', () => {
    expect(log.text()).toContain('"mail":"recovery"');
    expect(log.text()).toContain(`"project":"${admin.id}"`);
    expect(log.text()).not.toMatch(/@example\.com|mail secret|reset_password\/[\w-]/);
  });

  it('an unreachable mail server delays no answer', async () => {
    const failed = () => /ECONNECTION|ESOCKET/.test(unreachable.text());
    await recover(anonymous(await alone.signIn(admin.id)), 'ann@example.com');
    expect(failed()).toBe(false);
    await vi.waitUntil(failed, { timeout: 5000 });
  });
});

describe('the outbox', () => {
  it('has complete files, readable by their owner only, from several processes at once', async () => {
    const mailbox = new Mailbox(dataDir);
    const project = await withMembers(await others[0].project());
    const { email } = await signUp(project, 'hal');
    const projects = await Promise.all(others.map(async (each) => anonymous(await each.signIn(project.id))));
    await Promise.all(Array.from({ length: 8 }, (_, at) => recover(projects[at % 2]!, email)));
    await mailbox.last(email, 8);
    expect(readdirSync(mailbox.folder).filter((name) => !/^[\dT.]+Z-[0-9a-f]{16}\.eml$/.test(name))).toEqual([]);
    const modes = readdirSync(mailbox.folder).map((name) => statSync(join(mailbox.folder, name)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect(statSync(mailbox.folder).mode & 0o777).toBe(0o700);
    const mails = await mailbox.to(email);
    expect(new Set(mails.map(tokenIn)).size).toBe(8);
    for (const { raw } of mails) {
      expect(raw).toMatch(/^Content-Transfer-Encoding: 7bit$/m);
      expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    }
    // Without PUBLIC_URL: where it listens.
    expect(mails.some(({ text }) => text.includes(`${others[0].service.url}/api/lib/auth/reset_password/`))).toBe(true);
  });

  it('that cannot be written is reported, and leaves nothing behind', async () => {
    const folder = brokenFolder;
    writeFileSync(join(folder, 'outbox'), 'a file');
    const transport = new OutboxTransport(join(folder, 'outbox'));
    const message = { build: async () => Buffer.from('x'), getEnvelope: () => ({}), messageId: () => 'x' };
    const error = await new Promise((resolve) => transport.send({ message }, resolve));
    expect(error).toMatchObject({ code: 'EEXIST' });
    expect(readdirSync(folder)).toEqual(['outbox']);
  });
});

describe('a start', () => {
  const checked = async (settings: Parameters<typeof checkMail>[0]): Promise<string> => {
    const { text, logger } = logOf();
    await checkMail(settings, logger);
    return text();
  };
  const at = (password: string, port = server.port) => `smtp://kind:${encodeURIComponent(password)}@127.0.0.1:${port}`;

  it('says nothing if mails can be sent, and sends none', async () => {
    const before = server.received.length;
    expect(await checked({ mailUrl: at('mail secret'), dataDir: brokenFolder })).toBe('');
    expect(server.received).toHaveLength(before);
    const folder = temporaryFolder();
    expect(await checked({ dataDir: folder })).toBe('');
    expect(readdirSync(join(folder, 'outbox'))).toEqual([]);
  });

  it('warns if the outbox cannot be written', async () => {
    const text = await checked({ dataDir: brokenFolder });
    expect(JSON.parse(text)).toMatchObject({
      code: 'EEXIST',
      msg: `mails cannot be written to ${join(brokenFolder, 'outbox')}: make it a folder that this account can write, or set MAIL_URL`,
    });
  });

  it('warns if the mail server is away, or refuses the password, without telling it', async () => {
    const away = await checked({ mailUrl: at('mail secret', 1), dataDir: brokenFolder });
    expect(JSON.parse(away)).toMatchObject({ code: 'ESOCKET', msg: expect.stringMatching(/MAIL_URL/) as string });
    const refused = await checked({ mailUrl: at('a wrong secret'), dataDir: brokenFolder });
    expect(JSON.parse(refused)).toMatchObject({ code: 'EAUTH', responseCode: 535 });
    expect(away + refused).not.toMatch(/secret/);
  });
});

it('mails that were sent and that failed are counted', async () => {
  const counts = async ({ service: { app } }: { readonly service: Service }) =>
    [...(await app.get(Metrics).text()).matchAll(/^kind_mails_total\{result="(\w+)"\} (\d+)$/gm)].map(
      ([, result, count]) => [result, Number(count) > 0],
    );
  expect(await counts(others[0])).toEqual([
    ['sent', true],
    ['failed', false],
  ]);
  await vi.waitUntil(async () => (await counts(alone)).some(([result, some]) => result === 'failed' && some), {
    timeout: 10_000,
  });
});

describe('a service that stops', () => {
  it('sends waiting mails first', async () => {
    // Stopped by the test itself.
    const mortal = await startTestService({ dataDir: lastFolder, authRateLimit: false });
    const project = anonymous(await mortal.signIn(admin.id));
    for (let mail = 0; mail < 5; mail += 1) await recover(project, 'cid@example.com');
    await mortal.service.stop();
    expect((await new Mailbox(lastFolder).to('cid@example.com')).length).toBe(5);
  });

  it('does not wait for ever', async () => {
    const outgoing = hasty.service.app.get(MailQueue);
    outgoing.reserve('none').submit({ type: 'test', make: () => new Promise(() => undefined) });
    await outgoing.drain(100);
    expect(impatient.text()).toContain('"mails":1');
  });
});

it('a mail is made after the answer is sent', async () => {
  const outgoing = watched.service.app.get(MailQueue);
  vi.spyOn(outgoing, 'reserve').mockReturnValue({ submit: () => void events.push('posted'), release() {} });
  await recover(anonymous(await watched.signIn(admin.id)), 'ann@example.com');
  await vi.waitUntil(() => events.length === 2, { timeout: 5000 });
  expect(events).toEqual(['answered', 'posted']);
});

describe('a full mail queue', () => {
  const outgoing = full.service.app.get(MailQueue);
  const fill = (project: string, count: number) => Array.from({ length: count }, () => outgoing.reserve(project));
  const expectBusy = async (project: TestProject, email: string) => {
    const { status, headers } = await recover(project, email);
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 503, retryAfter: '10' });
  };

  it('of a project is 503 for its requests, and reveals nothing', async () => {
    const other = await full.project();
    const project = anonymous(await full.signIn(admin.id));
    const places = fill(admin.id, LIMITS.mailsPerProject);
    await expectBusy(project, 'ann@example.com');
    await expectBusy(project, 'nobody@example.com');
    expect((await recover(anonymous(other), 'ann@example.com')).status).toBe(200);
    places[0]?.release();
    places[0]?.release();
    expect((await recover(project, 'nobody@example.com')).status).toBe(200);
    for (const place of places) place.release();
  });

  it('of all projects is 503 for everybody', async () => {
    const project = anonymous(await full.signIn(admin.id));
    const others = LIMITS.mailsWaiting / LIMITS.mailsPerProject;
    const places = Array.from({ length: others }, (_, at) => fill(`other${at}`, LIMITS.mailsPerProject)).flat();
    await expectBusy(project, 'ann@example.com');
    for (const place of places) place.release();
    expect((await recover(project, 'nobody@example.com')).status).toBe(200);
  });
});

it('projects take turns: the mails of one do not wait for all those of another', async () => {
  const outgoing = full.service.app.get(MailQueue);
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const order: string[] = [];
  const post = (project: string, wait?: Promise<void>) =>
    outgoing.reserve(project).submit({
      type: 'test',
      make: async () => {
        await wait;
        order.push(project);
        return undefined;
      },
    });
  for (let mail = 0; mail < 4; mail += 1) post('down', opened);
  for (let mail = 0; mail < 20; mail += 1) post('down');
  post('up');
  open();
  await vi.waitUntil(() => order.length === 25, { timeout: 5000 });
  expect(order.indexOf('up')).toBeLessThan(8);
});
