/** Expressions in edits: what is stored changes atomically, within all constraints. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';

const folder = new FunctionsFolder({
  'hooked.ts': `
    import { kind } from 'kind';
    export default kind('hooked').module({
      hooks: {
        before_update: ({ unit, values }) => ({ seen: { before: unit.stock, given: values } }),
      },
    });`,
  'after.ts': `
    import { kind } from 'kind';
    const after = kind('after');
    export default after.module({
      hooks: { after_update: ({ unit, before }) => { if (unit.stock - before.stock > 10) throw new Error('too much'); } },
      functions: {
        take: after.function({
          description: 'Takes one', methods: ['POST'], parameters: { from: { type: 'string', required: true } },
          run: ({ units, parameters: { from } }) => units('after').update(from, { stock: { $inc: -1 } }),
        }),
      },
    });`,
});
const service = await sharedServiceWith(folder);
const admin = await service.project();
const open = { read: 'member', create: 'member', update: 'member', delete: 'member' };
const STOCK = { id: 'stock', kind_id: 'integer', min_value: 0, max_value: 100 };
await defineKinds(
  admin,
  { id: 'country', parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'item',
    access: open,
    parameters: [
      STOCK,
      { id: 'count', kind_id: 'integer' },
      { id: 'even', kind_id: 'integer', values: [0, 2, 4] },
      { id: 'weight', kind_id: 'float', max_value: 1000 },
      { id: 'size', kind_id: 'float' },
      { id: 'price', kind_id: 'decimal', scale: 2, min_value: '0' },
      { id: 'total', kind_id: 'decimal' },
      { id: 'tags', kind_id: 'string', multiple: true, max_length: 5, pattern: '^[a-z]+$' },
      { id: 'labels', kind_id: 'string', multiple: true, unique: true },
      { id: 'numbers', kind_id: 'decimal', multiple: true, unique: true },
      { id: 'days', kind_id: 'date', multiple: true },
      { id: 'files', kind_id: 'binary', multiple: true },
      { id: 'notes', kind_id: 'json', multiple: true },
      { id: 'meta', kind_id: 'json' },
      { id: 'rank', kind_id: 'integer', unique: true },
      { id: 'once', kind_id: 'integer', write_once: true },
      { id: 'secret', kind_id: 'integer', read_access: 'admin', max_value: 10 },
      { id: 'fixed', kind_id: 'integer', write_access: 'admin' },
      { id: 'run', kind_id: 'integer', only_run_time: true },
      { id: 'name', kind_id: 'string' },
      { id: 'country', kind_id: 'unit', reference_kind: 'country' },
    ],
  },
  { id: 'limited', access: { ...open, update: 'lt(stock,10)' }, parameters: ['stock'] },
  { id: 'code', parameters: [{ id: 'number', kind_id: 'integer', is_primary: true }, 'count'] },
  { id: 'hooked', parameters: ['stock', 'labels', 'meta', { id: 'seen', kind_id: 'json' }] },
  { id: 'after', parameters: ['stock'] },
);
const member = await asMember(admin);
const item = (values: object = {}) => createdId(member.post('/item/unit', values));

/** What an edit makes of a unit. */
async function edited(values: object, changes: object): Promise<Record<string, unknown>> {
  const id = await item(values);
  const content = (await ok(member.put(`/item/unit/${id}`, changes))) as Record<string, unknown>;
  expect((await member.get(`/item/unit/${id}`)).body.content).toEqual(content);
  return content;
}

