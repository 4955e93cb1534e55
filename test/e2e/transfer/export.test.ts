/** Exports: what is in the file, in both formats, for whom, and how it ends. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { startTestService } from '../../support/service.js';

const service = await startTestService();
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
  { id: 'place', parameters: [{ id: 'land_title', kind_id: 'string' }] },
  {
    id: 'thing',
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'size', kind_id: 'integer' },
      { id: 'weight', kind_id: 'float' },
      { id: 'price', kind_id: 'decimal' },
      { id: 'active', kind_id: 'boolean' },
      { id: 'day', kind_id: 'date' },
      { id: 'hour', kind_id: 'time' },
      { id: 'at', kind_id: 'datetime' },
      { id: 'bytes', kind_id: 'binary' },
      { id: 'data', kind_id: 'json' },
      { id: 'tags', kind_id: 'string', multiple: true },
      { id: 'land', kind_id: 'unit', reference_kind: 'land' },
      { id: 'secret', kind_id: 'string', hidden: true },
    ],
  },
);
await ok(project.post('/land/unit', { code: 'IT', title: 'Italy' }));
const FULL = {
  name: 'a "quoted", \\ back\nslash (é)',
  size: -5,
  weight: 1.5e-7,
  price: '10.50',
  active: false,
  day: '2024-01-31',
  hour: '09:30:00',
  at: '2024-01-31T09:30:00Z',
  bytes: 'aGk=',
  data: { a: [1, 'x,"y"'], b: null },
  tags: ['=x', 'b,c'],
  land: 'IT',
  secret: 'hush',
};
await ok(project.post('/thing/unit', [{ ...FULL }, { name: '' }, { name: '=1+1', tags: [] }, {}]));
const FIELDS = 'name,size,weight,price,active,day,hour,at,bytes,data,tags,land';
const include = `include=${FIELDS},land.title`;

describe('a CSV file', () => {
  it('has a header row and the values as of RFC 4180', async () => {
    const reply = await project.get(`/thing/export?format=csv&${include}`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="thing.csv"');
    expect(reply.text.split('\r\n')).toEqual([
      `${FIELDS},land.title`,
      '"a ""quoted"", \\ back\nslash (é)",-5,1.5e-07,10.5,false,2024-01-31,09:30:00,2024-01-31T09:30:00.000000Z,aGk=,' +
        '"{""a"": [1, ""x,\\""y\\""""], ""b"": null}","[""=x"",""b,c""]",IT,Italy',
      `""${','.repeat(12)}`,
      `=1+1${','.repeat(10)}[]${',,'}`,
      ','.repeat(12),
      '',
    ]);
  });

  it('is safe for spreadsheets where that is asked for', async () => {
    const reply = await project.get('/thing/export?safe=true&include=name,size,tags');
    expect(reply.text.split('\r\n').slice(2)).toEqual(['"",,', "'=1+1,,[]", ',,', '']);
    expect(reply.text).toContain(',-5,"[""=x"",""b,c""]"');
  });

  it('escapes formulas for spreadsheets, whatever stands before them', async () => {
    const before = ['', '\t', '\r', '\n', ' ', '\u00a0', '\ufeff', '\u3000', '\u200b', '\u2028', '\u0001', ' \ufeff\n'];
    const formulas = before.flatMap((mark) => [...'=+-@＝＋－＠'].map((sign) => `${mark}${sign}1`));
    const escaped = [...formulas, '\tx', '\rx', '\nx'];
    const values = [...escaped, 'x', ' x', 'a=1', '', '\u00a0'];
    const body = values.map((land_title) => ({ land_title }));
    await ok(project.post('/place/unit', body));
    const { text } = await project.get('/place/export?safe=true&include=land_title');
    const cells = text.slice('land_title\r\n'.length).matchAll(/"([^"]*)"\r\n|([^"\r\n]*)\r\n/g);
    expect([...cells].map(([, quoted, plain]) => quoted ?? plain)).toEqual(
      values.map((value) => (escaped.includes(value) ? `'${value}` : value)),
    );
  });

  it('begins with the names of all fields that the caller may read, also where no unit matches', async () => {
    const { text } = await project.get('/thing/export?filter=eq(name,none)');
    expect(text).toBe(`id,kind_id,${FIELDS},metadata,inserted_at,updated_at\r\n`);
  });
});

describe('an NDJSON file', () => {
  it('has the units of the list, in its order', async () => {
    for (const name of ['', 'order=-name', 'filter=isnull(size)', 'include=[name,land.title]&order=name']) {
      const { items } = await ok(project.get(`/thing/unit?${name}`));
      const { text, headers } = await project.get(`/thing/export?format=ndjson&${name}`);
      expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      expect(
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
      ).toEqual(items);
    }
  });

  it('has all units, however many there are', async () => {
    await defineKinds(project, { id: 'number', parameters: [{ id: 'n', kind_id: 'integer' }] });
    for (let n = 0; n < 12; n++) {
      await ok(
        project.post(
          '/number/unit',
          Array.from({ length: 1000 }, (_, at) => ({ n: n * 1000 + at })),
        ),
      );
    }
    const { text } = await project.get('/number/export?format=ndjson&include=n');
    expect(text).toBe(Array.from({ length: 12_000 }, (_, n) => `{"n":${n}}\n`).join(''));
  });
});

it('is compressed with gzip where that is accepted', async () => {
  const response = await fetch(`${service.service.url}/api/lib/thing/export?include=name`, {
    headers: { 'kind-project-key': project.id, authorization: `Bearer ${project.token}`, 'accept-encoding': 'gzip' },
  });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(response.headers.get('vary')).toContain('Accept-Encoding');
  expect(await response.text()).toBe((await project.get('/thing/export?include=name')).text);
});

it('has no body for HEAD', async () => {
  const reply = await project.call('HEAD', '/thing/export');
  expect([reply.status, reply.text]).toEqual([200, '']);
});

describe('obeys the rights of a list', () => {
  it.each([
    ['without a token', anonymous(project), '/thing/export', 401, ['token.missing']],
    ['of a missing kind', project, '/nothing/export', 404, ['kind.unknown']],
    ['of a kind of the model', project, '/kind/export', 404, ['kind.not_allowed_here']],
    ['of a hidden parameter', project, '/thing/export?include=secret&filter=eq(secret,hush)', 400, undefined],
    [
      'with what it does not have',
      project,
      '/thing/export?limit=1&cursor=',
      400,
      ['query.unknown limit', 'query.unknown cursor'],
    ],
    ['of an unknown format', project, '/thing/export?format=xml', 400, ['query.bad_value format']],
    ['of JSON for a spreadsheet', project, '/thing/export?format=ndjson&safe=true', 400, ['query.bad_value safe']],
  ])('%s', async (_, caller, path, status, messages) => {
    const refused = refusalOf(await caller.get(path));
    expect(refused.status).toBe(status);
    if (messages) expect(refused.messages).toEqual(messages);
  });

  it('and shows members only the units and fields that they may read', async () => {
    const own = await service.project();
    const ann = await asMember(own);
    await defineKinds(own, {
      id: 'note',
      parameters: [
        { id: 'text', kind_id: 'string' },
        { id: 'open', kind_id: 'boolean' },
        { id: 'inner', kind_id: 'string', read_access: 'admin' },
      ],
      access: { read: 'eq(open,true)' },
    });
    await ok(
      own.post('/note/unit', [
        { text: 'a', open: true, inner: 'x' },
        { text: 'b', open: false },
      ]),
    );
    const { text } = await ann.get('/note/export?include=text,open');
    expect(text).toBe('text,open\r\na,true\r\n');
    expect((await ann.get('/note/export?format=ndjson')).text).not.toContain('inner');
    expect(refusalOf(await ann.get('/note/export?filter=eq(inner,x)')).status).toBe(400);
  });
});

it('with an outdated model begins anew, before its first line', async () => {
  const other = await startTestService();
  const elsewhere = await other.signIn(project.id);
  await elsewhere.get('/land/export');
  await defineKinds(project, { id: 'fresh', parameters: [{ id: 'n', kind_id: 'integer' }] });
  expect((await elsewhere.get('/fresh/export?include=n')).text).toBe('n\r\n');
  await ok(project.put('/kind/unit/fresh', { parameters: ['n', 'name'] }));
  expect((await elsewhere.get('/fresh/export')).text).toContain('n,name');
});

it('and an import keep a transaction for a limited time', async () => {
  lowerLimit('transferTransactionSeconds', 0);
  await defineKinds(project, { id: 'long', parameters: [{ id: 'n', kind_id: 'integer' }] });
  await ok(
    project.post(
      '/long/unit',
      Array.from({ length: 200 }, (_, n) => ({ n })),
    ),
  );
  const tooLong = { status: 503, messages: ['query.timeout'] };
  expect(refusalOf(await project.get('/long/export'))).toEqual(tooLong);
  const headers = { 'content-type': 'text/csv' };
  expect(refusalOf(await project.call('POST', '/long/import', 'n\n1\n', { headers }))).toEqual(tooLong);
  expect(await ok(project.get('/long/unit?limit=0'))).toMatchObject({ count: 200 });
});

it('that fails in the middle breaks the connection', async () => {
  await defineKinds(project, { id: 'broken', parameters: [{ id: 'text', kind_id: 'text' }] });
  for (let n = 0; n < 6; n++) {
    await ok(
      project.post(
        '/broken/unit',
        Array.from({ length: 1000 }, () => ({ text: 'x'.repeat(200) })),
      ),
    );
  }
  const response = await fetch(`${service.service.url}/api/lib/broken/export?include=text`, {
    headers: {
      'kind-project-key': project.id,
      authorization: `Bearer ${project.token}`,
      'accept-encoding': 'identity',
    },
  });
  const reader = response.body?.getReader();
  await reader?.read();
  // All exports of this database stop.
  await query(
    project,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'FETCH FORWARD%' AND pid <> pg_backend_pid()`,
  );
  await expect(drain(reader)).rejects.toThrow();
});

it('holds no transaction for a client that has gone', async () => {
  const { hostname, port } = new URL(service.service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    `GET /api/lib/broken/export HTTP/1.1\r\nhost: x\r\nkind-project-key: ${project.id}\r\nauthorization: Bearer ${project.token}\r\n\r\n`,
  );
  await once(socket, 'data');
  socket.destroy();
  await expect
    .poll(
      async () =>
        (await query(project, `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'FETCH FORWARD%' AND state <> 'idle'`))
          .length,
      { timeout: 10_000 },
    )
    .toBe(0);
});

async function drain(reader: ReadableStreamDefaultReader | undefined): Promise<void> {
  while (reader && !(await reader.read()).done);
}
