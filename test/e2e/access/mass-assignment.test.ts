/** Mass assignment: every system field and unknown field in every write, one at a time. */
import { describe, expect, it } from 'vitest';
import { anonymous, defineKinds, signUp, withMembers } from '../../support/callers.js';
import { createdId, ok, query } from '../../support/definitions.js';
import { sharedService, type Reply } from '../../support/service.js';

const service = await sharedService();
const admin = await withMembers(await service.project());
const ID = '0190163d-8694-739b-aea5-966c26f8ad91';
await defineKinds(
  admin,
  { id: 'place', parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'note',
    parameters: [
      'name',
      { id: 'state', kind_id: 'string', write_access: 'admin' },
      { id: 'sealed', kind_id: 'string', write_access: 'nobody', hidden: true },
      { id: 'place', kind_id: 'unit', reference_kind: 'place' },
    ],
  },
);
const ann = await signUp(admin, 'ann');
const bob = await signUp(admin, 'bob');
const member = admin.as(ann.accessToken);
const make = (path: string, body: object) => createdId(admin.post(path, body));
const note = await make('/note/unit', { name: 'mine' });
await make('/place/unit', { name: 'here' });

/** What no client writes, whoever it is, and what this one may not. */
const FIELDS: Readonly<Record<string, unknown>> = {
  id: ID,
  kind_id: 'kind_admin',
  inserted_at: 'yesterday',
  updated_at: 0,
  links: { child: [] },
  kind_system_user: ID,
  first_access_time: '2000-01-01T00:00:00.000000Z',
  last_access_time: '2000-01-01T00:00:00.000000Z',
  email_verified_at: '2000-01-01T00:00:00.000000Z',
  state: 'approved',
  sealed: 'x',
  password: 'another secret 1',
  password_hash: 'x',
  username_key: 'root',
  member_id: ID,
  admin: true,
  is_admin: true,
  role: 'admin',
  type: 'kind_admin',
  version: 0,
  table: 'kind_admin',
  built_in: true,
  access_token: 'x',
  project: 'other',
  sid: ID,
  _: 'x',
  '': 'x',
  $set: { state: 'approved' },
  'state.x': 'approved',
  'STATE ': 'approved',
};

interface Write {
  readonly name: string;
  readonly send: (fields: object) => Promise<Reply>;
  /** Fields that are the client's to give there. */
  readonly own?: readonly string[];
}
const password = 'a long secret';
const WRITES: readonly Write[] = [
  { name: 'a unit', send: (fields) => member.post('/note/unit', { name: 'new', ...fields }) },
  {
    name: 'a list of units',
    send: (fields) => member.post('/note/unit', [{ name: 'new' }, { name: 'new', ...fields }]),
  },
  {
    name: 'a line of a file',
    send: (fields) =>
      member.call('POST', '/note/import', `{"name":"new"}\n${JSON.stringify({ name: 'new', ...fields })}\n`, {
        headers: { 'content-type': 'application/x-ndjson' },
      }),
  },
  {
    name: 'a column of a file',
    send: (fields) => {
      const cells = (texts: readonly string[]) => texts.map((text) => `"${text.replaceAll('"', '""')}"`).join();
      const values = Object.values(fields).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
      const file = `name,${cells(Object.keys(fields))}\nnew,${cells(values)}\n`;
      return member.call('POST', '/note/import', file, { headers: { 'content-type': 'text/csv' } });
    },
  },
  { name: 'an edit of a unit', send: (fields) => member.put(`/note/unit/${note}`, { name: 'changed', ...fields }) },
  { name: 'a unit inside a unit', send: (fields) => member.post('/note/unit', { place: { name: 'new', ...fields } }) },
  {
    name: 'a unit inside an edit',
    send: (fields) => member.put(`/note/unit/${note}`, { place: { name: 'new', ...fields } }),
  },
  {
    name: 'an edit of oneself',
    send: (fields) => member.put(`/person/unit/${ann.id}`, { first_name: 'Ann', ...fields }),
  },
  {
    name: 'a sign-up',
    send: (fields) =>
      anonymous(admin).post('/auth/person/signup', {
        username: 'eve',
        password,
        kind_system_user: { username: 'eve', password, email: 'eve@example.com' },
        ...fields,
      }),
  },
  {
    name: 'the credentials of a sign-up',
    send: (fields) =>
      anonymous(admin).post('/auth/person/signup', {
        username: 'eve',
        password,
        kind_system_user: { username: 'eve', password, email: 'eve@example.com', ...fields },
      }),
  },
  {
    name: 'a sign-in',
    send: (fields) => anonymous(admin).post('/auth/signin', { username: 'ann', password: ann.password, ...fields }),
    own: ['password'],
  },
  {
    name: 'a member that an administrator makes',
    send: (fields) => admin.post('/person/unit', { username: 'eve', email: 'eve@example.com', ...fields }),
  },
  { name: 'a kind', send: (fields) => admin.post('/kind/unit', { id: 'fresh', ...fields }), own: ['id'] },
  { name: 'an edit of a kind', send: (fields) => admin.put('/kind/unit/note', { label: 'Changed', ...fields }) },
  { name: 'a group', send: (fields) => admin.post('/group/unit', { id: 'fresh', ...fields }), own: ['id'] },
  { name: 'a parameter', send: (fields) => admin.post('/string/unit', { id: 'fresh', ...fields }), own: ['id'] },
  { name: 'an edit of a parameter', send: (fields) => admin.put('/string/unit/name', { label: 'Changed', ...fields }) },
  { name: 'a link type', send: (fields) => admin.post('/link/unit', { id: 'fresh', ...fields }), own: ['id'] },
];

