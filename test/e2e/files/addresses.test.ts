/** Contents at addresses that need no header: signed ones, those of members with their token, and of strangers. */
import { beforeAll, describe, expect, it } from 'vitest';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { runCommand } from '../../support/command-line.js';
import { createdId, ok, query, refusalOf } from '../../support/definitions.js';
import { makeKey } from '../../support/keys.js';
import { sharedService, type TestProject } from '../../support/service.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { SECRET } from '../../../src/config/config.js';
import type { OpenApiDocument } from '../../../src/doc/openapi/openapi.js';
import { FileUrls } from '../../../src/file/url/signed-url.js';
import { roundedExpiry } from '../../../src/shared/file-address.js';
import { revokeUrlsStatement } from '../../../src/sql/file/files.sql.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { schemaName } from '../../../src/model/names.js';

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
    const document = (await admin.get('/doc/openapi.json?kinds=file')).body as unknown as OpenApiDocument;
    const { operationId, responses } = document.paths['/api/lib/project/{project_id}/file/{file_id}']?.get ?? {};
    const { put: replace } = document.paths['/api/lib/file/unit/{unit_id}/content'] ?? {};
    expect(Object.keys(replace?.requestBody?.content ?? {})).toEqual(['multipart/form-data', '*/*']);
    expect(JSON.stringify(replace?.responses['200'])).toContain('"ETag":{"$ref":"#/components/headers/ContentETag"}');
    expect([operationId, responses]).toMatchObject(['file.address', { '206': {}, '304': {}, '416': {}, '503': {} }]);
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

type Shown = Readonly<Record<string, string | null>>;

const inJson = (name: string, content = name) => ({ name, content: Buffer.from(content).toString('base64') });
const itemsOf = async (of: TestProject, path: string): Promise<readonly Shown[]> =>
  ((await ok(of.get(path))) as { items: readonly Shown[] }).items;

async function changed(of: TestProject, settings: object): Promise<void> {
  await service.service.app.get(Provisioning).set(of.id, { settings });
  await service.service.app.get(ProjectStore).reload(of.id);
}

