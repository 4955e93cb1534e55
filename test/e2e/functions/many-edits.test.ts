/** Hooks of many edits: called once for a thousand units, in place of those of each. */
import { beforeEach, describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { lowerLimit } from '../../support/limits.js';
import { startTestService } from '../../support/service.js';

const told = 'many edits of the test';
const HEAD = `
  import { FunctionError, kind } from 'kind';
  const calls = ((globalThis as any)['${told}'] ??= []);`;
type Row = Record<string, unknown>;
const folder = new FunctionsFolder({
  'stock.ts': `${HEAD}
    export default kind('stock').module({ hooks: {
      before_update_many({ changes, via }) {
        calls.push({ size: -changes.length, via, values: changes[0].values, unit: changes[0].unit.left });
        if (changes.some(({ values }) => values.left === -1)) throw new FunctionError(409, 'stock.empty', 'Nothing is left');
        if (changes.some(({ values }) => values.left === -2)) return [];
        return changes.map(({ unit, values: { left } }) => left === 13 ? { left: 'thirteen' } : { note: unit.name + ':' + left });
      },
      after_update_many({ changes }) {
        calls.push({ size: changes.length, ...changes[0] });
      },
    } });`,
  'log.ts': `${HEAD}
    export default kind('log').module({ hooks: { after_update_many: ({ changes }) => void calls.push({ size: changes.length, values: changes[0].values }) } });`,
  'line.ts': `${HEAD}
    export default kind('line').module({ hooks: {
      async after_create({ values, system }) { if (values.all) await system.units('stock').updateAll('all()', { left: 5 }, { max_affected: 100000 }); },
    } });`,
  'both.ts': `${HEAD}
    export default kind('both').module({ hooks: { before_update() {}, before_update_many() {} } });`,
});
const service = await startTestService({ functionsDir: folder.path });
const admin = await service.project();
const parameters = [
  { id: 'name', kind_id: 'string', unique: true },
  { id: 'left', kind_id: 'integer' },
  { id: 'note', kind_id: 'string' },
  { id: 'why', kind_id: 'string', only_run_time: true },
  { id: 'state', kind_id: 'string', values: ['open', 'sold'], transitions: { open: ['sold'] } },
];
await asMember(admin);
await defineKinds(
  admin,
  { id: 'stock', parameters },
  {
    id: 'log',
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'count', kind_id: 'integer', default_integer: 1 },
    ],
  },
  { id: 'line', parameters: [{ id: 'all', kind_id: 'boolean' }] },
  { id: 'both' },
);
const create = (from: number, to: number) =>
  ok(
    admin.post(
      '/stock/unit',
      Array.from({ length: to - from }, (_, at) => ({ name: `s${from + at}`, left: 1 })),
    ),
  );
/** A hook gets no more at once than a body may have. */
lowerLimit('bulk', 400);
for (let at = 0; at < 1000; at += 250) await create(at, at + 250);
await reload(service);

const calls = ((globalThis as unknown as Record<string, Record<string, unknown>[]>)[told] ??= []);
beforeEach(() => void calls.splice(0));
/** Below zero before the edit. */
const sizes = () => calls.map(({ size }) => size);
const stock = async (name: string) => (await ok(admin.get(`/stock/by/name/${name}`))) as Record<string, unknown>;

describe('an edit by filter', () => {
  it('calls them once for as many units as a body may have, with few statements', async () => {
    let body: unknown;
    const count = await admin.statements(async () => {
      body = await ok(admin.put('/stock/unit?filter=all()&max_affected=5000', { left: 4, why: 'sold' }));
    });
    expect(body).toEqual({ count: 1000 });
    expect(sizes()).toEqual([400, 400, 200].flatMap((size) => [-size, size]));
    expect(calls[0]).toMatchObject({ via: 'api', values: { left: 4, why: 'sold' }, unit: 1 });
    const { unit, before, values } = calls[1] as Record<'unit' | 'before' | 'values', Record<string, unknown>>;
    expect(before).toMatchObject({ left: 1, note: null });
    expect(values).toEqual({ left: 4, note: `${String(unit?.['name'])}:4`, why: 'sold' });
    expect(count).toBeLessThan(40);
    expect(await stock('s999')).toMatchObject({ left: 4, note: 's999:4' });
  });

  it('refuses all, with the unit where a value does not fit', async () => {
    expect(refusalOf(await admin.put('/stock/unit?filter=all()&max_affected=5000', { left: -1 }))).toMatchObject({
      status: 409,
      messages: ['stock.empty'],
    });
    const bad = await admin.put('/stock/unit?filter=in(name,s1,s2)', { left: 13 });
    const id = (await stock('s1'))['id'];
    expect([bad.status, bad.body.messages[0]]).toMatchObject([400, { parameter: 'left' }]);
    expect(bad.body.messages.map(({ unit }) => unit)).toContain(id);
    expect(await stock('s1')).toMatchObject({ left: 4 });
  });

  it('fails where they return another number of values', async () => {
    expect((await admin.put('/stock/unit?filter=in(name,s1,s2)', { left: -2 })).status).toBe(500);
  });

  it('gives them results of expressions', async () => {
    await ok(admin.put('/stock/unit?filter=in(name,s1,s2)', { left: { $inc: 2 } }));
    expect(calls[0]).toMatchObject({ size: -2, values: { left: 6 } });
    expect(await stock('s1')).toMatchObject({ left: 6, note: 's1:6' });
  });

  it('is judged by transitions before them', async () => {
    await ok(admin.post('/stock/unit', { name: 'sold', left: 1, state: 'sold' }));
    calls.splice(0);
    const refused = await admin.put('/stock/unit?filter=in(name,sold)', { state: 'open' });
    expect([refused.status, refused.body.messages]).toMatchObject([409, [{ code: 'parameter.transition' }]]);
    expect(calls).toEqual([]);
    await ok(admin.delete('/stock/unit?filter=eq(name,sold)'));
  });

  it('of a member is judged by rules before and after them', async () => {
    const member = await asMember(admin, 'worker');
    await ok(admin.put('/kind/unit/stock', { access: { update: ['eq(left,7)'] } }));
    await ok(admin.put('/stock/unit?filter=in(name,s7,s8)', { left: 7 }));
    calls.splice(0);
    expect((await member.put('/stock/unit?filter=in(name,s7,s8)', { left: 8 })).status).toBe(403);
    expect(calls).toEqual([]);
    await ok(member.put('/stock/unit?filter=in(name,s7,s8)', { left: 7 }));
    expect(sizes()).toEqual([-2, 2]);
    await ok(admin.put('/kind/unit/stock', { access: null }));
  });
});

