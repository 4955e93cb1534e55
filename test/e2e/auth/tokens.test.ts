/** Manipulated tokens: each is a 401 on every kind of route, and the answer reveals nothing. */
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { earlier, query } from '../../support/definitions.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import { sharedService } from '../../support/service.js';

/** That of test/support/service.ts: who has it can sign anything. */
const SECRET = 'a secret for tests, at least thirty-two characters';

const service = await sharedService();
const admin = await withMembers(await service.project());
const other = await withMembers(await service.project());
const open = anonymous(admin);
await admin.post('/kind/unit', { id: 'notice', public: true });
const ann = await signUp(admin, 'ann');
const stranger = await signUp(other, 'ann');

type Json = Record<string, unknown>;
const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const partOf = (token: string, at: number) =>
  JSON.parse(Buffer.from(token.split('.')[at] ?? '', 'base64url').toString()) as Json;
const header = partOf(ann.accessToken, 0);
const claims = partOf(ann.accessToken, 1);
const now = Math.floor(Date.now() / 1000);

function signed(head: Json, body: Json, key: string | Buffer = SECRET, hash = 'sha256'): string {
  const text = `${base64(head)}.${base64(body)}`;
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
function signedRs(head: Json, body: Json): string {
  const text = `${base64(head)}.${base64(body)}`;
  return `${text}.${createSign('sha256').update(text).sign(privateKey).toString('base64url')}`;
}
const pem = publicKey.export({ type: 'spki', format: 'pem' });
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)));
const [head, body, signature] = ann.accessToken.split('.') as [string, string, string];

/** Good in all but one thing. */
const BAD: readonly [string, string][] = [
  ['without a signature, alg none', `${base64({ ...header, alg: 'none' })}.${body}.`],
  ['alg None', `${base64({ ...header, alg: 'None' })}.${body}.`],
  ['alg none with the old signature', `${base64({ ...header, alg: 'none' })}.${body}.${signature}`],
  ['without its signature', `${head}.${body}.`],
  ['of two parts', `${head}.${body}`],
  ['of four parts', `${ann.accessToken}.x`],
  ['alg HS512, with the right key', signed({ ...header, alg: 'HS512' }, claims, SECRET, 'sha512')],
  ['alg RS256, signed by a key of theirs', signedRs({ ...header, alg: 'RS256' }, claims)],
  [
    'alg RS256 with its key inside',
    signedRs({ ...header, alg: 'RS256', jwk: publicKey.export({ format: 'jwk' }) }, claims),
  ],
  ['alg HS256, signed with a public key', signed(header, claims, pem)],
  ['signed with the empty key', signed(header, claims, '')],
  ['signed with another key', signed(header, claims, `${SECRET}!`)],
  ['alg missing', signed({ typ: 'JWT' }, claims)],
  ['alg a list', signed({ ...header, alg: ['HS256'] }, claims)],
  ['kid a path, key of an empty file', signed({ ...header, kid: '../../../../dev/null' }, claims, '')],
  ['kid SQL', signed({ ...header, kid: "' UNION SELECT 'x" }, claims, 'x')],
  ['jku of theirs', signedRs({ ...header, alg: 'RS256', jku: 'https://evil.example/keys' }, claims)],
  ['a critical extension and another key', signed({ ...header, crit: ['b64'], b64: false }, claims, 'x')],
  ['another member in it', `${head}.${base64({ ...claims, sub: stranger.id })}.${signature}`],
  ['administrators in it', `${head}.${base64({ ...claims, kind: 'kind_admin' })}.${signature}`],
  ['of another project', stranger.accessToken],
  ['another audience', signed(header, { ...claims, aud: other.id })],
  ['a list of audiences', signed(header, { ...claims, aud: [admin.id, other.id] })],
  ['no audience', signed(header, without('aud'))],
  ['another issuer', signed(header, { ...claims, iss: 'evil' })],
  ['no issuer', signed(header, without('iss'))],
  ['expired a second ago', signed(header, { ...claims, iat: now - 901, exp: now - 1 })],
  ['no end', signed(header, without('exp'))],
  ['an end that is no number', signed(header, { ...claims, exp: 'never' })],
  ['not good yet', signed(header, { ...claims, nbf: now + 60 })],
  ['a refresh token', ann.refreshToken],
  ['no type', signed(header, without('typ'))],
  ['another type', signed(header, { ...claims, typ: 'Access' })],
  ['no session', signed(header, without('sid'))],
  ['a session that is none', signed(header, { ...claims, sid: '00000000-0000-7000-8000-000000000000' })],
  ['SQL for a session', signed(header, { ...claims, sid: "' OR true --" })],
  ['no member', signed(header, without('sub'))],
  ['SQL for a member', signed(header, { ...claims, sub: "' OR true --" })],
  ['claims that are a list', signed(header, [claims] as unknown as Json)],
  ['claims that are null', signed(header, null as unknown as Json)],
  ['no JSON', `${head}.${base64('{')}.${signature}`],
  ['no text', '.'],
  ['huge', `${head}.${base64({ ...claims, x: 'x'.repeat(40_000) })}.${signature}`],
  ['nothing but dots', '.'.repeat(5000)],
];