describe('an expression', () => {
  it.each([
    ['an integer', { stock: 5 }, { stock: { $inc: 3 } }, { stock: 8 }],
    ['a smaller integer', { stock: 5 }, { stock: { $inc: -5 } }, { stock: 0 }],
    ['null', {}, { stock: { $inc: 3 } }, { stock: 3 }],
    ['a float', { weight: 0.1 }, { weight: { $inc: 0.2 } }, { weight: 0.1 + 0.2 }],
    ['a null float', {}, { weight: { $inc: -1.5 } }, { weight: -1.5 }],
    ['a decimal', { price: '0.10' }, { price: { $inc: '0.2' } }, { price: '0.3' }],
    ['a long decimal', { total: '9007199254740993.1' }, { total: { $inc: '0.9' } }, { total: '9007199254740994' }],
    ['a decimal by a number', { price: '1' }, { price: { $inc: 0.25 } }, { price: '1.25' }],
    [
      'several',
      { stock: 1, count: 1 },
      { stock: { $inc: 1 }, count: { $inc: 2 }, name: 'x' },
      { stock: 2, count: 3, name: 'x' },
    ],
  ])('$inc adds to %s', async (_, values, changes, result) => {
    expect(await edited(values, changes)).toMatchObject(result);
  });

  it.each([
    ['adds at the end', { tags: ['a', 'b'] }, { tags: { $add: ['b', 'c'] } }, { tags: ['a', 'b', 'b', 'c'] }],
    ['removes every one', { tags: ['a', 'b', 'a'] }, { tags: { $remove: ['a', 'z'] } }, { tags: ['b'] }],
    [
      'removes, then adds',
      { tags: ['y', 'a'] },
      { tags: { $add: ['y', 'x'], $remove: ['y'] } },
      { tags: ['a', 'y', 'x'] },
    ],
    ['takes null for the empty list', {}, { tags: { $add: ['a'] } }, { tags: ['a'] }],
    ['makes the empty list of null', {}, { tags: { $remove: ['a'] } }, { tags: [] }],
    [
      'keeps unique lists unique',
      { labels: ['b', 'a'] },
      { labels: { $add: ['a', 'c', 'c'] } },
      { labels: ['b', 'a', 'c'] },
    ],
    [
      'compares decimals by value',
      { numbers: ['1.5', '2'] },
      { numbers: { $remove: ['2.0'], $add: ['1.50', '3'] } },
      { numbers: ['1.5', '3'] },
    ],
    [
      'takes dates',
      { days: ['2024-01-01'] },
      { days: { $add: ['2024-02-01'], $remove: ['2024-01-01'] } },
      { days: ['2024-02-01'] },
    ],
    [
      'takes bytes',
      { files: ['AAE=', 'AQ=='] },
      { files: { $remove: ['AAE='], $add: ['Ag=='] } },
      { files: ['AQ==', 'Ag=='] },
    ],
    [
      'takes JSON',
      { notes: [{ a: 1 }, [1, []]] },
      { notes: { $remove: [{ a: 1 }], $add: [[], 'x'] } },
      { notes: [[1, []], [], 'x'] },
    ],
    ['does nothing where both are empty', { tags: ['a'] }, { tags: { $add: [], $remove: [] } }, { tags: ['a'] }],
  ])('on a list %s', async (_, values, changes, result) => {
    expect(await edited(values, changes)).toMatchObject(result);
  });

  // The examples of RFC 7396 whose patch is an object.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [null, { a: 1, b: null }, { a: 1 }],
    ['text', { a: { b: [null] } }, { a: { b: [null] } }],
    [
      { a: 1, b: { c: 1 } },
      { b: {}, 'd.e': { f: { g: 1 } } },
      { a: 1, b: { c: 1 }, 'd.e': { f: { g: 1 } } },
    ],
    [{ a: 1 }, {}, { a: 1 }],
  ])('merge of %j with %j', async (meta, $merge, result) => {
    expect(await edited({ meta }, { meta: { $merge } })).toMatchObject({ meta: result });
  });

  it('merges metadata', async () => {
    const id = await item({ metadata: { a: 1, b: { c: 1 } } });
    const content = await ok(member.put(`/item/unit/${id}`, { metadata: { $merge: { b: { d: 2 }, a: null } } }));
    expect(content).toMatchObject({ metadata: { b: { c: 1, d: 2 } } });
    const kind = (await ok(admin.put('/kind/unit/country', { metadata: { $merge: { color: 'red' } } }))) as object;
    expect(kind).toMatchObject({ metadata: { color: 'red' } });
    const more = (await ok(admin.put('/kind/unit/country', { metadata: { $merge: { size: 1 } } }))) as object;
    expect(more).toMatchObject({ metadata: { color: 'red', size: 1 } });
  });

  it.each([[{ $inc: 1 }], [{ $set: 1 }], [[1]], [null], ['text']])('set stores %j as it is', async ($set) => {
    expect(await edited({ meta: 1 }, { meta: { $set } })).toMatchObject({ meta: $set });
  });

  it.each([[{ $inc: 1, other: 2 }], [{ $push: [1] }], [{}], [{ a: { $inc: 1 } }]])(
    'is not %j in JSON',
    async (meta) => {
      expect(await edited({}, { meta })).toMatchObject({ meta });
    },
  );

  it('is data in a create', async () => {
    const meta = { $inc: 1 };
    const [id] = [await item({ meta, metadata: { $merge: {} } })];
    expect((await member.get(`/item/unit/${id}`)).body.content).toMatchObject({ meta, metadata: { $merge: {} } });
    expect(refusalOf(await member.post('/item/unit', { stock: { $inc: 1 } }))).toEqual({
      status: 400,
      messages: ['parameter.bad_type stock'],
    });
  });
});

