/** Remote kinds: units that come from a real HTTP server, through the ordinary endpoints and through functions. */
import { pino } from 'pino';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { anonymous, asMember, defineKinds, documented } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { RemoteService, remoteModule } from '../../support/remote.source.js';
import { startTestService } from '../../support/service.js';

const source = new RemoteService();
const url = await source.start();
const NEAR = `
import { kind, FunctionError } from 'kind';
const near = kind('near');
export default near.module({ functions: {
  list: near.function({ description: 'Lists', run: async ({ units }) => units('far').list({ filter: 'eq(secret,x)', order: 'name;asc' }) }),
  work: near.function({ description: 'Writes', run: async ({ units }) => {
    const made = await units('far').create({ name: 'made' });
    const changed = await units('far').update(made.id, { size: 7 });
    const found = await units('far').find(made.id);
    await units('far').remove(made.id);
    return [made.name, changed['size'], found?.['size'], await units('far').find(made.id)];
  } }),
  goes_on: near.function({ description: 'Goes on without', run: ({ units }) =>
    units('far').list().catch((error: { code: string }) => error.code) }),
  all: near.function({ description: 'Makes several', run: ({ units }) => units('far').createAll([{ name: 'a' }]) }),
  undone: near.function({ description: 'Is undone', run: async ({ units }) => {
    await units('near').create({ name: 'undone' });
    await units('far').create({ name: 'kept' });
    throw new FunctionError(409, 'near.undone', 'Undone');
  } }),
} });`;
const HOOKS = `hooks: {
  before_create: async ({ values, system }) => {
    if (values['name'] === 'no') throw new FunctionError(409, 'far.no', 'No');
    await system.units('near').create({ name: 'before ' + values['name'] });
    return { name: String(values['name']) + '!' };
  },
  after_create: async ({ unit, system }) => { await system.units('near').create({ name: 'after ' + unit['name'] }); },
  before_update: ({ unit, values }) => ({ name: unit['name'] + ' to ' + values['name'] }),
  after_update: async ({ unit, before, system }) => {
    await system.units('near').create({ name: before?.['name'] + ' became ' + unit['name'] });
    if (unit['name'] === 'late to late') throw new FunctionError(409, 'far.late', 'Late');
  },
  before_delete: ({ unit }) => { if (unit['name'] === 'keep') throw new FunctionError(409, 'far.kept', 'Kept'); },
  after_delete: async ({ unit, system }) => { await system.units('near').create({ name: 'gone ' + unit['name'] }); },
},`;
const FUNCTIONS = `unitFunctions: {
  name_of: kind('far').unitFunction({ description: 'Its name', run: ({ unit }) => [unit['name'], unit['secret']] }),
},`;
const folder = new FunctionsFolder({
  'far.ts': remoteModule('far', url, FUNCTIONS),
  'ruled.ts': remoteModule('ruled', url),
  'asleep.ts': remoteModule('asleep', url),
  'keyed.ts': remoteModule('keyed', url),
  'crew.ts': remoteModule('crew', url),
  'hooked.ts': remoteModule('hooked', url, HOOKS),
  'broken.ts': 'export default 1;',
  'nothing.ts': `import { kind } from 'kind'; export default kind('nothing').module({});`,
  'listed.ts': `import { kind } from 'kind'; export default kind('listed').module({ remote: { list: () => ({ count: -1, items: [] }) } });`,
  'stuck.ts': `import { kind } from 'kind'; export default kind('stuck').module({ remote: {
    list: () => ({ count: -1, items: [] }), get: (id) => ({ id }),
    update: () => new Promise(() => undefined), delete: () => new Promise(() => undefined) } });`,
  'near.ts': NEAR,
});
const lines: { msg: string; cause?: string; code?: string }[] = [];
const log = pino(
  { level: 'warn' },
  { write: (text: string) => void lines.push(JSON.parse(text) as (typeof lines)[0]) },
);
// With one connection, whoever held it while a source is waited for would keep it from all others.
const service = await startTestService({ functionsDir: folder.path, functionTimeout: 1000, databasePool: 1 }, log);
const project = await service.project();
const parameters = [
  { id: 'name', kind_id: 'string', required: true, max_length: 30, strip: true },
  { id: 'size', kind_id: 'integer', default_integer: 1, min_value: 0 },
  { id: 'seen', kind_id: 'datetime' },
  { id: 'tags', kind_id: 'string', multiple: true },
  { id: 'meta', kind_id: 'json' },
  { id: 'at', kind_id: 'unit', reference_kind: 'near' },
  { id: 'secret', kind_id: 'string', hidden: true },
  { id: 'inner', kind_id: 'string', read_access: 'admin', write_access: 'admin' },
  { id: 'note', kind_id: 'string', only_run_time: true },
];
await defineKinds(
  project,
  { id: 'near', label: 'Near', parameters: [parameters[0]] },
  { id: 'far', label: 'Far', remote: true, parameters: ['name', ...parameters.slice(1)] },
  { id: 'hooked', label: 'Hooked', remote: true, parameters: ['name'] },
  {
    id: 'keyed',
    label: 'Keyed',
    remote: true,
    parameters: [{ id: 'code', kind_id: 'string', is_primary: true }, 'size'],
  },
  {
    id: 'ruled',
    label: 'Ruled',
    remote: true,
    parameters: ['name'],
    access: { read: 'eq(name,x)', create: 'admin', update: 'nobody', function: 'eq(name,x)' },
  },
  ...['broken', 'nothing', 'listed', 'bare', 'stuck'].map((id) => ({
    id,
    label: id,
    remote: true,
    parameters: ['name'],
  })),
  { id: 'asleep', label: 'Asleep', remote: true, active: false },
);
const ann = await asMember(project);
const callers = await documented({ admin: project, member: ann, nobody: anonymous(project) });
const { admin, member, nobody } = callers;
const near = (await ok(admin.post('/near/unit', { name: 'there' }))) as { id: string };
const WHOLE = {
  id: 'a/1',
  name: 'Ann',
  size: 3,
  seen: '2024-01-31T10:30:00+01:00',
  tags: ['x'],
  meta: { color: ['red'] },
};
const SHOWN = {
  ...{ id: 'a/1', kind_id: 'far', name: 'Ann', size: 3, seen: '2024-01-31T09:30:00.000000Z', tags: ['x'] },
  ...{ meta: { color: ['red'] }, at: null, metadata: {}, inserted_at: null, updated_at: null },
};
const unit = '/far/unit/a%2F1';

