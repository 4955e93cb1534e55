/** The model of a project as a file, over REST. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { anonymous, asAdministrator, asMember, defineKinds } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { byKey, makeKey } from '../../support/keys.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const HEAD = 'format: kind-model\nversion: 1\n';
const NOTES = `${HEAD}partial: true\nkinds:\n  note:\n    parameters:\n      text: { type: string }\n`;
const YAML = { headers: { 'content-type': 'application/yaml' } };
const SCOPE = [{ kinds: ['model'], operations: ['read', 'update'] }];
const POSTS = { kinds: { post: { parameters: { title: { type: 'string', own: true } } } } };

interface Applied {
  readonly state: string;
  readonly version: number;
  readonly steps: readonly { name: string }[];
}

function fileOf(more: object): object {
  return { format: 'kind-model', version: 1, partial: true, ...more };
}

async function made(): Promise<{ admin: TestProject; key: TestProject }> {
  const project = await service.project();
  const title = { id: 'title', kind_id: 'string', own: true };
  await defineKinds(project, { id: 'post', parameters: [title], changes: 'feed' });
  const admin = await asAdministrator(project);
  return { admin, key: await byKey(admin, { scope: SCOPE }) };
}

/** For what changes nothing. */
const shared = made();

describe('the file', () => {
  it('is answered as JSON, and as YAML where that is asked for, with one ETag', async () => {
    const { admin } = await made();
    const documented = await admin.documented();
    const json = await documented.get('/model');
    expect(json.body.content).toMatchObject({ format: 'kind-model', version: 1, ...POSTS });
    const yaml = await documented.get('/model', { headers: { accept: 'application/yaml' } });
    expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(parse(yaml.text)).toEqual(json.body.content);
    const etag = json.headers.get('etag');
    expect(yaml.headers.get('etag')).toBe(etag);
    expect(yaml.headers.get('vary')).toContain('Accept');
    for (const accept of ['application/json', 'application/yaml']) {
      const again = await admin.get('/model', { headers: { accept, 'if-none-match': etag ?? '' } });
      expect([again.status, again.text]).toEqual([304, '']);
    }
    await ok(admin.post('/webhook/unit', { id: 'audit', url: 'https://example.org/h', kinds: ['post'] }));
    expect((await admin.get('/model', { headers: { 'if-none-match': etag ?? '' } })).status).toBe(200);
  });

  it('has a schema for editors, which anybody may read', async () => {
    const { status, text, headers } = await anonymous((await shared).admin).get('/model/schema.json');
    expect(status).toBe(200);
    expect(headers.get('etag')).not.toBeNull();
    expect(JSON.parse(text)).toMatchObject({ $schema: expect.any(String) as string, required: ['format', 'version'] });
  });
});