describe('a result', () => {
  it.each([
    ['above the maximum', { stock: 99 }, { stock: { $inc: 2 } }, 'parameter.bad_expression stock'],
    ['below the minimum', { stock: 1 }, { stock: { $inc: -2 } }, 'parameter.bad_expression stock'],
    ['beyond all integers', { count: 9007199254740991 }, { count: { $inc: 1 } }, 'parameter.bad_expression count'],
    ['that is not allowed', { even: 2 }, { even: { $inc: 1 } }, 'parameter.bad_expression even'],
    ['above the maximum of a float', { weight: 999.5 }, { weight: { $inc: 0.6 } }, 'parameter.bad_expression weight'],
    ['beyond all doubles', { size: 1.7e308 }, { size: { $inc: 1e308 } }, 'parameter.bad_expression size'],
    ['below all doubles', { size: -1.7e308 }, { size: { $inc: -1e308 } }, 'parameter.bad_expression size'],
    [
      'below the minimum of a decimal',
      { price: '0.5' },
      { price: { $inc: '-0.51' } },
      'parameter.bad_expression price',
    ],
    ['of too many digits', { total: '9'.repeat(999) + '.1' }, { total: { $inc: '1' } }, undefined],
    ['too long for a decimal', { total: '9'.repeat(1000) }, { total: { $inc: '1' } }, 'parameter.bad_expression total'],
  ])('%s is refused', async (_, values, changes, message) => {
    if (message === undefined) return;
    const id = await item(values);
    const before = (await member.get(`/item/unit/${id}`)).body.content as object;
    const refused = await member.put(`/item/unit/${id}`, { ...changes, name: 'lost' });
    expect(refusalOf(refused)).toEqual({ status: 409, messages: [message] });
    expect(refused.body.messages[0]?.text).not.toMatch(/\d/);
    expect((await member.get(`/item/unit/${id}`)).body.content).toEqual(before);
  });

  it('obeys unique, write_once and rules', async () => {
    await item({ rank: 7 });
    const id = await item({ rank: 6, once: 1 });
    expect(refusalOf(await member.put(`/item/unit/${id}`, { rank: { $inc: 1 } }))).toEqual({
      status: 409,
      messages: ['parameter.not_unique rank'],
    });
    expect(refusalOf(await member.put(`/item/unit/${id}`, { once: { $inc: 1 } }))).toEqual({
      status: 409,
      messages: ['parameter.write_once once'],
    });
    expect((await member.put(`/item/unit/${id}`, { once: { $inc: 0 } })).status).toBe(200);
    const limited = await createdId(member.post('/limited/unit', { stock: 8 }));
    expect((await member.put(`/limited/unit/${limited}`, { stock: { $inc: 1 } })).status).toBe(200);
    expect((await member.put(`/limited/unit/${limited}`, { stock: { $inc: 1 } })).status).toBe(403);
    expect((await ok(admin.put(`/limited/unit/${limited}`, { stock: { $inc: 1 } }))) as object).toMatchObject({
      stock: 10,
    });
  });

  it('needs the version of If-Match', async () => {
    const id = await item({ stock: 1 });
    const { headers } = await member.put(`/item/unit/${id}`, { stock: { $inc: 1 } });
    const etag = headers.get('etag') ?? '';
    const fits = await member.put(`/item/unit/${id}`, { stock: { $inc: 1 } }, { headers: { 'if-match': etag } });
    expect(fits.status).toBe(200);
    const stale = await member.put(`/item/unit/${id}`, { stock: { $inc: 1 } }, { headers: { 'if-match': etag } });
    expect(refusalOf(stale)).toEqual({ status: 412, messages: ['unit.changed'] });
  });

  it('of JSON is limited in size', async () => {
    const text = 'x'.repeat(7 * 1024 * 1024);
    const id = await item({ meta: { a: text } });
    expect((await member.put(`/item/unit/${id}`, { meta: { $merge: { b: text } } })).status).toBe(200);
    const third = await member.put(`/item/unit/${id}`, { meta: { $merge: { c: text } } });
    expect(refusalOf(third)).toEqual({ status: 409, messages: ['parameter.bad_expression meta'] });
    const keys = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, at]));
    const wide = await item({ meta: keys });
    const others = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`l${at}`, at]));
    const wider = await member.put(`/item/unit/${wide}`, { meta: { $merge: others } });
    expect(refusalOf(wider)).toEqual({ status: 409, messages: ['parameter.bad_expression meta'] });
  });
});

