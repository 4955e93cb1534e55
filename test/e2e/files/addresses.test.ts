/** Contents at addresses that need no header: signed ones, those of members with their token, and of strangers. */
import { beforeAll, describe, expect, it } from 'vitest';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { runCommand } from '../../support/command-line.js';
import { ok } from '../../support/definitions.js';
import { makeKey } from '../../support/keys.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const { url: origin } = service.service;
const admin = await service.project();
const other = await service.project();

const headersOf = (of: TestProject, type?: string) => ({
  'kind-project-key': of.id,
  ...(of.token !== undefined && { authorization: `Bearer ${of.token}` }),
  ...(type !== undefined && { 'content-type': type }),
});

async function uploaded(of: TestProject, name: string, type: string, body: string): Promise<string> {
  const reply = await fetch(`${origin}/api/lib/file/unit?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: headersOf(of, type),
    body,
  });
  const { content } = (await reply.json()) as { content: { id: string } };
  expect(reply.status).toBe(200);
  return content.id;
}

const replaced = async (of: TestProject, id: string, body: string) => {
  const reply = await fetch(`${origin}/api/lib/file/unit/${id}/content`, {
    method: 'PUT',
    headers: headersOf(of, 'text/plain'),
    body,
  });
  expect(reply.status).toBe(200);
};

/** A signed address. */
async function addressOf(of: TestProject, id: string, seconds = 60): Promise<string> {
  const { url } = (await ok(of.post(`/file/unit/${id}/url`, { seconds }))) as { url: string };
  return url;
}

interface Opened {
  readonly status: number;
  readonly text: string;
  readonly code: string | undefined;
  readonly headers: Headers;
}

async function opened(path: string, init: RequestInit = {}): Promise<Opened> {
  const reply = await fetch(`${origin}${path}`, init);
  const text = await reply.text();
  const json = reply.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  const code = json ? (JSON.parse(text) as { messages: { code: string }[] }).messages[0]?.code : undefined;
  return { status: reply.status, text, code, headers: reply.headers };
}

const refusedBy = async (path: string, init?: RequestInit): Promise<string> => {
  const { status, code } = await opened(path, init);
  return `${status} ${code ?? ''}`;
};

const BAD = '403 file.bad_signature';
const OVER = '403 file.expired';

let file = '';

beforeAll(async () => {
  file = await uploaded(admin, 'größe.txt', 'text/plain', 'hello');
});

describe('a signed address', () => {
  it('opens a content without a header, whatever token comes with it', async () => {
    const before = Date.now();
    const { url, expires_at } = (await ok(admin.post(`/file/unit/${file}/url`, { seconds: 90 }))) as {
      url: string;
      expires_at: string;
    };
    expect(url).toMatch(
      new RegExp(`^/api/lib/project/${admin.id}/file/${file}/gr%C3%B6%C3%9Fe\\.txt\\?expires=\\d+&signature=o\\.`),
    );
    expect(Math.abs(Date.parse(expires_at) - before - 90_000)).toBeLessThan(5000);
    for (const headers of [{}, { authorization: 'Bearer nonsense' }] as Record<string, string>[]) {
      const found = await opened(url, { headers });
      expect([found.status, found.text]).toEqual([200, 'hello']);
      expect(found.headers.get('vary')).toBeNull();
      expect(found.headers.get('cache-control')).toMatch(/^private, max-age=(8\d|90)$/);
      expect(found.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const whole = await opened(url);
    const etag = whole.headers.get('etag') ?? '';
    expect((await opened(url, { method: 'HEAD' })).headers.get('content-length')).toBe('5');
    expect((await opened(url, { headers: { range: 'bytes=1-2' } })).text).toBe('el');
    expect(await refusedBy(url, { headers: { range: 'bytes=9-' } })).toBe('416 file.range');
    expect((await opened(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const saved = await opened(`${url}&download=true`);
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment/);
    // The name is not signed.
    expect((await opened(url.replace('gr%C3%B6%C3%9Fe.txt', 'a.txt'))).text).toBe('hello');
    expect((await opened(url.replace('/gr%C3%B6%C3%9Fe.txt', ''))).text).toBe('hello');
  });

  it('opens nothing else', async () => {
    const url = await addressOf(admin, file);
    const another = await uploaded(admin, 'b.txt', 'text/plain', 'other');
    const nowhere = '0195b6f2-0000-7000-8000-000000000001';
    const [, digits = ''] = /expires=(\d+)/.exec(url) ?? [];
    const bad = [
      url.replace(file, another),
      url.replace(file, nowhere),
      url.replace(file, 'x'),
      url.replace(`/project/${admin.id}/`, `/project/${other.id}/`),
      url.replace(`expires=${digits}`, `expires=${Number(digits) + 1}`),
      url.replace(`expires=${digits}&`, ''),
      url.replace('signature=o.', 'signature=s.'),
      url.replace(/signature=.*/, 'signature='),
      url.replace(/&signature=.*/, ''),
      url.slice(0, -1),
      `${url}A`,
      `${url}&expires=1`,
    ];
    for (const each of bad) expect(await refusedBy(each), each).toBe(BAD);
    expect(await refusedBy(url.replace(`/project/${admin.id}/`, '/project/nothing-here/'))).toBe('404 unit.unknown');
    expect(await refusedBy(`${url}&access_token=x`)).toBe('400 query.unknown');
    expect(await refusedBy(`${url}&download=yes`)).toBe('400 query.bad_value');
    expect((await opened(url)).text).toBe('hello');
  });

  it('ends at its time, with its content, with its file, and where addresses are revoked', async () => {
    const id = await uploaded(admin, 'c.txt', 'text/plain', 'first');
    const short = await addressOf(admin, id, 1);
    await expect.poll(() => refusedBy(short), { timeout: 5000 }).toBe(OVER);
    const first = await addressOf(admin, id);
    await replaced(admin, id, 'second');
    expect(await refusedBy(first)).toBe(OVER);
    const second = await addressOf(admin, id);
    expect((await opened(second)).text).toBe('second');
    const out = `No signed address of a file of '${admin.id}' opens any more.\n`;
    expect(await runCommand('file', 'revoke-urls', admin.id)).toEqual({ code: 0, out, err: '' });
    expect(await refusedBy(second)).toBe(BAD);
    const third = await addressOf(admin, id);
    expect((await opened(third)).text).toBe('second');
    await ok(admin.delete(`/file/unit/${id}`));
    expect(await refusedBy(third)).toBe(OVER);
  });

  it('is for members who may read the file, of any key that may, and of a whole number of seconds', async () => {
    const people = await withMembers(admin);
    const memberOf = async (name: string) => people.as((await signUp(people, name)).accessToken);
    const [ann, bob] = [await memberOf('ann'), await memberOf('bob')];
    const mine = await uploaded(ann, 'mine.txt', 'text/plain', 'mine');
    expect((await opened(await addressOf(ann, mine))).text).toBe('mine');
    const of = (who: TestProject, seconds: unknown, token?: string) =>
      who.post(`/file/unit/${mine}/url`, { seconds }, { token });
    expect((await of(bob, 60)).status).toBe(404);
    expect((await of(anonymous(admin), 60)).status).toBe(401);
    for (const seconds of [0, 604_801, 1.5, '60', null]) expect((await of(admin, seconds)).status).toBe(400);
    const { expires_at: ends } = (await ok(of(admin, undefined))) as { expires_at: string };
    expect(Math.abs(Date.parse(ends) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect((await of(admin, 604_800)).status).toBe(200);
    const key = async (operations: readonly string[]) =>
      (await makeKey(admin, { scope: [{ kinds: ['file'], operations }] })).secret;
    expect((await of(admin, 60, await key(['read']))).status).toBe(200);
    expect((await of(admin, 60, await key(['create']))).status).toBe(403);
  });
});
