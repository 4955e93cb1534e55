/** Requests with an idempotency key are done once, on any process, and answered the same whenever they are sent again. */
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { KeptBytes } from '../../../src/tenancy/kept-bytes.js';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, earlier, ok, query, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import { Gate, gateOf } from '../../support/gate.js';
import { startTestService, type Reply, type TestProject } from '../../support/service.js';

const gate = new Gate('idempotencyGate');
const folder = new FunctionsFolder({
  'order.ts': `
    import { kind } from 'kind';
    ${gateOf('idempotencyGate')}
    const order = kind('order');
    export default order.module({
      functions: { place: order.function({ description: 'Makes one', methods: ['POST'], parameters: { item: { type: 'string' } },
        run: ({ units, parameters }) => units('order').create({ item: parameters.item ?? 'none' }) }) },
      hooks: { async before_create({ values }) { if (values.item === 'slow') await idempotencyGate.pass(); if (values.item === 'lost') throw new Error('lost'); } },
    });`,
  'far.ts': `
    import { kind } from 'kind';
    export default kind('far').module({ remote: { list: () => ({ count: 0, items: [] }), get: () => null, create: () => { throw new Error('called'); } } });`,
});
const service = await sharedServiceWith(folder);
const other = await startTestService({ functionsDir: folder.path });
const project = await service.project();
const elsewhere = await other.signIn(project.id);
const member = await asMember(project);
await defineKinds(
  project,
  {
    id: 'order',
    parameters: [{ id: 'item', kind_id: 'string', unique: true }],
    access: { read: 'anyone', create: 'member', update: 'member' },
  },
  {
    id: 'note',
    parameters: [{ id: 'text', kind_id: 'string', max_length: 10 }],
    access: { read: 'anyone', create: 'anyone' },
  },
  { id: 'far', remote: true, parameters: ['text'] },
);
await reload(service);
await reload(other);
const caller = await project.documented();

let keys = 0;
const newKey = () => `key-${(keys += 1)}`;
const send = (as: TestProject, key: string, method: string, path: string, body?: unknown): Promise<Reply> =>
  as.call(method, path, body, { headers: { 'idempotency-key': key } });
const replayed = ({ headers }: Reply) => headers.get('idempotency-replayed');
const countOf = async (kind: string) => (await ok(project.get(`/${kind}/unit?limit=0`))).count as number;
const told = ({ status, text, headers }: Reply) => {
  return { status, text, etag: headers.get('etag'), result: headers.get('kind-result') };
};

/** Sends twice, on two processes. The second answer is the first one. */
async function twice(method: string, path: string, body?: unknown): Promise<Reply> {
  const key = newKey();
  const first = await send(caller, key, method, path, body);
  const second = await send(elsewhere, key, method, path, body);
  expect(told(second)).toEqual(told(first));
  expect([replayed(first), replayed(second)]).toEqual([null, 'true']);
  return first;
}

