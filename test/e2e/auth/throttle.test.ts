/** Repeated failures are refused with 429, on every endpoint, and only the client's address is part of the key. */
import argon2 from '@node-rs/argon2';
import { describe, expect, it, vi } from 'vitest';
import { OneTimeSecrets } from '../../../src/auth/one-time-secrets.js';
import { ATTEMPT_LIMITS } from '../../../src/auth/throttle.js';
import type { Project } from '../../../src/tenancy/project.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { Authenticator } from '../../support/authenticator.js';
import { anonymous, asAdministrator, signUp, withMembers, type TestMember } from '../../support/callers.js';
import { earlier, ok, query, refusalOf } from '../../support/definitions.js';
import { codeIn, Mailbox, mailsSent, setOtp, setSettings, temporaryFolder, tokenIn } from '../../support/mailbox.js';
import { Application } from '../../support/provider-application.js';
import { sharedService, startTestService, TestProject, type Reply } from '../../support/service.js';

const hashes = vi.spyOn(argon2, 'verify');

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
// One proxy stands before it, which says where a request comes from.
const service = await startTestService({
  dataDir,
  trustProxy: 1,
  identityProviders: { allow: [], allowPrivate: true },
});
const second = await startTestService({ dataDir, trustProxy: 1 });
const off = await sharedService();

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const attempt = (project: TestProject, username: string, password: string, address = '192.0.2.1') =>
  project.post('/auth/signin', { username, password }, from(address));
const statuses = (replies: readonly Reply[]) => {
  const counts = new Map<number, number>();
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
  return Object.fromEntries(counts);
};

/** Rows as a former time left them: so many failures of a key that an attempt has just made. */
async function fill(project: TestProject, allowed: number, count: number): Promise<void> {
  const text = `UPDATE $schema._throttle SET "attempts" = ARRAY(SELECT ${earlier('now()', "n * interval '1 second'")} FROM generate_series(1, $1::int) AS n) WHERE "allowed" = $2`;
  await query(project, text, [count, allowed]);
}

const forget = (project: TestProject) => query(project, 'DELETE FROM $schema._throttle');

async function members(): Promise<TestProject> {
  const project = anonymous(await withMembers(await service.project()));
  await forget(project);
  return project;
}

/** A call from an address; `at` tells it from others. */
type Call = (at: string, address?: string) => Promise<Reply>;

const ORIGIN = 'https://example.com';
const UNKNOWN_TOKEN = 'A'.repeat(22);
const VERIFIER = 'a'.repeat(43);

/** Passkeys of a device that answer new challenges. */
async function passkeys(project: TestProject): Promise<{ device: Authenticator; signIn: Call }> {
  await setSettings(project, { passkeyDomain: 'example.com', passkeyOrigins: [ORIGIN] });
  const device = new Authenticator(ORIGIN);
  let challenges = 0;
  const signIn: Call = async (_, address) => {
    // Challenges are counted too.
    challenges += 1;
    const elsewhere = from(`198.51.100.${challenges}`);
    const { challenge_id, options } = await ok(project.post('/auth/passkey/signin/options', {}, elsewhere));
    const response = device.get(options, { challenge: 'another' });
    return project.post('/auth/passkey/signin', { challenge_id, response }, from(address ?? '192.0.2.1'));
  };
  return { device, signIn };
}

async function stored({ id }: TestProject): Promise<Project> {
  const project = await service.service.app.get(ProjectStore).find(id);
  if (!project) throw new Error(`no project ${id}`);
  return project;
}

/** A token as mails and providers lead to. */
async function token(project: TestProject, purpose: 'email' | 'exchange', { id, email }: TestMember): Promise<string> {
  const terms = { memberId: id, data: { email }, minutes: 1, ...(purpose === 'exchange' && { proof: 'another' }) };
  return service.service.app.get(OneTimeSecrets).makeToken(await stored(project), purpose, terms);
}