describe('other edits', () => {
  it('of one unit call them with it', async () => {
    const { id } = await stock('s3');
    await ok(admin.put(`/stock/unit/${String(id)}`, { left: 9, why: 'x' }));
    expect(sizes()).toEqual([-1, 1]);
    expect(calls[1]).toMatchObject({ before: { left: 4 }, values: { left: 9, note: 's3:9', why: 'x' } });
  });

  it('of an upsert and an import call them at once', async () => {
    const bodies = Array.from({ length: 50 }, (_, at) => ({ name: `s${100 + at}`, left: 50 + at }));
    await ok(admin.post('/stock/unit?on_conflict=update&by=name', bodies));
    expect(sizes()).toEqual([-50, 50]);
    expect(await stock('s149')).toMatchObject({ left: 99, note: 's149:99' });
    calls.splice(0);
    const file = bodies.map((body) => `${JSON.stringify({ ...body, left: 1 })}\n`).join('');
    const headers = { 'content-type': 'application/x-ndjson' };
    await ok(admin.call('POST', '/stock/import?on_conflict=update&by=name', file, { headers }));
    expect(sizes()).toEqual([-50, 50]);
    expect(calls[0]).toMatchObject({ via: 'import' });
    expect(await stock('s149')).toMatchObject({ left: 1, note: 's149:1' });
  });

  const importLeft = (left: (at: number) => number, query = '') => {
    const lines = Array.from({ length: 1000 }, (_, at) => `s${at},${left(at)}\n`).join('');
    const options = { headers: { 'content-type': 'text/csv' } };
    return admin.call('POST', `/stock/import?on_conflict=update&by=name${query}`, `name,left\n${lines}`, options);
  };

  it('of an import call them once for as many units', async () => {
    await ok(importLeft(() => 70));
    expect(sizes()).toEqual([400, 400, 200].flatMap((size) => [-size, size]));
    expect(await stock('s999')).toMatchObject({ left: 70, note: 's999:70' });
  });

  it('of an import are not undone all at once for each fault', async () => {
    const { failed, updated } = (await ok(importLeft((at) => (at === 600 ? -1 : 71), '&errors=skip'))) as Row;
    expect([failed, updated]).toEqual([1, 999]);
    // The first and the last piece, and the one with the fault until it is found.
    const [whole, undone, ...others] = sizes().filter((size) => Number(size) < 0);
    expect([whole, undone, others.at(-1)]).toEqual([-400, -400, -200]);
    expect(others.slice(0, -1).every((size) => Number(size) >= -200)).toBe(true);
    expect(await stock('s600')).toMatchObject({ left: 70 });
    expect(await stock('s601')).toMatchObject({ left: 71 });
    const bad = (await ok(importLeft((at) => (at === 600 ? 13 : 72), '&errors=skip'))) as Row;
    expect(bad).toMatchObject({ failed: 1, errors: [{ parameter: 'left', line: 602 }] });
  });

  it('of an upsert is told with its position', async () => {
    const bodies = [
      { name: 's1', left: 1 },
      { name: 's2', left: 13 },
    ];
    const refused = await admin.post('/stock/unit?on_conflict=update&by=name', bodies);
    expect(refused.body.messages).toMatchObject([{ parameter: 'left', index: 1 }]);
  });

  it('by a function call them too', async () => {
    await ok(admin.post('/line/unit', { all: true }));
    expect(sizes()).toEqual([400, 400, 200].flatMap((size) => [-size, size]));
    expect(calls[0]).toMatchObject({ via: 'function' });
  });
});

it('the hook after edits may stand alone', async () => {
  const ids = await Promise.all(Array.from({ length: 3 }, () => createdId(admin.post('/log/unit', { title: 'a' }))));
  await ok(admin.put('/log/unit?filter=eq(title,a)', { count: { $inc: 1 } }));
  expect(calls).toEqual([{ size: 3, values: { count: 2 } }]);
  expect(await ok(admin.get(`/log/unit/${String(ids[0])}`))).toMatchObject({ count: 2 });
});

it('one stands in place of that of each unit: a module with both is at fault', async () => {
  expect((await admin.post('/both/unit', {})).status).toBe(503);
});
