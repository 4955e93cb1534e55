/** A reference to a unit that the caller may not read is refused with the same bytes as one to a missing unit. */
import { beforeAll, describe, expect, it } from 'vitest';
import { anonymous, defineKinds, signUp, withMembers, type TestMember } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { sharedService, type Reply, type TestProject } from '../../support/service.js';

const service = await sharedService();
const admin = await withMembers(await service.project());
const ann = await signUp(admin, 'ann');
const bob = await signUp(admin, 'bob');
const reference = (id: string, kind: string, more: object = {}) => ({
  id,
  kind_id: 'unit',
  reference_kind: kind,
  ...more,
});
await defineKinds(
  admin,
  // The keys of the one can be guessed, those of the other not; the third is nobody's to read.
  {
    id: 'client',
    parameters: [
      { id: 'vat', kind_id: 'string', is_primary: true },
      reference('keeper', 'person'),
      reference('chief', 'client'),
    ],
    access: { read: 'eq(keeper,@member.id)', create: 'member' },
  },
  { id: 'folder', parameters: ['keeper'], access: { read: 'eq(keeper,@member.id)', update: 'admin' } },
  { id: 'vault', access: { read: 'admin' } },
  {
    id: 'job',
    parameters: [
      { id: 'title', kind_id: 'string', unique: true },
      reference('client', 'client'),
      reference('folder', 'folder', { unique: true }),
      reference('vault', 'vault'),
      reference('doer', 'person'),
      { id: 'stage', kind_id: 'string' },
    ],
    access: { create: 'not(eq(stage,done))', update: 'not(eq(stage,done))' },
  },
  { id: 'strict', parameters: ['client'], access: { create: 'or(eq(client.keeper,@member.id),isnull(client.chief))' } },
);
const as = ({ accessToken }: TestMember) => admin.as(accessToken);
const id = (caller: TestProject, kind: string, body: object) => createdId(caller.post(`/${kind}/unit`, body));

const missing = {
  client: 'IT404',
  folder: '0190163d-8694-739b-aea5-966c26f8ad91',
  vault: '0190163d-8694-739b-aea5-966c26f8ad91',
};
type Kind = keyof typeof missing;
const KINDS = Object.keys(missing) as Kind[];
let hers: Record<Kind, string>;
let his: Record<Kind, string>;
let job: string;

beforeAll(async () => {
  const make = async (of: TestMember, vat: string): Promise<Record<Kind, string>> => ({
    client: await id(admin, 'client', { vat, keeper: of.id }),
    folder: await id(admin, 'folder', { keeper: of.id }),
    vault: await id(admin, 'vault', {}),
  });
  [hers, his] = [await make(ann, 'IT1'), await make(bob, 'IT2')];
  job = await id(as(ann), 'job', { title: 'first', client: hers.client });
  await id(admin, 'job', { title: 'his', folder: his.folder, client: his.client, vault: his.vault });
});

const bytes = ({ status, text }: Reply) => `${status} ${text}`;

/** Bodies and lists of bodies in which one reference is asked for, beside what else may be wrong. */
const BODIES: readonly [string, (kind: Kind, to: string) => unknown][] = [
  ['alone', (kind, to) => ({ title: 'x', [kind]: to })],
  ['with another fault', (kind, to) => ({ title: 1, [kind]: to })],
  ['with two of them', (_, to) => ({ client: to, folder: '0190163d-8694-739b-aea5-966c26f8ad91' })],
  ['with a value that another one has', (kind, to) => ({ title: 'first', [kind]: to })],
  ['with a rule that fails', (kind, to) => ({ stage: 'done', [kind]: to })],
  ['in a list', (kind, to) => [{ title: 'a' }, { title: 'b', [kind]: to }]],
  [
    'beside a unit that comes along',
    (kind, to) => ({ [kind]: to, ...(kind === 'folder' ? { client: { vat: 'IT9' } } : { folder: {} }) }),
  ],
];

describe.each(KINDS)('a reference to a %s', (kind) => {
  it.each(BODIES)('%s: a hidden unit is treated as missing', async (_, body) => {
    const [hidden, absent] = [
      await as(ann).post('/job/unit', body(kind, his[kind])),
      await as(ann).post('/job/unit', body(kind, missing[kind])),
    ];
    expect([400, 403]).toContain(absent.status);
    expect(bytes(hidden)).toBe(bytes(absent));
  });

  it.each(BODIES.filter(([, body]) => !Array.isArray(body(kind, ''))))('%s, in an edit', async (_, body) => {
    const edit = (to: string) => as(ann).put(`/job/unit/${job}`, { ...(body(kind, to) as object), title: 'again' });
    expect(bytes(await edit(his[kind]))).toBe(bytes(await edit(missing[kind])));
  });
});