/** Every row that a write could have touched. */
async function stored(): Promise<string> {
  const tables = ['note', 'place', 'person', 'kind_admin', 'kind_system_user', 'kind', 'group', 'link', '_parameter'];
  const rows = await Promise.all(
    tables.map((table) => query(admin, `SELECT * FROM $schema."${table}" ORDER BY "inserted_at", "id"`)),
  );
  // A sign-in is told of by the time of its member.
  return JSON.stringify(rows).replaceAll(/"last_access_time":"[^"]*"/g, '');
}

describe.each(WRITES)('$name', ({ send, own = [] }) => {
  it('rejects all of them, and writes nothing', async () => {
    const before = await stored();
    for (const [field, value] of Object.entries(FIELDS).filter(([name]) => !own.includes(name))) {
      const reply = await send({ [field]: value });
      expect([400, 403], `${field}: ${reply.status} ${reply.text}`).toContain(reply.status);
      expect(reply.body.messages.length, field).toBeGreaterThan(0);
    }
    const proto = await send(JSON.parse('{"__proto__": {"state": "approved"}, "constructor": {}}') as object);
    expect(proto.status).toBe(400);
    expect(await stored()).toBe(before);
  });
});

it('a record can be sent back, and changes nothing else', async () => {
  const whole = (await ok(member.get(`/note/unit/${note}`))) as Record<string, unknown>;
  for (const name of ['inserted_at', 'updated_at', 'state']) {
    expect((await member.put(`/note/unit/${note}`, { ...whole, [name]: FIELDS[name] ?? 'another' })).status).toBe(400);
  }
  for (const inserted_at of ['2000-01-01T00:00:00.000000Z', '2999-01-01T00:00:00.000000Z']) {
    expect((await member.put(`/note/unit/${note}`, { ...whole, inserted_at })).status).toBe(400);
  }
  for (const updated_at of ['2000-01-01T00:00:00.000000Z', '2999-01-01T00:00:00.000000Z']) {
    expect((await member.put(`/note/unit/${note}`, { name: 'x', updated_at })).status).toBe(400);
  }
  const edited = (await ok(member.put(`/note/unit/${note}`, whole))) as Record<string, unknown>;
  expect({ ...edited, updated_at: whole['updated_at'] }).toEqual(whole);
});

it('times of a record that is posted again are ignored', async () => {
  const times = { inserted_at: '2000-01-01T00:00:00.000000Z', updated_at: '2000-01-01T00:00:00.000000Z' };
  const bodies: [string, object][] = [
    ['/note/unit', { name: 'again', place: { name: 'inside', ...times }, ...times }],
    ['/person/unit', { username: 'eve', email: 'eve@example.com', ...times }],
    ['/kind/unit', { id: 'again', ...times }],
    ['/group/unit', { id: 'again', ...times }],
    ['/string/unit', { id: 'again', ...times }],
    ['/link/unit', { id: 'again', ...times }],
  ];
  for (const [path, body] of bodies) {
    const made = (await ok(admin.post(path, body))) as Record<string, string>;
    expect(
      [made['inserted_at'], made['updated_at']].some((time) => time?.startsWith('2000')),
      path,
    ).toBe(false);
  }
});

it('a unit of another owner stays theirs, whatever the body says', async () => {
  for (const body of [
    { first_name: 'x', id: bob.id },
    { first_name: 'x', kind_system_user: bob.id },
  ]) {
    expect((await member.put(`/person/unit/${ann.id}`, body)).status).toBe(400);
  }
  expect((await member.put(`/person/unit/${ann.id}`, { username: 'bob' })).status).toBe(403);
  expect(((await ok(admin.get(`/person/unit/${bob.id}`))) as { first_name: string }).first_name).not.toBe('x');
});

it('a member edits itself with its whole record, names and credentials as they are', async () => {
  const whole = (await ok(member.get(`/person/unit/${ann.id}`))) as Record<string, unknown>;
  expect(await ok(member.put(`/person/unit/${ann.id}`, { ...whole, first_name: 'Anna' }))).toMatchObject({
    ...whole,
    first_name: 'Anna',
    updated_at: expect.any(String),
  });
});
