/** The refresh token of a browser client, in a cookie. */
import { describe, expect, it } from 'vitest';
import { sharedService, type Reply } from '../../support/service.js';
import { signUp, withMembers } from '../../support/callers.js';

const service = await sharedService();
const admin = await withMembers(await service.project());
const other = await withMembers(await service.project());
const open = admin.as(undefined);
const asked = { 'kind-refresh-token': 'cookie' };
await signUp(admin, 'ann');
const credentials = { username: 'ann', password: 'secret of ann' };

const setCookie = (reply: Reply) => reply.headers.get('set-cookie') ?? '';
const valueOf = (reply: Reply) => /^[^=]+=([^;]*)/.exec(setCookie(reply))?.[1] ?? '';
const named = (token: string, project = admin.id) => ({
  ...asked,
  cookie: `theme=dark; kind_refresh_${project}=${token}`,
});
const signIn = (headers: Record<string, string> = asked) => open.post('/auth/signin', credentials, { headers });
const refresh = (headers: Record<string, string>) => open.post('/auth/refresh', undefined, { headers });

describe('with Kind-Refresh-Token: cookie', () => {
  it('sign-in answers it as a cookie for these endpoints only, which no script can read', async () => {
    const reply = await signIn();
    expect(reply.status).toBe(200);
    expect(reply.body.content).toMatchObject({ refresh_token: null, username: 'ann' });
    const [pair, ...attributes] = setCookie(reply).split('; ');
    expect(pair).toMatch(new RegExp(`^kind_refresh_${admin.id}=[\\w-]+\\.[\\w-]+\\.[\\w-]+$`));
    expect(attributes.sort()).toEqual([
      'HttpOnly',
      'Max-Age=2592000',
      'Path=/api/lib/auth',
      'SameSite=Strict',
      'Secure',
    ]);
    expect(reply.text).not.toContain(valueOf(reply));
  });

  it('sign-up answers it so as well', async () => {
    const names = { username: 'bea', password: 'secret of bea' };
    const body = { ...names, kind_system_user: { ...names, email: 'bea@example.com' } };
    const reply = await open.post('/auth/person/signup', body, { headers: asked });
    expect(reply.body.content.refresh_token).toBeNull();
    expect((await refresh(named(valueOf(reply)))).body.content.username).toBe('bea');
  });

  it.each(['GET', 'POST'] as const)(
    'refresh takes it with %s, and answers the next one in the same way',
    async (method) => {
      const first = valueOf(await signIn());
      const reply = await (method === 'GET'
        ? open.get('/auth/refresh', { headers: named(first) })
        : refresh(named(first)));
      expect(reply.status).toBe(200);
      const { access_token: token, refresh_token: inBody } = reply.body.content as Record<string, string>;
      expect(inBody).toBeNull();
      expect(valueOf(reply)).not.toBe(first);
      expect((await admin.as(token).get('/auth/verify')).status).toBe(200);
      expect((await refresh(named(valueOf(reply)))).status).toBe(200);
    },
  );

  it('sign-out ends the session and deletes the cookie', async () => {
    const reply = await signIn();
    const member = admin.as(reply.body.content.access_token as string);
    const out = await member.post('/auth/signout', undefined, { headers: asked });
    expect(out.status).toBe(200);
    expect(setCookie(out)).toMatch(new RegExp(`^kind_refresh_${admin.id}=; Max-Age=0; Path=/api/lib/auth; `));
    expect((await refresh(named(valueOf(reply)))).status).toBe(401);
  });
});

describe('without the header', () => {
  it('nothing sets a cookie', async () => {
    const reply = await signIn({});
    expect(reply.headers.get('set-cookie')).toBeNull();
    expect(typeof reply.body.content.refresh_token).toBe('string');
    const out = await admin.as(reply.body.content.access_token as string).post('/auth/signout');
    expect(out.headers.get('set-cookie')).toBeNull();
  });

  it('the cookie is not read', async () => {
    const { cookie } = named(valueOf(await signIn()));
    const reply = await refresh({ cookie });
    expect(reply.status).toBe(401);
    expect(reply.body.messages[0]?.code).toBe('token.missing');
  });
});

describe('is refused', () => {
  it('in a header of another value', async () => {
    const { refresh_token: token } = (await signIn({})).body.content as Record<string, string>;
    const wrong = { 'kind-refresh-token': 'body' };
    const { cookie } = named(valueOf(await signIn()));
    const replies = [
      await signIn(wrong),
      await refresh({ ...wrong, authorization: `Bearer ${token}` }),
      await refresh({ ...wrong, cookie }),
      await open.get('/auth/refresh', { headers: { ...wrong, cookie } }),
    ];
    for (const { status, body } of replies) {
      expect(status).toBe(400);
      expect(body.messages).toMatchObject([{ code: 'header.bad_value', text: "Kind-Refresh-Token is 'cookie'" }]);
    }
  });

  it('as a cookie of another project, under either name', async () => {
    const token = valueOf(await signIn());
    const elsewhere = other.as(undefined);
    for (const project of [admin.id, other.id]) {
      const reply = await elsewhere.post('/auth/refresh', undefined, { headers: named(token, project) });
      expect(reply.status).toBe(401);
    }
  });

  it('as an access token in the cookie', async () => {
    const { access_token: token } = (await signIn()).body.content as Record<string, string>;
    expect((await refresh(named(token ?? ''))).status).toBe(401);
  });

  it.each([
    ['of another origin', { origin: 'https://evil.example' }, 403],
    ['of no origin', { origin: 'null' }, 403],
    ['of the same host with another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['of another host of the site', { 'sec-fetch-site': 'same-site' }, 403],
    ['of another origin of the site', { origin: 'https://blog.example.com', 'sec-fetch-site': 'same-site' }, 403],
    ['but not of the service', { origin: new URL(service.service.url).origin }, 200],
    ['but not of the service behind a proxy', { origin: 'https://kind.example', 'sec-fetch-site': 'same-origin' }, 200],
    ['but not of the address bar', { 'sec-fetch-site': 'none' }, 200],
  ])('from a page %s', async (_, headers, status) => {
    const token = valueOf(await signIn());
    const reply = await refresh({ ...named(token), ...headers });
    expect(reply.status).toBe(status);
    // The token was not used up.
    if (status === 403) expect((await refresh(named(token))).status).toBe(200);
    const { refresh_token: bearer } = (await signIn({})).body.content as Record<string, string>;
    expect((await refresh({ authorization: `Bearer ${bearer}`, ...headers })).status).toBe(200);
  });

  it('beside a bearer, which decides', async () => {
    const headers = { ...named(valueOf(await signIn())), authorization: 'Bearer nothing' };
    expect((await refresh(headers)).status).toBe(401);
  });
});

it('is below the path of PUBLIC_URL', async () => {
  const { RefreshCookies } = await import('../../../src/auth/session/refresh-cookie.js');
  const config = { publicUrl: 'https://example.com/kind', refreshTokenTtl: 60_000 };
  const cookies = new RefreshCookies(config as never);
  const answer = cookies.sessionAnswer({ id: 'demo' } as never, true, { access_token: 'a', refresh_token: 'r' });
  expect(answer.headers).toEqual({
    'set-cookie': 'kind_refresh_demo=r; Max-Age=60; Path=/kind/api/lib/auth; HttpOnly; Secure; SameSite=Strict',
  });
});