beforeEach(() => {
  Object.assign(source, { instead: undefined, status: 200, silent: false, abandoned: 0 });
  source.units.clear();
  source.asked.length = 0;
  source.units.set('a/1', { ...WHOLE, secret: 's', inner: 'i', other: 'dropped' });
});

describe('the state of a remote kind', () => {
  const state = async (path: string, as = admin) => [
    refusalOf(await as.get(path)),
    refusalOf(await as.post(path, '{')),
  ];
  it.each([
    ['bare', 503, 'kind.remote_unavailable'],
    ['nothing', 503, 'kind.remote_unavailable'],
    ['broken', 503, 'function.broken'],
    ['asleep', 403, 'kind.inactive'],
  ])('comes before input, after access: %s', async (kind, status, code) => {
    const refused = { status, messages: [code] };
    expect(await state(`/${kind}/unit`)).toEqual([refused, refused]);
    expect(refusalOf(await admin.get(`/${kind}/unit/x`))).toEqual(refused);
    expect(refusalOf(await nobody.get(`/${kind}/unit`))).toEqual({ status: 401, messages: ['token.missing'] });
  });

  it('a method that a source lacks is 404', async () => {
    const refused = { status: 404, messages: ['kind.not_allowed_here'] };
    expect(await ok(member.get('/listed/unit'))).toEqual({ count: -1, items: [] });
    expect(refusalOf(await member.get('/listed/unit/x?nonsense=1'))).toEqual(refused);
    expect(refusalOf(await member.post('/listed/unit', '{'))).toEqual(refused);
    expect(refusalOf(await member.put('/listed/unit/x', '{'))).toEqual(refused);
    expect(refusalOf(await member.delete('/listed/unit/x'))).toEqual(refused);
    expect(source.asked).toEqual([]);
  });

  it('rules close remote kinds', async () => {
    const denied = { status: 403, messages: ['access.denied'] };
    expect(refusalOf(await member.get('/ruled/unit'))).toEqual(denied);
    expect(refusalOf(await member.get('/ruled/unit/a%2F1'))).toEqual(denied);
    expect(refusalOf(await nobody.get('/ruled/unit'))).toEqual({ status: 401, messages: ['token.missing'] });
    expect(refusalOf(await admin.put('/ruled/unit/a%2F1', { name: 'x' }))).toEqual(denied);
    expect(source.asked).toEqual([]);
    expect(await ok(admin.get('/ruled/unit'))).toMatchObject({ count: 1, items: [{ name: 'Ann' }] });
  });
});