describe('a key', () => {
  it('makes a create happen once', async () => {
    const before = await countOf('order');
    const { body } = await twice('POST', '/order/unit', { item: 'one' });
    expect(await countOf('order')).toBe(before + 1);
    expect(body.content.item).toBe('one');
  });

  it('works for edits, deletions, links, functions, batches and definitions', async () => {
    const id = await createdId(project.post('/order/unit', { item: 'two' }));
    const to = await createdId(project.post('/note/unit', { text: 'to' }));
    expect((await twice('PUT', `/order/unit/${id}`, { item: 'deux' })).status).toBe(200);
    expect((await twice('POST', `/order/unit/${id}/link/link/note/unit/${to}`)).status).toBe(200);
    expect((await twice('DELETE', `/order/unit/${id}/link/link/note/unit/${to}`)).status).toBe(200);
    expect(
      (await twice('POST', `/order/unit/${id}/link/link/child`, { items: [{ kind_id: 'note', id: to }] })).status,
    ).toBe(200);
    expect((await twice('DELETE', `/order/unit/${id}`)).status).toBe(200);
    const upserted = await twice('POST', '/order/unit?on_conflict=update&by=item', { item: 'upserted' });
    expect([upserted.status, upserted.headers.get('kind-result')]).toEqual([200, 'created']);
    expect((await twice('PUT', '/order/unit?filter=eq(item,upserted)', { item: 'edited' })).status).toBe(200);
    expect((await twice('DELETE', '/order/unit?filter=eq(item,edited)')).status).toBe(200);
    expect((await twice('POST', '/order/function/place', { item: 'by a function' })).status).toBe(200);
    expect(
      (
        await twice('POST', '/batch', {
          operations: [{ method: 'POST', path: '/order/unit', body: { item: 'in a batch' } }],
        })
      ).status,
    ).toBe(200);
    expect((await twice('POST', '/kind/unit', { id: 'made_once', parameters: ['text'] })).status).toBe(200);
    expect((await twice('PUT', '/kind/unit/made_once', { label: 'Once' })).status).toBe(200);
    expect((await twice('DELETE', '/kind/unit/made_once/link/parameter/string/unit/text')).status).toBe(200);
    expect((await twice('DELETE', '/kind/unit/made_once')).status).toBe(200);
  });

  it('keeps the refusals of the input', async () => {
    expect((await twice('POST', '/note/unit', { text: 'longer than ten' })).status).toBe(400);
    expect((await twice('POST', '/note/unit', '{')).status).toBe(400);
    expect((await twice('PUT', '/order/unit/nothing', { item: 'x' })).status).toBe(404);
    await ok(project.post('/order/unit', { item: 'taken' }));
    expect((await twice('POST', '/order/unit', { item: 'taken' })).status).toBe(409);
    expect((await twice('POST', '/kind/unit', { id: 'order' })).status).toBe(409);
    const batch = await twice('POST', '/batch', { operations: [{ method: 'GET', path: '/order/unit/none' }] });
    expect(batch.body.messages).toMatchObject([{ code: 'unit.unknown', operation: 0 }]);
  });

  it('is free again after a failure of the service, of which nothing was stored', async () => {
    const key = newKey();
    expect((await send(project, key, 'POST', '/order/unit', { item: 'lost' })).status).toBe(500);
    const again = await send(project, key, 'POST', '/note/unit', { text: 'free' });
    expect([again.status, replayed(again)]).toEqual([200, null]);
  });

  it('of another member is another key', async () => {
    const key = newKey();
    const [mine, theirs] = [
      await send(project, key, 'POST', '/note/unit', { text: 'mine' }),
      await send(member, key, 'POST', '/note/unit', { text: 'theirs' }),
    ];
    expect([mine.status, theirs.status, replayed(theirs)]).toEqual([200, 200, null]);
  });

  it('belongs to method, path, query and body', async () => {
    const key = newKey();
    const { body } = await send(project, key, 'POST', '/note/unit', { text: 'a' });
    const others: Promise<Reply>[] = [
      send(project, key, 'POST', '/note/unit', { text: 'b' }),
      send(project, key, 'POST', '/order/unit', { text: 'a' }),
      send(project, key, 'PUT', `/note/unit/${body.content.id}`, { text: 'a' }),
      send(project, key, 'POST', '/note/unit?a=b', { text: 'a' }),
      send(project, key, 'POST', '/kind/unit', { text: 'a' }),
    ];
    for (const reply of await Promise.all(others)) {
      expect([reply.status, reply.body.messages[0]?.code, replayed(reply)]).toEqual([
        422,
        'idempotency.mismatch',
        null,
      ]);
    }
  });

  it('is kept for 24 hours', async () => {
    const key = newKey();
    await ok(send(project, key, 'POST', '/note/unit', { text: 'early' }));
    await query(
      project,
      `UPDATE $schema."_idempotency" SET expires_at = ${earlier('expires_at', "interval '23 hours'")} WHERE id LIKE '%' || $1`,
      [key],
    );
    expect(replayed(await send(project, key, 'POST', '/note/unit', { text: 'early' }))).toBe('true');
    await query(
      project,
      `UPDATE $schema."_idempotency" SET expires_at = ${earlier('expires_at', "interval '1 hour'")} WHERE id LIKE '%' || $1`,
      [key],
    );
    const again = await send(project, key, 'POST', '/note/unit', { text: 'later' });
    expect([again.status, replayed(again)]).toEqual([200, null]);
  });

  it('is deleted later', async () => {
    const fresh = await service.project();
    await defineKinds(fresh, { id: 'memo' });
    await query(
      fresh,
      `INSERT INTO $schema."_idempotency" (id, request, hash, expires_at) VALUES ('old', '', '', now() - interval '1 second')`,
    );
    await ok(send(fresh, newKey(), 'POST', '/memo/unit', {}));
    const ids = await query<{ id: string }>(fresh, 'SELECT id FROM $schema."_idempotency"');
    expect(ids.map(({ id }) => id)).not.toContain('old');
    expect(ids).toHaveLength(1);
  });

  it('is not kept by a dry run', async () => {
    const key = newKey();
    await ok(send(project, key, 'POST', '/note/unit?dry_run=true', { text: 'dry' }));
    const real = await send(project, key, 'POST', '/note/unit', { text: 'real' });
    expect([real.status, replayed(real)]).toEqual([200, null]);
  });
});

