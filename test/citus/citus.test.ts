/**
 * A coordinator of Citus with two workers: `TEST_CITUS_URL=postgres://… npx vitest run test/citus`. The database has the
 * extension, and `citus.enable_schema_based_sharding` on (docs/citus.md). Without the variable these tests are skipped.
 */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { createdId, expectNoDrift, ok, query } from '../support/definitions.js';
import { sharedService, startTestService } from '../support/service.js';
import { expectStoredOnce, following, isCitus, NOTES, otherWorker, workerOf, writing } from './places.js';

describe.skipIf(!isCitus)('on Citus', async () => {
  if (!isCitus) return;
  const service = await sharedService();
  const second = await startTestService();

  it('a project is whole on one worker, and the registry on none', async () => {
    const project = await service.project();
    await defineKinds(project, NOTES);
    const own = await query<{ table: string; distributed: boolean }>(
      project,
      `SELECT c.relname AS "table", EXISTS (SELECT 1 FROM pg_dist_partition AS p WHERE p.logicalrelid = c.oid) AS distributed
       FROM pg_class AS c WHERE c.relkind = 'r' AND c.relnamespace = '$schema'::regnamespace`,
    );
    expect(own.length).toBeGreaterThan(15);
    expect(own.filter(({ distributed }) => !distributed)).toEqual([]);
    expect(await workerOf(project)).toBeDefined();
    const registry = await query(
      project,
      `SELECT 1 FROM pg_dist_partition AS p JOIN pg_class AS c ON c.oid = p.logicalrelid WHERE c.relnamespace = 'kind'::regnamespace`,
    );
    expect(registry).toEqual([]);
  });

  it('units, links, walks, batches, imports, upserts and definitions work', async () => {
    const project = await service.project();
    await defineKinds(
      project,
      {
        id: 'place',
        parameters: [
          { id: 'code', kind_id: 'string', unique: true },
          { id: 'size', kind_id: 'integer' },
          { id: 'tags', kind_id: 'string', multiple: true },
          { id: 'extra', kind_id: 'json' },
          { id: 'seen', kind_id: 'datetime' },
          { id: 'within', kind_id: 'unit', reference_kind: 'place', on_delete: 'set_null' },
        ],
      },
      NOTES,
    );
    const italy = await createdId(project.post('/place/unit', { code: 'it', size: 1, tags: ['a'], extra: { a: 1 } }));
    const [rome, milan] = await Promise.all(
      ['rome', 'milan'].map((code) =>
        createdId(project.post('/place/unit', { code, within: italy, seen: '2026-01-01T00:00:00Z' })),
      ),
    );
    const got = await project.get(`/place/unit/${italy}`);
    const tag = got.headers.get('etag') ?? '';
    await ok(project.put(`/place/unit/${italy}`, { size: { $inc: 2 } }, { headers: { 'if-match': tag } }));
    expect((await project.put(`/place/unit/${italy}`, { size: 1 }, { headers: { 'if-match': tag } })).status).toBe(412);
    expect(
      await ok(project.get('/place/unit?filter=eq(within.code,it)&order=code;asc&load_links=count')),
    ).toMatchObject({
      count: 2,
      items: [{ code: 'milan' }, { code: 'rome' }],
    });
    expect(await ok(project.put('/place/unit?filter=eq(within.code,it)', { size: 5 }))).toMatchObject({ count: 2 });
    await ok(
      project.post('/place/unit?on_conflict=update&by=code', [
        { code: 'rome', size: 7 },
        { code: 'oslo', size: 8 },
      ]),
    );
    await ok(project.post(`/place/unit/${italy}/link/link/place/unit/${rome}`));
    await ok(project.post(`/place/unit/${rome}/link/link/place/unit/${milan}`));
    expect(await ok(project.get(`/place/unit/${italy}/link/child?depth=2`))).toMatchObject({ count: 2 });
    await ok(project.delete(`/place/unit/${rome}/link/link/place/unit/${milan}`));
    expect(await ok(project.get(`/place/unit/${italy}/link/child?depth=2`))).toMatchObject({ count: 1 });
    const batch = await project.post('/batch', {
      operations: [
        { method: 'POST', path: '/note/unit', body: { label: 'one' } },
        { method: 'DELETE', path: `/place/unit/${milan}` },
      ],
    });
    expect([batch.status, batch.text]).toEqual([200, batch.text]);
    const lines = Array.from({ length: 1200 }, (_, n) => JSON.stringify({ label: `i${n}` })).join('\n');
    const imported = await project.post('/note/import?format=ndjson', lines, {
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect([imported.status, imported.text]).toEqual([200, imported.text]);
    expect(await ok(project.get('/note/unit?limit=1'))).toMatchObject({ count: 1201 });
    const key = { headers: { 'idempotency-key': 'once' } };
    const first = await project.post('/note/unit', { label: 'kept' }, key);
    const again = await project.post('/note/unit', { label: 'kept' }, key);
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    await ok(
      project.put('/kind/unit/note', { parameters: ['label', { id: 'more', kind_id: 'integer', indexed: true }] }),
    );
    await ok(project.put('/integer/unit/more', { indexed: false }));
    expect((await project.put('/string/unit/label', { max_length: 2 })).status).toBe(409);
    expect(await ok(project.delete('/note/unit?filter=startswith(label,i)&max_affected=2000'))).toBeDefined();
    await ok(project.delete('/kind/unit/note?cascade=true'));
    await expectNoDrift(project);
  }, 120_000);

  it('refusals name the parameters of long constraints, and plans are those of the worker', async () => {
    const project = await service.project();
    const long = `place_${'of_a_long_name_'.repeat(3)}`.slice(0, 45);
    const [code, name] = [`${long}_code`, `${long}_name`];
    await defineKinds(project, {
      id: long,
      parameters: [
        { id: name, kind_id: 'string', unique: true },
        { id: code, kind_id: 'string', unique: true },
        { id: 'twin', kind_id: 'unit', reference_kind: long },
        { id: 'size', kind_id: 'integer' },
      ],
    });
    for (const from of [0, 1000, 2000]) {
      const units = Array.from({ length: 1000 }, (_, n) => from + n);
      await ok(
        project.post(
          `/${long}/unit`,
          units.map((n) => ({ [name]: `n${n}`, [code]: `c${n}`, size: n })),
        ),
      );
    }
    const refused = [
      await project.post(`/${long}/unit`, { [name]: 'other', [code]: 'c1' }),
      await project.post(`/${long}/unit`, { [name]: 'n1', [code]: 'other' }),
    ];
    expect(refused.map(({ body }) => body.messages[0])).toMatchObject([
      { code: 'parameter.not_unique', parameter: code },
      { code: 'parameter.not_unique', parameter: name },
    ]);
    await query(project, `ANALYZE $schema."${long}"`);
    const path = `/${long}/unit?filter=lt(size,2000)&limit=10`;
    const { count } = (await ok(project.get(`${path}&count=estimated`))) as { count: number };
    expect(count).toBeGreaterThan(1500);
    expect(count).toBeLessThan(2500);
    const { body } = await project.get(`/${long}/unit?filter=eq(size,7)&explain=true`);
    expect(body.content).toMatchObject({ explain: { missing_indexes: [{ kind: long, parameters: ['size'] }] } });
  });

  it('creates are stored once, while another process changes other definitions', async () => {
    const project = await service.project();
    await defineKinds(project, NOTES, { id: 'other', parameters: [{ id: 'a', kind_id: 'string' }] });
    const there = await second.signIn(project.id);
    const writers = writing([project, there, project, there]);
    for (let n = 0; n < 40; n++) {
      const parameters = n % 2 === 0 ? ['a', { id: `b${n}`, kind_id: 'integer' }] : ['a'];
      await ok((n % 3 === 0 ? there : project).put('/kind/unit/other', { parameters }));
    }
    const made = await writers.stop();
    expect(made.length).toBeGreaterThan(40);
    await expectStoredOnce(project, made);
    expect(await ok(project.get('/note/unit?limit=1'))).toMatchObject({ count: made.length });
  }, 240_000);

  it('a project moves between workers under writes, without a lost or doubled one, for who follows them too', async () => {
    const project = await service.project();
    await defineKinds(project, NOTES);
    const there = await second.signIn(project.id);
    const followed = await following(there);
    const writers = writing([project, there, project, there, project, there]);
    const ports = [(await workerOf(project))?.port];
    for (const mode of ['auto', 'block_writes', 'auto']) {
      await writers.goOn();
      const { name, port } = await otherWorker(project);
      await query(project, `SELECT citus_schema_move('$schema', $1, $2, $3::citus.shard_transfer_mode)`, [
        name,
        port,
        mode,
      ]);
      ports.push((await workerOf(project))?.port);
    }
    const made = await writers.stop();
    await followed.expectOnce(made);
    expect(new Set(ports).size).toBe(2);
    expect(ports.every((port, at) => at === 0 || port !== ports[at - 1])).toBe(true);
    await expectStoredOnce(project, made);
    await ok(project.put('/kind/unit/note', { parameters: ['label', { id: 'more', kind_id: 'integer' }] }));
    await expectNoDrift(project);
  }, 240_000);

  it('sequences, transitions, checks and rights of units go along with a project that moves', async () => {
    const project = await service.project();
    const ticket = {
      id: 'ticket',
      parameters: [
        { id: 'number', kind_id: 'integer', sequence: true },
        { id: 'opened', kind_id: 'datetime', default_datetime: '@now' },
        { id: 'due', kind_id: 'datetime' },
        { ...{ id: 'state', kind_id: 'string', own: true, values: ['open', 'done'] }, transitions: { open: ['done'] } },
      ],
      checks: [{ id: 'due', filter: 'lte_field(opened,due)', text: 'It is due after it was opened' }],
    };
    await defineKinds(project, ticket);
    const asked = '/ticket/unit?include=[id,number,state,can()]';
    const created = async () => (await ok(project.post(asked, { state: 'open' }))) as { id: string };
    const unit = { state: 'open', can: { update: true, transitions: { state: ['done'] } } };
    expect(await created()).toMatchObject({ ...unit, number: 1 });
    const { name, port } = await otherWorker(project);
    await query(project, `SELECT citus_schema_move('$schema', $1, $2::int)`, [name, port]);
    expect(await created()).toMatchObject({ ...unit, number: 2 });
    const { id } = await created();
    const refused = [
      await project.put(`/ticket/unit/${id}`, { due: '2020-01-01T00:00:00Z' }),
      await project.post('/ticket/unit', { due: '2020-01-01T00:00:00Z' }),
      await project.put(`/ticket/unit/${id}`, { state: null }),
    ];
    expect(refused.map(({ body }) => body.messages[0]?.code)).toEqual([
      ...['unit.check', 'unit.check', 'parameter.transition'],
    ]);
    expect(await ok(project.put(`/ticket/unit/${id}?include=[number,can()]`, { state: 'done' }))).toMatchObject({
      number: 3,
      can: { transitions: { state: [] } },
    });
    await ok(project.put('/kind/unit/ticket', { checks: [] }));
    await ok(project.put('/kind/unit/ticket', { checks: ticket.checks }));
    await expectNoDrift(project);
  }, 240_000);
});
