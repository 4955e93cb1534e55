/** Names and e-mail addresses that look alike: they are refused, or count as the same. */
import { describe, expect, it } from 'vitest';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { Mailbox, temporaryFolder, tokenIn } from '../../support/mailbox.js';
import { startTestService } from '../../support/service.js';
import { send } from '../../support/wire.js';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ authRateLimit: false, dataDir });
const admin = await withMembers(await service.project());
const open = anonymous(admin);
const victim = await signUp(admin, 'straße');

const password = 'a long secret';
const join = (username: string, email: string) =>
  open.post('/auth/person/signup', { username, password, kind_system_user: { username, password, email } });
const signIn = (username: string, secret: string) => open.post('/auth/signin', { username, password: secret });
const idOf = async (username: string, secret: string) =>
  ((await signIn(username, secret)).body.content as { id: string } | null)?.id;

describe('a name', () => {
  it.each([
    ['in capitals', 'STRASSE'],
    ['with one capital', 'Straße'],
    ['in wide letters', 'ｓｔｒａßｅ'],
    ['with a capital sharp s', 'STRAẞE'],
    ['with joiners in it', 'st\u200dra\u200cße'],
    ['with a variation selector', '\ufe0fstraße\ufe0e'],
    ['behind a joiner and a space', '\u200d straße'],
  ])('that is taken is taken %s', async (_, name) => {
    const { status, body } = await join(name, 'mallory@example.com');
    expect({ status, code: body.messages[0]?.code }).toEqual({ status: 409, code: 'parameter.not_unique' });
    expect(await idOf(name, victim.password)).toBe(victim.id);
  });

  it.each(['straße@example.com', 'STRASSE@EXAMPLE.COM', 'anybody@example.com', 'ａ@example.com', 'a＠example.com'])(
    'that looks like an address of somebody else is refused: %s',
    async (name) => {
      const { status, body } = await join(name, 'mallory@example.com');
      expect({ status, parameter: body.messages[0]?.parameter }).toEqual({ status: 400, parameter: 'username' });
      const { status: made } = await admin.post('/person/unit', { username: name, email: 'mallory@example.com' });
      expect(made).toBe(400);
    },
  );

  it("that is the member's own address cannot be used by another", async () => {
    expect((await join('own@example.com', 'own@example.com')).status).toBe(200);
    expect((await join('someone', 'OWN@example.com')).status).toBe(409);
    expect(await idOf('Own@Example.com', password)).toBeDefined();
  });

  it('cannot become the address of another member later', async () => {
    const member = await signUp(admin, 'later');
    expect((await admin.put(`/person/unit/${member.id}`, { username: victim.email })).status).toBe(400);
    const { body } = await admin.put(`/person/unit/${member.id}`, { password: 'another password' });
    expect(body.messages.map(({ text }) => text)).toEqual([expect.stringContaining('POST /auth/change_password')]);
    expect((await admin.put(`/person/unit/${member.id}`, { email: victim.email.toUpperCase() })).status).toBe(409);
  });

  it.each([
    ['a dotless i', 'admın', 'admin'],
    ['a Cyrillic a', 'аdmin', 'admin'],
    ['a trailing dot', 'admin.', 'admin'],
    ['a joiner that some scripts need', 'admin\u200d', 'admin'],
    ['a variation selector', 'ad\ufe0fmin', 'admin'],
    ['white space around it', ' admin ', 'admin'],
  ])('with %s never signs in as the one that it looks like', async (_, name) => {
    const reply = await join(name, `x${Buffer.from(name).toString('hex')}@example.com`);
    const own = await idOf(name, password);
    expect(reply.status === 200 ? own : undefined).toBe(reply.status === 200 ? reply.body.content.id : undefined);
    const { body } = await signIn('admin', 'correct horse 1');
    expect(body.content.kind_id).toBe('kind_admin');
    expect(own).not.toBe(body.content.id);
  });
});

it.each([
  'admin\u200b',
  '\u202eadmin',
  'ad\nmin',
  'ad\u0000min',
  'admin\u00ad',
  '\u2066admin\u2069',
  'ad\u2028min',
  'ad\u007fmin',
  '\u200d',
  '\ufe0f\u200c',
])('a name has no characters that are not seen: %j', async (name) => {
  const { status, body } = await join(name, 'mallory@example.com');
  expect({ status, parameter: body.messages[0]?.parameter }).toEqual({ status: 400, parameter: 'username' });
  expect((await admin.post('/person/unit', { username: name, email: 'mallory@example.com' })).status).toBe(400);
});