describe('one account from one address', () => {
  it.each(['ann', 'nobody'])('%s: ten failures, then 429, with the right password too', async (username) => {
    const project = await members();
    const member = await signUp(project, 'ann');
    await query(project, 'DELETE FROM $schema._throttle');
    for (let failure = 0; failure < ATTEMPT_LIMITS.pair; failure += 1) {
      const { status, body } = await attempt(project, username, 'a wrong one');
      expect({ status, code: body.messages[0]?.code }).toEqual({ status: 401, code: 'signin.failed' });
    }
    for (const password of ['a wrong one', member.password]) {
      const { status, body, headers } = await attempt(project, username, password);
      expect({ status, code: body.messages[0]?.code }).toEqual({ status: 429, code: 'request.throttled' });
      const wait = Number(headers.get('retry-after'));
      expect(wait).toBeGreaterThan(890);
      expect(wait).toBeLessThanOrEqual(900);
      expect(headers.get('cache-control')).toBe('no-store');
    }
    // Another address, another account.
    expect((await attempt(project, 'ann', member.password, '192.0.2.2')).status).toBe(200);
    expect((await attempt(project, 'somebody else', 'a wrong one')).status).toBe(401);
    // Each one is forgotten after a quarter of an hour.
    await query(
      project,
      `UPDATE $schema._throttle SET "attempts" = ARRAY(SELECT ${earlier('e', "interval '15 minutes'")} FROM unnest("attempts") AS e)`,
    );
    expect((await attempt(project, 'ann', member.password)).status).toBe(200);
  });

  it('fifty wrong passwords at once get ten tries, on two processes', async () => {
    const project = await members();
    await signUp(project, 'bob');
    const other = new TestProject(second.service, project.id, undefined);
    await attempt(other, 'nobody', 'wakes the other process');
    hashes.mockClear();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, at) => attempt(at % 2 === 0 ? project : other, 'bob', `a wrong one ${at}`)),
    );
    expect(statuses(replies)).toEqual({ 401: 10, 429: 40 });
    expect(hashes).toHaveBeenCalledTimes(10);
  });

  it('names are counted in folded form', async () => {
    const project = await members();
    const spellings = ['Cäsar', 'cäsar', 'CÄSAR', 'ca\u0308sar', 'ＣÄSAR'];
    for (let failure = 0; failure < ATTEMPT_LIMITS.pair; failure += 1) {
      expect((await attempt(project, spellings[failure % 5] ?? '', 'a wrong one')).status).toBe(401);
    }
    for (const name of spellings) expect((await attempt(project, name, 'a wrong one')).status).toBe(429);
  });

  it('right passwords are not failures, and leave no rows', async () => {
    const project = await members();
    const dan = await signUp(project, 'dan');
    const replies = [];
    for (let time = 0; time < 12; time += 1) replies.push(await attempt(project, 'dan', dan.password));
    expect(statuses(replies)).toEqual({ 200: 12 });
    const rows = await query<{ n: number }>(
      project,
      `SELECT coalesce(cardinality("attempts"), 0) AS n FROM $schema._throttle WHERE "allowed" < 100`,
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('fifty right passwords at once all get in', async () => {
    const project = await members();
    const dora = await signUp(project, 'dora');
    const calls = Array.from({ length: 50 }, () => attempt(project, 'dora', dora.password));
    expect(statuses(await Promise.all(calls))).toEqual({ 200: 50 });
  });

  it('bad input is no attempt', async () => {
    const project = await members();
    for (let time = 0; time < 15; time += 1) {
      expect((await project.post('/auth/signin', { username: 'eve' }, from('192.0.2.1'))).status).toBe(400);
    }
    expect(await query(project, 'SELECT FROM $schema._throttle')).toEqual([]);
  });

  it('a wrong current password counts, and a recovery resets the count', async () => {
    const project = await members();
    const fay = await signUp(project, 'fay');
    const change = (current_password: string) =>
      project.post(
        '/auth/change_password',
        { current_password, new_password: 'the next one' },
        { token: fay.accessToken, ...from('192.0.2.1') },
      );
    for (let failure = 0; failure < 6; failure += 1) expect((await change('a wrong one')).status).toBe(401);
    for (let failure = 0; failure < 4; failure += 1)
      expect((await attempt(project, 'fay', 'a wrong one')).status).toBe(401);
    expect((await change(fay.password)).status).toBe(429);
    expect((await attempt(project, 'fay', fay.password)).status).toBe(429);
    await project.post('/auth/recover_password', { email: fay.email }, from('192.0.2.1'));
    const token = tokenIn(await mailbox.last(fay.email));
    expect(
      (await project.post(`/auth/reset_password/${token}`, { new_password: 'the next one' }, from('192.0.2.1'))).status,
    ).toBe(200);
    expect((await attempt(project, 'fay', 'the next one')).status).toBe(200);
  });

  it('wrong codes count', async () => {
    const project = await members();
    const gus = await signUp(project, 'gus');
    await setOtp(project, true);
    const signIn = (otp: string | null) =>
      project.post('/auth/signin', { username: 'gus', password: gus.password, otp }, from('192.0.2.1'));
    for (let failure = 0; failure < ATTEMPT_LIMITS.pair; failure += 1) expect((await signIn('x')).status).toBe(401);
    expect((await signIn(null)).status).toBe(429);
    expect(await mailbox.to(gus.email)).toEqual([]);
  });
});

const exchange = (project: TestProject, code: string, address = '192.0.2.1') =>
  project.post('/auth/exchange', { code, code_verifier: VERIFIER }, from(address));

describe('failures of one account from one address', () => {
  const inSession =
    (path: string, body: object) =>
    (project: TestProject, { accessToken }: TestMember): Call =>
    (_, address = '192.0.2.1') =>
      project.post(path, body, { token: accessToken, ...from(address) });
  /** With whether they are counted with passwords. */
  const failures: readonly [
    string,
    (project: TestProject, member: TestMember) => Call | Promise<Call>,
    number,
    boolean,
  ][] = [
    [
      'codes of a provider with a wrong verifier',
      (project, member) => async (_, address) => exchange(project, await token(project, 'exchange', member), address),
      401,
      false,
    ],
    [
      'wrong answers of a passkey',
      async (project, { accessToken }) => {
        const { device, signIn } = await passkeys(project);
        const as = project.as(accessToken);
        const { challenge_id, options } = await ok(as.post('/auth/passkey/options', {}));
        await ok(as.post('/auth/passkey', { challenge_id, response: device.create(options) }));
        return signIn;
      },
      401,
      false,
    ],
    ['wrong passwords as a fresh proof', inSession('/auth/confirm', { password: 'a wrong one' }), 400, true],
    ['wrong codes that prove an address', inSession('/auth/verify_email', { code: '000000' }), 400, true],
    [
      'wrong passwords with a link',
      (project, member) =>
        async (_, address = '192.0.2.1') => {
          const body = { token: await token(project, 'email', member), password: 'a wrong one' };
          return project.post('/auth/verify_email', body, from(address));
        },
      401,
      true,
    ],
  ];
  it.each(failures)('%s: ten, then 429', async (_, prepare, status, isGuess) => {
    const project = await members();
    const ann = await signUp(project, 'ann');
    const call = await prepare(project, ann);
    await forget(project);
    expect((await call('first')).status).toBe(status);
    await fill(project, ATTEMPT_LIMITS.pair, 9);
    expect((await call('second')).status).toBe(status);
    const reply = await call('third');
    expect(refusalOf(reply)).toEqual({ status: 429, messages: ['request.throttled'] });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(700);
    // They are those of the account, whichever way it is tried by; what nobody can guess is counted apart.
    expect((await attempt(project, 'ann', ann.password)).status).toBe(isGuess ? 429 : 200);
    expect((await call('elsewhere', '192.0.2.2')).status).toBe(status);
    expect((await attempt(project, 'ann', ann.password, '192.0.2.2')).status).toBe(200);
  });
});

it('wrong passwords of a stranger keep no member from its passkey', async () => {
  const project = await members();
  const { accessToken: token } = await signUp(project, 'ann');
  await setSettings(project, { passkeyDomain: 'example.com', passkeyOrigins: [ORIGIN] });
  const device = new Authenticator(ORIGIN);
  const made = await ok(project.post('/auth/passkey/options', {}, { token }));
  const response = device.create(made.options);
  await ok(project.post('/auth/passkey', { challenge_id: made.challenge_id, response }, { token }));
  await attempt(project, 'ann', 'a wrong one');
  await fill(project, ATTEMPT_LIMITS.pair, 10);
  expect((await attempt(project, 'ann', 'a wrong one')).status).toBe(429);
  for (const path of ['/auth/passkey/signin', '/auth/confirm']) {
    const { challenge_id, options } = await ok(project.post('/auth/passkey/signin/options', {}, from('192.0.2.1')));
    const body = { challenge_id, response: device.get(options) };
    await ok(project.post(path, body, { ...from('192.0.2.1'), ...(path === '/auth/confirm' && { token }) }));
  }
});

describe('one address', () => {
  const calls: readonly [string, (project: TestProject) => Call | Promise<Call>, number][] = [
    ['failures at many accounts', (project) => (at) => attempt(project, `nobody ${at}`, 'a wrong one'), 401],
    [
      'bad tokens',
      (project) => () =>
        project.post(`/auth/reset_password/${UNKNOWN_TOKEN}`, { new_password: 'the next one' }, from('192.0.2.1')),
      401,
    ],
    [
      'recoveries',
      (project) => (at) => project.post('/auth/recover_password', { email: `${at}@example.com` }, from('192.0.2.1')),
      200,
    ],
    [
      'sign-ups',
      (project) => (at) => {
        const [username, password] = [`new ${at}`, 'a long secret'];
        const kind_system_user = { username, password, email: `new${at}@example.com` };
        return project.post('/auth/person/signup', { username, password, kind_system_user }, from('192.0.2.1'));
      },
      200,
    ],
    [
      'starts of a sign-in by a provider',
      (project) => () =>
        project.get(`/project/${project.id}/provider/none?${new Application(project).query()}`, from('192.0.2.1')),
      404,
    ],
    ['unknown codes of a provider', (project) => () => exchange(project, UNKNOWN_TOKEN), 401],
    [
      'discoveries',
      async (project) => {
        const admin = await asAdministrator(project);
        const unit = { id: 'corp', issuer: 'http://127.0.0.1:1024', client_id: 'kind', member_kind: 'person' };
        await ok(admin.post('/identity_provider/unit', unit));
        return () => admin.post('/identity_provider/unit/corp/discovery', {}, from('192.0.2.1'));
      },
      503,
    ],
    ['unknown passkeys', async (project) => (await passkeys(project)).signIn, 401],
    [
      'mails that prove an address',
      async (project) => {
        const { accessToken } = await signUp(project, 'ann');
        return () => project.post('/auth/verify_email/mail', {}, { token: accessToken, ...from('192.0.2.1') });
      },
      200,
    ],
    [
      'mails to another address',
      async (project) => {
        const { accessToken } = await signUp(project, 'ann');
        const call = { token: accessToken, ...from('192.0.2.1') };
        return (at) => project.post('/auth/email', { email: `${at}@example.net` }, call);
      },
      200,
    ],
    [
      'links with unknown tokens',
      (project) => () =>
        project.post('/auth/verify_email', { token: UNKNOWN_TOKEN, password: 'a wrong one' }, from('192.0.2.1')),
      401,
    ],
  ];
  it.each(calls)('%s: a hundred, then 429', async (_, prepare, status) => {
    const project = await members();
    const call = await prepare(project);
    await forget(project);
    expect((await call('first')).status).toBe(status);
    await fill(project, ATTEMPT_LIMITS.address, 98);
    expect((await call('second')).status).toBe(status);
    expect((await call('third')).status).toBe(status);
    const { status: last, headers } = await call('fourth');
    expect(last).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(700);
    // All of them count together.
    expect((await attempt(project, 'whoever', 'a wrong one')).status).toBe(429);
    expect((await attempt(project, 'whoever', 'a wrong one', '192.0.2.2')).status).toBe(401);
  });

  it('challenges of passkeys: a hundred within five minutes, which are no attempts', async () => {
    const project = await members();
    await setSettings(project, { passkeyDomain: 'example.com', passkeyOrigins: [ORIGIN] });
    const ask = (address = '192.0.2.1') => project.post('/auth/passkey/signin/options', {}, from(address));
    await ok(ask());
    await fill(project, 100, 99);
    await ok(ask());
    const reply = await ask();
    expect(refusalOf(reply)).toEqual({ status: 429, messages: ['request.throttled'] });
    const wait = Number(reply.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(150);
    expect(wait).toBeLessThanOrEqual(300);
    await ok(ask('192.0.2.2'));
    expect((await attempt(project, 'whoever', 'a wrong one')).status).toBe(401);
  });

  it('requested codes count', async () => {
    const project = await members();
    const hal = await signUp(project, 'hal');
    await setOtp(project, true);
    const signIn = (otp: string | null) =>
      project.post('/auth/signin', { username: 'hal', password: hal.password, otp }, from('192.0.2.1'));
    expect((await signIn(null)).status).toBe(200);
    await fill(project, ATTEMPT_LIMITS.address, 98);
    expect((await signIn(null)).status).toBe(200);
    const code = codeIn(await mailbox.last(hal.email, 2));
    // A hundredth attempt, which is given back.
    expect((await signIn(code)).status).toBe(200);
    expect((await signIn(null)).status).toBe(429);
  });

  it.each([
    ['an IPv6 network', Array.from({ length: 12 }, (_, at) => `2001:db8:1:2:${at}::${at}`)],
    ['an address in two forms', Array.from({ length: 12 }, (_, at) => (at % 2 ? '192.0.2.7' : '::ffff:192.0.2.7'))],
    ['an address with other ports', Array.from({ length: 12 }, (_, at) => `192.0.2.8:${1000 + at}`)],
    ['what a client says before the proxy does', Array.from({ length: 12 }, (_, at) => `198.51.100.${at}, 192.0.2.9`)],
    ['no address', Array.from({ length: 12 }, (_, at) => `proxy ${at}`)],
  ])('%s is one', async (_, addresses) => {
    const project = await members();
    const replies = [];
    for (const address of addresses) replies.push(await attempt(project, 'ida', 'a wrong one', address));
    expect(statuses(replies)).toEqual({ 401: 10, 429: 2 });
  });

  it('no other input of the client changes it', async () => {
    const project = await members();
    const replies = [];
    for (let at = 0; at < 12; at += 1) {
      const headers = {
        ...from('192.0.2.1').headers,
        'user-agent': `agent ${at}`,
        'x-real-ip': `198.51.100.${at}`,
        forwarded: `for=198.51.100.${at}`,
        'x-request-id': `request-${at}`,
        cookie: `session=${at}`,
        authorization: `Bearer ${at}`,
      };
      replies.push(
        await project.call('POST', '/auth/signin', { username: 'jan', password: 'a wrong one' }, { headers }),
      );
    }
    expect(statuses(replies)).toEqual({ 401: 10, 429: 2 });
  });
});

describe('one account from anywhere', () => {
  it('two hundred failures, then 429', async () => {
    const project = await members();
    const kim = await signUp(project, 'kim');
    expect((await attempt(project, 'kim', 'a wrong one')).status).toBe(401);
    await fill(project, ATTEMPT_LIMITS.account, 199);
    expect((await attempt(project, 'kim', 'a wrong one', '192.0.2.2')).status).toBe(401);
    expect((await attempt(project, 'kim', kim.password, '192.0.2.3')).status).toBe(429);
    // An attempt that is refused counts nowhere.
    const rows = await query<{ n: number }>(
      project,
      'SELECT cardinality("attempts") AS n FROM $schema._throttle WHERE "allowed" = 10 ORDER BY n',
    );
    expect(rows.map(({ n }) => n)).toEqual([0, 1, 1]);
  });
});

describe('mails to one member', () => {
  const mails: readonly [string, string, (project: TestProject, member: TestMember) => Call | Promise<Call>][] = [
    [
      'codes in place of the password',
      'pia',
      (project, { email }) =>
        (_, address = '192.0.2.1') =>
          project.post('/auth/code', { email }, from(address)),
    ],
    [
      'notices of what has changed',
      'quin',
      (project, { accessToken }) =>
        (at) =>
          project.post('/api_key/unit', { label: at }, { token: accessToken }),
    ],
    [
      'notices of somebody else who wanted the address',
      'ruth',
      async (project, { email }) => {
        const { accessToken } = await signUp(project, 'eve');
        return () => project.post('/auth/email', { email }, { token: accessToken });
      },
    ],
  ];
  const elsewhere: typeof mails = [
    [
      'mails to an address that nobody has, for many members',
      'sue',
      async (project, { id, accessToken, email }) => {
        await ok(project.delete(`/person/unit/${id}`, { token: accessToken }));
        return async (at) => {
          const { accessToken: token } = await signUp(project, `member-${at}`);
          return project.post('/auth/email', { email }, { token });
        };
      },
    ],
    [
      'mails that prove an address, for one account after another',
      'tom',
      (project, first) => {
        let last: TestMember = first;
        return async () => {
          await ok(project.delete(`/person/unit/${last.id}`, { token: last.accessToken }));
          last = await signUp(project, 'tom');
          return project.get('/auth/me', { token: last.accessToken });
        };
      },
    ],
  ];
  it.each([...mails, ...elsewhere])('%s: ten an hour', async (_, name, prepare) => {
    const project = await members();
    const member = await signUp(project, name);
    await setSettings(project, { mailSignIn: true });
    const call = await prepare(project, member);
    await forget(project);
    await ok(call('first'));
    await mailbox.last(member.email);
    await fill(project, 10, 9);
    await ok(call('second'));
    await mailbox.last(member.email, 2);
    await ok(call('third'));
    await mailsSent(project);
    expect(await mailbox.to(member.email)).toHaveLength(2);
  });
});

it('a client leaves codes in place of the password to others, who ask for the same member', async () => {
  const project = await members();
  const { email } = await signUp(project, 'uma');
  await setSettings(project, { mailSignIn: true });
  const ask = (address: string) => ok(project.post('/auth/code', { email }, from(address)));
  await ask('192.0.2.1');
  await mailbox.last(email);
  await fill(project, 10, 10);
  await ask('192.0.2.1');
  await ask('192.0.2.2');
  await mailbox.last(email, 2);
  await mailsSent(project);
  expect(await mailbox.to(email)).toHaveLength(2);
  await fill(project, 20, 20);
  await ask('192.0.2.3');
  await mailsSent(project);
  expect(await mailbox.to(email)).toHaveLength(2);
});

describe('a throttle', () => {
  it('is separate for each project', async () => {
    const [project, other] = [await members(), await members()];
    for (let failure = 0; failure < 11; failure += 1) await attempt(project, 'lea', 'a wrong one');
    expect((await attempt(project, 'lea', 'a wrong one')).status).toBe(429);
    expect((await attempt(other, 'lea', 'a wrong one')).status).toBe(401);
  });

  it('keeps neither names nor addresses, and clears old rows away', async () => {
    const project = await members();
    await query(
      project,
      `INSERT INTO $schema._throttle SELECT 'old' || n, 10, ARRAY[now() - interval '1 hour'], now() - interval '1 second' FROM generate_series(1, 300) AS n`,
    );
    for (let failure = 0; failure < 60; failure += 1)
      await attempt(project, `mia${failure % 9}`, 'a wrong one', '192.0.2.77');
    const rows = await query<{ id: string; attempts: unknown[] }>(
      project,
      'SELECT "id", "attempts" FROM $schema._throttle',
    );
    expect(rows.length).toBe(1 + 9 + 9);
    expect(JSON.stringify(rows)).not.toMatch(/mia|192\.0/);
    expect(Math.max(...rows.map(({ attempts }) => attempts.length))).toBeLessThanOrEqual(100);
  });

  it('off is off', async () => {
    const project = await members();
    const calls = Array.from({ length: 15 }, () =>
      attempt(new TestProject(off.service, project.id, undefined), 'nora', 'a wrong one'),
    );
    expect(statuses(await Promise.all(calls))).toEqual({ 401: 15 });
  });

  it('costs the same hashes and statements for unknown and known names', async () => {
    const project = await members();
    await signUp(project, 'otto');
    const admin = await service.signIn(project.id);
    await admin.post('/person/unit', { username: 'no password', email: 'no@example.com' });
    const once = async (username: string, password: string) => {
      hashes.mockClear();
      const statements = await project.statements(() => attempt(project, username, password));
      return { hashes: hashes.mock.calls.length, statements };
    };
    // Now and then an attempt sweeps old rows away, whoever makes it.
    const cost = async (username: string, password = 'a wrong one') => {
      const [a, b] = [await once(username, password), await once(username, password)];
      return a.statements < b.statements ? a : b;
    };
    const known = await cost('otto');
    expect(known.hashes).toBe(1);
    for (const name of ['unknown', 'otto@example.com', 'no password', '', 'x'.repeat(10_000), "' OR 1=1 --"]) {
      expect(await cost(name), name.slice(0, 20)).toEqual(known);
    }
    expect(await cost('otto', 'x'.repeat(100_000))).toEqual(known);
    expect(await cost('unknown', '')).toEqual(known);
  });
});