describe('while the first request runs', () => {
  it('others are told so, on every process; then they get its answer', async () => {
    const [key, before] = [newKey(), await countOf('order')];
    gate.close();
    const first = send(project, key, 'POST', '/order/unit', { item: 'slow' });
    await gate.reached(1);
    for (const as of [project, elsewhere]) {
      const { status, body, headers } = await send(as, key, 'POST', '/order/unit', { item: 'slow' });
      expect([status, body.messages[0]?.code, headers.get('retry-after')]).toEqual([409, 'idempotency.running', '1']);
    }
    gate.open();
    const answer = await first;
    expect(answer.status).toBe(200);
    for (const as of [project, elsewhere]) {
      const again = await send(as, key, 'POST', '/order/unit', { item: 'slow' });
      expect([told(again), replayed(again)]).toEqual([told(answer), 'true']);
    }
    expect(await countOf('order')).toBe(before + 1);
    await ok(project.delete(`/order/unit/${answer.body.content.id}`));
  });

  it('and its connection is lost, nothing is stored, and the next request is the first', async () => {
    const [key, before] = [newKey(), await countOf('order')];
    gate.close();
    const first = send(project, key, 'POST', '/order/unit', { item: 'slow' });
    await gate.reached(1);
    await query(
      project,
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = '$schema."_idempotency"'::regclass`,
    );
    gate.open();
    expect((await first).status).toBe(503);
    expect(await countOf('order')).toBe(before);
    const again = await send(elsewhere, key, 'POST', '/order/unit', { item: 'slow' });
    expect([again.status, replayed(again)]).toEqual([200, null]);
    expect(await countOf('order')).toBe(before + 1);
  });

  it('of fifty equal ones on two processes one is done, and all that are answered get its answer', async () => {
    const [key, before] = [newKey(), await countOf('note')];
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        send(n % 2 === 0 ? project : elsewhere, key, 'POST', '/note/unit', { text: 'same' }),
      ),
    );
    const answered = replies.filter(({ status }) => status === 200);
    expect(replies.filter(({ status }) => status !== 200 && status !== 409).map(({ text }) => text)).toEqual([]);
    expect(new Set(answered.map(({ text }) => text)).size).toBe(1);
    expect(answered.filter((reply) => replayed(reply) === null)).toHaveLength(1);
    expect(await countOf('note')).toBe(before + 1);
  });
});

describe('rights are checked before an answer is repeated', () => {
  it('on the kind, as they are now', async () => {
    const key = newKey();
    await ok(send(member, key, 'POST', '/note/unit', { text: 'once' }));
    await ok(project.put('/kind/unit/note', { access: { read: 'anyone', create: 'admin' } }));
    const { status, body, headers } = await send(member, key, 'POST', '/note/unit', { text: 'once' });
    expect([status, body.messages[0]?.code, headers.get('idempotency-replayed')]).toEqual([403, 'access.denied', null]);
    await ok(project.put('/kind/unit/note', { access: { read: 'anyone', create: 'anyone' } }));
    expect(replayed(await send(member, key, 'POST', '/note/unit', { text: 'once' }))).toBe('true');
  });

  it('on the kinds of all operations of a batch', async () => {
    const key = newKey();
    const operations = [
      { as: 'note', method: 'POST', path: '/note/unit', body: { text: 'first' } },
      { method: 'GET', path: '/note/unit/{note.id}' },
      { method: 'POST', path: '/order/function/place', body: { item: 'of a batch' } },
    ];
    const first = await send(member, key, 'POST', '/batch', { operations });
    expect(first.status).toBe(200);
    const before = await countOf('order');
    await ok(project.put('/kind/unit/order', { access: { read: 'anyone', function: 'admin' } }));
    const { status, body } = await send(member, key, 'POST', '/batch', { operations });
    expect({ status, ...body.messages[0] }).toMatchObject({ status: 403, code: 'access.denied', operation: 2 });
    await ok(project.put('/kind/unit/order', { access: { read: 'anyone' } }));
    const again = await send(member, key, 'POST', '/batch', { operations });
    expect([told(again), replayed(again)]).toEqual([told(first), 'true']);
    expect(await countOf('order')).toBe(before);
  });

  it('and the token', async () => {
    const key = newKey();
    await ok(send(project, key, 'POST', '/note/unit', { text: 'token' }));
    expect((await send(project.as('a.b.c'), key, 'POST', '/note/unit', { text: 'token' })).status).toBe(401);
  });
});

describe('a key is refused', () => {
  it.each(['', 'a b', 'ü', 'x'.repeat(256), 'a, b'])('as %j', async (key) => {
    const { status, body } = await send(project, key, 'POST', '/note/unit', { text: 'a' });
    expect([status, body.messages[0]?.code]).toEqual([400, 'idempotency.bad_key']);
  });

  it('without a token', async () => {
    const { status, body } = await send(anonymous(project), newKey(), 'POST', '/note/unit', { text: 'a' });
    expect([status, body.messages[0]?.code]).toEqual([400, 'idempotency.not_here']);
    expect((await send(anonymous(project), newKey(), 'POST', '/order/unit', {})).status).toBe(401);
  });

  it('for units of a remote kind, and at /auth/', async () => {
    const replies = [
      await send(project, newKey(), 'POST', '/far/unit', { text: 'a' }),
      await send(project, newKey(), 'POST', '/auth/signin', { username: 'admin', password: 'x' }),
      await send(project, newKey(), 'POST', '/auth/signout'),
      await send(project, newKey(), 'DELETE', '/auth/session/x'),
    ];
    for (const { status, body } of replies)
      expect([status, body.messages[0]?.code]).toEqual([400, 'idempotency.not_here']);
  });

  it('with an answer that is too large to be kept; nothing is stored', async () => {
    const before = await countOf('note');
    const many = new Array(1000).fill({ text: 'x', metadata: { more: 'y'.repeat(2000) } });
    const { status, body } = await send(project, newKey(), 'POST', '/note/unit', many);
    expect([status, body.messages[0]?.code]).toEqual([400, 'answer.too_large']);
    expect(body.messages[0]?.text).toContain('Nothing was stored: send less at once');
    expect(await countOf('note')).toBe(before);
  });

  it('where the project keeps as much as it may; nothing is stored, and refusals are not kept', async () => {
    const full = await service.project();
    await defineKinds(full, { id: 'note', parameters: [{ id: 'text', kind_id: 'string', max_length: 10 }] });
    const schema = (await service.service.app.get(ProjectStore).find(full.id))?.schema ?? '';
    const bytes = service.service.app.get(KeptBytes);
    const first = newKey();
    await ok(send(full, first, 'POST', '/note/unit', { text: 'kept' }));
    bytes.add(schema, LIMITS.keptPerProject - 100_000);
    await ok(send(full, newKey(), 'POST', '/note/unit', { text: 'fits', metadata: { more: 'y'.repeat(100_000) } }));
    const refused = await send(full, newKey(), 'POST', '/note/unit', { text: 'more' });
    expect(refusalOf(refused)).toEqual({ status: 429, messages: ['idempotency.full'] });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect((await ok(full.get('/note/unit?limit=0'))).count).toBe(2);
    const key = newKey();
    for (const text of ['longer than ten', 'another that is longer']) {
      const reply = await send(full, key, 'POST', '/note/unit', { text });
      expect([reply.status, replayed(reply)]).toEqual([400, null]);
    }
    // What was kept is repeated, and other projects and writes without a key go on.
    expect(replayed(await send(full, first, 'POST', '/note/unit', { text: 'kept' }))).toBe('true');
    await ok(full.post('/note/unit', { text: 'more' }));
    await ok(send(project, newKey(), 'POST', '/note/unit', { text: 'elsewhere' }));
  });

  it('but not looked at where nothing is written', async () => {
    expect((await send(project, 'ü', 'GET', '/note/unit')).status).toBe(200);
  });
});
