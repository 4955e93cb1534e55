/** `sequence: true`: numbers that the service makes. */
import { beforeEach, describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { expectNoDrift, ok, query, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import type { TestProject } from '../../support/service.js';

const folder = new FunctionsFolder({
  'hooked.ts': `
    import { kind } from 'kind';
    export default kind('hooked').module({ hooks: {
      before_create: ({ values }) => ({ ...values, title: 'number ' + values.number, number: 900 }) as never,
    } });`,
});
const service = await sharedServiceWith(folder);
const CSV = { headers: { 'content-type': 'text/csv' } };
let project: TestProject;
let ann: TestProject;
beforeEach(async () => {
  project = await service.project();
  ann = await asMember(project);
  const access = { read: 'member', create: 'member', update: 'member' };
  await defineKinds(
    project,
    {
      id: 'order',
      access,
      parameters: [
        { id: 'number', kind_id: 'integer', sequence: true },
        { id: 'title', kind_id: 'string' },
        { id: 'code', kind_id: 'string', unique: true },
      ],
    },
    { id: 'invoice', access, parameters: ['number', { id: 'of', kind_id: 'unit', reference_kind: 'order' }] },
    { id: 'hooked', access, parameters: ['number', 'title'] },
    { id: 'first', access: { read: 'member', create: 'lte(number,2)' }, parameters: ['number'] },
  );
});
const make = async (body: object = {}, kind = 'order') => (await ok(ann.post(`/${kind}/unit`, body))).number as number;
const numbers = async (kind = 'order') => {
  const path = `/${kind}/unit?order=number&include=number&limit=1000`;
  const { items } = (await ok(project.get(path))) as { items: { number: number }[] };
  return items.map((unit) => unit.number);
};

describe('a create', () => {
  it('gets the next number of its kind, whatever the body says', async () => {
    expect(await make()).toBe(1);
    expect(await make({ number: 70 })).toBe(2);
    expect(await make({ number: 'x' })).toBe(3);
    expect(await make({ number: null })).toBe(4);
    expect(await make({}, 'invoice')).toBe(1);
    const { items } = await ok(ann.post('/order/unit', [{}, { number: 1 }, {}]));
    expect(items).toMatchObject([{ number: 5 }, { number: 6 }, { number: 7 }]);
  });

  it('that is refused leaves a gap', async () => {
    await make({ code: 'a' });
    expect(refusalOf(await ann.post('/order/unit', { code: 'a' })).status).toBe(409);
    expect(await make()).toBe(3);
  });

  it('gets numbers in every way: inside another, upserted, imported, in a batch', async () => {
    expect(await make({ of: { title: 'inside' } }, 'invoice')).toBe(1);
    await ok(ann.post('/order/unit?on_conflict=update&by=code', [{ code: 'a' }, { code: 'b' }]));
    await ok(ann.post('/order/import', 'code,number\nc,1\nd,1\n', CSV));
    await ok(ann.post('/batch', { operations: [{ method: 'POST', path: '/order/unit', body: {} }] }));
    expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('has its number in rules and hooks', async () => {
    expect(await make({}, 'first')).toBe(1);
    expect(await make({}, 'first')).toBe(2);
    expect(refusalOf(await ann.post('/first/unit', {})).status).toBe(403);
    expect(await ok(ann.post('/hooked/unit', {}))).toMatchObject({ number: 1, title: 'number 1' });
  });

  it('at the same time as others gets another number', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, at) => make({ title: String(at) })));
    expect(new Set(await numbers()).size).toBe(40);
  });
});

describe('an edit', () => {
  it('does not write it', async () => {
    const unit = await ok(ann.post('/order/unit', { code: 'a' }));
    const readOnly = { status: 400, messages: ['parameter.read_only number'] };
    for (const as of [ann, project]) {
      expect(refusalOf(await as.put(`/order/unit/${unit.id}`, { number: 5 }))).toEqual(readOnly);
      expect(refusalOf(await as.put(`/order/unit/${unit.id}`, { number: { $inc: 1 } }))).toEqual(readOnly);
    }
    expect(refusalOf(await ann.put('/order/unit?filter=all()', { number: 5 })).status).toBe(400);
    expect(await ok(ann.put(`/order/unit/${unit.id}`, { ...unit, title: 'b' }))).toMatchObject({
      number: 1,
      title: 'b',
    });
    expect(refusalOf(await ann.post('/order/unit?on_conflict=update&by=code', { code: 'a', number: 9 }))).toEqual(
      readOnly,
    );
    expect(refusalOf(await ann.post('/order/unit?on_conflict=update&by=number', { number: 1 })).status).toBe(400);
  });
});