describe('the referenced kind', () => {
  const closed = Object.fromEntries(
    ['read', 'create', 'update', 'delete', 'link', 'function'].map((operation) => [operation, 'admin']),
  );
  const uuid = '0190163d-8694-739b-aea5-966c26f8ad91';
  const bodies = [
    { oref: 'zz' },
    { oref: uuid },
    { oref: uuid, count: 'x' },
    [{ oref: uuid }, { oref: 'zz' }],
    { oref: {} },
    { onto: { oref: uuid } },
    { onto: { oref: 'zz' } },
    { onto: { oref: {} } },
  ];

  beforeAll(async () => {
    const parameters = [reference('oref', 'hoard'), reference('onto', 'openref'), { id: 'count', kind_id: 'integer' }];
    const access = { ...closed, create: 'anyone' };
    await defineKinds(admin, { id: 'hoard', access: closed }, { id: 'openref', parameters, access });
  });

  it.each(bodies.map((body) => [JSON.stringify(body), body] as const))(
    'is not shown to other callers: %s',
    async (_, body) => {
      for (const caller of [anonymous(admin), as(ann)]) {
        const { status, text } = await caller.post('/openref/unit', body);
        expect([400, 401, 403]).toContain(status);
        expect(text).not.toContain('hoard');
      }
    },
  );

  it('is shown to callers with any right to its units', async () => {
    const told = async (caller: TestProject) => {
      const all = [
        await caller.post('/openref/unit', { oref: 'zz' }),
        await caller.post('/openref/unit', { oref: uuid }),
      ];
      return all.map(({ body }) => body.messages[0]?.text);
    };
    expect(await told(as(ann))).toEqual(["oref: no unit 'zz'", 'oref: no such unit']);
    await ok(admin.put('/kind/unit/hoard', { access: { ...closed, create: 'member' } }));
    const named = ["oref: no unit 'zz' of 'hoard'", "oref: no such unit of 'hoard'"];
    expect([await told(as(ann)), await told(admin)]).toEqual([named, named]);
    await ok(admin.put('/kind/unit/hoard', { access: closed }));
  });
});

it('stores nothing of the write', async () => {
  const before = await ok(admin.get('/job/unit'));
  expect((await as(ann).post('/job/unit', { title: 'y', client: his.client })).body.messages).toEqual([
    { code: 'parameter.bad_reference', parameter: 'client', text: "client: no such unit of 'client'" },
  ]);
  expect(await ok(admin.get('/job/unit'))).toEqual(before);
});

it('rights are checked first, unless they would reveal the referenced unit', async () => {
  expect((await as(ann).post('/job/unit', { stage: 'done', client: his.client })).status).toBe(403);
  expect((await as(ann).put(`/job/unit/${job}`, { stage: 'done', client: his.client })).status).toBe(403);
  expect((await as(ann).put(`/job/unit/${hers.folder}`, { client: his.client })).status).toBe(404);
  expect((await as(ann).put(`/folder/unit/${hers.folder}`, { keeper: null })).status).toBe(403);
  for (const client of [his.client, missing.client]) {
    expect((await as(ann).post('/strict/unit', { client })).status).toBe(400);
  }
});

it('an existing reference may stay in an edit', async () => {
  const shared = await id(admin, 'job', { title: 'shared', client: his.client });
  expect((await as(ann).put(`/job/unit/${shared}`, { title: 'renamed', client: his.client })).status).toBe(200);
  expect((await as(ann).put(`/job/unit/${shared}`, { client: 'IT404' })).status).toBe(400);
  await ok(admin.put('/unit/unit/client', { read_access: 'admin' }));
  expect((await as(ann).put(`/job/unit/${shared}`, { client: his.client })).status).toBe(400);
  await ok(admin.put('/unit/unit/client', { read_access: null }));
});

it('units of one list may refer to each other, and to units created inside', async () => {
  const made = await as(ann).post('/client/unit', [
    { vat: 'X1', chief: 'X2' },
    { vat: 'X2', chief: 'X1' },
  ]);
  expect(made.status, made.text).toBe(200);
  expect((await as(ann).post('/job/unit', { title: 'z', client: { vat: 'X3' } })).status).toBe(200);
});

it('members may name each other by id, unless the owner says who may read them', async () => {
  expect((await as(ann).post('/job/unit', { title: 'theirs', doer: bob.id })).status).toBe(200);
  expect((await as(ann).post('/job/unit', { title: 1, doer: bob.id })).body.messages).toHaveLength(1);
  await ok(admin.put('/kind/unit/person', { access: { read: 'eq(id,@member.id)' } }));
  expect((await as(ann).post('/job/unit', { title: 'other', doer: bob.id })).status).toBe(400);
  expect((await as(ann).post('/job/unit', { title: 'own', doer: ann.id })).status).toBe(200);
  await ok(admin.put('/kind/unit/person', { access: {} }));
});

it('administrators may refer to everything, and without rules there is no additional statement', async () => {
  expect((await admin.post('/job/unit', { title: 'all', client: his.client, vault: his.vault })).status).toBe(200);
  expect(await admin.statements(() => admin.post('/job/unit', { title: 'one', client: his.client }))).toBe(1);
  expect(await as(ann).statements(() => as(ann).post('/job/unit', { title: 'two', doer: ann.id }))).toBe(1);
  expect(await as(ann).statements(() => as(ann).post('/job/unit', { title: 'three', client: hers.client }))).toBe(2);
  expect((await anonymous(admin).post('/job/unit', { client: his.client })).status).toBe(401);
});
