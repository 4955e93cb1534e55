/** Upserts, writes by filter and expressions in functions: as in the REST API, with the rights of the caller. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';

const folder = new FunctionsFolder({
  'stock.ts': `import { kind } from 'kind';
    const stock = kind('stock');
    const json = { type: 'json', required: true } as const;
    export default stock.module({
      functions: {
        upsert: stock.function({
          description: 'Upserts one',
          parameters: { values: json, options: { type: 'json' } },
          run: ({ units, parameters: { values, options } }) => units('stock').upsert(values as object, (options ?? undefined) as object),
        }),
        upsert_all: stock.function({
          description: 'Upserts many',
          parameters: { values: json, options: { type: 'json' } },
          run: ({ units, parameters: { values, options } }) =>
            units('stock').upsertAll(values as object[], (options ?? undefined) as object),
        }),
        update_all: stock.function({
          description: 'Edits by filter',
          parameters: { filter: { type: 'string' }, values: json, options: { type: 'json' } },
          run: ({ units, parameters: { filter, values, options } }) =>
            units('stock').updateAll(filter as string, values as object, (options ?? undefined) as object),
        }),
        remove_all: stock.function({
          description: 'Deletes by filter',
          parameters: { filter: { type: 'string' }, options: { type: 'json' } },
          run: ({ units, parameters: { filter, options } }) =>
            units('stock').removeAll(filter as string, (options ?? undefined) as object),
        }),
        write: stock.function({
          description: 'Writes in every way, and shows what it gets',
          parameters: { options: { type: 'json' } },
          async run({ units, system, parameters: { options } }) {
            const shown = options as object;
            const of = system.units('stock');
            const one = await of.create({ code: 'w1', amount: 1, secret: 's' }, shown);
            const many = await of.createAll([{ code: 'w2', amount: 2 }, { code: 'w3', first: { code: 'w0' } }], shown);
            const { items: [first] } = await of.list({ filter: 'eq(code,w1)' });
            const edited = await of.update(first!.id, { amount: 5 }, { ifMatch: one.etag, ...shown });
            const { unit, result } = await of.upsert({ code: 'w2', amount: 3 }, { by: 'code', ...shown });
            const refused = await of.create({ code: 'w4' }, { includes: ['code'] } as object).catch((error: Error) => error.message);
            return { one, secret: one.secret, many, edited, unit, result, refused, left: await of.removeAll('startswith(code,w)') };
          },
        }),
        take: stock.function({
          description: 'Takes one, and one too many, and goes on',
          parameters: { of: { type: 'string', required: true } },
          async run({ units, parameters: { of } }) {
            const { amount } = await units('stock').update(of, { amount: { $inc: -1 }, tags: { $add: ['taken'] } });
            const refused = await units('stock').update(of, { amount: { $inc: -100 } }).catch((error: { code: string }) => error.code);
            return { amount, refused };
          },
        }),
      },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
await defineKinds(project, {
  id: 'stock',
  access: { update: 'ne(code,fixed)', delete: 'ne(code,fixed)', function: 'member' },
  parameters: [
    { id: 'code', kind_id: 'string', unique: true },
    { id: 'amount', kind_id: 'integer', min_value: 0 },
    { id: 'tags', kind_id: 'string', multiple: true },
    { id: 'secret', kind_id: 'string', hidden: true },
    { id: 'first', kind_id: 'unit', reference_kind: 'stock' },
  ],
});
await reload(service);
const member = await asMember(project);

const call = (name: string, body: unknown, caller = project) => caller.post(`/stock/function/${name}`, body);
const all = async () =>
  ((await ok(project.get('/stock/unit?include=code,amount,tags&order=code'))) as { items: unknown[] }).items;

describe('an upsert', () => {
  it('creates, edits and leaves a unit', async () => {
    const options = { by: ['code'] };
    const results = [];
    for (const [values, how] of [
      [{ code: 'a', amount: 1 }, options],
      [{ code: 'a', amount: 2 }, options],
      [{ code: 'a', amount: 2 }, options],
      [
        { code: 'a', amount: 9 },
        { ...options, on_conflict: 'ignore' },
      ],
    ]) {
      const { result, unit } = (await ok(call('upsert', { values, options: how }))) as {
        result: string;
        unit: { amount: number };
      };
      results.push([result, unit.amount]);
    }
    expect(results).toEqual([
      ['created', 1],
      ['updated', 2],
      ['unchanged', 2],
      ['ignored', 2],
    ]);
  });

  it('of many is all or none, and has the index of a fault', async () => {
    const options = { by: 'code' };
    const made = await ok(
      call('upsert_all', {
        values: [
          { code: 'a', amount: 3 },
          { code: 'b', amount: 4 },
        ],
        options,
      }),
    );
    expect(made).toMatchObject([{ result: 'updated' }, { result: 'created', unit: { code: 'b' } }]);
    const refused = await call('upsert_all', { values: [{ code: 'c' }, { code: 'b', amount: -1 }], options });
    expect(refused.body.messages).toMatchObject([{ code: 'parameter.too_small', parameter: 'amount', index: 1 }]);
    expect(await all()).toMatchObject([{ code: 'a' }, { code: 'b' }]);
  });

  it('refuses an option that there is not, and a parameter that is not unique', async () => {
    expect((await call('upsert', { values: {}, options: { on_conflict: 'replace' } })).status).toBe(400);
    expect((await call('upsert', { values: { amount: 1 }, options: { by: 'amount' } })).status).toBe(400);
  });
});

describe('writes by filter', () => {
  it('edit and delete what matches, and return how many', async () => {
    expect(await ok(call('update_all', { filter: 'lt(amount,10)', values: { amount: { $inc: 10 } } }))).toBe(2);
    expect(await all()).toMatchObject([{ amount: 13 }, { amount: 14 }]);
    expect(await ok(call('remove_all', { filter: 'eq(code,b)' }))).toBe(1);
    expect(await all()).toMatchObject([{ code: 'a' }]);
  });

  it('need a filter, and change nothing if there are too many', async () => {
    expect((await call('remove_all', {})).status).toBe(500);
    const refused = await call('remove_all', { filter: 'all()', options: { max_affected: 0 } });
    expect(refusalOf(refused)).toEqual({ status: 409, messages: ['unit.too_many'] });
    expect(await all()).toHaveLength(1);
  });

  it('change nothing if the caller may not change one of the units', async () => {
    await ok(
      project.post('/stock/unit', [
        { code: 'fixed', amount: 1 },
        { code: 'free', amount: 1 },
      ]),
    );
    expect((await call('update_all', { filter: 'all()', values: { amount: 5 } }, member)).status).toBe(403);
    expect((await call('remove_all', { filter: 'all()' }, member)).status).toBe(403);
    expect(await ok(call('remove_all', { filter: 'eq(code,free)' }, member))).toBe(1);
  });
});

it('an expression is applied to what is stored, and one that does not fit leaves the call as it is', async () => {
  const { items } = (await ok(project.get('/stock/unit?filter=eq(code,a)'))) as { items: { id: string }[] };
  const of = items[0]?.id;
  const takes = await Promise.all(Array.from({ length: 5 }, () => ok(call('take', { of }))));
  expect(takes.map((each) => (each as { amount: number }).amount).sort()).toEqual([10, 11, 12, 8, 9]);
  expect(new Set(takes.map((each) => (each as { refused: string }).refused)).size).toBe(1);
  expect(await ok(project.get(`/stock/unit/${of}?include=amount,tags`))).toEqual({
    amount: 8,
    tags: Array.from({ length: 5 }, () => 'taken'),
  });
});

describe('what a write answers', () => {
  const write = async (options: object) => ok(call('write', { options }));

  it('is what include names, with the ETag of the unit, and hidden values not enumerable', async () => {
    const include = ['code', 'amount', 'secret', 'first.code', 'n:count_related(stock.first)', 'can()'];
    const can = { update: true, delete: true, link: true, functions: [] as string[], transitions: {} };
    const shown = (code: string, amount: number | null, first: unknown = null) => ({ code, amount, first, n: 0, can });
    expect(await write({ include, nest: true })).toEqual({
      one: shown('w1', 1),
      secret: 's',
      many: [shown('w2', 2), shown('w3', null, { id: expect.any(String) as string, code: 'w0' })],
      edited: shown('w1', 5),
      unit: shown('w2', 3),
      result: 'updated',
      refused: "units('stock').create(values, options): there is no option 'includes'; there are include, nest",
      left: 4,
    });
  });

  it('is the whole unit without it', async () => {
    const { one } = (await write({})) as { one: object };
    expect(one).toMatchObject({ kind_id: 'stock', code: 'w1', amount: 1, tags: null, first: null });
  });

  it('is refused where it is not known, as in lists', async () => {
    expect(refusalOf(await call('write', { options: { include: ['cod'] } }))).toEqual({
      status: 400,
      messages: ['parameter.unknown include'],
    });
    expect(refusalOf(await call('write', { options: { include: [] } }))).toEqual({
      status: 400,
      messages: ['query.bad_value include'],
    });
  });
});