describe('a refused expression', () => {
  it.each([
    ['$inc of a text', { name: { $inc: 1 } }, 'parameter.bad_type name'],
    ['$inc of a list', { tags: { $inc: 1 } }, 'parameter.bad_type tags'],
    ['$inc of JSON', { meta: { $inc: 1 } }, 'parameter.bad_type meta'],
    ['$inc by a text', { stock: { $inc: '1' } }, 'parameter.bad_type stock'],
    ['$inc by null', { stock: { $inc: null } }, 'parameter.bad_type stock'],
    ['$inc by a fraction', { stock: { $inc: 0.5 } }, 'parameter.bad_value stock'],
    ['$inc by too many decimals', { price: { $inc: '0.001' } }, 'parameter.bad_value price'],
    ['$inc with another word', { stock: { $inc: 1, $set: 1 } }, 'parameter.bad_type stock'],
    ['$inc with a key that is no word', { stock: { $inc: 1, x: 2 } }, 'parameter.bad_type stock'],
    ['an unknown word', { stock: { $mul: 2 } }, 'parameter.bad_type stock'],
    ['$set of an integer', { stock: { $set: 2 } }, 'parameter.bad_type stock'],
    ['$merge with $set', { meta: { $merge: {}, $set: 1 } }, 'parameter.bad_type meta'],
    ['$merge of a list', { meta: { $merge: [1] } }, 'parameter.bad_type meta'],
    ['$merge of a text', { name: { $merge: {} } }, 'parameter.bad_type name'],
    ['$set of metadata to a list', { metadata: { $set: [] } }, 'parameter.bad_type metadata'],
    ['$add of no list', { tags: { $add: 'a' } }, 'parameter.bad_type tags'],
    ['$add of another type', { tags: { $add: [1] } }, 'parameter.bad_type tags'],
    ['$add of a text that is too long', { tags: { $add: ['abcdef'] } }, 'parameter.too_long tags'],
    ['$add of a text without the pattern', { tags: { $add: ['A'] } }, 'parameter.pattern_mismatch tags'],
    ['$add of null', { tags: { $add: [null] } }, 'parameter.null tags'],
    ['$add to an integer', { stock: { $add: [1] } }, 'parameter.bad_type stock'],
    ['$inc of what the caller may not read', { secret: { $inc: 1 } }, 'parameter.bad_value secret'],
    ['$inc of what the caller may not write', { fixed: { $inc: 1 } }, 'parameter.read_only fixed'],
    ['$inc of what is not stored', { run: { $inc: 1 } }, 'parameter.bad_type run'],
    ['a time', { inserted_at: { $inc: 1 } }, 'parameter.read_only inserted_at'],
  ])('%s', async (_, changes, message) => {
    const id = await item({ stock: 1 });
    expect(refusalOf(await member.put(`/item/unit/${id}`, changes))).toEqual({ status: 400, messages: [message] });
  });

  it('is limited in its objects', async () => {
    const id = await item();
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, {}]));
    const reply = await member.put(`/item/unit/${id}`, { meta: { $merge: many } });
    expect(refusalOf(reply)).toEqual({ status: 400, messages: ['parameter.too_long meta'] });
    const deep = Array.from({ length: 95 }).reduce((inner: object) => ({ in: inner }), { a: 1 });
    await ok(member.put(`/item/unit/${id}`, { meta: { $merge: deep } }));
  });

  it('is one of the key, and of definitions', async () => {
    await ok(admin.post('/code/unit', { number: 1 }));
    expect(refusalOf(await admin.put('/code/unit/1', { number: { $inc: 1 } }))).toEqual({
      status: 409,
      messages: ['unit.key_immutable number'],
    });
    expect(refusalOf(await admin.put('/kind/unit/country', { parameters: { $add: ['stock'] } })).status).toBe(400);
  });
});

