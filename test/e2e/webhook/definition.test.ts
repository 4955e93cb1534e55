/** Webhooks as units: what may be stored, who may, and that what is secret is shown once or never. */
import { expect, it } from 'vitest';
import { asAdministrator, asMember, anonymous, defineKinds } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const ann = await asMember(project);
const me = (await ok(ann.get('/auth/me'))) as { id: string };
await defineKinds(
  project,
  {
    id: 'task',
    changes: 'feed',
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'hidden', kind_id: 'string', hidden: true },
      { id: 'internal', kind_id: 'string', read_access: 'admin' },
    ],
  },
  { id: 'note', changes: 'history', parameters: ['title'] },
  { id: 'off', parameters: ['title'] },
);

const URL = 'https://hooks.example.com/kind?a=1';
let made = 0;
const create = (body: object) => project.post('/webhook/unit', { id: `hook_${(made += 1)}`, url: URL, ...body });

it('has a secret that only the answer of its create has', async () => {
  const hook = (await ok(create({ id: 'first', label: 'First', kinds: ['task'] }))) as Record<string, unknown>;
  expect(hook['secret']).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const shown = {
    ...{ id: 'first', label: 'First', url: URL, kinds: ['task'], filter: null, member: null, headers: {} },
    operations: ['create', 'update', 'enter', 'leave', 'delete'],
    ...{ active: true, state: 'ok', reason: null, delivered_at: null, waiting: 0 },
    hint: String(hook['secret']).slice(-4),
  };
  expect(hook).toMatchObject(shown);
  const read = (await ok(project.get('/webhook/unit/first'))) as Record<string, unknown>;
  expect(read).toMatchObject(shown);
  expect(Object.keys(read).filter((name) => name.includes('seal') || name === 'secret')).toEqual([]);
  const dry = await project.post('/webhook/unit?dry_run=true', { id: 'dry', url: URL });
  expect(dry.body.content).toMatchObject({ id: 'dry', secret: null });
  const again = await project.post('/webhook/unit', { id: 'first', url: URL });
  expect([again.status, again.body.messages[0]?.code]).toEqual([409, 'webhook.exists']);
  const keyed = await project.post('/webhook/unit', { id: 'k', url: URL }, { headers: { 'idempotency-key': 'k' } });
  expect([keyed.status, keyed.body.messages[0]?.code]).toEqual([400, 'idempotency.not_here']);
  const operations = [{ method: 'POST', path: '/webhook/unit', body: { id: 'k', url: URL } }];
  const inBatch = await project.post('/batch', { operations }, { headers: { 'idempotency-key': 'k' } });
  expect([inBatch.status, inBatch.body.messages[0]?.code]).toEqual([400, 'idempotency.not_here']);
});

it('keeps no secret for repeats where it is brought back', async () => {
  await ok(create({ id: 'back' }));
  await ok(project.delete('/webhook/unit/back'));
  const { items } = (await ok(project.get('/webhook/unit/back/history'))) as { items: { version: number }[] };
  const [path, body] = ['/webhook/unit/back/revert', { version: items[1]?.version }];
  const keyed = { headers: { 'idempotency-key': 'back' } };
  const batch = { operations: [{ method: 'POST', path, body }] };
  for (const refused of [await project.post(path, body, keyed), await project.post('/batch', batch, keyed)]) {
    expect([refused.status, refused.body.messages[0]?.code], refused.text).toEqual([400, 'idempotency.not_here']);
  }
  expect(await ok(project.post(path, body))).toMatchObject({
    unit: { id: 'back', secret: expect.any(String) as string },
  });
  const kept = await query<object>(project, 'SELECT k.* FROM $schema._idempotency AS k');
  expect(JSON.stringify(kept)).not.toContain('whsec_');
});