describe('a list', () => {
  it('passes the query to the source, and shows what the caller may read of the result', async () => {
    const filter = encodeURIComponent('and(eq(name,"A b"),ge(size,2),eq(meta.color,red))');
    const asked = `/far/unit?filter=${filter}&order=size;desc&order=meta.color;asc&offset=0&limit=5`;
    expect(await ok(member.get(asked))).toEqual({ count: 1, items: [SHOWN] });
    expect(source.last?.query).toEqual({
      ...{ filter: 'and(eq(name,"A b"),gt(size,2),eq(meta.color,red))', op: 'and', offset: '0', limit: '5' },
      order: JSON.stringify([
        { parameter: 'size', descending: true },
        { parameter: 'meta.color', descending: false },
      ]),
    });
    expect(await ok(admin.get('/far/unit'))).toEqual({ count: 1, items: [{ ...SHOWN, inner: 'i' }] });
    expect(source.last?.query).toEqual({ filter: '', op: '', order: '[]', offset: '0', limit: '100' });
    expect(await ok(member.get('/far/unit?include=name,id&count=none'))).toEqual({
      count: -1,
      items: [{ id: 'a/1', name: 'Ann' }],
    });
  });

  it('is cut to the requested page', async () => {
    source.instead = { count: -1, items: [WHOLE, WHOLE, WHOLE] };
    expect((await ok(member.get('/far/unit?limit=2'))) as object).toMatchObject({ count: -1, items: [{}, {}] });
    expect(await ok(member.get('/far/unit?limit=0'))).toEqual({ count: -1, items: [] });
  });

  it.each([
    ['filter=eq(nothing,1)', 'filter.unknown_parameter nothing'],
    ['filter=eq(secret,s)', 'filter.unknown_parameter secret'],
    ['filter=eq(inner,s)', 'filter.unknown_parameter inner'],
    ['filter=eq(note,s)', 'filter.unknown_parameter note'],
    ['filter=eq(size,large)', 'filter.bad_value size'],
    ['filter=contains(size,1)', 'filter.bad_operator size'],
    ['filter=eq(at.name,x)', 'filter.unknown_parameter at'],
    ['order=at.name;asc', 'parameter.unknown order'],
    ['order=tags;asc', 'query.bad_value order'],
    ['include=at.name', 'parameter.unknown include'],
    ['include=meta.color', 'query.bad_value include'],
    ['exclude=secret', 'parameter.unknown exclude'],
    ['cursor=', 'query.unknown cursor'],
    ['load_links=true', 'query.unknown load_links'],
    ['limit=-1', 'query.bad_value limit'],
    ['nonsense=1', 'query.unknown nonsense'],
  ])('is refused before the source is asked: %s', async (query, message) => {
    expect(refusalOf(await member.get(`/far/unit?${query}`))).toEqual({ status: 400, messages: [message] });
    expect(source.asked).toEqual([]);
  });

  it('reports all faults at once', async () => {
    const { messages } = refusalOf(await member.get('/far/unit?filter=eq(a,1)&cursor=&load_links=true&order=b;asc'));
    expect(messages).toEqual([
      ...['query.unknown cursor', 'query.unknown load_links', 'parameter.unknown order', 'filter.unknown_parameter a'],
    ]);
  });
});

