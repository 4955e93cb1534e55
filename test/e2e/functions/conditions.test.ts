/** Units in functions have ETags, which are conditions of writes, and can be locked. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';

const HEAD = `import { kind } from 'kind';
import { setTimeout as think } from 'node:timers/promises';
const text = { type: 'string', required: true } as const;`;
const folder = new FunctionsFolder({
  'note.ts': `${HEAD}
    const note = kind('note');
    const etags = (...units) => units.map((unit) => [unit.etag, Object.keys(unit).includes('etag')]);
    export default note.module({
      functions: {
        etags: note.function({
          description: 'The ETags of units',
          parameters: { of: text },
          async run({ units, parameters: { of: id } }) {
            const created = await units('note').create({ text: 'new' });
            const [all] = await units('note').createAll([{ text: 'newer' }]);
            const updated = await units('note').update(id, { text: 'changed' });
            return etags(await units('note').get(id), await units('note').find(id), updated, created, all);
          },
        }),
        edit: note.function({
          description: 'Edits a unit if it has not changed',
          parameters: { of: text, if_match: { type: 'string' } },
          run: ({ units, parameters: { of: id, if_match } }) =>
            units('note').update(id, { text: 'edited' }, { ifMatch: if_match ?? undefined }),
        }),
        remove: note.function({
          description: 'Deletes a unit if it has not changed',
          parameters: { of: text, if_match: { type: 'string' } },
          run: ({ units, parameters: { of: id, if_match } }) => units('note').remove(id, { ifMatch: if_match }),
        }),
        careless: note.function({
          description: 'Gives options that there are not',
          parameters: { of: text },
          run: ({ units, parameters: { of: id } }) => units('note').get(id, { locked: true } as object),
        }),
        locked: note.function({
          description: 'Locks a unit that may not be there',
          parameters: { of: text },
          run: async ({ units, parameters: { of: id } }) => (await units('note').find(id, { lock: true })) === null,
        }),
      },
    });`,
  'tagged.ts': `${HEAD}
    const tagged = kind('tagged');
    export default tagged.module({
      functions: {
        etag: tagged.function({
          description: 'A parameter of the name',
          run: async ({ units }) => (await units('tagged').create({ etag: 'mine' })).etag,
        }),
      },
    });`,
  'customer.ts': `${HEAD}
    const customer = kind('customer');
    export default customer.module({
      unitFunctions: {
        order: customer.unitFunction({
          description: 'Creates an order, unless there are five',
          methods: ['POST'],
          async run({ units, unit }) {
            await units('customer').get(unit.id, { lock: true });
            const { count } = await units('order').list({ filter: 'eq(customer,' + unit.id + ')', limit: 0 });
            if (count >= 5) return false;
            await think(2);
            await units('order').create({ customer: unit.id });
            return true;
          },
        }),
      },
    });`,
  'far.ts': `${HEAD}
    export default kind('far').module({
      functions: {
        lock: kind('far').function({
          description: 'Locks a unit of a source',
          run: ({ units }) => units('far').get('one', { lock: true }),
        }),
      },
      remote: { list: () => ({ count: 0, items: [] }), get: (id) => ({ id }) },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
await defineKinds(
  project,
  { id: 'note', parameters: [{ id: 'text', kind_id: 'string' }] },
  { id: 'tagged', parameters: [{ id: 'etag', kind_id: 'string' }] },
  { id: 'customer' },
  { id: 'order', parameters: [{ id: 'customer', kind_id: 'unit', reference_kind: 'customer' }] },
  { id: 'far', remote: true },
);
await reload(service);

const note = () => createdId(project.post('/note/unit', { text: 'first' }));
const etagOf = async (id: string) => (await project.get(`/note/unit/${id}`)).headers.get('etag') ?? '';
const textOf = async (id: string) => ((await ok(project.get(`/note/unit/${id}`))) as { text: string }).text;

describe('the ETag of a unit', () => {
  it('is that of the endpoint, and not enumerable', async () => {
    const id = await note();
    const etags = (await ok(project.post('/note/function/etags', { of: id }))) as [string, boolean][];
    const now = await etagOf(id);
    expect(etags.slice(0, 3)).toEqual([1, 2, 3].map(() => [now, false]));
    expect(etags.slice(3)).toEqual([1, 2].map(() => [expect.stringMatching(/^"[0-9a-z]+-[0-9a-z]+"$/), false]));
  });

  it('gives way to a parameter of that name', async () => {
    expect(await ok(project.post('/tagged/function/etag', {}))).toBe('mine');
  });
});

describe('a condition', () => {
  it('lets an edit of the same version through, and no other', async () => {
    const id = await note();
    const old = await etagOf(id);
    await ok(project.put(`/note/unit/${id}`, { text: 'second' }));
    const stale = await project.post('/note/function/edit', { of: id, if_match: old });
    expect(refusalOf(stale)).toEqual({ status: 412, messages: ['unit.changed'] });
    expect(await textOf(id)).toBe('second');
    await ok(project.post('/note/function/edit', { of: id, if_match: await etagOf(id) }));
    expect(await textOf(id)).toBe('edited');
  });

  it('lets a deletion of the same version through, and no other', async () => {
    const id = await note();
    const old = await etagOf(id);
    await ok(project.put(`/note/unit/${id}`, { text: 'second' }));
    expect((await project.post('/note/function/remove', { of: id, if_match: old })).status).toBe(412);
    expect(await textOf(id)).toBe('second');
    await ok(project.post('/note/function/remove', { of: id, if_match: await etagOf(id) }));
    expect((await project.get(`/note/unit/${id}`)).status).toBe(404);
  });

  it('that is not there is an error of the function, not a write without condition', async () => {
    const id = await note();
    expect((await project.post('/note/function/edit', { of: id })).status).toBe(500);
    expect((await project.post('/note/function/remove', { of: id, if_match: null })).status).toBe(500);
    expect(await textOf(id)).toBe('first');
  });

  it('refuses options that there are not', async () => {
    expect((await project.post('/note/function/careless', { of: await note() })).status).toBe(500);
  });
});

describe('a lock', () => {
  it('makes each of several calls read what those before it stored', async () => {
    const id = await createdId(project.post('/customer/unit', {}));
    const calls = Array.from({ length: 20 }, () => ok(project.post(`/customer/unit/${id}/function/order`)));
    const made = (await Promise.all(calls)).filter((each) => each === true);
    expect(made).toHaveLength(5);
    expect(await ok(project.get('/order/unit?limit=0'))).toMatchObject({ count: 5 });
  });

  it('of a unit that does not exist locks nothing', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    expect(await ok(project.post('/note/function/locked', { of: id }))).toBe(true);
    expect(await ok(project.post('/note/function/locked', { of: await note() }))).toBe(false);
  });

  it('of a remote unit is refused', async () => {
    expect(refusalOf(await project.post('/far/function/lock', {}))).toEqual({
      status: 404,
      messages: ['kind.not_allowed_here'],
    });
  });
});