it.each<[string, object, string, string?]>([
  ['http', { url: 'http://hooks.example.com' }, 'webhook.address'],
  ['another protocol', { url: 'ftp://hooks.example.com' }, 'webhook.address'],
  ['no address', { url: 'hooks.example.com' }, 'webhook.address'],
  ['a user', { url: 'https://me:pw@hooks.example.com' }, 'webhook.address'],
  ['a port of another service', { url: 'https://hooks.example.com:22' }, 'webhook.address'],
  ['a private address', { url: 'https://10.0.0.1/' }, 'webhook.address'],
  ['the metadata of a cloud', { url: 'https://169.254.169.254/latest' }, 'webhook.address'],
  ['a mapped address', { url: 'https://[::ffff:127.0.0.1]/' }, 'webhook.address'],
  ['a short form', { url: 'https://0x7f.1/' }, 'webhook.address'],
  ['a whole number', { url: 'https://2130706433/' }, 'webhook.address'],
  ['NAT64', { url: 'https://[64:ff9b::10.0.0.1]/' }, 'webhook.address'],
  ['line breaks', { url: 'https://hooks.example.com/a\r\nb' }, 'webhook.address'],
  ['too long', { url: `https://hooks.example.com/${'a'.repeat(2000)}` }, 'parameter.too_long'],
  ['an unknown kind', { kinds: ['tusk'] }, 'parameter.bad_value', 'kinds'],
  ['a kind that is not recorded', { kinds: ['task', 'off'] }, 'changes.off', 'kinds'],
  ['credentials', { kinds: ['kind_system_user'] }, 'parameter.bad_value', 'kinds'],
  ['API keys', { kinds: ['api_key'] }, 'changes.off', 'kinds'],
  ['no kinds', { kinds: [] }, 'parameter.bad_value', 'kinds'],
  ['no operations', { operations: [] }, 'parameter.bad_value', 'operations'],
  ['an unknown operation', { operations: ['made'] }, 'parameter.not_allowed', 'operations'],
  ['a filter of two kinds', { kinds: ['task', 'note'], filter: 'eq(title,a)' }, 'parameter.bad_value', 'filter'],
  ['a filter of all kinds', { filter: 'eq(title,a)' }, 'parameter.bad_value', 'filter'],
  ['no filter', { kinds: ['task'], filter: 'eq(title' }, 'filter.syntax', 'filter'],
  ['an unknown parameter', { kinds: ['task'], filter: 'eq(titel,a)' }, 'filter.unknown_parameter', 'filter'],
  ['a hidden parameter', { kinds: ['task'], filter: 'eq(hidden,a)' }, 'filter.unknown_parameter', 'filter'],
  ['a time', { kinds: ['task'], filter: 'lt(inserted_at,@now)' }, 'filter.bad_value', 'filter'],
  [
    'what the member may not read',
    { kinds: ['task'], filter: 'eq(internal,a)', member: me.id },
    'filter.unknown_parameter',
    'filter',
  ],
  ['an unknown member', { member: '00000000-0000-4000-8000-000000000000' }, 'parameter.bad_reference', 'member'],
  ['no member', { member: 'ann' }, 'parameter.bad_reference', 'member'],
  ['headers that are none', { headers: ['a'] }, 'parameter.bad_value', 'headers'],
  ['a header of ours', { headers: { Host: 'a' } }, 'parameter.bad_value', 'headers'],
  ['another one', { headers: { 'Content-Length': '1' } }, 'parameter.bad_value', 'headers'],
  ['a signature', { headers: { 'webhook-signature': 'v1,a' } }, 'parameter.bad_value', 'headers'],
  ['a header with lines', { headers: { a: 'b\r\nc: d' } }, 'parameter.bad_value', 'headers'],
  ['a value that is not stored', { headers: { a: null } }, 'parameter.bad_value', 'headers'],
  ['the same header twice', { headers: { a: '1', A: '2' } }, 'parameter.bad_value', 'headers'],
  [
    'too many headers',
    { headers: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`x-${at}`, 'a'])) },
    'parameter.bad_value',
    'headers',
  ],
  ['what is read-only', { state: 'paused' }, 'parameter.read_only', 'state'],
])('is refused with %s', async (_, body, code, parameter = 'url') => {
  const reply = await create(body);
  expect([reply.status, reply.body.messages[0]], reply.text).toMatchObject([400, { code, parameter }]);
});

it('an edit is judged with what is stored', async () => {
  await ok(create({ id: 'edited', kinds: ['task'], filter: 'eq(title,a)', headers: { authorization: 'canary-one' } }));
  const edit = (body: object) => project.put('/webhook/unit/edited', body);
  const refused = async (body: object) => {
    const { status, body: answer } = await edit(body);
    return [status, answer.messages[0]?.code, answer.messages[0]?.parameter];
  };
  expect(await refused({ kinds: null })).toEqual([400, 'parameter.bad_value', 'filter']);
  expect(await refused({ kinds: ['note', 'task'] })).toEqual([400, 'parameter.bad_value', 'filter']);
  expect(await refused({ url: 'https://127.0.0.1' })).toEqual([400, 'webhook.address', 'url']);
  expect(await refused({ headers: { other: null } })).toEqual([400, 'parameter.bad_value', 'headers']);
  await ok(edit({ kinds: ['note'], filter: 'eq(title,b)' }));
  expect(await ok(edit({ active: false }))).toMatchObject({ active: false, state: 'paused', reason: null });
  expect(await ok(edit({ active: true, label: 'x' }))).toMatchObject({ active: true, state: 'ok' });
  const whole = (await ok(project.get('/webhook/unit/edited'))) as object;
  expect(whole).toMatchObject({ headers: { authorization: null } });
  const more = { ...whole, headers: { authorization: null, 'x-key': 'canary-two' } };
  expect(await ok(edit(more))).toMatchObject({ headers: { authorization: null, 'x-key': null } });
});