describe('one unit', () => {
  it('is shown by its id, with a version', async () => {
    const got = await member.get(unit);
    expect(await ok(Promise.resolve(got))).toEqual(SHOWN);
    const etag = got.headers.get('etag') ?? '';
    expect((await member.get(unit, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect(await ok(member.get(`${unit}?include=name`))).toEqual({ name: 'Ann' });
    expect((await member.get(`${unit}?include=name`)).headers.get('etag')).toBe(etag);
    source.units.set('a/1', { ...WHOLE, secret: 'another', inner: 'another' });
    expect((await member.get(unit)).headers.get('etag')).toBe(etag);
    source.units.set('a/1', { ...WHOLE, name: 'Eve' });
    expect((await member.get(unit, { headers: { 'if-none-match': etag } })).status).toBe(200);
  });

  it('is 404 before the query is checked', async () => {
    const missing = { status: 404, messages: ['unit.unknown'] };
    expect(refusalOf(await member.get('/far/unit/none?nonsense=1'))).toEqual(missing);
    expect(refusalOf(await member.get(`${unit}?nonsense=1`))).toEqual({
      status: 400,
      messages: ['query.unknown nonsense'],
    });
    expect(refusalOf(await member.get('/far/unit/none/struct'))).toEqual(missing);
    expect(refusalOf(await admin.get('/far/unit/none/access'))).toEqual(missing);
  });

  it('has a struct and an access explanation', async () => {
    expect(await ok(member.get(`${unit}/struct`))).toMatchObject({
      label: 'Far',
      parameters: [{ id: 'name' }, {}, {}, {}, {}, {}, {}, {}, { id: 'metadata' }],
    });
    expect(await ok(admin.get(`${unit}/access`))).toMatchObject({ operations: { read: { allowed: false } } });
    expect(await ok(admin.get('/ruled/unit/a%2F1/access'))).toMatchObject({
      operations: { read: { allowed: false, rules: [{ holds: false }] } },
    });
  });
});

describe('a write', () => {
  it('creates the validated unit', async () => {
    const made = await member.post('/far/unit', {
      name: `Bo${' '.repeat(40)}`,
      seen: '2024-01-31T10:30:00+01:00',
      at: near.id,
      note: 'n',
    });
    expect(await ok(Promise.resolve(made))).toMatchObject({
      id: 'u2',
      kind_id: 'far',
      name: 'Bo',
      size: 1,
      at: near.id,
    });
    expect(source.last).toMatchObject({
      method: 'POST',
      body: { name: 'Bo', size: 1, seen: '2024-01-31T09:30:00.000000Z', tags: null, at: near.id, note: 'n' },
    });
    expect(made.headers.get('etag')).toBe((await member.get('/far/unit/u2')).headers.get('etag'));
    expect(Object.keys(source.asked[0]?.body ?? {})).not.toContain('id');
  });

  it.each([
    [
      'everything',
      { size: -1, tags: 'x', nothing: 1, id: 'x', inserted_at: null },
      [
        'parameter.unknown nothing',
        'parameter.read_only id',
        'parameter.read_only inserted_at',
        'parameter.required name',
        'parameter.too_small size',
        'parameter.bad_type tags',
      ],
    ],
    ['what may not be written', { name: 'x', inner: 'i', secret: 's' }, ['parameter.unknown inner']],
    [
      'a reference to nothing',
      { name: 'x', at: '01900000-0000-7000-8000-000000000000' },
      ['parameter.bad_reference at'],
    ],
    ['a unit inside', { name: 'x', at: { name: 'inside' } }, ['parameter.bad_value at']],
    ['a list', [{ name: 'x' }], ['body.not_object']],
  ])('is refused before the source is asked: %s', async (_, body, messages) => {
    const refused = refusalOf(await member.post('/far/unit', body));
    expect([refused.status, [...refused.messages].sort()]).toEqual([400, [...messages].sort()]);
    expect(source.asked).toEqual([]);
    expect(await ok(admin.get('/near/unit?filter=eq(name,inside)'))).toMatchObject({ count: 0 });
  });

  it('edits the fields of the body, in the version of If-Match', async () => {
    const tag = (await member.get(unit)).headers.get('etag') ?? '';
    const headers = { 'if-match': tag };
    expect(await ok(member.put(unit, { size: 4 }, { headers }))).toEqual({ ...SHOWN, size: 4 });
    expect(source.last).toMatchObject({ method: 'PUT', path: 'a/1', body: { size: 4 } });
    expect(refusalOf(await member.put(unit, { size: 5 }, { headers }))).toEqual({
      status: 412,
      messages: ['unit.changed'],
    });
    expect(refusalOf(await member.delete(unit, { headers }))).toEqual({ status: 412, messages: ['unit.changed'] });
    const whole = (await ok(member.get(unit))) as object;
    expect(await ok(member.put(unit, whole))).toEqual(whole);
    expect(refusalOf(await member.put(unit, { ...whole, inserted_at: 'x' }))).toEqual({
      status: 400,
      messages: ['parameter.read_only inserted_at'],
    });
    expect(refusalOf(await member.put('/far/unit/none', '{'))).toEqual({ status: 404, messages: ['unit.unknown'] });
    expect(refusalOf(await member.put('/far/unit/none?nonsense=1', {}))).toEqual({
      status: 404,
      messages: ['unit.unknown'],
    });
    expect(refusalOf(await member.put(`${unit}?nonsense=1`, {}))).toEqual({
      status: 400,
      messages: ['query.unknown nonsense'],
    });
  });

  it('deletes', async () => {
    expect(await ok(member.delete(unit))).toBeNull();
    expect(refusalOf(await member.delete(unit))).toEqual({ status: 404, messages: ['unit.unknown'] });
  });

  it('is rejected by the source with its own text', async () => {
    source.status = 422;
    const { status, body } = await member.get(unit);
    expect([status, body.messages]).toEqual([422, [{ code: 'source.refused', text: 'The source says no' }]]);
  });
});

describe('a natural key', () => {
  it('is the value of the primary parameter', async () => {
    source.units.set('IT', { id: 'IT', size: 2 });
    expect(await ok(member.get('/keyed/unit/IT'))).toMatchObject({ id: 'IT', code: 'IT', size: 2 });
    expect(await ok(member.put('/keyed/unit/IT', { code: 'IT', size: 3 }))).toMatchObject({ size: 3 });
    expect(refusalOf(await member.put('/keyed/unit/IT', { code: 'FR' }))).toEqual({
      status: 409,
      messages: ['unit.key_immutable code'],
    });
    source.units.set('IT', { id: 'IT', code: 'FR' });
    expect(refusalOf(await member.get('/keyed/unit/IT'))).toEqual({
      status: 503,
      messages: ['kind.remote_unavailable'],
    });
  });
});

describe('what a source answers', () => {
  const away = { status: 503, messages: ['kind.remote_unavailable'] };
  it.each([
    ['no page', [], 'list: must answer an object, got array'],
    ['no count', { items: [] }, 'count: must be a whole number, or -1 where it is not known, got undefined'],
    ['no items', { count: 1, items: {} }, 'items: must be an array, got object'],
    ['no unit', { count: 1, items: [7] }, 'items[0].: must be an object, got number'],
    ['no id', { count: 1, items: [{ name: 'x' }] }, 'items[0].id: must be a string, got undefined'],
    ['a number as id', { count: 1, items: [{ id: 7 }] }, 'items[0].id: must be a string, got number'],
    [
      'a wrong type',
      { count: 2, items: [WHOLE, { ...WHOLE, size: '3' }] },
      /^items\[1\]\.size: must be a whole number/,
    ],
    ['a wrong value', { count: 1, items: [{ ...WHOLE, size: -1 }] }, 'items[0].size: at least 0, got -1'],
    ['a wrong element', { count: 1, items: [{ ...WHOLE, tags: ['a', null] }] }, /^items\[0\]\.tags\[1\]: /],
    ['a wrong reference', { count: 1, items: [{ ...WHOLE, at: 'x' }] }, "items[0].at: no unit 'x' of 'near'"],
    ['a wrong hidden value', { count: 1, items: [{ ...WHOLE, secret: 1 }] }, /^items\[0\]\.secret: must be a string/],
  ])('fits the kind, or none of it is used: %s', async (name, answer, cause) => {
    // One line each while a source fails: here another kind each.
    const id = `odd_${name.replaceAll(' ', '_')}`;
    await ok(
      admin.post('/kind/unit', { id, label: id, remote: true, parameters: ['name', 'size', 'tags', 'at', 'secret'] }),
    );
    folder.write(`${project.id}/${id}.ts`, remoteModule(id, url));
    await reload(service);
    source.instead = answer;
    lines.length = 0;
    const refused = await member.get(`/${id}/unit`);
    expect(refusalOf(refused)).toEqual(away);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(refused.text).not.toMatch(/items\[|wants|must/);
    await ok(Promise.resolve(await member.get('/near/unit')));
    // The modules that serve no kind are told at any time.
    const refusals = lines.filter(({ code }) => code !== undefined);
    expect(refusals.map(({ code, cause: told }) => [code, told])).toEqual([
      ['kind.remote_unavailable', typeof cause === 'string' ? cause : expect.stringMatching(cause)],
    ]);
  });

  it('is the requested unit', async () => {
    source.instead = { ...WHOLE, id: 'b' };
    expect(refusalOf(await member.get(unit))).toEqual(away);
  });

  it('is 503 while it is down', async () => {
    source.status = 500;
    expect(refusalOf(await member.get('/far/unit'))).toEqual(away);
    await source.stop();
    try {
      expect(refusalOf(await member.get('/far/unit'))).toEqual(away);
      expect(refusalOf(await member.post('/far/unit', { name: 'x' }))).toEqual(away);
      expect(await ok(member.get('/near/unit'))).toMatchObject({ count: expect.any(Number) as number });
    } finally {
      await source.start(Number(new URL(url).port));
    }
  });

  it('is waited for up to the limit, without blocking others', async () => {
    source.silent = true;
    const slow = Array.from({ length: 12 }, () => member.get('/far/unit'));
    const writes = [member.post('/far/unit', { name: 'x' }), member.delete(unit), member.put(unit, { size: 1 })];
    expect(await ok(member.get('/near/unit'))).toMatchObject({ count: expect.any(Number) as number });
    for (const reply of await Promise.all([...slow, ...writes])) {
      expect(refusalOf(reply)).toEqual({ status: 504, messages: ['function.timeout'] });
    }
    source.silent = false;
    await vi.waitFor(() => expect(source.abandoned).toBe(15));
    expect(await ok(member.get(unit))).toEqual(SHOWN);
  });
});

it('the timeout names what took too long', async () => {
  const replies = await Promise.all([member.put('/stuck/unit/x', { name: 'x' }), member.delete('/stuck/unit/x')]);
  expect(replies.map(({ body }) => body.messages[0]?.text)).toEqual(
    ['update', 'delete'].map((name) => `'remote.${name}' took longer than its limit of 1000 milliseconds`),
  );
});

describe('functions', () => {
  it('read remote units like those of a table, hidden parameters included', async () => {
    expect(await ok(member.get('/near/function/list'))).toEqual({ count: 1, items: [SHOWN] });
    expect(source.last?.query).toMatchObject({
      filter: 'eq(secret,x)',
      order: '[{"parameter":"name","descending":false}]',
    });
    expect(await ok(member.post('/near/function/work'))).toEqual(['made', 7, 7, null]);
    expect(refusalOf(await member.post('/near/function/all'))).toEqual({
      status: 404,
      messages: ['kind.not_allowed_here'],
    });
  });

  it('of a remote unit receive it, if it exists', async () => {
    expect(await ok(member.get(`${unit}/function/name_of`))).toEqual(['Ann', 's']);
    expect(refusalOf(await member.get('/far/unit/none/function/name_of'))).toEqual({
      status: 404,
      messages: ['unit.unknown'],
    });
    expect(refusalOf(await member.get('/ruled/unit/a%2F1/function/x'))).toEqual({
      status: 403,
      messages: ['access.denied'],
    });
  });

  it('may continue if the source does not answer', async () => {
    source.status = 500;
    expect(await ok(member.get('/near/function/goes_on'))).toBe('kind.remote_unavailable');
  });

  it('do not undo the work of a source', async () => {
    expect((await member.post('/near/function/undone')).status).toBe(409);
    expect([...source.units.values()].map(({ name }) => name)).toContain('kept');
    expect(await ok(member.get('/near/unit?filter=eq(name,undone)'))).toMatchObject({ count: 0 });
  });
});

describe('hooks', () => {
  const told = async () =>
    ((await ok(admin.get('/near/unit?limit=1000'))) as { items: { name: string }[] }).items.map(({ name }) => name);

  it('run before and after the source', async () => {
    expect(await ok(member.post('/hooked/unit', { name: 'new' }))).toMatchObject({ id: 'u2', name: 'new!' });
    expect(await told()).toEqual(expect.arrayContaining(['before new', 'after new!']));
    expect(await ok(member.put('/hooked/unit/u2', { name: 'old' }))).toMatchObject({ name: 'new! to old' });
    expect(await told()).toContain('new! became new! to old');
    await ok(member.delete('/hooked/unit/u2'));
    expect(await told()).toContain('gone new! to old');
  });

  it('reject before the source is called; errors after it roll back only the hooks', async () => {
    source.units.set('k', { id: 'k', name: 'keep' });
    source.units.set('l', { id: 'l', name: 'late' });
    expect(refusalOf(await member.post('/hooked/unit', { name: 'no' }))).toEqual({ status: 409, messages: ['far.no'] });
    expect(refusalOf(await member.delete('/hooked/unit/k'))).toEqual({ status: 409, messages: ['far.kept'] });
    expect(source.asked.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(refusalOf(await member.put('/hooked/unit/l', { name: 'late' }))).toEqual({
      status: 409,
      messages: ['far.late'],
    });
    expect(source.units.get('l')?.['name']).toBe('late to late');
    expect(await told()).not.toContain('late became late to late');
  });
});

describe('the definition', () => {
  it('has no units if it is a member kind', async () => {
    await ok(admin.post('/kind/unit', { id: 'crew', label: 'Crew', remote: true }));
    await ok(admin.post('/group/unit/kind_auth_member/link/group/kind/unit/crew'));
    const away = { status: 503, messages: ['kind.remote_unavailable'] };
    expect(refusalOf(await admin.get('/crew/unit'))).toEqual(away);
    expect(refusalOf(await admin.post('/crew/unit', { username: 'x' }))).toEqual(away);
    expect(source.asked).toEqual([]);
  });

  it('is described correctly in the document', async () => {
    const { body } = await admin.get('/doc/openapi.json');
    const { paths } = body as unknown as {
      paths: Record<string, Record<string, { parameters?: { $ref?: string }[] }>>;
    };
    const asked = paths['/api/lib/far/unit']?.['get']?.parameters?.map(({ $ref }) => $ref?.split('/').at(-1));
    expect(asked).toEqual(['offset', 'limit', 'order', 'filter', 'include', 'exclude', 'count']);
    expect(Object.keys(paths['/api/lib/listed/unit'] ?? {})).toEqual(['get']);
    expect(paths['/api/lib/listed/unit/{unit_id}']).toBeUndefined();
  });
});

describe('a parameter that may be written once', () => {
  it('keeps the value that the source has', async () => {
    await ok(project.put('/datetime/unit/seen', { write_once: true }));
    expect(await refused(admin.put(unit, { seen: '2024-02-01T00:00:00Z' }))).toEqual([409, 'parameter.write_once']);
    expect(source.asked.filter(({ method }) => method === 'PUT')).toEqual([]);
    const again = await admin.put(unit, { seen: '2024-01-31T09:30:00Z', size: 4 });
    expect(again.body.content).toMatchObject({ size: 4 });
    await ok(project.put('/datetime/unit/seen', { write_once: false }));
  });
});

async function refused(call: ReturnType<typeof admin.put>): Promise<unknown[]> {
  const { status, body } = await call;
  return [status, body.messages[0]?.code];
}
