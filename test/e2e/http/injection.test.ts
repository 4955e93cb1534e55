/**
 * What a client writes reaches PostgreSQL as a value, never as text of a statement: every place that takes a string is
 * given hostile ones, and the statements that come of it are looked at. Definitions alone may have literals, well quoted.
 */
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { anonymous, defineKinds, signUp, withMembers } from '../../support/callers.js';
import { createdId, expectNoDrift, inQuotes, ok, query } from '../../support/definitions.js';
import { runs } from '../../support/runs.js';
import { send, type WireRequest } from '../../support/wire.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const admin = await withMembers(await service.project());
await defineKinds(
  admin,
  { id: 'land', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }] },
  {
    id: 'city',
    parameters: [
      ...['string', 'text', 'integer', 'decimal', 'date', 'datetime', 'binary', 'json'].map((type) => ({
        id: `a_${type}`,
        kind_id: type,
      })),
      { id: 'tags', kind_id: 'string', multiple: true },
      { id: 'land', kind_id: 'unit', reference_kind: 'land' },
    ],
  },
);
await ok(admin.post('/group/unit', { id: 'places', kind_list: ['city', 'land'] }));
await ok(admin.post('/land/unit', { code: 'it' }));
const id = await createdId(admin.post('/city/unit', { a_string: 'Rome', land: 'it' }));
const ann = await signUp(admin, 'ann');

/** In every hostile text, and in nothing else that the service knows. */
const MARK = 'zq7x';
const PIECES = [
  ...[
    `'`,
    `"`,
    `''`,
    `""`,
    '\\',
    `\\'`,
    `\\"`,
    '`',
    ';',
    '--',
    '/*',
    '*/',
    '#',
    '$1',
    '$2',
    '$$',
    '$a$',
    '%',
    '_',
    '?',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    '.',
    ':',
    '::text',
    '|',
    '@',
    '@member.id',
    '=',
    '<',
    '>',
    '&',
    '+',
    ' ',
    '\n',
  ],
  ...[
    '\t',
    '\r\n',
    'ʼ',
    '＇',
    'é',
    '😀',
    '\u202e',
    ' OR true --',
    `' OR '1'='1`,
    `'; DROP TABLE city; --`,
    '->>',
    '#>>',
  ],
  ...[` UNION SELECT null`, `"; SELECT pg_sleep(9); --`, `E'\\047`, `x'00'`, '%27', '%00', '%2527', 'NULL', '\u0000'],
];
const hostile = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 })
  .chain((pieces) => fc.nat(pieces.length).map((at) => pieces.toSpliced(at, 0, MARK).join('')))
  // A valid id (zq7x_) would define a kind, and statements name the tables of kinds.
  .filter((text) => !/^\w+$/.test(text));

