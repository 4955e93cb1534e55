/** Batches: several operations in one transaction, all or none, over HTTP. */
import { describe, expect, it } from 'vitest';
import { defineKinds, signUp, withMembers } from '../../support/callers.js';
import { createdId, ok, query, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import type { Reply } from '../../support/service.js';

const folder = new FunctionsFolder({
  'book.ts': `
    import { kind, FunctionError } from 'kind';
    const book = kind('book');
    export default book.module({
      functions: {
        count: book.function({
          description: 'Counts, and makes one more',
          methods: ['POST'],
          async run({ units }) {
            const { count } = await units('book').list();
            return { count, made: (await units('book').create({ title: 'made by a function' })).id };
          },
        }),
        refuse: book.function({
          description: 'Refuses',
          methods: ['GET'],
          run() { throw new FunctionError(422, 'book.closed', 'No more today'); },
        }),
        fail: book.function({ description: 'Fails', run() { throw new Error('oh'); } }),
      },
      unitFunctions: { title: book.unitFunction({ description: 'Its title', run: ({ unit }) => unit.title }) },
      hooks: { before_create: ({ values }) => (values.title === 'Bad' ? { title: 'Worse' } : {}) },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
await defineKinds(
  project,
  {
    id: 'author',
    parameters: [
      { id: 'name', kind_id: 'string', required: true },
      { id: 'code', kind_id: 'string', unique: true },
      { id: 'more', kind_id: 'json' },
    ],
  },
  {
    id: 'book',
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'author', kind_id: 'unit', reference_kind: 'author' },
    ],
  },
  { id: 'land', parameters: [{ id: 'key', kind_id: 'string', is_primary: true, required: true }, 'name'] },
);
await ok(project.post('/group/unit', { id: 'library', kind_list: ['book', 'author'] }));
await reload(service);
const caller = await project.documented();

const run = (...operations: object[]): Promise<Reply> => caller.post('/batch', { operations });
const countOf = async (kind: string) => (await ok(project.get(`/${kind}/unit?limit=0`))).count as number;

/** A batch that is refused, and leaves everything as it was. */
async function refused(...operations: object[]) {
  const before = [await countOf('author'), await countOf('book')];
  const { status, body } = await run(...operations);
  expect(body.content).toBeNull();
  expect([await countOf('author'), await countOf('book')]).toEqual(before);
  return { status, messages: body.messages };
}

describe('a batch', () => {
  it('creates units that refer to each other, and reads them', async () => {
    const { count, items } = await ok(
      run(
        { as: 'author', method: 'POST', path: '/author/unit', body: { name: 'Ada' } },
        { method: 'POST', path: '/book/unit', body: { title: 'Notes', author: { $from: 'author.id' } } },
        { as: 'again', method: 'GET', path: '/author/unit/{author.id}?include=[name]' },
        { method: 'GET', path: '/book/unit?filter=eq(author,{author.id})&include=title,author.name' },
      ),
    );
    expect(count).toBe(4);
    const results = items as { as: string | null; status: number }[];
    expect(results.map(({ as, status }) => [as, status])).toEqual([
      ['author', 200],
      [null, 200],
      ['again', 200],
      [null, 200],
    ]);
    expect(items[1].content.author).toBe(items[0].content.id);
    expect(items[2]).toEqual({ as: 'again', status: 200, content: { name: 'Ada' }, messages: [] });
    expect(items[3].content).toEqual({ count: 1, items: [{ title: 'Notes', 'author.name': 'Ada' }] });
    expect(await ok(project.get(`/author/unit/${items[0].content.id}`))).toEqual(items[0].content);
  });

  it('edits, deletes, links, groups, aggregates and calls functions', async () => {
    const { items } = await ok(
      run(
        { as: 'one', method: 'POST', path: '/author/unit', body: { name: 'One' } },
        { as: 'many', method: 'POST', path: '/book/unit', body: [{ title: 'A' }, { title: 'B' }, { title: 'C' }] },
        { method: 'PUT', path: '/book/unit/{many.items.0.id}', body: { title: 'A2' } },
        { method: 'DELETE', path: '/book/unit/{many.items.1.id}' },
        { method: 'POST', path: '/author/unit/{one.id}/link/link/book/unit/{many.items.0.id}' },
        {
          method: 'POST',
          path: '/author/unit/{one.id}/link/link/child',
          body: { items: [{ kind_id: 'book', id: { $from: 'many.items.2.id' } }] },
        },
        { method: 'GET', path: '/author/unit/{one.id}/link/child' },
        { method: 'DELETE', path: '/author/unit/{one.id}/link/link/book/unit/{many.items.0.id}' },
        { method: 'GET', path: '/author/unit/{one.id}?load_links=count&include=name' },
        { method: 'GET', path: '/group/library/unit?filter=eq(title,A2)' },
        { method: 'GET', path: '/group/library/aggregate?select=count()' },
        { method: 'GET', path: '/book/aggregate?select=count(eq(title,A2))' },
        { as: 'made', method: 'POST', path: '/book/function/count', body: {} },
        { method: 'GET', path: '/book/unit/{made.made}/function/title' },
        { method: 'GET', path: '/kind/unit/book' },
        { method: 'GET', path: '/book/struct?include=title' },
        { method: 'GET', path: '/author/unit/{one.id}/struct' },
        { method: 'GET', path: '/author/unit/{one.id}/access' },
      ),
    );
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- contents are whatever the service answers
    const contents = (items as { content: any }[]).map(({ content }) => content);
    expect(contents[2]).toMatchObject({ title: 'A2' });
    expect(contents[3]).toBeNull();
    expect(contents[6].count).toBe(2);
    expect(contents[8].links.child).toEqual({ link: 1 });
    expect(contents[9].count).toBe(1);
    expect(contents[11].items).toEqual([{ count: 1 }]);
    expect(contents[13]).toBe('made by a function');
    expect(contents[14].id).toBe('book');
    expect(await ok(project.get(`/book/unit/${contents[12].made}`))).toMatchObject({ title: 'made by a function' });
  });

  it('runs nothing', async () => {
    expect(await ok(run())).toEqual({ count: 0, items: [] });
  });

  it('finds units by ids with any character, and puts values into paths as they are', async () => {
    const key = 'a/b?c=d&e {f} ü';
    const { items } = await ok(
      run(
        { as: 'land', method: 'POST', path: '/land/unit', body: { key, name: 'x' } },
        { method: 'PUT', path: '/land/unit/{land.key}', body: { name: key } },
        { method: 'GET', path: `/land/unit/${encodeURIComponent(key)}?include=name` },
        { method: 'GET', path: '/land/unit?filter=eq(name,%22{land.key}%22)&include=key' },
      ),
    );
    expect(items[2].content).toEqual({ name: key });
    expect(items[3].content.items).toEqual([{ key }]);
  });

  it('copies lists and objects of answers', async () => {
    const { items } = await ok(
      run(
        { as: 'a', method: 'POST', path: '/author/unit', body: { name: 'Copy', more: { list: [1, { b: null }] } } },
        { as: 'b', method: 'POST', path: '/author/unit', body: { name: 'Copied', more: { it: { $from: 'a.more' } } } },
      ),
    );
    expect(items[1].content.more).toEqual({ it: { list: [1, { b: null }] } });
  });

  it('holds edits to if_match', async () => {
    const made = await project.post('/author/unit', { name: 'Versions' });
    const [id, etag] = [made.body.content.id as string, made.headers.get('etag')];
    const edit = (name: string) => ({ method: 'PUT', path: `/author/unit/${id}`, body: { name }, if_match: etag });
    await ok(run(edit('Newer')));
    const { status, messages } = await refused({ method: 'GET', path: '/author/unit' }, edit('Newest'));
    expect({ status, messages }).toMatchObject({ status: 412, messages: [{ code: 'unit.changed', operation: 1 }] });
  });
});

describe('a refused operation', () => {
  const good = { as: 'good', method: 'POST', path: '/author/unit', body: { name: 'Good', code: 'taken' } };

  it('undoes all, and answers as alone, with its index', async () => {
    expect(await refused(good, { method: 'POST', path: '/author/unit', body: { nme: 'x' } })).toMatchObject({
      status: 400,
      messages: [
        { code: 'parameter.unknown', parameter: 'nme', operation: 1 },
        { code: 'parameter.required', parameter: 'name', operation: 1 },
      ],
    });
    expect(await refused(good, good)).toMatchObject({ status: 400, messages: [{ operation: 1 }] });
    expect(await refused(good, { ...good, as: 'other' })).toMatchObject({
      status: 409,
      messages: [{ code: 'parameter.not_unique', parameter: 'code', operation: 1 }],
    });
    expect(await refused(good, { method: 'GET', path: '/author/unit/nothing' })).toMatchObject({
      status: 404,
      messages: [{ code: 'unit.unknown', operation: 1 }],
    });
    expect(await refused(good, { method: 'GET', path: '/author/unit?filter=eq(nme,x)' })).toMatchObject({
      status: 400,
      messages: [{ code: 'filter.unknown_parameter', operation: 1 }],
    });
    expect(await refused(good, { method: 'GET', path: '/nothing/unit' })).toMatchObject({
      status: 404,
      messages: [{ code: 'kind.unknown', operation: 1 }],
    });
  });

  it('may be that of a function', async () => {
    expect(await refused(good, { method: 'GET', path: '/book/function/refuse' })).toEqual({
      status: 422,
      messages: [{ code: 'book.closed', text: 'No more today', operation: 1 }],
    });
    expect(await refused(good, { method: 'GET', path: '/book/function/fail' })).toMatchObject({
      status: 500,
      messages: [{ code: 'server.error', operation: 1 }],
    });
    expect(await refused(good, { method: 'POST', path: '/book/function/refuse' })).toMatchObject({
      status: 405,
      messages: [{ code: 'route.method', operation: 1 }],
    });
  });
});

describe('what is no batch', () => {
  const get = { method: 'GET', path: '/author/unit' };
  const rows: [name: string, operations: unknown[], code: string, operation: number | undefined, text: RegExp][] = [
    [
      '101 operations',
      new Array(101).fill(get),
      'body.too_many',
      undefined,
      /At most 100 operations in one batch, got 101/,
    ],
    [
      'a name twice',
      [
        { ...get, as: 'a' },
        { ...get, as: 'a' },
      ],
      'batch.bad_reference',
      1,
      /'a' is the name of an earlier/,
    ],
    [
      'a later name',
      [
        { ...get, path: '/author/unit/{b.id}' },
        { ...get, as: 'b' },
      ],
      'batch.bad_reference',
      0,
      /no earlier operation has the name 'b'/,
    ],
    [
      'its own name',
      [{ ...get, as: 'b', path: '/author/unit/{b.id}' }],
      'batch.bad_reference',
      0,
      /no earlier operation/,
    ],
    [
      'an unknown name in a body',
      [{ method: 'POST', path: '/author/unit', body: { name: [{ $from: 'x.id' }] } }],
      'batch.bad_reference',
      0,
      /'x\.id'/,
    ],
    [
      'a reference to nothing',
      [
        { ...get, as: 'a' },
        { ...get, path: '/author/unit/{a.items.99.id}' },
      ],
      'batch.bad_reference',
      1,
      /no such value/,
    ],
    [
      'an object in a path',
      [
        { ...get, as: 'a' },
        { ...get, path: '/author/unit/{a.items}' },
      ],
      'batch.bad_reference',
      1,
      /is array/,
    ],
    [
      'a prototype in a path',
      [
        { ...get, as: 'a' },
        { ...get, path: '/author/unit/{a.constructor.name}' },
      ],
      'batch.bad_reference',
      1,
      /no such value/,
    ],
    ['a malformed reference', [{ ...get, path: '/author/unit/{}' }], 'batch.bad_reference', 0, /is no reference/],
    ['a method', [{ method: 'PATCH', path: '/author/unit' }], 'batch.bad_operation', 0, /GET, POST, PUT, DELETE/],
    ['no path', [{ method: 'GET' }], 'batch.bad_operation', 0, /path: wants/],
    ['a whole address', [{ method: 'GET', path: 'http://x/author/unit' }], 'batch.bad_operation', 0, /path: wants/],
    [
      'white space in a path',
      [{ method: 'GET', path: '/author/unit?filter=eq(name,a b)' }],
      'batch.bad_operation',
      0,
      /percent-encoded/,
    ],
    ['a body of a GET', [{ ...get, body: {} }], 'batch.bad_operation', 0, /a GET has none/],
    ['an unknown key', [{ ...get, mehtod: 'GET' }], 'batch.bad_operation', 0, /did you mean 'method'/],
    ['no object', [7], 'batch.bad_operation', 0, /an object is wanted, got number/],
    ['a bad name', [{ ...get, as: '1a' }], 'batch.bad_operation', 0, /as: wants a name/],
    [
      'a batch',
      [get, { method: 'POST', path: '/batch', body: { operations: [] } }],
      'batch.not_here',
      1,
      /no operation of a batch/,
    ],
    [
      'signing in',
      [{ method: 'POST', path: '/auth/signin', body: {} }],
      'batch.not_here',
      0,
      /no operation of a batch/,
    ],
    ['who one is', [{ method: 'GET', path: '/auth/me' }], 'batch.not_here', 0, /no operation of a batch/],
    ['the document', [{ method: 'GET', path: '/doc/openapi.json' }], 'batch.not_here', 0, /no operation of a batch/],
    ['a definition', [{ method: 'POST', path: '/kind/unit', body: { id: 'x' } }], 'batch.not_here', 0, /only read/],
    [
      'an edit of a parameter',
      [{ method: 'PUT', path: '/string/unit/name', body: { label: 'x' } }],
      'batch.not_here',
      0,
      /only read/,
    ],
    ['a deletion of a group', [{ method: 'DELETE', path: '/group/unit/library' }], 'batch.not_here', 0, /only read/],
    [
      'a kind of a group',
      [{ method: 'POST', path: '/group/unit/library/link/group/kind/unit/land' }],
      'batch.not_here',
      0,
      /only read/,
    ],
    [
      'a parameter of a kind',
      [{ method: 'DELETE', path: '/kind/unit/book/link/parameter/string/unit/title' }],
      'batch.not_here',
      0,
      /only read/,
    ],
    ['no address', [{ method: 'GET', path: '/nothing' }], 'route.unknown', 0, /No GET \/api\/lib\/nothing/],
    ['another method', [{ method: 'DELETE', path: '/author/aggregate' }], 'route.method', 0, /takes GET, not DELETE/],
    ['an encoding', [{ method: 'GET', path: '/author/unit/%ff' }], 'path.malformed', 0, /percent-encoded UTF-8/],
    ['a query parameter', [{ method: 'DELETE', path: '/author/unit/x?dry_run=true' }], 'unit.unknown', 0, /No unit/],
  ];
  it.each(rows)('%s', async (_, operations, code, operation, text) => {
    const { messages } = await refused(...(operations as object[]));
    expect(messages[0]).toMatchObject({ code, ...(operation !== undefined && { operation }) });
    expect(messages[0]?.text).toMatch(text);
  });

  it('tells all faults of all operations', async () => {
    const { messages } = await refused({ ...get, as: 3 }, 'x' as never, { ...get, path: '/a/{z.id}', if_match: 1 });
    expect(messages.map(({ code, operation }: { code: string; operation?: number }) => [code, operation])).toEqual([
      ['batch.bad_operation', 0],
      ['batch.bad_operation', 1],
      ['batch.bad_reference', 2],
      ['batch.bad_operation', 2],
    ]);
  });

  it('tells all routes that are no operations', async () => {
    const { messages } = await refused(
      { method: 'POST', path: '/batch', body: {} },
      get,
      { method: 'GET', path: '/nothing' },
      { method: 'GET', path: '/auth/me' },
    );
    expect(messages.map(({ code, operation }: { code: string; operation?: number }) => [code, operation])).toEqual([
      ['batch.not_here', 0],
      ['route.unknown', 2],
      ['batch.not_here', 3],
    ]);
  });

  it('a body that has no operations, or more', async () => {
    for (const body of [{}, { operations: {} }, { operations: [], mode: 'loose' }]) {
      expect((await project.post('/batch', body)).body.messages[0]).toMatchObject({ code: 'batch.bad_operation' });
    }
    expect((await project.post('/batch', [])).body.messages[0]).toMatchObject({ code: 'body.not_object' });
    expect((await project.post('/batch?a=b', { operations: [] })).body.messages[0]).toMatchObject({
      code: 'query.unknown',
    });
    expect((await project.post('/batch', '{', {})).body.messages[0]).toMatchObject({ code: 'body.malformed' });
  });

  it('whatever it is, from a member whose kind is inactive', async () => {
    const other = await withMembers(await service.project());
    const { accessToken } = await signUp(other, 'ada');
    const member = other.as(accessToken);
    await ok(member.post('/batch', { operations: [] }));
    await ok(other.put('/kind/unit/person', { active: false }));
    for (const body of [{ operations: [] }, { operations: {} }, '{']) {
      expect(refusalOf(await member.post('/batch', body))).toEqual({ status: 401, messages: ['token.invalid'] });
    }
  });

  it('references that stand for too much', async () => {
    const operations = [
      { as: 'a', method: 'POST', path: '/author/unit', body: { name: 'Big', more: 'x'.repeat(100_000) } },
      { method: 'POST', path: '/author/unit', body: { name: 'Copies', more: new Array(11).fill({ $from: 'a.more' }) } },
    ];
    const { status, messages } = await refused(...operations);
    expect({ status, messages }).toMatchObject({
      status: 400,
      messages: [{ code: 'batch.bad_reference', operation: 1 }],
    });
    expect(messages[0]?.text).toMatch(/1,048,576 characters/);
  });
});

describe('a batch is one transaction', () => {
  it('that holds one connection, and reads one state', async () => {
    const id = await createdId(project.post('/author/unit', { name: 'Snapshot' }));
    const get = { method: 'GET', path: `/author/unit/${id}?include=name` };
    const edit = { method: 'PUT', path: `/author/unit/${id}`, body: { name: 'Own' } };
    const { items } = await ok(run(get, edit, get));
    expect(items[2].content).toEqual({ name: 'Own' });
    const rows = await query<{ n: string }>(project, `SELECT count(*) AS n FROM $schema."author" WHERE name = 'Own'`);
    expect(Number(rows[0]?.n)).toBe(1);
  });
});
