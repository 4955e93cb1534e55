/** Imports: what is stored, what is refused and where, for whom; and that an exported file can be imported again. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { exchange } from '../../support/exchange.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { lowerLimit } from '../../support/limits.js';
import type { Reply, TestProject } from '../../support/service.js';

const folder = new FunctionsFolder({
  'hooked.ts': `
    import { FunctionError, kind } from 'kind';
    export default kind('hooked').module({
      hooks: {
        before_create: ({ values }) => {
          if (values.name === 'bad') throw new FunctionError(422, 'name.bad', 'no such name', 'name');
          if (values.name === 'taken') throw new FunctionError(409, 'name.taken', 'taken', 'name');
          return { ...values, upper: String(values.name).toUpperCase() };
        },
      },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
await defineKinds(
  project,
  {
    id: 'land',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'title', kind_id: 'string' },
    ],
  },
  {
    id: 'city',
    parameters: [
      { id: 'name', kind_id: 'string', required: true, nullable: false, max_length: 20 },
      { id: 'land', kind_id: 'unit', reference_kind: 'land' },
      { id: 'people', kind_id: 'integer', min_value: 0 },
      { id: 'capital', kind_id: 'boolean', default_boolean: false },
      { id: 'number', kind_id: 'integer', unique: true },
      { id: 'data', kind_id: 'json' },
      { id: 'tags', kind_id: 'string', multiple: true },
    ],
  },
  { id: 'place', parameters: ['name', 'number'] },
  { id: 'hooked', parameters: ['name', { id: 'upper', kind_id: 'string' }] },
);
await ok(project.post('/land/unit', [{ code: 'IT' }, { code: 'FR' }]));

const CSV = { 'content-type': 'text/csv' };
const NDJSON = { 'content-type': 'application/x-ndjson' };
const send = (path: string, file: string, headers: Record<string, string> = CSV, as: TestProject = project) =>
  as.call('POST', path, file, { headers });
const sendBytes = (path: string, body: Buffer, headers: Record<string, string>): Promise<Reply> =>
  exchange(service.service.url, {
    method: 'POST',
    path: `/api/lib${path}`,
    headers: { 'kind-project-key': project.id, authorization: `Bearer ${project.token}`, ...headers },
    body,
  });
const count = async (kind: string) => (await ok(project.get(`/${kind}/unit?limit=0`))).count as number;
const clear = async (kind: string) => {
  for (;;) {
    const { items } = await ok(project.get(`/${kind}/unit?include=id`));
    if (items.length === 0) return;
    for (const { id } of items as { id: string }[]) await ok(project.delete(`/${kind}/unit/${id}`));
  }
};
const DONE = { updated: 0, unchanged: 0, ignored: 0, failed: 0, errors: [] };

describe('a CSV file', () => {
  it('creates a unit per record, with values as their types read them', async () => {
    const file =
      'name,land,people,capital,number,data,tags\r\nRome,IT,10,true,1,"{""a"":1}","[""x""]"\r\n"a, b",,,,,,\r\n';
    expect(await ok(send('/city/import?format=csv', file))).toEqual({ count: 2, created: 2, ...DONE });
    const { items } = await ok(project.get('/city/unit?include=name,land,people,capital,number,data,tags'));
    expect(items).toEqual([
      { name: 'Rome', land: 'IT', people: 10, capital: true, number: 1, data: { a: 1 }, tags: ['x'] },
      { name: 'a, b', land: null, people: null, capital: null, number: null, data: null, tags: null },
    ]);
    await clear('city');
  });

  it('is refused with line, record, parameter and code of each fault, and nothing is stored', async () => {
    const file = [
      'name,land,people,number,data',
      'Rome,IT,1,1,',
      '"two\nlines",XX,-1,2,',
      'a name of more than twenty characters,IT,many,1,{',
      ',IT,1,,',
    ].join('\n');
    const { status, body } = await send('/city/import', file);
    expect(status).toBe(400);
    expect(body.messages.map(({ code, parameter, ...at }) => [code, parameter, at])).toMatchObject([
      ['parameter.too_small', 'people', { line: 3, record: 2 }],
      ['parameter.bad_reference', 'land', { line: 3, record: 2 }],
      ['parameter.bad_value', 'data', { line: 5, record: 3 }],
      ['parameter.null', 'name', { line: 6, record: 4 }],
    ]);
    expect(await count('city')).toBe(0);
  });

  it('with a header row that is wrong is refused before anything is written', async () => {
    const { status, body } = await send('/city/import?errors=skip', 'name,nam,name,id,\nRome,,,,\n');
    expect(status).toBe(400);
    expect(body.messages.map(({ code, text }) => `${code} ${text}`)).toEqual([
      "parameter.unknown nam: 'city' has no such parameter (did you mean 'name'?)",
      'import.bad_header name: two columns have this name',
      expect.stringContaining("parameter.unknown id: 'city' has no such parameter"),
      'import.bad_header column 5 has no name in the header row',
    ]);
  });

  it('with a key twice has a fault in the second record, wherever it is', async () => {
    const rows = Array.from({ length: 2500 }, (_, n) => `c${n},${n === 2400 ? 7 : n}`);
    const { status, body } = await send('/city/import', `name,number\n${rows.join('\n')}\n`);
    expect([status, body.messages]).toMatchObject([
      400,
      [{ code: 'parameter.not_unique', parameter: 'number', line: 2402, record: 2401 }],
    ]);
    expect(await count('city')).toBe(0);
  });
});

describe('errors=stop', () => {
  it('answers the faults of the whole file, up to a thousand', async () => {
    const rows = Array.from({ length: 3000 }, (_, n) => (n % 10 === 0 ? 'x,-1' : 'x,1')).join('\n');
    const { status, body } = await send('/city/import', `name,people\n${rows}\n`);
    expect([status, body.messages.length, body.messages[299]]).toMatchObject([400, 300, { record: 2991, line: 2992 }]);
    const many = await send('/city/import', `name,people\n${'x,-1\n'.repeat(3000)}`);
    expect([many.status, many.body.messages.length]).toEqual([400, 1000]);
    expect(many.body.messages.at(-1)).toMatchObject({ code: 'parameter.too_small', record: 1000, line: 1001 });
    expect(await count('city')).toBe(0);
  });

  it('answers them before what cannot be read on', async () => {
    const { status, body } = await send('/city/import', `name,people\nx,-1\n${'x,1\n'.repeat(40_000)}"never\n`);
    expect([status, body.messages]).toMatchObject([
      400,
      [
        { code: 'parameter.too_small', line: 2 },
        { code: 'import.malformed', line: 40_003, record: 40_002 },
      ],
    ]);
  });

  it.each([
    ['a quote that never ends', '"never\n'],
    ['text after a quote', '"x"y,1\n'],
  ])('also where both arrive together: %s', async (_, rest) => {
    const { status, body } = await send('/city/import', `name,people\nx,-1\nx,1\n${rest}`);
    expect([status, body.messages]).toMatchObject([
      400,
      [
        { code: 'parameter.too_small', line: 2, record: 1 },
        { code: 'import.malformed', line: 4, record: 3 },
      ],
    ]);
  });
});

it('takes an empty value in quotes as the empty text, also of a required parameter, and another one as null', async () => {
  const own = await service.project();
  const text = { kind_id: 'string', nullable: false };
  const parameters = [
    { id: 'must', required: true, ...text },
    { id: 'given', default_string: 'x', ...text },
  ];
  await defineKinds(own, { id: 'line', parameters });
  expect(await ok(send('/line/import', 'must,given\n"",""\n', CSV, own))).toMatchObject({ created: 1 });
  expect((await ok(own.get('/line/unit?include=must,given'))).items).toEqual([{ must: '', given: '' }]);
  const { messages } = (await send('/line/import', 'must,given\n,""\na,\n', CSV, own)).body;
  expect(messages).toMatchObject([
    { parameter: 'must', record: 1 },
    { parameter: 'given', record: 2 },
  ]);
});

describe('errors=skip', () => {
  it('stores the records in the order of the file, also where some are refused by PostgreSQL', async () => {
    const own = await service.project();
    const n = { id: 'n', kind_id: 'integer', unique: true };
    await defineKinds(own, { id: 'item', parameters: [n, { id: 'of', kind_id: 'unit', reference_kind: 'item' }] });
    const nowhere = '01900000-0000-7000-8000-000000000000';
    const records = Array.from({ length: 900 }, (_, at) => ({ n: at, of: [0, 401].includes(at) ? nowhere : '' }));
    records[650] = { n: 640, of: '' };
    const file = `n,of\n${records.map((each) => `${each.n},${each.of}`).join('\n')}\n`;
    expect(await ok(send('/item/import?errors=skip', file, CSV, own))).toMatchObject({ created: 897, failed: 3 });
    const { items } = await ok(own.get('/item/unit?include=n&limit=1000'));
    const expected = records.map((each) => each.n).filter((_, at) => ![0, 401, 650].includes(at));
    expect((items as { n: number }[]).map((each) => each.n)).toEqual(expected);
  });

  it('stores what is good, and answers the rest', async () => {
    const file = [
      'name,land,people,number',
      ...['a,IT,1,1', 'b,XX,1,2', 'c,FR,-1,3', 'd,IT,x,4', 'e,IT,1,1', 'f,YY,2,', 'g', 'h,FR,,5'],
    ].join('\n');
    const content = await ok(send('/city/import?errors=skip', file));
    expect(content).toMatchObject({ count: 8, created: 2, updated: 0, unchanged: 0, ignored: 0, failed: 6 });
    expect((content.errors as { record: number; code: string }[]).map(({ record, code }) => [record, code])).toEqual([
      [2, 'parameter.bad_reference'],
      [3, 'parameter.too_small'],
      [4, 'parameter.bad_type'],
      [5, 'parameter.not_unique'],
      [6, 'parameter.bad_reference'],
      [7, 'import.malformed'],
    ]);
    expect(await count('city')).toBe(2);
    await clear('city');
  });

  it('stores nothing of a file that cannot be read on', async () => {
    const rows = Array.from({ length: 1500 }, (_, n) => `c${n}`).join('\n');
    const refused = await send('/city/import?errors=skip', `name\n${rows}\n"never\n`);
    expect(refused).toMatchObject({ status: 400, body: { messages: [{ code: 'import.malformed', line: 1502 }] } });
    expect(await count('city')).toBe(0);
  });

  it('keeps the first thousand faults', async () => {
    const rows = Array.from({ length: 3000 }, () => `x,-1`).join('\n');
    const content = await ok(send('/city/import?errors=skip', `name,people\nok,1\n${rows}\n`));
    expect(content).toMatchObject({ count: 3001, created: 1, failed: 3000 });
    expect(content.errors).toHaveLength(1000);
    await clear('city');
  });
});

describe('NDJSON', () => {
  it('creates a unit per line, also units inside others', async () => {
    const file = '{"name":"a","land":{"code":"DE"}}\n\n{"name":"b","tags":["x"],"people":3}';
    expect(await ok(send('/city/import?format=ndjson', file, NDJSON))).toEqual({ count: 2, created: 2, ...DONE });
    expect((await project.get('/land/unit/DE')).status).toBe(200);
    await clear('city');
  });

  it('has faults of lines that are no objects', async () => {
    const { status, body } = await send('/city/import', '{"name":"a"}\n[1]\n{"name":\n{"nam":1}\n', NDJSON);
    expect(status).toBe(400);
    expect(body.messages.map(({ code, ...at }) => [code, at])).toMatchObject([
      ['body.not_object', { line: 2, record: 2 }],
      ['body.malformed', { line: 3, record: 3 }],
      ['parameter.unknown', { line: 4, record: 4 }],
      ['parameter.required', { line: 4, record: 4, parameter: 'name' }],
    ]);
  });
});

describe('is refused', () => {
  it.each<[string, string, string, Record<string, string>, number, string]>([
    ['without a token', '/city/import', 'name\n', CSV, 401, 'token.missing'],
    ['of another type', '/city/import', 'name\n', { 'content-type': 'application/json' }, 415, 'body.not_json'],
    ['of another type than its format', '/city/import?format=ndjson', 'name\n', CSV, 415, 'body.not_json'],
    ['in another coding', '/city/import', 'name\n', { ...CSV, 'content-encoding': 'br' }, 415, 'body.not_json'],
    ['that is no gzip', '/city/import', 'name\n', { ...CSV, 'content-encoding': 'gzip' }, 400, 'import.malformed'],
    ['for a kind of the model', '/kind/import', 'label\nx\n', CSV, 404, 'kind.not_allowed_here'],
    ['with what it does not have', '/city/import?cascade=true', 'name\n', CSV, 400, 'query.unknown'],
    ['with an empty file', '/city/import', '', CSV, 400, 'import.malformed'],
  ])('%s', async (why, path, file, headers, status, code) => {
    const as = why === 'without a token' ? anonymous(project) : project;
    expect(await send(path, file, headers, as)).toMatchObject({ status, body: { messages: [{ code }] } });
  });

  it('with bytes that are not UTF-8', async () => {
    const refused = await sendBytes('/city/import', Buffer.concat([Buffer.from('name\na\n'), Buffer.of(0xff)]), CSV);
    expect(refused).toMatchObject({ status: 400, body: { messages: [{ code: 'import.malformed' }] } });
  });

  it('of few bytes and many lines', async () => {
    const importing = (lines: number) =>
      sendBytes('/city/import?errors=skip&dry_run=true', gzipSync(`name\n${'\n'.repeat(lines)}`), {
        ...CSV,
        'content-encoding': 'gzip',
      });
    const { status, body } = await importing(100_000);
    expect([status, body.messages[0]?.text]).toEqual([413, expect.stringContaining('20 lines for each of its bytes')]);
    expect((await importing(1000)).body.content).toMatchObject({ count: 1000 });
  });

  it('as a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.from(`name,number\n${'\n'.repeat(64 * 1024 * 1024)}`));
    const refused = await sendBytes('/city/import', bomb, { ...CSV, 'content-encoding': 'gzip' });
    expect(refused).toMatchObject({ status: 413, body: { messages: [{ code: 'body.too_large' }] } });
  });
});

it('takes gzip', async () => {
  const own = await count('place');
  const rows = Array.from({ length: 5000 }, (_, n) => `city ${n},${n}`).join('\n');
  const reply = await sendBytes('/place/import', gzipSync(`name,number\n${rows}\n`), {
    ...CSV,
    'content-encoding': 'gzip',
  });
  expect(reply.body.content).toMatchObject({ count: 5000, created: 5000 });
  expect(await count('place')).toBe(own + 5000);
});

it('of a client that goes away in the middle stores nothing', async () => {
  const own = await service.project();
  await defineKinds(own, { id: 'note', parameters: [{ id: 'text', kind_id: 'string' }] });
  const { hostname, port } = new URL(service.service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    `POST /api/lib/note/import HTTP/1.1\r\nhost: x\r\nkind-project-key: ${own.id}\r\nauthorization: Bearer ${own.token}\r\n` +
      'content-type: text/csv\r\ncontent-length: 1000000\r\n\r\n' +
      `text\n${'x\n'.repeat(5000)}`,
  );
  await expect.poll(async () => (await send('/note/import', 'text\n', CSV, own)).status, { timeout: 5000 }).toBe(200);
  socket.destroy();
  await once(socket, 'close');
  expect(await ok(send('/note/import', 'text\na\n', CSV, own))).toMatchObject({ created: 1 });
  expect((await own.get('/note/unit?limit=0')).body.content).toMatchObject({ count: 1 });
});

describe('ids=keep', () => {
  it('brings an exported file back as it was', async () => {
    await clear('city');
    await ok(send('/city/import', 'name,land,data,tags\nA,IT,"{""x"":[1]}","[""=y"",""""]"\n"",,,\n', CSV));
    const exported = await project.get('/city/export');
    for (const [format, headers] of [
      ['csv', CSV],
      ['ndjson', NDJSON],
    ] as const) {
      const { text } = await project.get(`/city/export?format=${format}`);
      await clear('city');
      expect(await ok(send('/city/import?ids=keep', text, headers))).toMatchObject({ created: 2 });
      const again = await project.get('/city/export?include=id,name,land,data,tags,capital,number,people');
      expect(again.text.split('\r\n')[1]).toContain(exported.text.split('\r\n')[1]?.slice(0, 36));
    }
    await clear('city');
  });

  it('refuses an id twice, and one that is no UUID', async () => {
    const id = '0190163d-8694-739b-aea5-966c26f8ad91';
    const { status, body } = await send('/city/import?ids=keep', `id,name\n${id},a\n${id.toUpperCase()},b\nx,c\n`);
    expect(status).toBe(400);
    expect(body.messages).toMatchObject([
      { code: 'parameter.not_unique', parameter: 'id', record: 2 },
      { code: 'parameter.bad_value', parameter: 'id', record: 3 },
    ]);
    const twice = await send('/city/import?ids=keep', `id,name\n${id},a\n${id.toUpperCase()},b\n`);
    expect(twice).toMatchObject({ status: 400, body: { messages: [{ code: 'parameter.not_unique', record: 2 }] } });
  });

  it('takes a column that is unknown otherwise, and the refusal says so', async () => {
    const { status, body } = await send('/city/import', 'id,name\n,a\n');
    expect(status).toBe(400);
    expect(body.messages).toEqual([
      {
        code: 'parameter.unknown',
        text: "id: 'city' has no such parameter; with ids=keep it has the ids of new units",
        parameter: 'id',
        line: 1,
      },
    ]);
  });

  it('is for administrators', async () => {
    const own = await service.project();
    const ann = await asMember(own);
    await defineKinds(own, { id: 'note', parameters: [{ id: 'text', kind_id: 'string' }] });
    expect(refusalOf(await send('/note/import?ids=keep', 'text\na\n', CSV, ann))).toEqual({
      status: 403,
      messages: ['access.denied'],
    });
    expect((await send('/note/import', 'text\na\n', CSV, ann)).status).toBe(200);
  });
});

it('obeys the rule of creates, for each record', async () => {
  const own = await service.project();
  const ann = await asMember(own);
  await defineKinds(own, {
    id: 'note',
    parameters: [
      { id: 'text', kind_id: 'string' },
      { id: 'open', kind_id: 'boolean' },
      { id: 'inner', kind_id: 'string', write_access: 'admin' },
    ],
    access: { create: 'eq(open,true)' },
  });
  const file = 'text,open\na,true\nb,false\nc,true\n';
  const denied = { code: 'access.denied', line: 3, record: 2 };
  expect(await send('/note/import', file, CSV, ann)).toMatchObject({ status: 400, body: { messages: [denied] } });
  expect(await ok(send('/note/import?errors=skip', file, CSV, ann))).toMatchObject({ created: 2, errors: [denied] });
  const inner = await send('/note/import', 'text,open,inner\na,true,x\n', CSV, ann);
  expect(inner).toMatchObject({
    status: 400,
    body: { messages: [{ code: 'parameter.read_only', parameter: 'inner' }] },
  });
});

describe('on_conflict', () => {
  it('edits or leaves units that are there, and counts each', async () => {
    const own = await service.project();
    await defineKinds(own, {
      id: 'item',
      parameters: [
        { id: 'code', kind_id: 'string', unique: true },
        { id: 'n', kind_id: 'integer' },
      ],
    });
    const first = 'code,n\na,1\nb,1\nc,1\n';
    expect(await ok(send('/item/import?on_conflict=update&by=code', first, CSV, own))).toMatchObject({ created: 3 });
    const second = 'code,n\na,2\nb,1\nd,1\n';
    const updated = await ok(send('/item/import?on_conflict=update&by=code', second, CSV, own));
    expect(updated).toMatchObject({ count: 3, created: 1, updated: 1, unchanged: 1, ignored: 0, failed: 0 });
    const ignored = await ok(send('/item/import?on_conflict=ignore&by=code', 'code,n\na,9\ne,1\n', CSV, own));
    expect(ignored).toMatchObject({ count: 2, created: 1, ignored: 1 });
    expect((await own.get('/item/export?include=code,n&order=code')).text).toBe(
      'code,n\r\na,2\r\nb,1\r\nc,1\r\nd,1\r\ne,1\r\n',
    );
  });

  it('finds units by their index, also in a kind that was empty when the import began', async () => {
    const own = await service.project();
    await defineKinds(own, { id: 'item', parameters: [{ id: 'code', kind_id: 'string', unique: true }] });
    const file = `code\n${Array.from({ length: 6000 }, (_, n) => `c${n}\n`).join('')}`;
    await ok(send('/item/import?on_conflict=update&by=code', file, CSV, own));
    const reads = async () => {
      const text = `SELECT n_tup_ins::int AS inserted, seq_tup_read::int AS read FROM pg_stat_all_tables WHERE relid = '$schema.item'::regclass`;
      const [row] = await query<{ inserted: number; read: number }>(own, text);
      return row;
    };
    // PostgreSQL counts them some time after the commit.
    await expect.poll(async () => (await reads())?.inserted, { timeout: 10_000 }).toBe(6000);
    // Reading all of the kind once for each piece of the file would be 87,000.
    expect((await reads())?.read).toBeLessThan(30_000);
  });

  it('writes what is good around what PostgreSQL refuses, in a file of several pieces', async () => {
    const own = await service.project();
    await defineKinds(own, {
      id: 'item',
      parameters: [
        { id: 'code', kind_id: 'string', unique: true },
        { id: 'n', kind_id: 'integer', unique: true, max_value: 10_000 },
      ],
    });
    const units = Array.from({ length: 1000 }, (_, n) => [`c${n}`, n] as const);
    const fileOf = (rows: readonly (readonly [string, number])[]) =>
      `code,n\n${rows.map((row) => `${row.join()}\n`).join('')}`;
    await ok(send('/item/import', fileOf(units), CSV, own));
    const bad = new Map([
      [150, 999], // of another unit
      [201, 10_001],
      [450, 151],
    ]);
    const changed = units.slice(0, 800).map(([code, n]) => [code, bad.get(n) ?? -1 - n] as const);
    const file = fileOf([...changed, ['c3', 5000], ['new', 6000]]);
    const refused = await send('/item/import?on_conflict=update&by=code', file, CSV, own);
    const faults = [
      ['parameter.not_unique', 151],
      ['parameter.too_large', 202],
      ['parameter.duplicate', 801],
    ];
    const placesOf = (messages: unknown) =>
      (messages as { code: string; record: number }[]).map(({ code, record }) => [code, record]);
    expect([refused.status, placesOf(refused.body.messages)]).toEqual([400, faults]);
    expect(await ok(own.get('/item/unit?filter=lt(n,0)&limit=0'))).toMatchObject({ count: 0 });
    const skipped = await ok(send('/item/import?on_conflict=update&by=code&errors=skip', file, CSV, own));
    expect(skipped).toMatchObject({ count: 802, created: 1, updated: 798, unchanged: 0, failed: 3 });
    expect(placesOf(skipped.errors)).toEqual(faults);
    expect(await ok(own.get('/item/unit?filter=lt(n,0)&limit=0'))).toMatchObject({ count: 797 });
    expect(await ok(own.get('/item/unit?filter=in(code,c150,c201,c450,c3,new)&order=n&include=n'))).toMatchObject({
      items: [{ n: -4 }, { n: 150 }, { n: 151 }, { n: 201 }, { n: 6000 }],
    });
    const again = file.replace('c3,5000\n', '');
    expect((await send('/item/import?on_conflict=ignore&by=code', again, CSV, own)).body.messages).toMatchObject([
      { code: 'parameter.too_large', record: 202 },
    ]);
    const ignored = await ok(send('/item/import?on_conflict=ignore&by=code&errors=skip', again, CSV, own));
    expect(ignored).toMatchObject({ count: 801, ignored: 800, failed: 1 });
  });

  it('has a fault where a key is twice in the file, also far apart', async () => {
    const own = await service.project();
    await defineKinds(own, { id: 'item', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }] });
    const file = `code\n${Array.from({ length: 700 }, (_, n) => `c${n}\n`).join('')}c3\n`;
    const fault = { code: 'parameter.duplicate', parameter: 'code', line: 702, record: 701 };
    const refused = await send('/item/import?on_conflict=ignore', file, CSV, own);
    expect(refused).toMatchObject({ status: 400, body: { messages: [fault] } });
    const skipped = await ok(send('/item/import?on_conflict=ignore&errors=skip', file, CSV, own));
    expect(skipped).toMatchObject({ count: 701, created: 700, failed: 1, errors: [fault] });
    expect((await send('/item/import?by=code', 'code\nx\n', CSV, own)).status).toBe(400);
    expect((await send('/item/import?on_conflict=update&ids=keep', 'code\nx\n', CSV, own)).status).toBe(400);
  });
});

it('as a dry run answers the same, and stores nothing', async () => {
  const own = await service.project();
  await defineKinds(own, { id: 'note', parameters: [{ id: 'text', kind_id: 'string', unique: true }] });
  const dry = await send('/note/import?dry_run=true&errors=skip', 'text\na\nb\na\n', CSV, own);
  expect(dry.headers.get('kind-dry-run')).toBe('true');
  expect(dry.body.content).toMatchObject({ count: 3, created: 2, failed: 1 });
  expect(await ok(own.get('/note/unit?limit=0'))).toEqual({ count: 0, items: [] });
  expect((await send('/note/import?dry_run=1', 'text\na\n', CSV, own)).status).toBe(400);
});

describe('with an idempotency key', async () => {
  const own = await service.project();
  await defineKinds(own, { id: 'note', parameters: [{ id: 'text', kind_id: 'string', unique: true }] });
  const keyed = (key: string, file: string, search = '', as = own) =>
    send(`/note/import${search}`, file, { ...CSV, 'idempotency-key': key }, as);
  const repeated = ({ status, headers }: Reply) => [status, headers.get('idempotency-replayed')];
  const notes = async (filter: string) =>
    ((await ok(own.get(`/note/unit?limit=0&filter=${filter}`))) as { count: number }).count;
  const fileOf = (name: string, rows: number) =>
    `text\n${Array.from({ length: rows }, (_, n) => `${name}${n}\n`).join('')}`;

  it('is done once, and answered the same', async () => {
    const file = fileOf('a', 3000);
    const first = await keyed('once', file);
    expect(first.body.content).toMatchObject({ count: 3000, created: 3000 });
    const second = await keyed('once', file);
    expect([repeated(first), repeated(second)]).toEqual([
      [200, null],
      [200, 'true'],
    ]);
    expect(second.body).toEqual(first.body);
    expect(await notes('startswith(text,a)')).toBe(3000);
  });

  it('is not done for another file or query with it', async () => {
    await ok(keyed('other', 'text\nb\n'));
    const refused = [await keyed('other', 'text\nbb\n'), await keyed('other', 'text\nb\n', '?errors=skip')];
    expect(refused.map(refusalOf)).toEqual(Array(2).fill({ status: 422, messages: ['idempotency.mismatch'] }));
    expect(await notes('eq(text,bb)')).toBe(0);
  });

  it('repeats refusals, and takes the key again after a file that was not read to its end', async () => {
    lowerLimit('importedAhead', 0);
    await ok(own.post('/note/unit', { text: 'taken' }));
    const first = await keyed('refused', 'text\ntaken\nc\n');
    await ok(own.delete('/note/unit?filter=eq(text,taken)'));
    const second = await keyed('refused', 'text\ntaken\nc\n');
    expect([repeated(first), repeated(second)]).toEqual([
      [400, null],
      [400, 'true'],
    ]);
    expect(second.body).toEqual(first.body);
    expect((await keyed('cut', 'txt\nd\n')).status).toBe(400);
    expect(repeated(await keyed('cut', 'text\nd\n'))).toEqual([200, null]);
    expect(await ok(keyed('dry', 'text\ne\n', '?dry_run=true'))).toMatchObject({ created: 1 });
    expect(repeated(await keyed('dry', 'text\ne\n'))).toEqual([200, null]);
    expect(refusalOf(await keyed('a b', 'text\nh\n'))).toEqual({
      status: 400,
      messages: ['idempotency.bad_key idempotency-key'],
    });
  });

  it('is done once of many at the same time', async () => {
    const file = fileOf('f', 500);
    const replies = await Promise.all(Array.from({ length: 6 }, () => keyed('many', file)));
    expect(replies.filter((reply) => repeated(reply).join() === '200,')).toHaveLength(1);
    const others = replies.filter((reply) => repeated(reply).join() !== '200,');
    for (const { status } of others) expect([200, 409, 503]).toContain(status);
    expect(await notes('startswith(text,f)')).toBe(500);
  });

  it('asks for the rights again', async () => {
    const member = await asMember(own);
    await ok(keyed('rights', 'text\ng\n', '', member));
    await ok(own.put('/kind/unit/note', { access: { create: 'admin' } }));
    expect(refusalOf(await keyed('rights', 'text\ng\n', '', member))).toEqual({
      status: 403,
      messages: ['access.denied'],
    });
  });
});

it('obeys rules over the unit of single parameters', async () => {
  const own = await service.project();
  const ann = await asMember(own);
  await defineKinds(own, {
    id: 'note',
    parameters: [
      { id: 'open', kind_id: 'boolean' },
      { id: 'text', kind_id: 'string', read_access: ['eq(open,true)'], write_access: ['eq(open,true)'] },
    ],
  });
  const file = 'open,text\ntrue,shown\nfalse,hidden\n';
  const refused = await ok(send('/note/import?errors=skip', file, CSV, ann));
  expect(refused).toMatchObject({ created: 1, failed: 1, errors: [{ record: 2, line: 3 }] });
  await ok(send('/note/import', 'open,text\nfalse,hidden\n', CSV, own));
  expect((await ann.get('/note/export?include=open,text')).text).toBe('open,text\r\ntrue,shown\r\nfalse,\r\n');
  expect((await ann.get('/note/export?format=ndjson&include=open,text')).text).not.toContain('hidden');
});

it('runs hooks for each record', async () => {
  const file = 'name\na\ntaken\nb\n';
  const taken = { code: 'name.taken', parameter: 'name', line: 3, record: 2 };
  expect(await send('/hooked/import', file)).toMatchObject({ status: 400, body: { messages: [taken] } });
  expect(await ok(send('/hooked/import?errors=skip', file))).toMatchObject({ created: 2, failed: 1, errors: [taken] });
  expect(await ok(project.get('/hooked/unit?include=upper'))).toMatchObject({
    items: [{ upper: 'A' }, { upper: 'B' }],
  });
});