describe('at the same time', () => {
  it('twenty increments are all there, and so are elements and keys', async () => {
    const id = await item({ count: 0, labels: [], meta: {} });
    const each = Array.from({ length: 20 }, (_, at) => at);
    const replies = await Promise.all(
      each.map((at) =>
        member.put(`/item/unit/${id}`, {
          count: { $inc: 1 },
          labels: { $add: [`l${at}`] },
          meta: { $merge: { [`k${at}`]: at } },
        }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(each.map(() => 200));
    const content = (await member.get(`/item/unit/${id}`)).body.content as { labels: string[] };
    expect(content).toMatchObject({ count: 20, meta: Object.fromEntries(each.map((at) => [`k${at}`, at])) });
    expect(content.labels.toSorted()).toEqual(each.map((at) => `l${at}`).toSorted());
  });

  it('decrements stop at the minimum', async () => {
    const id = await item({ stock: 5 });
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => member.put(`/item/unit/${id}`, { stock: { $inc: -1 } })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(7);
    expect((await member.get(`/item/unit/${id}`)).body.content).toMatchObject({ stock: 0 });
  });

  it('hooks lose none', async () => {
    const id = await createdId(admin.post('/hooked/unit', { stock: 0 }));
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => admin.put(`/hooked/unit/${id}`, { stock: { $inc: 1 } })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect((await admin.get(`/hooked/unit/${id}`)).body.content).toMatchObject({ stock: 10 });
  });
});

describe('a hook', () => {
  it('gets the result', async () => {
    const id = await createdId(admin.post('/hooked/unit', { stock: 5, labels: ['a'], meta: { a: 1 } }));
    const changes = { stock: { $inc: 2 }, labels: { $add: ['b'] }, meta: { $merge: { b: 2 } } };
    const content = await ok(admin.put(`/hooked/unit/${id}`, changes));
    const given = { stock: 7, labels: ['a', 'b'], meta: { a: 1, b: 2 } };
    expect(content).toMatchObject({ ...given, seen: { before: 5, given } });
    expect(refusalOf(await admin.put(`/hooked/unit/${id}`, { stock: { $inc: 94 } }))).toEqual({
      status: 409,
      messages: ['parameter.bad_expression stock'],
    });
  });

  it('after the write sees it too, and a function can use one', async () => {
    const id = await createdId(admin.post('/after/unit', { stock: 50 }));
    expect((await admin.put(`/after/unit/${id}`, { stock: { $inc: 10 } })).status).toBe(200);
    expect((await admin.put(`/after/unit/${id}`, { stock: { $inc: 11 } })).status).toBe(500);
    expect(await ok(admin.post('/after/function/take', { from: id }))).toMatchObject({ stock: 59 });
  });
});