it('members and strangers see nothing of webhooks', async () => {
  for (const caller of [ann, anonymous(project)]) {
    const status = caller === ann ? 403 : 401;
    expect((await caller.get('/webhook/unit')).status).toBe(status);
    expect((await caller.post('/webhook/unit', { id: 'x', url: URL })).status).toBe(status);
    expect((await caller.put('/webhook/unit/first', { label: 'x' })).status).toBe(status);
    expect((await caller.delete('/webhook/unit/first')).status).toBe(status);
  }
});

it('API keys with a scope write none', async () => {
  const body = { label: 'k', scope: [{ kinds: ['webhook'], operations: ['read', 'create', 'update', 'delete'] }] };
  const { secret } = (await ok((await asAdministrator(project)).post('/api_key/unit', body))) as { secret: string };
  const key = project.as(secret);
  await ok(create({ id: 'scoped' }));
  await ok(key.get('/webhook/unit/scoped'));
  for (const [method, path, value] of [
    ['POST', '/webhook/unit', { id: 'more', url: URL }],
    ['PUT', '/webhook/unit/scoped', { url: 'https://other.example.com' }],
    ['DELETE', '/webhook/unit/scoped', undefined],
  ] as const) {
    const refused = await key.call(method, path, value);
    expect([refused.status, refused.body.messages[0]?.code], `${method} ${path} ${refused.text}`).toEqual([
      403,
      'access.denied',
    ]);
  }
  expect(await ok(project.get('/webhook/unit/scoped'))).toMatchObject({ url: URL, label: '' });
  expect((await project.get('/webhook/unit/more')).status).toBe(404);
});

it('values of headers are kept for the same origin alone', async () => {
  await ok(create({ id: 'moved', headers: { authorization: 'canary-one' } }));
  const edit = (body: object) => project.put('/webhook/unit/moved', body);
  for (const url of ['https://other.example.com/', 'https://hooks.example.com:8443/kind']) {
    for (const headers of [undefined, { authorization: null }, { AUTHORIZATION: null, 'x-a': 'b' }]) {
      const { status, body } = await edit({ url, headers });
      expect([status, body.messages[0]?.code, body.messages[0]?.parameter]).toEqual([
        400,
        'parameter.bad_value',
        'headers',
      ]);
    }
  }
  await ok(edit({ url: 'https://hooks.example.com:443/elsewhere' }));
  await ok(edit({ url: 'https://other.example.com/', headers: { authorization: 'canary-three' } }));
  await ok(edit({ url: URL, headers: {} }));
});

it('what no webhook or delivery can be called is not there', async () => {
  await ok(create({ id: 'called' }));
  const statusOf = async (method: string, path: string, body?: object) => {
    return (await project.call(method, `/webhook/unit/${path}`, body)).status;
  };
  for (const id of ['%00', 'a%00b']) {
    for (const route of ['ping', 'rotate', `delivery/${id}/retry`])
      expect(await statusOf('POST', `${id}/${route}`)).toBe(404);
    expect(await statusOf('POST', `${id}/resume`, { from: 'now' })).toBe(404);
    expect(await statusOf('GET', `${id}/delivery`)).toBe(404);
    expect(await statusOf('GET', `called/delivery/${id}`)).toBe(404);
    expect(await statusOf('POST', `called/delivery/${id}/retry`)).toBe(404);
  }
  const later = new Date(Date.now() + 60_000).toISOString();
  for (const from of ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00', later, '9999-12-31T23:59:59-14:00']) {
    const refused = await project.post('/webhook/unit/called/resume', { from });
    expect([refused.status, refused.body.messages[0]], from).toMatchObject([400, { parameter: 'from' }]);
  }
  await ok(project.post('/webhook/unit/called/resume', { from: '0001-01-01T00:00:00Z' }));
});

it('a project has fifty at most', async () => {
  const other = await service.project();
  for (let at = 0; at < 49; at += 1) await ok(other.post('/webhook/unit', { id: `a_${at}`, url: URL }));
  const both = await Promise.all(['c', 'd'].map((id) => other.post('/webhook/unit', { id, url: URL })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(both.find(({ status }) => status === 409)?.body.messages[0]?.code).toBe('webhook.too_many');
});

it('keeps what is secret encrypted', async () => {
  const rows = await query<object>(project, 'SELECT w.* FROM $schema.webhook AS w');
  const changes = await query<object>(project, 'SELECT c.* FROM $schema._outbox AS c');
  const numbered = await query<object>(project, 'SELECT c.* FROM $schema._change AS c');
  const text = JSON.stringify([rows, changes, numbered]);
  expect(text).toContain('hooks.example.com');
  expect(text).not.toMatch(/canary|whsec_/);
  expect(JSON.stringify([changes, numbered])).not.toContain('sealed');
});