const key = { 'kind-project-key': admin.id, authorization: `Bearer ${admin.token ?? ''}` };
/** Header lines hold no line ends and no characters beyond one byte. */
const line = (text: string) => text.replace(/[^\x20-\x7e]/g, '?');
const get = (path: string, headers: object = {}): WireRequest => ({
  path: `/api/lib${path}`,
  headers: { ...key, ...headers },
});
const write = (method: string, path: string, body: unknown, token = true): WireRequest => ({
  method,
  path: `/api/lib${path}`,
  headers: { ...(token ? key : { 'kind-project-key': admin.id }), 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Every place of a request that takes a text. */
function requests(text: string): WireRequest[] {
  const raw = encodeURIComponent(text);
  const quoted = inQuotes(text);
  const unit = `/city/unit/${id}`;
  const fields = ['a_string', 'a_text', 'a_integer', 'a_decimal', 'a_date', 'a_datetime', 'a_binary', 'a_json', 'tags'];
  const named = (name: string) => ({ [name]: text });
  const member = { username: text, password: text, email: text };
  return [
    ...['/unit', '/struct', '/unit/x', '/unit/x/struct', '/unit/x/link/child'].map((rest) => get(`/${raw}${rest}`)),
    ...['city', 'land', 'person', 'kind', 'group', 'link', 'string', 'kind_admin'].flatMap((kind) => [
      get(`/${kind}/unit/${raw}`),
      get(`/${kind}/unit/${raw}/struct`),
      get(`/${kind}/unit/${raw}/access`),
      write('PUT', `/${kind}/unit/${raw}`, {}),
      write('DELETE', `/${kind}/unit/${raw}`, {}),
    ]),
    ...['kind', 'unit', 'struct', `unit/${raw}`].map((rest) => get(`/group/${raw}/${rest}`)),
    get(`/group/places/unit/${raw}`),
    get(`${unit}/access?member=${raw}`),
    get(`${unit}/link/${raw}`),
    get(`${unit}/link/child?link_id=${raw}`),
    get(`${unit}/link/child?kind_id=${raw}`),
    ...[`${raw}/city/unit/${id}`, `link/${raw}/unit/${id}`, `link/city/unit/${raw}`, `link/land/unit/${raw}`].flatMap(
      (rest) => ['POST', 'DELETE'].map((method) => write(method, `${unit}/link/${rest}`, {})),
    ),
    write('POST', `/group/unit/${raw}/link/group/kind/unit/city`, {}),
    write('DELETE', `/group/unit/places/link/group/kind/unit/${raw}`, {}),
    write('POST', `/kind/unit/city/link/parameter/${raw}/unit/x`, {}),
    write('POST', `/kind/unit/city/link/parameter/string/unit/${raw}`, {}),
    ...['/city/unit', '/group/places/unit', `${unit}/link/child`].flatMap((list) => [
      get(`${list}?filter=${raw}`),
      get(`${list}?filter=eq(${raw},1)`),
      get(`${list}?filter=${raw}(a_string,1)`),
      get(`${list}?filter=eq(a_string,${raw})`),
      ...fields.flatMap((field) => [
        get(`${list}?filter=eq(${field},${quoted})`),
        get(`${list}?filter=in(${field},${quoted},a)`),
      ]),
      ...['contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith', 'lt', 'ge'].map((op) =>
        get(`${list}?filter=${op}(a_string,${quoted})`),
      ),
      get(`${list}?filter=contains(tags,${quoted})`),
      get(`${list}?filter=eq(a_json.${quoted},${quoted})`),
      get(`${list}?filter=isnull(a_json.k.${quoted})`),
      get(`${list}?filter=eq(land.code,${quoted})`),
      get(`${list}?filter=eq(land.${raw},1)`),
      get(`${list}?filter=eq(id,${quoted})`),
      get(`${list}?filter=eq(kind_id,${quoted})`),
      ...['include', 'exclude', 'include[]', 'limit', 'offset', 'count', 'cursor', 'depth', 'load_links', raw].map(
        (name) => get(`${list}?${name}=${raw}`),
      ),
    ]),
    ...[`${raw};asc`, `a_string;${raw}`, `a_json.${quoted};asc`, `a_json.${raw};desc`, `land.${raw};asc`].flatMap(
      (order) => [get(`/city/unit?order=${order}`), get(`/city/unit?order=${order}&cursor=&limit=1`)],
    ),
    ...fields.map((field) => write('POST', '/city/unit', named(field))),
    ...['tags', 'a_json', 'metadata', 'land', 'id', 'kind_id', text].map((name) =>
      write('POST', '/city/unit', { [name]: { [text]: [text] } }),
    ),
    write('POST', '/city/unit', { tags: [text, 'a'], a_json: { [text]: text }, metadata: { [text]: text } }),
    write('POST', '/city/unit', [{ a_string: text }, { a_text: text, a_json: [text] }, named(text)]),
    write('POST', '/city/unit', { land: text }),
    write('POST', '/city/unit', { land: { code: text } }),
    write('PUT', unit, { a_string: text, a_text: text, tags: [text], a_json: { [text]: text } }),
    write('POST', '/land/unit', { code: text }),
    ...['id', 'parameters', 'unique', 'access', 'metadata'].map((name) => write('POST', '/kind/unit', named(name))),
    write('POST', '/kind/unit', { id: 'other', unique: [[text]], indexes: [[text]], parameters: [text] }),
    write('PUT', '/kind/unit/city', { access: { read: `eq(${text},1)` } }),
    write('POST', '/unit/unit', { id: 'other', reference_kind: text, on_delete: text }),
    write('POST', '/auth/person/signup', { username: text, password: text, kind_system_user: member }, false),
    write('POST', `/auth/${raw}/signup`, {}, false),
    write('POST', '/auth/signin', { username: text, password: text, otp: text }, false),
    write('POST', '/auth/signin', { username: 'ann', password: ann.password, otp: text }, false),
    write('POST', '/auth/recover_password', { email: text }, false),
    write('POST', `/auth/reset_password/${raw}`, { new_password: text }, false),
    write('POST', '/auth/change_password', { current_password: text, new_password: text }),
    write('POST', '/person/unit', { username: text, email: text, first_name: text }),
    get('/city/unit', { 'kind-project-key': line(text) }),
    get('/city/unit', { authorization: line(`Bearer ${text}`) }),
    get(unit, { 'if-none-match': line(`"${text}"`) }),
    get(unit, { 'x-request-id': line(text), 'accept-language': line(text), cookie: line(text) }),
    { ...write('PUT', unit, {}), headers: { ...write('PUT', unit, {}).headers, 'if-match': line(text) } },
  ];
}

/** Definitions whose texts stand in statements, as literals, or as the id that is made of a label. */
function definitions(text: string): WireRequest[] {
  const fresh = { id: 'fresh', label: text, helper_text: text, metadata: { [text]: text } };
  return [
    write('POST', '/string/unit', { ...fresh, default_string: text, values: [text, 'a'] }),
    write('POST', '/kind/unit/city/link/parameter/string/unit/fresh', {}),
    write('POST', '/kind/unit', { label: text, parameters: ['fresh'] }),
    write('PUT', '/kind/unit/city', { access: { read: `eq(a_string,${decodeURIComponent(inQuotes(text))})` } }),
  ];
}

let seen: string[] = [];
beforeAll(() => {
  const note = (given: unknown) => seen.push(typeof given === 'string' ? given : (given as { text: string }).text);
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the client that it was called on
  const original = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    note(args[0]);
    return original.apply(this, args) as never;
  });
});
afterAll(() => vi.restoreAllMocks());

const tables = () =>
  query(admin, `SELECT table_name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1`, [
    `project_${admin.id}`,
  ]);

const isMarked = (text: string): boolean => text.includes(MARK);

const LITERAL = /'((?:[^']|'')*)'/;