describe.each(BAD)('a token with %s', (_, token) => {
  it.each([
    ['GET', '/auth/verify'],
    ['POST', '/auth/signout'],
    ['GET', '/kind/unit'],
    ['GET', '/notice/unit'],
    ['POST', '/person/unit'],
  ])('is refused at %s %s', async (method, path) => {
    const reply = await open.call(method, path, method === 'POST' ? { email: 'a@example.com' } : undefined, { token });
    expect({ status: reply.status, code: reply.body.messages[0]?.code }).toEqual({
      status: 401,
      code: 'token.invalid',
    });
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.text.length).toBeLessThan(300);
  });

  it('is ignored at sign-in', async () => {
    const reply = await open.post('/auth/signin', { username: ann.username, password: ann.password }, { token });
    expect(reply.status).toBe(200);
  });
});

describe('a refresh', () => {
  const refreshed = partOf(ann.refreshToken, 1);
  it.each([
    ['an access token', ann.accessToken],
    ['another project', stranger.refreshToken],
    ['another audience', signed(header, { ...refreshed, aud: other.id })],
    ['no end', signed(header, Object.fromEntries(Object.entries(refreshed).filter(([name]) => name !== 'exp')))],
    ['an end a second ago', signed(header, { ...refreshed, exp: now - 1 })],
    ['no start yet', signed(header, { ...refreshed, nbf: now + 60 })],
    ['alg none', `${base64({ alg: 'none' })}.${base64(refreshed)}.`],
    ['another key', signed(header, refreshed, 'x')],
    ['SQL for an id', signed(header, { ...refreshed, jti: "' OR true --" })],
    ['no id', signed(header, { ...refreshed, jti: undefined })],
    ['SQL for a session', signed(header, { ...refreshed, sid: "' OR true --" })],
  ])('with %s is refused', async (_, token) => {
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await open.call(method, '/auth/refresh', undefined, { token });
      expect({ status, cache: headers.get('cache-control') }).toEqual({ status: 401, cache: 'no-store' });
    }
  });
});

it('a header without a token is refused at once, however long it is', async () => {
  const options = { token: undefined, headers: { authorization: 'a'.repeat(60_000) } };
  for (let turn = 0; turn < 20; turn++) {
    for (const path of ['/auth/verify', '/auth/refresh']) {
      const { status, body } = await open.get(path, options);
      expect({ status, code: body.messages[0]?.code }).toEqual({ status: 401, code: 'token.invalid' });
    }
  }
});

it('the real tokens are good all the while', async () => {
  expect((await open.get('/auth/verify', { token: ann.accessToken })).status).toBe(200);
  expect((await open.get('/auth/verify', { token: signed(header, claims) })).status).toBe(200);
  const { status, headers } = await open.post('/auth/refresh', undefined, { token: ann.refreshToken });
  expect({ status, cache: headers.get('cache-control') }).toEqual({ status: 200, cache: 'no-store' });
});

it('they are good beside a later service of the same process that has another secret', async () => {
  const another = await startServiceOn(await ownDatabase());
  const foreign = await another.project();
  const { accessToken, refreshToken } = await signUp(admin, 'beside');
  expect((await foreign.as(refreshToken).post('/auth/refresh')).status).toBe(401);
  expect((await open.get('/auth/verify', { token: accessToken })).status).toBe(200);
  expect((await open.post('/auth/refresh', undefined, { token: refreshToken })).status).toBe(200);
});

describe('expired data', () => {
  const count = async (table: string, where: string) => {
    const text = `SELECT count(*)::int AS n FROM "project_${admin.id}"."${table}" WHERE ${where}`;
    return (await query<{ n: number }>(admin, text))[0]?.n;
  };
  const refresh = async (token: string) => {
    const { body } = await open.post('/auth/refresh', undefined, { token });
    return body.content.refresh_token as string;
  };

  it('is deleted: a session keeps its last tokens, and an older one still ends it', async () => {
    const eve = await signUp(admin, 'eve');
    const session = `"session_id" = '${partOf(eve.refreshToken, 1)['sid'] as string}'`;
    let token = eve.refreshToken;
    for (let turn = 0; turn < 4; turn++) {
      token = await refresh(token);
      const text = `UPDATE "project_${admin.id}"."_refresh_token" SET "used_at" = ${earlier('"used_at"', "interval '11 s'")} WHERE ${session}`;
      await query(admin, text);
    }
    expect(await count('_refresh_token', session)).toBe(2);
    expect((await open.post('/auth/refresh', undefined, { token: eve.refreshToken })).status).toBe(401);
    expect((await open.post('/auth/refresh', undefined, { token })).status).toBe(401);
    expect(await count('_refresh_token', session)).toBe(0);
  });

  it('is cleaned up: sessions of members who never came back, with their tokens', async () => {
    const gone = await signUp(admin, 'gone');
    const session = partOf(gone.refreshToken, 1)['sid'] as string;
    await query(admin, `UPDATE "project_${admin.id}"."_session" SET "expires_at" = now() WHERE "id" = '${session}'`);
    let { refreshToken } = await signUp(admin, 'busy');
    for (let turn = 0; turn < 50; turn++) refreshToken = await refresh(refreshToken);
    expect(await count('_session', `"id" = '${session}'`)).toBe(0);
    expect(await count('_refresh_token', `"session_id" = '${session}'`)).toBe(0);
  });
});