describe('a plan and an apply', () => {
  it('say what changes, and do it', async () => {
    const { admin } = await made();
    const documented = await admin.documented();
    const planned = (await ok(documented.post('/model/plan', NOTES, YAML))) as unknown as Applied;
    expect(planned.state).toBe('changes');
    expect(planned.steps).toContainEqual({ change: 'add', name: 'note' });
    expect((await admin.get('/note/unit')).status).toBe(404);
    const applied = (await ok(documented.post('/model/apply', NOTES, YAML))) as unknown as Applied;
    expect(applied).toMatchObject({ state: 'applied', steps: planned.steps });
    expect(applied.version).toBeGreaterThan(planned.version);
    expect(await ok(admin.get('/note/unit'))).toMatchObject({ count: 0 });
    for (const path of ['/model/plan', '/model/apply']) {
      const { version } = applied;
      expect(await ok(documented.post(path, fileOf(POSTS)))).toEqual({
        state: 'equal',
        version,
        steps: [],
        breaks: [],
      });
    }
  });

  it('are for the version that If-Match names', async () => {
    const { admin } = await made();
    const etag = (await admin.get('/model')).headers.get('etag') ?? '';
    const given = { headers: { ...YAML.headers, 'if-match': etag } };
    expect((await admin.post('/model/plan', NOTES, given)).status).toBe(200);
    expect((await admin.post('/model/apply', NOTES, given)).status).toBe(200);
    for (const path of ['/model/plan', '/model/apply'])
      expect(refusalOf(await admin.post(path, NOTES, given))).toEqual({ status: 412, messages: ['model.changed'] });
  });

  it('refuse what is lost and opened, until it is allowed', async () => {
    const { admin } = await made();
    await ok(admin.post('/post/unit', { title: 'One' }));
    const body = fileOf({ drop: ['post.title'], kinds: { post: { access: { read: 'anyone' } } } });
    const refused = refusalOf(await admin.post('/model/apply', body));
    expect(refused.messages.toSorted()).toEqual(['model.loses', 'model.opens']);
    const part = '/model/apply?allow_loss=post.title';
    expect(refusalOf(await admin.post(part, body))).toEqual({ status: 409, messages: ['model.opens'] });
    await ok(admin.post(`${part}&allow_open=post:read`, body));
    expect(await ok(anonymous(admin).get('/post/unit'))).toMatchObject({ count: 1 });
  });

  it.each([
    ['text/plain', 'format: kind-model', 415, 'body.not_json'],
    ['application/yaml; charset=latin1', 'format: kind-model', 415, 'body.not_json'],
    ['application/yaml', `${HEAD}kinds:\n\tnote: {}\n`, 400, 'model.bad_file'],
    ['application/yaml', `${HEAD}kinds: { note: { lable: Note } }\n`, 400, 'model.bad_file kinds.note.lable'],
    ['application/json', '{"format":"kind-model","version":2}', 400, 'model.bad_file version'],
    ['application/yaml', '', 400, 'model.bad_file'],
    ['application/yaml', `${HEAD}# ${'x'.repeat(1024 * 1024)}`, 400, 'model.bad_file'],
    ['application/json', `"${'x'.repeat(4 * 1024 * 1024)}"`, 413, 'body.too_large'],
    [
      'application/yaml',
      `${HEAD}partial: true\nwebhooks: { a: { url: "https://example.org", kinds: [post], headers: { a: { env: MODEL_A } } } }\n`,
      400,
      'model.env webhooks.a.headers.a',
    ],
  ])('refuse a body of %s like %.60j', async (type, body, status, message) => {
    const { admin } = await shared;
    const refused = await admin.post('/model/plan', body, { headers: { 'content-type': type } });
    expect(refusalOf(refused)).toEqual({ status, messages: [message] });
    expect((await admin.post('/model/apply', body, { headers: { 'content-type': type } })).status).toBe(status);
  });

  it('take no Idempotency-Key, and no other query', async () => {
    const { admin } = await shared;
    const keyed = { headers: { ...YAML.headers, 'idempotency-key': 'a' } };
    expect(refusalOf(await admin.post('/model/apply', NOTES, keyed)).messages).toEqual(['idempotency.not_here']);
    expect(refusalOf(await admin.post('/model/plan?allow_loss=all', NOTES, YAML)).messages).toEqual([
      'query.unknown allow_loss',
    ]);
  });
});