describe('the address in an answer', () => {
  const NAMES = [
    'a.txt',
    "It's (a) ~ *!_-.txt",
    'Grüße & a%2F?#+.txt',
    '日本語 😀.txt',
    `x"z'`,
    '%\t1',
    'ÀÿĀ',
    '${}$1',
  ];

  it('is the one that the service itself makes, whatever the name', async () => {
    const project = await service.project();
    await ok(
      project.post(
        '/file/unit',
        NAMES.map((name) => inJson(name)),
      ),
    );
    const stored = await query<{ id: string; name: string; object: string; epoch: string }>(
      project,
      'SELECT t.id::text, t.name, t.object, f.epoch::text FROM $schema.file AS t, $schema."_files" AS f ORDER BY t.id',
    );
    const urls = new FileUrls(service.service.app.get<string>(SECRET));
    const addresses = await itemsOf(project, '/file/unit?include=[name,url]');
    const [{ url: first = '' } = {}] = addresses;
    const expires = Number(/expires=(\d+)/.exec(first ?? '')?.[1]);
    expect([roundedExpiry(3600, Date.now() - 10_000), roundedExpiry(3600)]).toContain(expires);
    const made = stored.map(({ epoch, ...file }) => ({
      name: file.name,
      url: urls.make({ ...file, project: project.id, epoch: Number(epoch) }, 'o', expires),
    }));
    expect(addresses).toEqual(made);
    expect(made).toHaveLength(NAMES.length);
    for (const { name, url } of made) expect((await opened(url)).text, name).not.toBe('');
  });

  it('is there for whoever may read the file by that way, and null for others', async () => {
    const project = await withMembers(await service.project());
    const memberOf = async (name: string) => project.as((await signUp(project, name)).accessToken);
    const [ann, bob] = [await memberOf('ann'), await memberOf('bob')];
    const reference = { id: 'cover', kind_id: 'unit', reference_kind: 'file' };
    const parameters = [{ id: 'title', kind_id: 'string' }, reference];
    await ok(project.post('/kind/unit', { id: 'article', public: true, parameters }));
    const article = await createdId(ann.post('/article/unit', { title: 'a', cover: inJson('a b.txt', 'hello') }));
    await ok(ann.post('/article/unit', { title: 'b' }));
    const path = '/article/unit?include=[title,cover.url]&order=title';
    const signed = /^\/api\/lib\/project\/.*\/a%20b\.txt\?expires=\d+&signature=o\./;
    for (const caller of [ann, bob, project]) {
      const [one, other] = await itemsOf(caller, path);
      expect([one?.['cover.url'], other]).toEqual([expect.stringMatching(signed), { title: 'b', 'cover.url': null }]);
      expect((await opened(one?.['cover.url'] ?? '')).text).toBe('hello');
    }
    const [plain] = await itemsOf(anonymous(project), path);
    expect(plain?.['cover.url']).toMatch(/\/file\/[0-9a-f-]+\/a%20b\.txt$/);
    expect((await opened(plain?.['cover.url'] ?? '')).text).toBe('hello');
    const nested = await ok(bob.get(`/article/unit/${article}?include=[cover.name,cover.url]&nest=true`));
    expect(nested).toEqual({ cover: { id: expect.any(String), name: 'a b.txt', url: expect.stringMatching(signed) } });
    expect(await itemsOf(bob, '/file/unit?include=[*,url]')).toEqual([
      expect.objectContaining({ name: 'a b.txt', url: expect.stringMatching(signed) }),
    ]);
    expect((await itemsOf(bob, '/file/unit'))[0]).not.toHaveProperty('url');
    const lines = await bob.get(`/article/export?format=ndjson&include=[title,cover.url]&filter=eq(title,a)`);
    expect(JSON.parse(lines.text)).toEqual({ title: 'a', 'cover.url': expect.stringMatching(signed) });
    const written = await ok(bob.post('/article/unit?include=[cover.url]', { title: 'c', cover: inJson('a b.txt') }));
    expect(written).toEqual({ 'cover.url': expect.stringMatching(signed) });
    await ok(project.put('/kind/unit/file', { access: { read: ['eq(owner,@member.id)'] } }));
    expect((await itemsOf(bob, path)).map((each) => each['cover.url'])).toEqual([null, null, written['cover.url']]);
    expect((await itemsOf(ann, path)).map((each) => each['cover.url'] !== null)).toEqual([true, false, false]);
  });

  it('is made anew for each answer, whose version changes with it', async () => {
    const project = await service.project();
    const id = await createdId(project.post('/file/unit', inJson('a.txt')));
    const [list, one] = ['/file/unit?include=url', `/file/unit/${id}?include=url`];
    // The statements of repeated queries are kept.
    for (let at = 0; at < 4; at += 1) await itemsOf(project, list);
    const before = await project.get(one);
    const headers = { 'if-none-match': before.headers.get('etag') ?? '' };
    expect((await project.get(one, { headers })).status).toBe(304);
    await changed(project, { fileUrlSeconds: 36_000 });
    const after = await project.get(one, { headers });
    expect(after.status).toBe(200);
    expect(after.body.content).not.toEqual(before.body.content);
    expect(await itemsOf(project, list)).toEqual([after.body.content]);
    await service.service.database.run(revokeUrlsStatement(schemaName(project.id)));
    const [{ url = '' } = {}] = await itemsOf(project, list);
    expect((await opened(url ?? '')).status).toBe(200);
  });

  it('is of units of several kinds, where no parameter of theirs has its name', async () => {
    const project = await service.project();
    await ok(project.post('/kind/unit', { id: 'note', parameters: [{ id: 'title', kind_id: 'string' }] }));
    await ok(project.post('/kind/unit', { id: 'site', parameters: [{ id: 'url', kind_id: 'string' }] }));
    await ok(project.post('/link/unit', { id: 'has' }));
    for (const [group, kinds] of [
      ['plain', ['note', 'file']],
      ['named', ['site', 'file']],
    ] as const) {
      await ok(project.post('/group/unit', { id: group, kind_list: kinds }));
    }
    const note = await createdId(project.post('/note/unit', { title: 'n' }));
    const file = await createdId(project.post('/file/unit', inJson('a.txt')));
    await ok(project.post('/site/unit', { url: 'x' }));
    await ok(project.post(`/note/unit/${note}/link/has/file/unit/${file}`));
    const url = expect.stringContaining('signature=o.') as string;
    expect(await itemsOf(project, '/group/plain/unit?include=[kind_id,url]&order=kind_id')).toEqual([
      { kind_id: 'file', url },
      { kind_id: 'note', url: null },
    ]);
    expect(await itemsOf(project, '/group/named/unit?include=[kind_id,url]&filter=eq(url,x)')).toEqual([
      { kind_id: 'site', url: 'x' },
    ]);
    expect(await itemsOf(project, `/note/unit/${note}/link/child?include=[url]`)).toEqual([
      expect.objectContaining({ url }),
    ]);
    const loaded = await ok(project.get(`/note/unit/${note}?load_links=true&include_linked=url`));
    expect(JSON.stringify(loaded)).toContain('signature=o.');
  });

  it('is there over several references, in tables and in the feed of changes', async () => {
    const project = await ofPages;
    await ok(
      project.post('/kind/unit', { id: 'visit', parameters: [{ id: 'of', kind_id: 'unit', reference_kind: 'page' }] }),
    );
    const { items, next } = (await ok(project.get('/changes?kinds=page,file'))) as { items: unknown[]; next: string };
    expect(items).toEqual([]);
    const page = await createdId(project.post('/page/unit', { cover: inJson('a.txt') }));
    await ok(project.post('/visit/unit', { of: page }));
    const url = expect.stringMatching(/\/a\.txt\?expires=\d+&signature=o\./) as string;
    expect(await itemsOf(project, '/visit/unit?include=[of.cover.url]')).toEqual([{ 'of.cover.url': url }]);
    expect((await project.get('/visit/export?format=csv&include=[of.cover.url]')).text.split('\r\n')[1]).toEqual(url);
    for (const [kind, name] of [
      ['page', 'cover.url'],
      ['file', 'url'],
    ] as const) {
      const changes = await itemsOf(project, `/changes?kinds=${kind}&include=${name}&since=${next}`);
      expect(changes).toMatchObject([{ unit: { [name]: url } }]);
    }
  });

  const read = { operations: [{ method: 'GET', path: '/page/unit?include=cover.url' }] };

  it.each([
    ['GET', '/file/unit?filter=eq(url,a)', undefined, 'filter.unknown_parameter url'],
    ['GET', '/page/unit?filter=isnull(cover.url)', undefined, 'filter.unknown_parameter url'],
    ['GET', '/file/unit?order=url', undefined, 'parameter.unknown order'],
    ['GET', '/file/aggregate?select=max(url)', undefined, 'parameter.unknown select'],
    ['GET', '/page/unit?include=cover.url.x', undefined, 'parameter.unknown include'],
    ['POST', '/live', { queries: [{ as: 'a', path: '/page/unit?include=cover.url' }] }, 'query.bad_value include'],
    ['POST', '/page/unit?include=cover.url', {}, 'idempotency.not_here idempotency-key'],
    ['POST', '/batch', read, 'idempotency.not_here idempotency-key'],
  ])('is no part of %s %s', async (method, path, body, message) => {
    const keyed = message.startsWith('idempotency') ? { 'idempotency-key': JSON.stringify(body) } : {};
    const reply = await (await ofPages).call(method, path, body, { headers: keyed });
    expect(refusalOf(reply)).toEqual({ status: 400, messages: [message] });
    expect(reply.text.split('at character').length).toBeLessThanOrEqual(2);
  });

  it('opens sizes alone of the pictures of others, where only owners see them as they were uploaded', async () => {
    const project = await withMembers(await service.project());
    const memberOf = async (name: string) => project.as((await signUp(project, name)).accessToken);
    const [ann, bob] = [await memberOf('ann'), await memberOf('bob')];
    await ok(project.put('/kind/unit/file', { access: { read: 'anyone' } }));
    await ok(ann.post('/file/unit', [inJson('a.txt'), { name: 'b.gif', content: GIF }]));
    await changed(project, { originals: 'owner' });
    const classesFor = async (of: TestProject) =>
      (await itemsOf(of, '/file/unit?include=url&order=name')).map(({ url }) => /signature=(.)/.exec(url ?? '')?.[1]);
    expect(await classesFor(bob)).toEqual(['o', 's']);
    for (const caller of [ann, project]) expect(await classesFor(caller)).toEqual(['o', 'o']);
    const [, { url = '' } = {}] = await itemsOf(bob, '/file/unit?include=url&order=name');
    expect(await refusedBy(url ?? '')).toBe('403 file.original');
  });
});

const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const ofPages = (async () => {
  const project = await service.project();
  const parameters = [{ id: 'cover', kind_id: 'unit', reference_kind: 'file' }];
  await ok(project.post('/kind/unit', { id: 'page', parameters, changes: 'feed' }));
  await ok(project.put('/kind/unit/file', { changes: 'feed' }));
  return project;
})();
