/** Edits and deletions by filter: all units that match, or none. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, query, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import type { Reply, TestProject } from '../../support/service.js';

const folder = new FunctionsFolder({
  'hooked.ts': `
    import { kind, FunctionError } from 'kind';
    export default kind('hooked').module({
      hooks: {
        before_update: ({ unit, values }) => {
          if (unit.name === 'stop') throw new FunctionError(409, 'hooked.stop', 'stop');
          return { name: unit.name + '!' };
        },
        before_delete: ({ unit }) => {
          if (unit.name === 'stop') throw new FunctionError(409, 'hooked.stop', 'stop');
        },
      },
    });`,
  'kept.ts': `
    import { kind, FunctionError } from 'kind';
    const refuse = ({ unit }) => {
      if (unit.name === 'stop') throw new FunctionError(409, 'kept.stop', 'stop');
    };
    export default kind('kept').module({ hooks: { before_delete: refuse } });`,
  'made.ts': `
    import { kind } from 'kind';
    export default kind('made').module({ hooks: { before_create: () => ({ state: 'new' }) } });`,
});
const service = await sharedServiceWith(folder);
const admin = await service.project();
const open = { read: 'member', create: 'member', update: 'member', delete: 'member' };
const own = 'eq(owner,@member.id)';
const member = await asMember(admin);
const memberId = ((await ok(member.get('/auth/me'))) as { id: string }).id;
await defineKinds(
  admin,
  { id: 'city', access: open, parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'task',
    access: open,
    parameters: [
      'name',
      { id: 'state', kind_id: 'string', values: ['new', 'open', 'done'] },
      { id: 'points', kind_id: 'integer', max_value: 100 },
      { id: 'code', kind_id: 'string', unique: true },
      { id: 'once', kind_id: 'integer', write_once: true },
      { id: 'secret', kind_id: 'string', read_access: 'admin' },
      { id: 'city', kind_id: 'unit', reference_kind: 'city', on_delete: 'restrict' },
    ],
  },
  {
    id: 'note',
    access: { read: 'member', create: 'member', update: own, delete: own },
    parameters: [{ id: 'owner', kind_id: 'unit', reference_kind: 'person' }, 'name', 'state'],
  },
  {
    id: 'letter',
    access: { ...open, read: 'ne(state,done)' },
    parameters: ['name', 'state'],
  },
  {
    id: 'part',
    access: open,
    parameters: ['name', { id: 'task', kind_id: 'unit', reference_kind: 'task', on_delete: 'cascade' }],
  },
  { id: 'hooked', parameters: ['name', 'state', 'city'] },
  {
    id: 'kept',
    parameters: ['name', { id: 'part', kind_id: 'unit', reference_kind: 'part', on_delete: 'cascade' }, 'task'],
  },
  { id: 'made', parameters: ['name', 'state'] },
  {
    id: 'tagged',
    unique: [['list', 'place']],
    parameters: [
      'name',
      { id: 'number', kind_id: 'integer', unique: true },
      { id: 'marks', kind_id: 'integer' },
      { id: 'list', kind_id: 'string' },
      { id: 'place', kind_id: 'integer' },
      { id: 'tags', kind_id: 'string', multiple: true },
    ],
  },
);
const many = (project: TestProject, kind: string, units: readonly object[]) => ok(project.post(`/${kind}/unit`, units));
const put = (project: TestProject, kind: string, filter: string, body: object, more = '') =>
  project.put(`/${kind}/unit?filter=${encodeURIComponent(filter)}${more}`, body);
const remove = (project: TestProject, kind: string, filter: string, more = '') =>
  project.delete(`/${kind}/unit?filter=${encodeURIComponent(filter)}${more}`);
const namesOf = async (kind: string, filter: string): Promise<string[]> => {
  const { items } = (await ok(
    admin.get(`/${kind}/unit?order=name&limit=1000&filter=${encodeURIComponent(filter)}`),
  )) as { items: { name: string }[] };
  return items.map(({ name }) => name);
};

describe('an edit by filter', () => {
  it('changes all units that match, and no others', async () => {
    await many(member, 'task', [
      { name: 'a', state: 'new' },
      { name: 'b', state: 'new' },
      { name: 'c', state: 'open' },
    ]);
    expect(await ok(put(member, 'task', 'and(in(name,a,b,c),eq(state,new))', { state: 'done' }))).toEqual({ count: 2 });
    expect(await namesOf('task', 'and(in(name,a,b,c),eq(state,done))')).toEqual(['a', 'b']);
    expect(await ok(put(member, 'task', 'eq(name,nobody)', { state: 'done' }))).toEqual({ count: 0 });
  });

  it('gives every unit a new version', async () => {
    await many(member, 'task', [{ name: 'v' }]);
    const [before] = (await ok(member.get('/task/unit?filter=eq(name,v)'))).items as {
      id: string;
      updated_at: string;
    }[];
    await ok(put(member, 'task', 'eq(name,v)', {}));
    const after = (await ok(member.get(`/task/unit/${before?.id}`))) as { updated_at: string };
    expect(after.updated_at > (before?.updated_at ?? '')).toBe(true);
  });

  it('answers the units with include', async () => {
    const rome = await createdId(member.post('/city/unit', { name: 'Rome' }));
    await many(member, 'task', [
      { name: 'i1', city: rome },
      { name: 'i2', points: 2 },
    ]);
    const content = await ok(
      put(member, 'task', 'startswith(name,i)', { points: { $inc: 1 } }, '&include=[name,points,city.name]'),
    );
    expect(content).toEqual({
      count: 2,
      items: [
        { name: 'i1', points: 1, 'city.name': 'Rome' },
        { name: 'i2', points: 3, 'city.name': null },
      ],
    });
  });

  it('refuses more than max_affected, and changes nothing', async () => {
    await many(
      member,
      'task',
      ['m1', 'm2', 'm3'].map((name) => ({ name })),
    );
    const refused = await put(member, 'task', 'startswith(name,m)', { state: 'done' }, '&max_affected=2');
    expect(refusalOf(refused)).toEqual({ status: 409, messages: ['unit.too_many'] });
    expect(await namesOf('task', 'and(startswith(name,m),isnull(state))')).toEqual(['m1', 'm2', 'm3']);
    expect(await ok(put(member, 'task', 'startswith(name,m)', { state: 'done' }, '&max_affected=3'))).toEqual({
      count: 3,
    });
  });

  it('is refused where one of the units may be read, but not changed', async () => {
    await many(member, 'note', [
      { name: 'n1', owner: memberId, state: 'new' },
      { name: 'n2', state: 'new' },
    ]);
    const refused = await put(member, 'note', 'startswith(name,n)', { state: 'done' });
    expect(refusalOf(refused)).toEqual({ status: 403, messages: ['access.denied'] });
    expect(await namesOf('note', 'eq(state,done)')).toEqual([]);
    expect(
      await ok(put(member, 'note', 'and(startswith(name,n),eq(state,new),isnull(owner,false))', { state: 'done' })),
    ).toEqual({ count: 1 });
    expect(refusalOf(await put(member, 'note', 'eq(name,n1)', { owner: null }))).toMatchObject({ status: 403 });
    expect(refusalOf(await put(member, 'note', 'startswith(name,n)', { state: 'bad' }))).toMatchObject({ status: 403 });
  });

  it('does not see units that the caller may not read', async () => {
    await many(admin, 'letter', [
      { name: 'l1', state: 'new' },
      { name: 'l2', state: 'done' },
    ]);
    expect(await ok(put(member, 'letter', 'all()', { state: 'open' }))).toEqual({ count: 1 });
    expect(await namesOf('letter', 'eq(state,done)')).toEqual(['l2']);
    const out = await ok(put(member, 'letter', 'all()', { state: 'done' }, '&include=name'));
    expect(out).toEqual({ count: 1, items: [] });
  });

  it.each([
    ['no filter', '', { state: 'done' }, 400, 'query.bad_value filter'],
    ['a filter with a fault', '?filter=eq(name', { state: 'done' }, 400, 'filter.syntax'],
    ['an unknown parameter', '?filter=eq(nme,x)', {}, 400, 'filter.unknown_parameter nme'],
    ['a parameter that the caller may not read', '?filter=eq(secret,x)', {}, 400, 'filter.unknown_parameter secret'],
    ['an unknown query parameter', '?filter=all()&limit=1', {}, 400, 'query.unknown limit'],
    ['a limit out of range', '?filter=all()&max_affected=100001', {}, 400, 'query.bad_value max_affected'],
    ['an unknown field to answer', '?filter=all()&include=nme', {}, 400, 'parameter.unknown include'],
    ['a bad value', '?filter=eq(name,a)', { state: 'bad' }, 400, 'parameter.not_allowed state'],
    ['an unknown parameter of the body', '?filter=eq(name,a)', { nme: 1 }, 400, 'parameter.unknown nme'],
    ['an id', '?filter=eq(name,a)', { id: '00000000-0000-4000-8000-000000000000' }, 400, 'parameter.immutable id'],
    ['a nested unit', '?filter=eq(name,a)', { city: { name: 'x' } }, 400, 'parameter.bad_value city'],
    [
      'a missing unit',
      '?filter=eq(name,a)',
      { city: '00000000-0000-4000-8000-000000000000' },
      400,
      'parameter.bad_reference city',
    ],
    ['a list', '?filter=eq(name,a)', [{ state: 'done' }], 400, 'body.not_object'],
  ])('is refused with %s', async (_, url, body, status, message) => {
    expect(refusalOf(await member.put(`/task/unit${url}`, body))).toEqual({ status, messages: [message] });
  });

  it('holds unique, write_once, bounds and rules in every unit', async () => {
    await many(member, 'task', [
      { name: 'u1', once: 1, points: 99 },
      { name: 'u2', points: 1 },
    ]);
    const all = 'startswith(name,u)';
    expect(refusalOf(await put(member, 'task', all, { code: 'x' }))).toEqual({
      status: 409,
      messages: ['parameter.not_unique code'],
    });
    expect(refusalOf(await put(member, 'task', all, { once: 2 }))).toEqual({
      status: 409,
      messages: ['parameter.write_once once'],
    });
    expect(refusalOf(await put(member, 'task', all, { points: { $inc: 2 } }))).toEqual({
      status: 409,
      messages: ['parameter.bad_expression points'],
    });
    expect((await ok(put(member, 'task', all, { points: { $inc: 1 }, once: 1 }))) as object).toEqual({ count: 2 });
    const header = { headers: { 'if-match': '"1"' } };
    expect(refusalOf(await member.put('/task/unit?filter=all()', {}, header))).toEqual({
      status: 400,
      messages: ['header.not_here'],
    });
  });

  it('is not there for definitions', async () => {
    expect(refusalOf(await put(admin, 'kind', 'all()', { label: 'x' }))).toEqual({
      status: 405,
      messages: ['route.method'],
    });
    expect(refusalOf(await remove(admin, 'kind_admin', 'all()'))).toEqual({
      status: 405,
      messages: ['route.method'],
    });
  });

  it('runs hooks for each unit, all or none', async () => {
    await many(admin, 'hooked', [{ name: 'h1' }, { name: 'h2' }]);
    expect(await ok(put(admin, 'hooked', 'startswith(name,h)', { state: 'open' }, '&include=name,state'))).toEqual({
      count: 2,
      items: [
        { name: 'h1!', state: 'open' },
        { name: 'h2!', state: 'open' },
      ],
    });
    await many(admin, 'hooked', [{ name: 'stop' }]);
    expect((await put(admin, 'hooked', 'all()', { state: 'done' })).status).toBe(409);
    expect(await namesOf('hooked', 'eq(state,done)')).toEqual([]);
    expect((await remove(admin, 'hooked', 'all()')).status).toBe(409);
    expect(await ok(remove(admin, 'hooked', 'ne(name,stop)'))).toEqual({ count: 2 });
    expect(await namesOf('hooked', 'all()')).toEqual(['stop']);
  });

  it('checks its body where nothing matches, with hooks or without', async () => {
    const body = { nme: 1, state: 'x', city: '00000000-0000-7000-8000-000000000000' };
    for (const kind of ['task', 'hooked']) {
      expect(refusalOf(await put(admin, kind, 'eq(name,nobody)', body))).toEqual({
        status: 400,
        messages: ['parameter.unknown nme', 'parameter.not_allowed state', 'parameter.bad_reference city'],
      });
      expect(refusalOf(await put(admin, kind, 'eq(name,nobody)', { ...body, city: { name: 'x' } }))).toEqual({
        status: 400,
        messages: ['parameter.unknown nme', 'parameter.not_allowed state', 'parameter.bad_value city'],
      });
      expect(await ok(put(admin, kind, 'eq(name,nobody)', { state: 'new' }))).toEqual({ count: 0 });
    }
    // Of a member kind the service itself looks at the names of each member.
    expect(await ok(put(admin, 'person', 'eq(username,nobody)', { username: 'other' }))).toEqual({ count: 0 });
  });

  it('of the same units at the same time loses nothing', async () => {
    await many(
      member,
      'task',
      Array.from({ length: 30 }, (_, at) => ({ name: `p${at}`, points: 0 })),
    );
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => put(member, 'task', 'startswith(name,p)', { points: { $inc: 1 } })),
    );
    expect(replies.map(({ body }) => body.content as object)).toEqual(Array(20).fill({ count: 30 }));
    expect(await namesOf('task', 'and(startswith(name,p),eq(points,20))')).toHaveLength(30);
  });

  it('takes units once where each edit takes them out of the filter', async () => {
    await many(
      member,
      'task',
      Array.from({ length: 20 }, (_, at) => ({ name: `q${at}`, state: 'new' })),
    );
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => put(member, 'task', 'and(startswith(name,q),eq(state,new))', { state: 'open' })),
    );
    const counts = replies.map(({ body }) => (body.content as { count: number }).count);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
  });
});

describe('a deletion by filter', () => {
  it('deletes all units that match, with what refers to them, and keeps the count', async () => {
    await many(
      member,
      'task',
      ['d1', 'd2', 'd3'].map((name) => ({ name })),
    );
    const { items } = (await ok(member.get('/task/unit?filter=startswith(name,d)'))) as { items: { id: string }[] };
    await many(
      member,
      'part',
      items.map(({ id }, at) => ({ name: `part${at}`, task: id })),
    );
    await ok(member.post(`/task/unit/${items[0]?.id}/link/link/task/unit/${items[2]?.id}`));
    expect(await ok(remove(member, 'task', 'in(name,d1,d2)', '&include=name'))).toEqual({
      count: 2,
      items: [{ name: 'd1' }, { name: 'd2' }],
    });
    expect(await namesOf('part', 'all()')).toEqual(['part2']);
    const { count } = (await ok(member.get('/task/unit?limit=0'))) as { count: number };
    const [stored] = await query<{ count: number }>(admin, 'SELECT count(*)::int AS count FROM $schema.task');
    expect(count).toBe(stored?.count);
    const linked = (await ok(member.get(`/task/unit/${items[2]?.id}/link/parent`))) as { count: number };
    expect(linked.count).toBe(0);
  });

  it('is refused where a unit is referred to', async () => {
    const rome = await createdId(member.post('/city/unit', { name: 'Roma' }));
    await createdId(member.post('/city/unit', { name: 'Romb' }));
    await many(member, 'task', [{ name: 'r1', city: rome }]);
    const reply = await remove(member, 'city', 'in(name,Roma,Romb)');
    expect(refusalOf(reply)).toEqual({ status: 409, messages: ['unit.referenced'] });
    expect(reply.body.messages[0]?.unit).toBe(rome);
    expect((await member.delete(`/city/unit/${rome}`)).body.messages[0]).not.toHaveProperty('unit');
    expect(await namesOf('city', 'in(name,Roma,Romb)')).toEqual(['Roma', 'Romb']);
  });

  it('is refused without a filter, for too many, and for units that may only be read', async () => {
    expect(refusalOf(await member.delete('/task/unit'))).toEqual({ status: 400, messages: ['query.bad_value filter'] });
    await many(member, 'task', [{ name: 'x1' }, { name: 'x2' }]);
    expect(refusalOf(await remove(member, 'task', 'startswith(name,x)', '&max_affected=1'))).toEqual({
      status: 409,
      messages: ['unit.too_many'],
    });
    expect(refusalOf(await remove(member, 'note', 'startswith(name,n)'))).toEqual({
      status: 403,
      messages: ['access.denied'],
    });
    expect(refusalOf(await remove(admin.as(undefined), 'task', 'all()'))).toEqual({
      status: 401,
      messages: ['token.missing'],
    });
    expect(await namesOf('task', 'startswith(name,x)')).toEqual(['x1', 'x2']);
  });
});

describe('a refusal names the unit that is the reason for it', () => {
  const named = ({ status, body }: Reply) => [status, ...body.messages.map(({ code, unit }) => `${code} ${unit}`)];
  const ids = async (kind: string, units: readonly object[]) =>
    ((await many(admin, kind, units)).items as { id: string }[]).map(({ id }) => id);

  it('where the result of an expression may not be stored', async () => {
    const [, full] = await ids('task', [
      { name: 'e1', points: 1 },
      { name: 'e2', points: 100 },
      { name: 'e3', points: 50 },
    ]);
    const reply = await put(member, 'task', 'startswith(name,e)', { points: { $inc: 1 }, state: 'open' });
    expect(named(reply)).toEqual([409, `parameter.bad_expression ${full}`]);
    expect(reply.body.messages[0]).toMatchObject({
      parameter: 'points',
      text: 'points: the result of the expression does not fit the parameter',
    });
    expect(named(await put(member, 'task', 'startswith(name,e)', { points: { $inc: 1 } }, '&include=name'))).toEqual([
      409,
      `parameter.bad_expression ${full}`,
    ]);
    const range = await put(member, 'task', 'startswith(name,e)', { points: { $inc: -9007199254740991 - 1 } });
    expect(range.status).toBe(400);
    const [, large] = await ids('tagged', [
      { name: 'g1', tags: ['a'] },
      { name: 'g2', marks: 9_000_000_000_000_000 },
    ]);
    expect(named(await put(admin, 'tagged', 'startswith(name,g)', { marks: { $inc: 9_000_000_000_000_000 } }))).toEqual(
      [409, `parameter.bad_expression ${large}`],
    );
  });

  it('where it would have the unique values of another one', async () => {
    const [one, two, three] = await ids('tagged', [
      { name: 'q', number: 1, list: 'a', place: 1 },
      { name: 'q', number: 5, list: 'a', place: 2 },
      { name: 'q', number: 9, list: 'b', place: 2 },
      { name: 'other', number: 14 },
    ]);
    expect(named(await put(admin, 'tagged', 'eq(name,q)', { number: { $inc: 5 } }))).toEqual([
      409,
      `parameter.not_unique ${three}`,
    ]);
    expect(named(await put(admin, 'tagged', 'eq(name,q)', { number: 7 }))).toEqual([
      409,
      `parameter.not_unique ${two}`,
    ]);
    expect(named(await put(admin, 'tagged', 'eq(number,1)', { number: 14, list: 'b', place: 2 }))).toEqual([
      409,
      `parameter.not_unique ${one}`,
      `unit.not_unique ${one}`,
    ]);
    expect(named(await put(admin, 'tagged', 'eq(name,q)', { list: 'c' }, '&include=name'))).toEqual([
      409,
      `unit.not_unique ${three}`,
    ]);
  });

  it('where it has a value that may be written once, or the caller may not change it', async () => {
    const [first, second] = await ids('task', [
      { name: 'w1', once: 1 },
      { name: 'w2', once: 2 },
    ]);
    expect(named(await put(member, 'task', 'startswith(name,w)', { once: 1 }))).toEqual([
      409,
      `parameter.write_once ${second}`,
    ]);
    expect(first).not.toBe(second);
    const [, other] = await ids('note', [
      { name: 'm1', owner: memberId },
      { name: 'm2', owner: null },
    ]);
    for (const reply of [
      await put(member, 'note', 'in(name,m1,m2)', { name: 'n' }),
      await put(member, 'note', 'in(name,m1,m2)', { name: 'n' }, '&include=name'),
      await remove(member, 'note', 'in(name,m1,m2)'),
    ])
      expect(named(reply)).toEqual([403, `access.denied ${other}`]);
    const leaving = await put(member, 'note', 'eq(name,m1)', { owner: null });
    expect(leaving.status).toBe(403);
    expect(leaving.body.messages[0]?.unit).toEqual(expect.any(String));
  });

  it('edits at once where hooks run for other writes only', async () => {
    await many(
      admin,
      'made',
      Array.from({ length: 20 }, (_, at) => ({ name: `m${at}` })),
    );
    const statements = await admin.statements(() => ok(put(admin, 'made', 'all()', { state: 'done' })));
    expect(statements).toBe(1);
    expect(await namesOf('made', 'eq(state,done)')).toHaveLength(20);
  });

  it('where its hook refuses', async () => {
    const [go, stop] = await ids('hooked', [{ name: 'h1' }, { name: 'stop' }]);
    const filter = `in(id,${go},${stop})`;
    expect(named(await put(admin, 'hooked', filter, { state: 'new' }))).toEqual([409, `hooked.stop ${stop}`]);
    expect(named(await remove(admin, 'hooked', filter))).toEqual([409, `hooked.stop ${stop}`]);
    // Of a unit that is deleted with one, directly or over another one.
    const tasks = await ids('task', [{ name: 'go' }, { name: 'near' }, { name: 'far' }]);
    const [, , part] = await ids(
      'part',
      tasks.map((task) => ({ name: 'part', task })),
    );
    await many(admin, 'kept', [{ name: 'ok', task: tasks[0] }]);
    const near = await createdId(admin.post('/kept/unit', { name: 'stop', task: tasks[1] }));
    const those = `in(id,${tasks.join()})`;
    expect(named(await remove(admin, 'task', those))).toEqual([409, `kept.stop ${tasks[1]}`]);
    await ok(admin.put(`/kept/unit/${near}`, { task: null, part }));
    expect(named(await remove(admin, 'task', those))).toEqual([409, `kept.stop ${tasks[2]}`]);
    // A fault of the body is that of no unit.
    expect(named(await put(admin, 'hooked', filter, { state: 'x' }))).toEqual([400, 'parameter.not_allowed undefined']);
    expect(named(await put(admin, 'hooked', filter, { city: { name: 'new' } }))).toEqual([
      400,
      'parameter.bad_value undefined',
    ]);
  });
});
