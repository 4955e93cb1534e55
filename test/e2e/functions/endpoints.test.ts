/** Inbound calls: other services call an endpoint of a module without a header or token of ours. */
import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';
import { send } from '../../support/wire.js';

const folder = new FunctionsFolder({
  'note.ts': `
    import { createHmac } from 'node:crypto';
    import { filter, FunctionError, kind } from 'kind';
    const note = kind('note');
    const echo = note.endpoint({
      methods: ['GET', 'POST', 'PUT', 'DELETE'],
      run: ({ request: { method, headers, query, body }, member }) => ({
        type: 'application/json',
        body: JSON.stringify({ method, headers, query, body: body.toString('base64'), member }),
      }),
    });
    const stripe = note.endpoint({
      description: 'Payments of Stripe',
      accepted: 'Stripe calls it',
      async run({ request: { headers, body }, units, system }) {
        const signature = createHmac('sha256', 'secret').update(body).digest('hex');
        if (headers['stripe-signature'] !== signature) throw new FunctionError(401, 'note.unsigned', 'Not by Stripe');
        const { id } = JSON.parse(body.toString());
        await system.units('note').upsert({ title: id }, { by: 'title' });
        const seen = await units('note').list().then(({ count }) => count, ({ status }) => status);
        return { status: 202, body: String(seen) };
      },
    });
    let runs = 0;
    const counts = note.endpoint({
      async run({ request, system, signal }) {
        runs += 1;
        const { items: [first] } = await system.units('note').list({ filter: filter\`eq(title,count)\` });
        request.body[0] = 0;
        await system.units('note').update(first.id, { count: first.count + 1 });
        return { body: String(request.body[1]) };
      },
    });
    const nothing = note.endpoint({ run: () => undefined });
    const page = note.endpoint({ methods: ['GET'], run: () => ({ type: 'text/html; charset=utf-8', body: '<script>1</script>' }) });
    const bytes = note.endpoint({ methods: ['GET'], run: () => ({ body: new Uint8Array([0, 255]) }) });
    const refused = note.endpoint({ run: async ({ units }) => ({ body: String((await units('note').list()).count) }) });
    const stores = note.endpoint({
      async run({ system, request: { query } }) {
        await system.units('note').create({ title: 'stored ' + query.status });
        if (query.throws) throw new Error('no');
        return { status: Number(query.status) };
      },
    });
    const bad = note.endpoint({ run: ({ request }) => JSON.parse(request.body.toString()) });
    const slow = note.endpoint({ run: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)) });
    const hooks = { before_delete() {} };
    export default note.module({ endpoints: { echo, stripe, counts, nothing, page, bytes, refused, stores, bad, slow, 'a-b_1': echo }, hooks });
  `,
  'off.ts': `
    import { kind } from 'kind';
    const off = kind('off');
    export default off.module({ endpoints: { here: off.endpoint({ run: () => ({ body: 'here' }) }) } });
  `,
  'nowhere.ts': `
    import { kind } from 'kind';
    const nowhere = kind('nowhere');
    export default nowhere.module({ endpoints: { here: nowhere.endpoint({ run: () => ({ body: 'here' }) }) } });
  `,
  'broken.ts': 'export default',
});
const service = await startTestService({ functionsDir: folder.path, corsOrigins: '*', functionTimeout: 3000 });
const admin = await service.project();
const kinds = [
  {
    id: 'note',
    access: { read: 'admin', create: 'admin', function: 'nobody' },
    parameters: [
      { id: 'title', kind_id: 'string', unique: true },
      { id: 'count', kind_id: 'integer' },
    ],
  },
  { id: 'off', active: false },
  { id: 'broken' },
];
await defineKinds(admin, ...kinds);
const member = await asMember(admin);
await reload(service);

const urlOf = (name: string, { project = admin.id, kind = 'note' } = {}) =>
  `${service.service.url}/api/lib/project/${project}/hook/${kind}/${name}`;
const call = (name: string, init: RequestInit = {}, path = {}) => fetch(urlOf(name, path), { method: 'POST', ...init });

