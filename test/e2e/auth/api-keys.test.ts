/** The life of API keys: made by members and administrators, used as bearer, ended with what they depend on. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { anonymous, defineKinds, signUp, withMembers } from '../../support/callers.js';
import { definitionsOf, ok, query, refusalOf, TIMESTAMP } from '../../support/definitions.js';
import { byKey, makeKey } from '../../support/keys.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const admin = await withMembers(await service.project('keys_of-a_project'));
const open = anonymous(admin);
const ann = await signUp(admin, 'ann');
const bob = await signUp(admin, 'bob');
const asAnn = admin.as(ann.accessToken);
const asBob = admin.as(bob.accessToken);
await defineKinds(admin, { id: 'note', parameters: [{ id: 'text', kind_id: 'string' }] });

const SECRET = /^kind_keys_of-a_project_[A-Za-z0-9_-]{43}$/;
const statusOf = async (caller: TestProject, path = '/auth/verify') => (await caller.get(path)).status;
const newMember = (name: string, project = admin) => signUp(project, name);

describe('a new key', () => {
  it('is answered with its secret once, and works as its member', async () => {
    const reply = await asAnn.post('/api_key/unit', { label: 'backup', metadata: { for: 'tests' } });
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { secret, ...record } = reply.body.content as Record<string, unknown>;
    expect(secret).toMatch(SECRET);
    expect(record).toEqual({
      id: expect.any(String),
      kind_id: 'api_key',
      label: 'backup',
      member: ann.id,
      scope: null,
      agent: null,
      writes: null,
      expires_at: null,
      last_used_at: null,
      hint: String(secret).slice(-4),
      metadata: { for: 'tests' },
      inserted_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
    });
    const key = admin.as(String(secret));
    expect(await ok(key.get('/auth/verify'))).toBeNull();
    expect(await ok(key.post('/auth/verify'))).toBeNull();
    expect(await ok(key.get('/auth/me'))).toMatchObject({ id: ann.id, username: 'ann', administrator: false });
    await ok(key.post('/note/unit', { text: 'by key' }));
    expect((await ok(key.get('/note/unit'))).count).toBe(1);
  });

  it('is answered without its secret ever after', async () => {
    const { id, secret } = await makeKey(asAnn);
    const answers = [
      await asAnn.get(`/api_key/unit/${id}`),
      await asAnn.get('/api_key/unit'),
      await asAnn.put(`/api_key/unit/${id}`, { label: 'renamed' }),
      await admin.get(`/api_key/unit?filter=eq(id,${id})`),
      await admin.get('/api_key/export?format=ndjson'),
      await admin.get('/api_key/aggregate?select=[count()]&group=[hint]'),
      await admin.get('/api_key/struct'),
    ];
    const [row] = await query<{ row: string }>(
      admin,
      `SELECT row_to_json(k)::text AS row FROM $schema."api_key" k WHERE id = '${id}'`,
    );
    for (const text of [...answers.map((answer) => answer.text), row?.row ?? '']) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secret.slice(-12));
    }
    for (const { text } of answers) expect(text).not.toContain('secret');
    for (const name of ['secret', 'secret_hash']) {
      const filtered = await admin.get(`/api_key/unit?filter=eq(${name},x)`);
      expect(refusalOf(filtered)).toMatchObject({ status: 400 });
    }
  });

  it('keeps its ETag while it is used, and notes its last use', async () => {
    const { id, secret, updated_at } = await makeKey(asAnn);
    const before = (await asAnn.get(`/api_key/unit/${id}`)).headers.get('etag');
    await ok(admin.as(secret).get('/auth/verify'));
    const used = await vi.waitFor(async () => {
      const found = await asAnn.get(`/api_key/unit/${id}`);
      expect(found.body.content.last_used_at).toMatch(TIMESTAMP);
      return found;
    });
    expect(used.headers.get('etag')).toBe(before);
    expect(used.body.content.updated_at).toBe(updated_at);
  });

  it('has no usable secret after a dry run', async () => {
    const reply = await asAnn.post('/api_key/unit?dry_run=true', { label: 'dry' });
    expect(reply.status).toBe(200);
    expect(reply.body.content).toMatchObject({ label: 'dry', secret: null });
    expect((await ok(asAnn.get('/api_key/unit?filter=eq(label,dry)'))).count).toBe(0);
  });

  it('takes no idempotency key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const refused = { status: 400, messages: ['idempotency.not_here idempotency-key'] };
    expect(refusalOf(await asAnn.post('/api_key/unit', { label: 'kept' }, { headers }))).toEqual(refused);
    expect((await ok(asAnn.get('/api_key/unit?filter=eq(label,kept)'))).count).toBe(0);
    const { id } = await makeKey(asAnn);
    const edited = await asAnn.put(`/api_key/unit/${id}`, { label: 'x' }, { headers: { 'idempotency-key': 'edit' } });
    expect(edited.status).toBe(200);
  });
});

describe('who makes keys', () => {
  it('administrators make them for any member, members for themselves', async () => {
    const made = await makeKey(admin, { member: bob.id.toUpperCase() });
    expect(made.member).toBe(bob.id);
    expect(await ok(admin.as(made.secret).get('/auth/me'))).toMatchObject({ username: 'bob' });
    expect((await makeKey(asAnn, { member: ann.id })).member).toBe(ann.id);
    expect(refusalOf(await asAnn.post('/api_key/unit', { member: bob.id }))).toEqual({
      status: 403,
      messages: ['access.denied'],
    });
    expect(refusalOf(await open.post('/api_key/unit', {}))).toEqual({ status: 401, messages: ['token.missing'] });
  });

  it.each(['7f3c0e0e-0000-7000-8000-000000000000', 'nobody', ''])('nobody makes one for %j', async (member) => {
    const refused = { status: 400, messages: ['parameter.bad_reference member'] };
    expect(refusalOf(await admin.post('/api_key/unit', { member }))).toEqual(refused);
    expect((await asAnn.post('/api_key/unit', { member })).status).toBe(403);
  });

  it('a key makes and edits none, and has no session', async () => {
    const { id } = await makeKey(asAnn);
    for (const key of [await byKey(asAnn), await byKey(admin)]) {
      const denied = { status: 403, messages: ['key.not_here'] };
      expect(refusalOf(await key.post('/api_key/unit', { label: 'more' }))).toEqual(denied);
      expect(refusalOf(await key.put(`/api_key/unit/${id}`, { scope: null }))).toEqual(denied);
      for (const [method, path, body] of [
        ['POST', '/auth/signout'],
        ['GET', '/auth/session'],
        ['DELETE', `/auth/session/${id}`],
        ['POST', '/auth/change_password', { current_password: ann.password, new_password: 'another secret' }],
      ] as const) {
        expect(refusalOf(await key.call(method, path, body)), path).toEqual({
          status: 403,
          messages: ['key.not_here'],
        });
      }
      expect(await statusOf(key, '/auth/refresh')).toBe(401);
    }
  });

  it('all faults come at once, and say what is wrong', async () => {
    const { status, body } = await asAnn.post('/api_key/unit', {
      label: 'x'.repeat(501),
      expires_at: '2001-01-01T00:00:00Z',
      hint: 'abcd',
      secret: 'mine',
      scope: [{ kinds: ['note', 'nothing'], operations: ['read', 'signup'] }, { kinds: [] }, 5],
    });
    expect(status).toBe(400);
    const told = body.messages.map(({ code, parameter }) => `${code} ${parameter ?? ''}`).sort();
    expect(told).toEqual([
      'parameter.bad_value expires_at',
      ...Array.from({ length: 5 }, () => 'parameter.bad_value scope'),
      'parameter.read_only hint',
      'parameter.too_long label',
      'parameter.unknown secret',
    ]);
  });

  it.each([
    ['note'],
    [{ kinds: ['note'], operations: ['read'] }],
    [[{ kinds: ['kind_system_user'], operations: ['read'] }]],
    [[{ kinds: ['note'], operations: ['read'], more: 1 }]],
  ])('the scope %j is refused', async (scope) => {
    const refused = { status: 400, messages: ['parameter.bad_value scope'] };
    expect(refusalOf(await asAnn.post('/api_key/unit', { scope }))).toEqual(refused);
  });

  it('a member has a hundred at most, also when they are made at once', async () => {
    const cyd = await newMember('cyd');
    const asCyd = admin.as(cyd.accessToken);
    await query(
      admin,
      `INSERT INTO $schema."api_key" ("id", "label", "member", "secret_hash", "metadata", "inserted_at", "updated_at")
       SELECT gen_random_uuid(), '', '${cyd.id}', 'hash ' || n, '{}', now(), now() FROM generate_series(1, 97) AS n`,
    );
    const replies = await Promise.all(Array.from({ length: 6 }, () => asCyd.post('/api_key/unit', { label: 'many' })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409, 409]);
    const refused = replies.find(({ status }) => status === 409);
    expect(refused && refusalOf(refused)).toEqual({ status: 409, messages: ['key.too_many'] });
  });
});

describe('the keys of a member', () => {
  it('are listed, edited and deleted by it and by administrators alone', async () => {
    const { id, secret } = await makeKey(asBob, { label: "bob's" });
    expect((await ok(asAnn.get(`/api_key/unit?filter=eq(member,${bob.id})`))).count).toBe(0);
    expect((await ok(asBob.get(`/api_key/unit?filter=eq(id,${id})`))).count).toBe(1);
    for (const call of ['GET', 'PUT', 'DELETE']) {
      const body = call === 'PUT' ? { label: 'mine' } : undefined;
      expect((await asAnn.call(call, `/api_key/unit/${id}`, body)).status, call).toBe(404);
    }
    expect(await statusOf(open, '/api_key/unit')).toBe(401);
    await ok(asBob.put(`/api_key/unit/${id}`, { label: 'edited', expires_at: '2999-01-01T00:00:00Z' }));
    await ok(admin.put(`/api_key/unit/${id}`, { label: 'by root' }));
    const record = (await ok(asBob.get(`/api_key/unit/${id}`))) as object;
    await ok(asBob.put(`/api_key/unit/${id}`, { ...record, label: 'sent back' }));
    expect(refusalOf(await asBob.put(`/api_key/unit/${id}`, { member: ann.id }))).toEqual({
      status: 409,
      messages: ['parameter.write_once member'],
    });
    for (const change of [{ hint: 'abcd' }, { last_used_at: '2001-01-01T00:00:00Z' }]) {
      const [name] = Object.keys(change);
      expect(refusalOf(await asBob.put(`/api_key/unit/${id}`, change))).toEqual({
        status: 400,
        messages: [`parameter.read_only ${name}`],
      });
    }
    expect(refusalOf(await asBob.put(`/api_key/unit/${id}`, { scope: { $merge: { kinds: ['note'] } } }))).toEqual({
      status: 400,
      messages: ['parameter.bad_type scope'],
    });
    await ok(asBob.delete(`/api_key/unit/${id}`));
    expect(await statusOf(admin.as(secret))).toBe(401);
  });
});

describe('a key is refused at once', () => {
  const refused = { status: 401, messages: ['token.invalid'] };
  const inUse = async (owner: TestProject, body: object = {}) => {
    const made = await makeKey(owner, body);
    const key = admin.as(made.secret);
    await ok(key.get('/note/unit?limit=1'));
    return { ...made, key };
  };

  it('after its deletion', async () => {
    const { id, key } = await inUse(asAnn);
    await ok(asAnn.delete(`/api_key/unit/${id}`));
    expect(refusalOf(await key.get('/note/unit'))).toEqual(refused);
    expect(refusalOf(await key.get('/auth/me'))).toEqual(refused);
  });

  it.each([
    ['a unit', '/note/unit', 'application/json', '{"text":"late"}'],
    ['an import', '/note/import', 'application/x-ndjson', '{"text":"late"}\n'],
  ])('after its deletion while %s is on its way', async (_, path, type, body) => {
    const key = await makeKey(admin);
    const url = new URL(`${service.service.url}/api/lib${path}`);
    const headers = {
      'kind-project-key': admin.id,
      authorization: `Bearer ${key.secret}`,
      'content-type': type,
      'content-length': body.length,
    };
    const before = await ok(admin.get('/note/unit?filter=eq(text,late)'));
    const sent = request(url, { method: 'POST', headers });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.write(body.slice(0, 5));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await ok(admin.delete(`/api_key/unit/${key.id}`));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    sent.end(body.slice(5));
    const [response] = await answered;
    response.resume();
    expect(response.statusCode).toBe(401);
    expect(await ok(admin.get('/note/unit?filter=eq(text,late)'))).toEqual(before);
  });

  it('when its time is over', async () => {
    const { id, key } = await inUse(asAnn, { expires_at: '2999-01-01T00:00:00Z' });
    await ok(asAnn.put(`/api_key/unit/${id}`, { expires_at: '2020-01-01T00:00:00Z' }));
    expect(refusalOf(await key.get('/note/unit'))).toEqual(refused);
    await ok(asAnn.put(`/api_key/unit/${id}`, { expires_at: null }));
    await ok(key.get('/note/unit'));
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      await ok(asAnn.put(`/api_key/unit/${id}`, { expires_at: new Date(Date.now() + 60_000).toISOString() }));
      await ok(key.get('/note/unit'));
      const statements = await admin.statements(() => key.get('/auth/session'));
      expect(statements).toBe(0);
      vi.setSystemTime(Date.now() + 61_000);
      // Of this process's clock: what it remembers is looked up again.
      expect(await admin.statements(() => key.get('/auth/session'))).toBeGreaterThan(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('with its member, however that is deleted', async () => {
    const members = await Promise.all(['dan', 'eve', 'fay'].map((name) => newMember(name)));
    const keys = await Promise.all(members.map(({ accessToken }) => inUse(admin.as(accessToken))));
    const [dan, eve, fay] = members;
    await ok(admin.delete(`/person/unit/${dan?.id ?? ''}`));
    await ok(admin.delete(`/person/unit?filter=eq(username,eve)`));
    await ok(admin.as(fay?.accessToken).delete(`/person/unit/${fay?.id ?? ''}`));
    for (const { key, id } of keys) {
      expect(refusalOf(await key.get('/note/unit'))).toEqual(refused);
      expect(await query(admin, `SELECT 1 FROM $schema."api_key" WHERE "id" = '${id}'`)).toEqual([]);
    }
    expect(eve).toBeDefined();
  });

  it('with its member, by a cascade', async () => {
    const project = await withMembers(await service.project());
    await defineKinds(project, { id: 'team' });
    const team = (await ok(project.post('/team/unit', {}))).id as string;
    const parameters = [{ id: 'team', kind_id: 'unit', reference_kind: 'team', on_delete: 'cascade' }];
    await ok(project.put('/kind/unit/person', { parameters }));
    const gil = await signUp(project, 'gil', { team });
    const key = await byKey(project.as(gil.accessToken));
    await ok(key.get('/team/unit'));
    await ok(project.delete(`/team/unit/${team}`));
    expect(refusalOf(await key.get('/team/unit'))).toEqual(refused);
    expect(await query(project, 'SELECT 1 FROM $schema."api_key"')).toEqual([]);
  });

  it('while the kind of its member is inactive, and for good when it is no member kind', async () => {
    const project = await withMembers(await service.project());
    await defineKinds(project, { id: 'note' });
    const hal = await signUp(project, 'hal');
    const key = await byKey(project.as(hal.accessToken));
    await ok(key.get('/note/unit'));
    await ok(project.put('/kind/unit/person', { active: false }));
    for (const path of ['/note/unit', '/auth/verify', '/auth/me', '/kind/unit']) {
      expect(refusalOf(await key.get(path)), path).toEqual(refused);
    }
    await ok(project.put('/kind/unit/person', { active: true }));
    await ok(key.get('/note/unit'));
    await ok(project.delete('/kind/unit/person?cascade=true'));
    expect(refusalOf(await key.get('/note/unit'))).toEqual(refused);
    expect(await query(project, 'SELECT 1 FROM $schema."api_key"')).toEqual([]);
  });

  it('in another project, and where it is no key', async () => {
    const other = await service.project();
    const { secret } = await makeKey(admin);
    const bad = [secret.slice(0, -1), `${secret}A`, secret.toUpperCase(), `kind_${'A'.repeat(43)}`, 'kind_', 'kind__'];
    const similar = `${secret.slice(0, -43)}${'A'.repeat(43)}`;
    for (const token of [...bad, similar])
      expect(refusalOf(await admin.as(token).get('/note/unit')), token).toEqual(refused);
    expect(refusalOf(await other.as(secret).get('/kind/unit'))).toEqual(refused);
    // Only a key of this project is looked up.
    const statements = await admin.statements(async () => {
      for (const token of bad) await admin.as(token).get('/note/unit');
      await other.as(secret).get('/kind/unit');
    });
    expect(statements).toBe(0);
  });
});

describe('the cost of keys', () => {
  it('a request with a key that was just used takes no statement more than one with a token', async () => {
    const key = await byKey(asAnn);
    await ok(key.get('/note/unit'));
    const withKey = await admin.statements(() => key.get('/note/unit'));
    await ok(asAnn.get('/note/unit'));
    expect(withKey).toBe(await admin.statements(() => asAnn.get('/note/unit')));
  });

  it('fifty requests at once look the key up once', async () => {
    const key = await byKey(asAnn);
    const replies: number[] = [];
    const statements = await admin.statements(async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => key.get('/auth/session')));
      replies.push(...answers.map(({ status }) => status));
    });
    expect(new Set(replies)).toEqual(new Set([403]));
    // It is looked up, and its use noted; the mail about the new key counts itself meanwhile.
    expect(statements).toBeLessThanOrEqual(4);
  });
});

it('the kind is like any other: its access is set, its fields are not', async () => {
  const project = await withMembers(await service.project());
  const ivy = await signUp(project, 'ivy');
  const asIvy = project.as(ivy.accessToken);
  const before = await definitionsOf(project);
  expect((await project.delete('/kind/unit/api_key')).status).toBe(403);
  expect((await project.put('/kind/unit/api_key', { parameters: [] })).status).toBe(403);
  expect((await project.post('/kind/unit', { id: 'api_key' })).status).toBe(400);
  expect(await definitionsOf(project)).toEqual(before);
  await ok(project.put('/kind/unit/api_key', { access: { create: 'admin' } }));
  expect((await asIvy.post('/api_key/unit', {})).status).toBe(403);
  // However open it is: nobody makes a key with the rights of another.
  const root = (await ok(project.get('/auth/me'))).id as string;
  await ok(project.put('/kind/unit/api_key', { access: { create: 'anyone' } }));
  expect((await asIvy.post('/api_key/unit', { member: root })).status).toBe(403);
  expect((await anonymous(project).post('/api_key/unit', { member: root })).status).toBe(401);
});