it.each(['علی‌رضا', '👩‍🚀', 'ÅSE', 'John  Smith', "o'hara", '李小龍', '❤️'])('a name may be %s', async (name) => {
  const { status, body } = await join(name, `n${Buffer.from(name).toString('hex')}@example.com`);
  expect({ status, name: body.content?.username as unknown }).toEqual({ status: 200, name });
});

describe('an address', () => {
  it('that is taken is taken in any case and for every member kind', async () => {
    for (const email of [
      'STRASSE@example.com',
      'Straße@EXAMPLE.com',
      'ADMIN@example.com',
      'straße@example.com.',
      'straße@example.com．',
      'straße@example\ufe0f.com',
    ]) {
      const { status, body } = await join('mallory', email);
      expect({ email, status, code: body.messages[0]?.code }).toEqual({
        email,
        status: 409,
        code: 'parameter.not_unique',
      });
    }
  });

  it.each([
    'mallory@example.com, straße@example.com',
    'mallory@example.com;straße@example.com',
    'mallory@example.com straße@example.com',
    '"mallory" <mallory@example.com>',
    'mallory@example.com\r\nBcc: straße@example.com',
    'mallory@example.com\nX: y',
    'mallory@example.com%0d%0aBcc:x@example.com ',
    'mallory@@example.com',
    'mallory@evil＠example.com',
    'mallory@example.com，x@example.com',
    '@example.com',
    'mallory@.',
    'mallory',
    '',
  ])('is one address and nothing else: %j', async (email) => {
    expect((await join('mallory', email)).status).toBe(400);
    expect((await admin.post('/person/unit', { username: 'mallory', email })).status).toBe(400);
  });

  it('that ends with a dot equals that without it, to sign in and to recover', async () => {
    expect((await join('dotted', 'dotted@example.com.')).status).toBe(200);
    expect(await idOf('Dotted@example.com', password)).toBe(await idOf('dotted', password));
    expect((await open.post('/auth/recover_password', { email: 'dotted@example.com' })).status).toBe(200);
    expect(tokenIn(await mailbox.last('dotted@example.com.'))).not.toBe('');
  });

  it('in another form of its letters is stored as mails go to it, so that its owner can have the account', async () => {
    const reply = await join('squatter', 'ｂo\ufe0fss@Corp．example');
    expect(reply.body.content).toMatchObject({ email: 'boss@Corp.example' });
    await open.post('/auth/recover_password', { email: 'boss@corp.example' });
    const token = tokenIn(await mailbox.last('boss@corp.example'));
    expect((await open.post(`/auth/reset_password/${token}`, { new_password: 'that of the owner' })).status).toBe(200);
    expect((await signIn('squatter', password)).status).toBe(401);
    const made = await admin.post('/person/unit', { username: 'wide', email: 'ｗide@example.com' });
    expect(made.body.content).toMatchObject({ email: 'wide@example.com' });
    const changed = await admin.put(`/person/unit/${made.body.content.id}`, { email: 'ｗide@example.net' });
    expect(changed.body.content).toMatchObject({ email: 'wide@example.net' });
  });

  it('that is written differently in a request gets its mail at the stored form, whatever the headers say', async () => {
    const reply = await send(service.service, {
      method: 'POST',
      path: '/api/lib/auth/recover_password',
      headers: {
        'kind-project-key': admin.id,
        'content-type': 'application/json',
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'gopher',
        forwarded: 'host=evil.example',
        origin: 'https://evil.example',
        referer: 'https://evil.example/',
      },
      body: JSON.stringify({ email: victim.email.toUpperCase() }),
    });
    expect(reply.status).toBe(200);
    const mail = await mailbox.last(victim.email);
    expect(mail.raw).not.toMatch(/evil|gopher/);
    expect(tokenIn(mail)).not.toBe('');
  });
});

it('members created together take one statement for their credentials each, and one for all units', async () => {
  const members = ['una', 'duo', 'tre'].map((username) => ({ username, email: `${username}@example.com` }));
  const one = await admin.statements(() => admin.post('/person/unit', { username: 'zero', email: 'zero@example.com' }));
  const many = await admin.statements(() => admin.post('/person/unit', members));
  expect(many - one).toBe(2);
  const asked = await open.post('/auth/recover_password', { email: 'tre@example.com' });
  expect(asked.status).toBe(200);
  expect(tokenIn(await mailbox.last('tre@example.com'))).not.toBe('');
});