describe('the request', () => {
  it('is given as it came, with no header of ours', async () => {
    const body = Buffer.from('{"id": "évt" }\n');
    const headers = {
      'X-Event': 'paid',
      Cookie: 'a=1',
      'Content-Type': 'text/weird',
      'Idempotency-Key': 'é'.repeat(3),
    };
    const answer = await call('echo?a=1&b=x%20y&a=2&dry_run=true&__proto__=z', {
      body,
      headers: { ...headers, 'Idempotency-Key': 'k'.repeat(300) },
    });
    expect(answer.status).toBe(200);
    const given = (await answer.json()) as Record<'headers' | 'query', object>;
    expect(given).toMatchObject({ method: 'POST', body: body.toString('base64'), member: null });
    expect(given.headers).toMatchObject({ 'x-event': 'paid', 'content-type': 'text/weird' });
    expect(given.headers).not.toHaveProperty('cookie');
    expect(Object.entries(given.query)).toEqual([
      ['a', ['1', '2']],
      ['b', 'x y'],
      ['dry_run', 'true'],
      ['__proto__', 'z'],
    ]);
  });

  it.each(['garbage', `Bearer ${member.token ?? ''}`, 'Bearer expired'])(
    'does not depend on headers that are ours: %.20s',
    async (authorization) => {
      const headers = { authorization, 'kind-project-key': 'Not A Project!' };
      const answer = await call('echo', { headers });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ member: null, body: '', headers });
    },
  );

  it('has its body in the coding that it was sent in', async () => {
    const body = gzipSync('signed');
    const answer = await call('echo', { body, headers: { 'content-encoding': 'gzip' } });
    expect(await answer.json()).toMatchObject({ body: body.toString('base64') });
    const odd = await call('echo', { body: 'x', headers: { 'content-encoding': 'aes128gcm' } });
    expect(odd.status).toBe(200);
  });

  it.each([
    ['GET', 200],
    ['PUT', 200],
    ['DELETE', 200],
    ['HEAD', 200],
  ])('may be a %s: %i', async (method, status) => {
    const answer = await call('echo', { method });
    expect(answer.status).toBe(status);
  });

  it('takes the methods of the endpoint alone', async () => {
    const answer = await call('stripe', { method: 'GET' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    const patched = await call('page', { method: 'PATCH', body: '{}' });
    expect([patched.status, patched.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await patched.json()).toMatchObject({ messages: [{ code: 'route.method' }] });
    expect((await call('stripe', { method: 'HEAD' })).status).toBe(405);
    const options = await call('page', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, PUT, DELETE, OPTIONS']);
  });

  it('may have a body of a mebibyte', async () => {
    expect((await call('echo', { body: Buffer.alloc(1024 * 1024) })).status).toBe(200);
    expect((await call('echo', { body: Buffer.alloc(1024 * 1024 + 1) })).status).toBe(413);
  });
});

describe('the answer', () => {
  it.each([
    ['nothing', 'POST', 204, null, ''],
    ['page', 'GET', 200, 'text/html; charset=utf-8', '<script>1</script>'],
    ['bytes', 'GET', 200, 'application/octet-stream', '\0\uFFFD'],
    ['page', 'HEAD', 200, 'text/html; charset=utf-8', ''],
  ])('of %s by %s', async (name, method, status, type, text) => {
    const answer = await call(name, { method });
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([status, type, text]);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    '"text"',
    '{"status": 99}',
    '{"status": 600}',
    '{"status": "200"}',
    '{"type": "text/plain\\r\\nset-cookie: a=1"}',
    '{"type": "text"}',
    '{"body": {"a": 1}}',
    '{"headers": {}}',
  ])('cannot be %s', async (body) => {
    expect((await call('bad', { body })).status).toBe(500);
  });

  it('is no answer of pages of other origins', async () => {
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
    const { pathname: path } = new URL(urlOf('echo'));
    for (const method of ['OPTIONS', 'POST']) {
      const answer = await send(service.service, { method, path, headers });
      for (const [name] of answer.headers) expect(name).not.toMatch(/^access-control-/);
    }
    const other = await send(service.service, { method: 'OPTIONS', path: '/api/lib/note/unit', headers });
    expect(other.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('the call', () => {
  it('acts without a token, and as the system where it says so', async () => {
    const body = JSON.stringify({ id: 'evt_1' });
    const unsigned = await call('stripe', { body });
    expect([unsigned.status, await unsigned.json()]).toMatchObject([401, { messages: [{ code: 'note.unsigned' }] }]);
    const signature = createHmac('sha256', 'secret').update(body).digest('hex');
    const answer = await call('stripe', { body, headers: { 'stripe-signature': signature } });
    expect([answer.status, await answer.text()]).toEqual([202, '401']);
    expect(await ok(admin.get('/note/unit?filter=eq(title,evt_1)'))).toMatchObject({ count: 1 });
  });

  it('is refused with 403 what anyone may not, because it cannot sign in', async () => {
    const answer = await call('refused');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([403, null]);
    expect(await answer.json()).toMatchObject({ messages: [{ code: 'access.denied' }] });
  });

  it('is one transaction: stored whatever its status, unless it throws', async () => {
    expect((await call('stores?status=418')).status).toBe(418);
    expect((await call('stores?status=500&throws=1')).status).toBe(500);
    const { items } = await ok(admin.get('/note/unit?filter=in(title,stored 418,stored 500)'));
    expect(items).toMatchObject([{ title: 'stored 418' }]);
  });

  it('is run again on conflicts, with the request as it came', async () => {
    await ok(admin.post('/note/unit', { title: 'count', count: 0 }));
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('counts', { body: 'ab' })));
    for (const answer of answers)
      expect([answer.status, await answer.text()]).toEqual([200, String('b'.charCodeAt(0))]);
    const { items } = await ok(admin.get('/note/unit?filter=eq(title,count)'));
    expect(items).toMatchObject([{ count: 20 }]);
  });

  it('has the time limit of functions', async () => {
    const answer = await call('slow');
    expect([answer.status, await answer.json()]).toMatchObject([504, { messages: [{ code: 'function.timeout' }] }]);
  });

  it('is no operation of a batch', async () => {
    const operations = [{ method: 'POST', path: `/project/${admin.id}/hook/note/nothing` }];
    expect((await admin.post('/batch', { operations })).status).toBe(400);
  });
});

describe('what is not there', () => {
  it.each([
    ['a name', 'unknown', {}],
    ['a name of a function', 'function', {}],
    ['a kind', 'echo', { kind: 'unknown' }],
    ['a kind that only a module has', 'here', { kind: 'nowhere' }],
    ['an inactive kind', 'here', { kind: 'off' }],
    ['a kind of the system', 'echo', { kind: 'kind' }],
    ['a project', 'echo', { project: 'unknown' }],
    ['what can be no project', 'echo', { project: 'NO!' }],
    ['a slash at its end', 'echo/', {}],
    ['a longer path', 'echo/more', {}],
  ])('is one 404: %s', async (_, name, path) => {
    for (const method of ['GET', 'POST', 'PATCH']) {
      const answer = await call(name, { method }, path);
      expect([answer.status, await answer.text()]).toEqual([
        404,
        '{"content":null,"messages":[{"code":"function.unknown","text":"There is no such endpoint"}]}',
      ]);
    }
  });

  it('is told apart from a module that does not load', async () => {
    expect((await call('echo', {}, { kind: 'broken' })).status).toBe(503);
  });
});

describe('what is told of endpoints', () => {
  it('to administrators, in the API document, which no one else', async () => {
    const path = `/api/lib/project/${admin.id}/hook/note/stripe`;
    const { paths } = (await admin.call('GET', '/doc/openapi.json')).body as unknown as {
      paths: Record<string, Record<string, { description: string; security: object[] }>>;
    };
    expect(paths[path]?.['post']).toMatchObject({ description: 'Payments of Stripe', security: [] });
    expect(Object.keys(paths[`/api/lib/project/${admin.id}/hook/note/echo`] ?? {})).toEqual([
      'get',
      'post',
      'put',
      'delete',
    ]);
    for (const caller of [member, anonymous(admin)]) {
      expect((await caller.call('GET', '/doc/openapi.json')).text).not.toContain('/hook/');
    }
  });

  it('in the report of access, as of functions that anyone may call', async () => {
    const { access } = (await ok(admin.get('/kind/access'))) as { access: { endpoint?: string }[] };
    const of = (name: string) => access.find(({ endpoint }) => endpoint === name);
    const open = { operation: 'call', level: 'anyone', who: 'anyone', stranger: true };
    expect(of('note.stripe')).toMatchObject({ ...open, stranger_writes: true, accepted: 'Stripe calls it' });
    expect(of('note.counts')).toMatchObject({ ...open, stranger_writes: true, accepted: null });
    expect(of('note.page')).toMatchObject({ ...open, stranger_writes: false });
    expect(of('off.here')).toMatchObject({ who: 'nobody', stranger: false });
  });

  it('in the list of functions', async () => {
    const { modules } = (await ok(admin.get('/function'))) as { modules: { kind_id: string; endpoints: object[] }[] };
    const { endpoints } = modules.find(({ kind_id }) => kind_id === 'note') ?? {};
    expect(endpoints).toContainEqual({ name: 'a-b_1', methods: ['GET', 'POST', 'PUT', 'DELETE'] });
    expect(endpoints).toContainEqual({ name: 'stripe', methods: ['POST'] });
  });
});

describe('too many calls', () => {
  it('are refused by address and project, whatever they name', async () => {
    const other = await service.project();
    const statuses = new Map<number, number>();
    let refused: Response | undefined;
    for (let at = 0; at < 60; at++) {
      const answers = await Promise.all(Array.from({ length: 11 }, () => call('unknown', {}, { project: other.id })));
      for (const answer of answers) {
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status === 429) refused = answer;
        await answer.arrayBuffer();
      }
    }
    expect([...statuses]).toEqual([
      [404, 600],
      [429, 60],
    ]);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call('nothing')).status).toBe(204);
  });
});