describe('what brings units back', () => {
  it('keeps their numbers, and the sequence goes on after the highest', async () => {
    await make();
    await ok(project.post('/order/import?ids=keep', 'number,code\n40,a\n,b\n30,c\n', CSV));
    expect(await numbers()).toEqual([1, 30, 40, 41]);
    expect(await make()).toBe(42);
    await ok(project.post('/order/import?ids=keep', 'number\n900000\n', CSV));
    expect(await make()).toBe(900_001);
    await ok(project.post('/order/import?ids=keep', 'number\n7\n', CSV));
    expect(await make()).toBe(900_002);
    const taken = await project.post('/order/import?ids=keep', 'number\n7\n', CSV);
    expect(taken).toMatchObject({ body: { messages: [{ code: 'parameter.not_unique', parameter: 'number' }] } });
  });

  it('ends where there is no next number', async () => {
    await ok(project.post('/order/import?ids=keep', `number\n${Number.MAX_SAFE_INTEGER}\n`, CSV));
    expect(refusalOf(await ann.post('/order/unit', {}))).toEqual({ status: 409, messages: ['project.full'] });
  });
});

describe('a definition', () => {
  it('that is no sequence is refused', async () => {
    for (const [type, more] of [
      ['string', {}],
      ['integer', { multiple: true }],
      ['integer', { only_run_time: true }],
      ['integer', { is_primary: true }],
      ['integer', { required: true }],
      ['integer', { default_integer: 1 }],
      ['integer', { values: [1] }],
      ['integer', { max_value: 9 }],
      ['decimal', {}],
    ] as const) {
      const reply = await project.post(`/${type}/unit`, { id: 'x', sequence: true, ...more });
      expect(reply, `${type} ${JSON.stringify(more)}`).toMatchObject({
        status: 400,
        body: { messages: [{ parameter: 'sequence' }] },
      });
    }
    // Of a remote kind and of a link type.
    expect((await project.post('/kind/unit', { id: 'far', remote: true, parameters: ['number'] })).status).toBe(400);
    expect((await project.post('/link/unit', { id: 'of', parameters: ['number'] })).status).toBe(400);
  });

  it('that is added numbers the units that are there, in the order in which they were created', async () => {
    await defineKinds(project, {
      id: 'note',
      parameters: [{ id: 'at', kind_id: 'integer' }, 'title'],
    });
    for (const [title, at] of [
      ['a', 5],
      ['b', null],
      ['c', 2],
      ['d', null],
    ] as const) {
      await ok(project.post('/note/unit', { title, at }));
    }
    await ok(project.put('/integer/unit/at', { sequence: true }));
    const { items } = await ok(project.get('/note/unit?include=title,at&order=title'));
    expect(items).toEqual([
      { title: 'a', at: 5 },
      { title: 'b', at: 6 },
      { title: 'c', at: 2 },
      { title: 'd', at: 7 },
    ]);
    expect(await ok(project.post('/note/unit', {}))).toMatchObject({ at: 8 });
    await expectNoDrift(project);
    await ok(project.put('/integer/unit/at', { sequence: false }));
    expect(await ok(project.post('/note/unit', { at: 8 }))).toMatchObject({ at: 8 });
    await expectNoDrift(project);
  });

  it('that is added is refused where units have one number twice', async () => {
    await defineKinds(project, { id: 'note', parameters: [{ id: 'at', kind_id: 'integer' }] });
    await ok(project.post('/note/unit', [{ at: 1 }, { at: 1 }]));
    expect(refusalOf(await project.put('/integer/unit/at', { sequence: true })).status).toBe(409);
  });

  it('added to a kind with units numbers them, and goes with the parameter and the kind', async () => {
    await defineKinds(project, { id: 'note', parameters: ['title'] });
    await ok(project.post('/note/unit', [{ title: 'a' }, { title: 'b' }]));
    await ok(project.post('/kind/unit/note/link/parameter/integer/unit/number'));
    const { items } = await ok(project.get('/note/unit?order=title&include=number'));
    expect(items).toEqual([{ number: 1 }, { number: 2 }]);
    expect(await ok(project.post('/note/unit', {}))).toMatchObject({ number: 3 });
    await ok(project.delete('/kind/unit/note/link/parameter/integer/unit/number?cascade=true'));
    await ok(project.post('/kind/unit/note/link/parameter/integer/unit/number'));
    await expectNoDrift(project);
    for (const kind of ['note', 'invoice', 'hooked', 'first', 'order']) {
      await ok(project.delete(`/kind/unit/${kind}?cascade=true`));
    }
    const left = `SELECT relname FROM pg_class WHERE relkind = 'S' AND relname <> '_outbox_id_seq' AND relnamespace = '$schema'::regnamespace`;
    expect(await query(project, left)).toEqual([]);
  });

  it('is in the document as read, and not to be given', async () => {
    const held = await ann.documented();
    const unit = await ok(held.post('/order/unit', {}));
    expect(await ok(held.post('/order/unit', { ...unit, id: undefined }))).toMatchObject({ number: 2 });
    const { items } = await ok(ann.get('/order/struct'));
    expect(items[0]).toMatchObject({
      id: 'number',
      default: null,
      helper_text: expect.stringContaining('next number'),
    });
    expect(await ok(project.get('/integer/unit/number'))).toMatchObject({ sequence: true });
  });
});
