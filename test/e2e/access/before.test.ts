/** Rules of edits that compare the unit with the unit before the edit. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';

const folder = new FunctionsFolder({
  'task.ts': `
    import { FunctionError, kind } from 'kind';
    export default kind('task').module({
      hooks: {
        before_update({ values }) {
          if (values.count === 13) throw new FunctionError(409, 'task.unlucky', 'not thirteen');
          if (values.count === 99) return { count: 0 };
        },
      },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
const ann = await asMember(project);
await defineKinds(
  project,
  {
    id: 'ticket',
    access: {
      create: 'member',
      // Closed ones stay closed, the count only grows, and the title may be set, not changed.
      update: 'and(or(ne(@before.state,closed),eq(state,closed)),or(isnull(@before.count),gte(count,@before.count)))',
    },
    parameters: [
      { id: 'code', kind_id: 'string', unique: true },
      { id: 'state', kind_id: 'string' },
      { id: 'count', kind_id: 'integer' },
      { id: 'title', kind_id: 'string', write_access: 'or(isnull(@before.title),eq(title,@before.title))' },
      { id: 'owner', kind_id: 'unit', reference_kind: 'person', write_access: 'eq(owner,@before.owner)' },
    ],
  },
  {
    id: 'task',
    access: { create: 'member', update: 'gte(count,@before.count)' },
    parameters: ['count', { id: 'note', kind_id: 'string', write_access: 'gt(count,5)' }],
  },
  { id: 'comment', parameters: [{ id: 'of_ticket', kind_id: 'unit', reference_kind: 'ticket' }] },
);
const make = (body: object) => createdId(project.post('/ticket/unit', body));
const status = async (call: ReturnType<typeof ann.put>) => (await call).status;

describe('an edit', () => {
  it('is judged by the values before and after it', async () => {
    const id = await make({ state: 'open', count: 1 });
    const put = (body: object) => status(ann.put(`/ticket/unit/${id}`, body));
    expect(await put({ count: 3 })).toBe(200);
    expect(await put({ count: 2 })).toBe(403);
    expect(await put({ count: null })).toBe(403);
    expect(await put({ count: { $inc: -1 } })).toBe(403);
    expect(await put({ count: { $inc: 1 } })).toBe(200);
    expect(await put({ state: 'closed' })).toBe(200);
    expect(await put({ state: 'open' })).toBe(403);
    expect(await put({ state: 'closed', count: 9 })).toBe(200);
    expect(await ok(project.put(`/ticket/unit/${id}`, { state: 'open', count: 0 }))).toMatchObject({ state: 'open' });
  });

  it('may leave a null as it is', async () => {
    const id = await make({ state: 'open' });
    const put = (body: object) => status(ann.put(`/ticket/unit/${id}`, body));
    expect(await put({ owner: null, title: 'first' })).toBe(200);
    expect(await put({ title: 'first' })).toBe(200);
    expect(await put({ title: 'second' })).toBe(403);
    expect(await put({ title: null })).toBe(403);
  });

  it('of several units, by a filter, and by a key is judged as one of a unit is', async () => {
    await make({ code: 'a', count: 5 });
    await make({ code: 'b', count: 1 });
    const both = (count: number) => ['a', 'b'].map((code) => ({ code, count }));
    expect(await status(ann.post('/ticket/unit?on_conflict=update&by=code', both(3)))).toBe(403);
    expect(await status(ann.put('/ticket/unit?filter=in(code,a,b)', { count: 3 }))).toBe(403);
    expect(await status(ann.post('/ticket/unit?on_conflict=update&by=code', { code: 'a', count: 3 }))).toBe(403);
    const file = 'code,count\na,3\nb,3\n';
    const csv = { headers: { 'content-type': 'text/csv' } };
    expect(await status(ann.call('POST', '/ticket/import?on_conflict=update&by=code', file, csv))).not.toBe(200);
    expect(await ok(project.get('/ticket/unit?filter=in(code,a,b)&order=code&include=count'))).toMatchObject({
      items: [{ count: 5 }, { count: 1 }],
    });
    expect(await status(ann.post('/ticket/unit?on_conflict=update&by=code', both(6)))).toBe(200);
    expect(await status(ann.put('/ticket/unit?filter=in(code,a,b)', { count: 7 }))).toBe(200);
  });

  it('names the parameter whose rule forbids it, whichever way it is made', async () => {
    const ids = [await make({ code: 'c', title: 'first' }), await make({ code: 'd', title: 'second' })];
    const said = async (call: ReturnType<typeof ann.put>) => {
      const { status: answered, body } = await call;
      return [answered, ...body.messages.map(({ parameter, index, unit }) => ({ parameter, index, unit }))];
    };
    const edits = ['c', 'd'].map((code) => ({ code, title: 'first' }));
    const title = { parameter: 'title' };
    expect(await said(ann.put(`/ticket/unit/${String(ids[1])}`, { title: 'first' }))).toEqual([403, title]);
    expect(await said(ann.put('/ticket/unit?filter=in(code,c,d)', { title: 'first' }))).toEqual([
      403,
      { ...title, unit: ids[1] },
    ]);
    expect(await said(ann.post('/ticket/unit?on_conflict=update&by=code', edits))).toEqual([
      403,
      { ...title, index: 1 },
    ]);
    // The rule of the kind comes first.
    const closed = await make({ code: 'e', state: 'closed', title: 'third' });
    expect(await said(ann.put('/ticket/unit?filter=eq(code,e)', { state: 'open', title: 'fourth' }))).toEqual([
      403,
      { unit: closed },
    ]);
    // And the stored unit before the new values.
    const tasks = [
      await createdId(project.post('/task/unit', { count: 9 })),
      await createdId(project.post('/task/unit', { count: 3 })),
    ];
    expect(await said(ann.put(`/task/unit?filter=in(id,${tasks.join()})`, { note: 'x' }))).toEqual([
      403,
      { parameter: 'note', unit: tasks[1] },
    ]);
    expect(await status(ann.put(`/task/unit?filter=eq(id,${String(tasks[0])})`, { note: 'x' }))).toBe(200);
  });

  it('in a create there is nothing before', async () => {
    expect(await status(ann.post('/ticket/unit', { title: 'mine' }))).toBe(200);
    expect(await status(ann.post('/ticket/unit', { owner: null }))).toBe(200);
  });
});

describe('an edit of a kind with hooks', () => {
  it('is judged before them by what was sent, and after them by what will be stored', async () => {
    const id = await createdId(project.post('/task/unit', { count: 20 }));
    const put = async (body: object) => refusalOf(await ann.put(`/task/unit/${id}`, body));
    // What the caller may not do anyway is no matter of the hook.
    expect(await put({ count: 13 })).toEqual({ status: 403, messages: ['access.denied'] });
    expect(await put({ count: { $inc: -7 } })).toEqual({ status: 403, messages: ['access.denied'] });
    // The hook makes it 0, which the caller may not.
    expect(await put({ count: 99 })).toEqual({ status: 403, messages: ['access.denied'] });
    expect((await put({ count: 30 })).status).toBe(200);
    const low = await createdId(project.post('/task/unit', { count: 1 }));
    expect(refusalOf(await ann.put(`/task/unit/${low}`, { count: 13 }))).toMatchObject({ messages: ['task.unlucky'] });
  });

  it('names the parameter whose rule does not let it be written', async () => {
    const id = await createdId(project.post('/task/unit', { count: 6, note: 'x' }));
    const lowered = { count: 6, note: 'y' };
    expect((await ann.put(`/task/unit/${id}`, lowered)).status).toBe(200);
    const low = await createdId(project.post('/task/unit', { count: 1 }));
    const refused = await ann.put(`/task/unit/${low}`, { count: 7, note: 'y' });
    expect(refusalOf(refused)).toEqual({ status: 403, messages: ['access.denied note'] });
  });
});

describe('a definition', () => {
  it.each([
    ['read', 'eq(state,@before.state)'],
    ['create', 'eq(state,@before.state)'],
    ['delete', 'isnull(@before.state)'],
    ['update', 'eq(state,@before.nowhere)'],
    ['update', 'eq(state,@before.owner.id)'],
    ['update', 'eq(state,@before.count)'],
    ['update', 'contains(state,@before.state)'],
    ['update', 'exists(comment.of_ticket,eq(id,@before.id))'],
    ['update', 'eq(@before.owner.id,x)'],
    ['update', 'eq(state,@before)'],
    ['update', 'eq(id,@before.id)'],
    ['update', 'lt(updated_at,@before.updated_at)'],
    ['update', 'isnull(@before.kind_id)'],
  ])('refuses %s: %s, and says where', async (operation, rule) => {
    const { status: found, body } = await project.put('/kind/unit/ticket', { access: { [operation]: rule } });
    expect(found, JSON.stringify(body)).toBe(400);
    expect(body.messages[0]?.text).toMatch(new RegExp(`^access.${operation}: .*at character \\d+`));
  });

  it('whose rule names a parameter that is dropped lets nobody edit', async () => {
    await ok(
      project.post('/kind/unit', {
        id: 'page',
        access: { update: 'eq(locked,@before.locked)' },
        parameters: [{ id: 'locked', kind_id: 'boolean' }, 'state'],
      }),
    );
    await ok(project.put('/kind/unit/page', { parameters: ['state'] }));
    expect(await ok(project.get('/kind/unit/page'))).toMatchObject({ access: { update: 'nobody' } });
  });

  it.each(['eq(state,@before.state)', 'in(state,open,@before.state)', 'isnull(@before.state)'])(
    'is none of a filter: %s',
    async (filter) => {
      const { status: found, body } = await ann.get(`/ticket/unit?filter=${filter}`);
      expect([found, body.messages[0]?.text]).toEqual([400, expect.stringContaining('@before')]);
    },
  );

  it('may be a text of a filter, in quotes', async () => {
    expect(await ok(ann.get('/ticket/unit?filter=eq(state,"@before.state")'))).toMatchObject({ count: 0 });
  });
});