/** The statements of a block: literals in the literal that is the block. */
function statementsOf(sent: string): string[] {
  if (!sent.startsWith('DO ')) return [sent];
  const contentOf = (literal: string) => literal.slice(1, -1).replaceAll("''", "'");
  expect(sent).toMatch(new RegExp(`^DO ${LITERAL.source}$`));
  const block = contentOf(sent.slice('DO '.length));
  expect(block).toMatch(new RegExp(`^BEGIN (?:EXECUTE ${LITERAL.source}; ?)+ ?END$`));
  return [...block.matchAll(new RegExp(LITERAL, 'g'))].map(([literal]) => contentOf(literal));
}

/** Answers the statements that a client's text stood in. */
async function marked(calls: readonly WireRequest[]): Promise<string[]> {
  seen = [];
  for (const call of calls) {
    const reply = await send(service.service, call);
    expect(reply.status, `${call.path} ${String(call.body)} → ${reply.text}`).toBeLessThan(500);
  }
  expect(seen.length).toBeGreaterThan(0);
  return seen.filter(isMarked);
}

it('no text of a request becomes part of an SQL text', { timeout: 120_000 }, async () => {
  const before = await tables();
  const nasty = [`${MARK}'; DROP TABLE city; --`, `"${MARK}\\`, `$1${MARK}`, `${MARK}\u0000`].map((text): [string] => [
    text,
  ]);
  await fc.assert(
    fc.asyncProperty(hostile, async (text) => {
      expect(await marked(requests(text))).toEqual([]);
    }),
    { numRuns: runs(6), examples: nasty },
  );
  expect(await tables()).toEqual(before);
  expect((await anonymous(admin).get('/auth/verify', { token: ann.accessToken })).status).toBe(200);
});

it('texts of definitions are literals and are returned unchanged', { timeout: 60_000 }, async () => {
  // A default that begins with `@member.` names a parameter, and is no text.
  const isText = (text: string) => !text.includes('\0') && text.trim() === text && !text.startsWith('@member.');
  const clean = hostile.filter(isText);
  await fc.assert(
    fc.asyncProperty(clean, async (text) => {
      for (const statement of (await marked(definitions(text))).flatMap(statementsOf).filter(isMarked)) {
        expect(statement).toMatch(/^(?:ALTER|CREATE) TABLE /);
        expect(statement.replace(/'(?:[^']|'')*'|"[a-z_][a-z0-9_]*"/g, '')).not.toContain(MARK);
      }
      const stored = await ok(admin.get('/string/unit/fresh'));
      expect(stored).toMatchObject({
        label: text,
        default_string: text,
        values: [text, 'a'],
        metadata: { [text]: text },
      });
      expect(await ok(admin.get(`/city/unit/${id}`))).toMatchObject({ fresh: text });
      await expectNoDrift(admin);
      await ok(admin.put('/kind/unit/city', { access: {} }));
      const { items } = (await ok(admin.get(`/kind/unit?filter=contains(id,${MARK})`))) as {
        items: { id: string }[];
      };
      for (const kind of items) await ok(admin.delete(`/kind/unit/${kind.id}`));
      await ok(admin.delete('/string/unit/fresh?cascade=true'));
    }),
    { numRuns: 15 },
  );
});

it('settings of a project are values', async () => {
  const label = `${MARK}'"; DROP SCHEMA "project_${admin.id}" CASCADE; --`;
  const provisioning = service.service.app.get(Provisioning);
  seen = [];
  await provisioning.set(admin.id, { label });
  expect(seen.filter((text) => text.includes(MARK))).toEqual([]);
  await expect(provisioning.create({ id: label }, () => Promise.resolve())).rejects.toThrow();
  expect(seen.filter((text) => text.includes(MARK))).toEqual([]);
});