describe('of callers', () => {
  it('members are refused, and administrators need a fresh proof for what decides who comes in', async () => {
    const { admin } = await made();
    const member = await asMember(admin);
    for (const path of ['/model/plan', '/model/apply'])
      expect(refusalOf(await member.post(path, NOTES, YAML))).toEqual({ status: 403, messages: ['access.denied'] });
    expect((await member.get('/model')).status).toBe(403);
    await query(admin, `UPDATE $schema._session SET proved_at = now() - interval '1 hour'`);
    await ok(admin.post('/model/apply', NOTES, YAML));
    for (const more of [
      { settings: { verify_email: 'on' } },
      { webhooks: { audit: { url: 'https://example.org/h', kinds: ['post'] } } },
      { kinds: { post: { access: { create: 'anyone' } } } },
      { kinds: { kind_admin: { access: { create: 'member' } } } },
    ]) {
      expect((await admin.post('/model/plan', fileOf(more))).status).toBe(200);
      const refused = await admin.post('/model/apply?allow_open=all', fileOf(more));
      expect(refusalOf(refused)).toEqual({ status: 403, messages: ['session.stale'] });
    }
  });

  it('keys are for the model alone, or not taken', async () => {
    const { admin, key } = await made();
    await ok(key.post('/model/plan', NOTES, YAML));
    await ok(key.post('/model/apply', NOTES, YAML));
    await ok(key.get('/model'));
    for (const path of ['/post/unit', '/kind/unit', '/settings', '/api_key/unit'])
      expect([path, (await key.get(path)).status]).toEqual([path, 403]);
    const other = await byKey(admin);
    const scoped = await byKey(admin, { scope: [{ kinds: ['kind', 'post'], operations: ['read', 'update'] }] });
    for (const caller of [other, scoped]) {
      expect(refusalOf(await caller.get('/model'))).toEqual({ status: 403, messages: ['key.not_here'] });
      expect((await caller.post('/model/apply', NOTES, YAML)).status).toBe(403);
    }
    const reader = await byKey(admin, { scope: [{ kinds: ['model'], operations: ['read'] }] });
    await ok(reader.post('/model/plan', NOTES, YAML));
    expect(refusalOf(await reader.post('/model/apply', NOTES, YAML)).messages).toEqual(['access.denied']);
    const member = await byKey(await asMember(admin), { scope: SCOPE });
    expect(refusalOf(await member.get('/model')).messages).toEqual(['access.denied']);
  });

  it('keys change no webhooks, providers and settings of sign-in, and open nothing to strangers', async () => {
    const { admin, key } = await made();
    const provider = { issuer: 'https://login.example.org', client_id: 'x', member_kind: 'kind_admin' };
    for (const more of [
      { settings: { verify_email: 'on' } },
      { webhooks: { audit: { url: 'https://example.org/h', kinds: ['post'] } } },
      { identity_providers: { login: provider } },
      { kinds: { post: { access: { create: 'anyone' } } } },
      { kinds: { kind_admin: { access: { create: 'member' } } } },
      { kinds: { api_key: { access: { read: 'member' } } } },
    ]) {
      expect([more, (await key.post('/model/plan', fileOf(more))).status]).toEqual([more, 200]);
      const refused = await key.post('/model/apply?allow_open=all', fileOf(more));
      expect([more, refusalOf(refused)]).toEqual([more, { status: 403, messages: ['key.not_here'] }]);
    }
    await ok(key.post('/model/apply?allow_open=all', fileOf({ kinds: { post: { access: { create: 'member' } } } })));
    await ok(admin.post('/post/unit', { title: 'One' }));
    const drop = fileOf({ drop: ['post.title'] });
    expect(refusalOf(await key.post('/model/apply?allow_loss=all', drop)).messages).toEqual(['access.denied']);
    const deletes = await byKey(admin, { scope: [{ kinds: ['model'], operations: ['update', 'delete'] }] });
    await ok(deletes.post('/model/apply?allow_loss=all', drop));
  });

  it('keys are named beside their member by the history and the feed of what they write', async () => {
    const { admin } = await made();
    const written = await makeKey(admin, { scope: SCOPE });
    const tag = { changes: 'history', parameters: { code: { type: 'string', own: true, is_primary: true } } };
    const file = fileOf({ kinds: { tag }, units: { tag: { by: ['code'], items: [{ code: 'red' }] } } });
    await ok(admin.as(written.secret).post('/model/apply', file));
    const by = { key: written.id, member: written.member };
    const history = await ok(admin.get('/tag/unit/red/history'));
    expect(history.items).toMatchObject([{ operation: 'create', ...by }]);
    const feed = await ok(admin.get('/changes?kinds=[tag]&since='));
    expect(feed.items).toMatchObject([{ kind_id: 'tag', ...by }]);
  });

  it.each([
    [[{ kinds: ['model', 'kind'], operations: ['read'] }]],
    [[...SCOPE, { kinds: ['kind'], operations: ['read'] }]],
    [[{ kinds: ['model'], operations: ['create'] }]],
  ])('no key has the scope %j', async (scope) => {
    const { admin } = await shared;
    expect((await admin.post('/api_key/unit', { label: 'a key', scope })).status).toBe(400);
  });

  it('no kind is called model', async () => {
    const { admin } = await shared;
    expect(refusalOf(await admin.post('/kind/unit', { id: 'model' })).messages).toEqual(['kind.reserved id']);
  });
});
