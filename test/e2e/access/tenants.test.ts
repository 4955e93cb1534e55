/** Two projects with the same ids: no answer of one contains data of the other, and no write changes it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { defineKinds, signUp, withMembers, type TestMember } from '../../support/callers.js';
import { createdId, definitionsOf, ok, query } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await sharedService();

interface Tenant {
  readonly mark: string;
  readonly admin: TestProject;
  readonly ann: TestMember;
  readonly note: string;
  readonly other: string;
}

async function makeTenant(mark: string): Promise<Tenant> {
  const admin = await withMembers(await service.project());
  await defineKinds(
    admin,
    {
      id: 'land',
      label: `land of ${mark}`,
      parameters: [
        { id: 'code', kind_id: 'string', is_primary: true },
        { id: 'name', kind_id: 'string', indexed: true },
      ],
    },
    {
      id: 'note',
      parameters: [
        'name',
        { id: 'land', kind_id: 'unit', reference_kind: 'land' },
        { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
      ],
      access: { read: 'eq(owner,@member.id)', update: 'eq(owner,@member.id)' },
    },
  );
  await ok(admin.post('/group/unit', { id: 'all', label: `all of ${mark}`, kind_list: ['land', 'note'] }));
  const ann = await signUp(admin, 'ann');
  await ok(
    admin.post('/land/unit', [
      { code: 'a', name: `a ${mark}` },
      { code: 'b', name: `b ${mark}` },
    ]),
  );
  const make = async (name: string) => {
    const body = { name: `${name} ${mark}`, land: 'a', owner: ann.id };
    return createdId(admin.post('/note/unit', body));
  };
  const [note, other] = [await make('note'), await make('other')];
  await ok(admin.post(`/note/unit/${note}/link/link/land/unit/b`));
  return { mark, admin, ann, note, other };
}

let here: Tenant;
let there: Tenant;
beforeAll(async () => {
  here = await makeTenant('here');
  there = await makeTenant('there');
});

/** Reads whose text is the same in both, so that prepared statements, models and tokens in memory could be mixed up. */
const reads = ({ note }: Tenant) => [
  '/land/unit',
  '/land/unit/a',
  '/land/unit/a?load_links=true',
  '/land/unit?filter=startswith(name,a)&order=name;desc',
  '/land/unit?cursor=&limit=1',
  '/note/unit?include=[name,land.name]&filter=startswith(land.name,a)',
  '/note/unit?load_links=true&depth=2',
  `/note/unit/${note}`,
  `/note/unit/${note}/link/child`,
  '/group/all/unit',
  '/group/all/unit/b',
  '/group/all/struct',
  '/kind/unit/land',
  '/group/unit/all',
];

it('concurrent answers of both contain only their own data', { timeout: 60_000 }, async () => {
  const calls = [here, there].flatMap((tenant) => {
    const foreign = tenant === here ? there.mark : here.mark;
    const callers = [tenant.admin, tenant.admin.as(tenant.ann.accessToken)];
    return callers.flatMap((caller) => reads(tenant).map((path) => ({ caller, path, mark: tenant.mark, foreign })));
  });
  for (let turn = 0; turn < 6; turn++) {
    const shuffled = calls
      .map((call, at) => [(at * 31 + turn * 7) % calls.length, call] as const)
      .sort((a, b) => a[0] - b[0]);
    await Promise.all(
      shuffled.map(async ([, { caller, path, mark, foreign }]) => {
        const { status, text } = await caller.get(path);
        expect(status, `${path} ${text}`).toBe(200);
        expect(text, path).toMatch(new RegExp(`\\b${mark}\\b`));
        expect(text, path).not.toMatch(new RegExp(`\\b${foreign}\\b`));
      }),
    );
  }
});

describe('an id of the other project', () => {
  it('matches no unit here, wherever it is used', async () => {
    const admin = here.admin;
    const [note, own] = [`/note/unit/${there.note}`, `/note/unit/${here.note}`];
    for (const path of [
      note,
      `${note}/struct`,
      `${note}/access`,
      `${note}/link/child`,
      `/group/all/unit/${there.note}`,
    ]) {
      expect((await admin.get(path)).status, path).toBe(404);
    }
    expect((await admin.get(`${own}/access?member=${there.ann.id}`)).status).toBe(400);
    expect(await ok(admin.get(`/note/unit?filter=eq(owner,${there.ann.id})`))).toEqual({ count: 0, items: [] });
    expect(await ok(admin.get(`/note/unit?filter=eq(id,${there.note})`))).toEqual({ count: 0, items: [] });
    const writes = [
      await admin.put(note, { name: 'x' }),
      await admin.delete(note),
      await admin.post(`${note}/link/link/land/unit/a`),
      await admin.post(`${own}/link/link/note/unit/${there.other}`),
      await admin.put(`/person/unit/${there.ann.id}`, { first_name: 'x' }),
      await admin.delete(`/person/unit/${there.ann.id}`),
    ];
    expect(writes.map(({ status }) => status)).toEqual(writes.map(() => 404));
    expect((await admin.post('/note/unit', { owner: there.ann.id })).body.messages[0]?.code).toBe(
      'parameter.bad_reference',
    );
  });

  it('in a cursor reveals nothing of the other project', async () => {
    const path = '/land/unit?limit=1&cursor=';
    const { next } = (await ok(there.admin.get(path))) as { next: string };
    const { text } = await here.admin.get(`${path}${encodeURIComponent(next)}`);
    expect(text).not.toMatch(/\bthere\b/);
  });
});

it('a token of one is invalid in the other, also for a member with the same name and password', async () => {
  for (const token of [there.ann.accessToken, there.ann.refreshToken, there.admin.token]) {
    for (const path of ['/auth/verify', '/auth/refresh', '/auth/me', '/auth/session', '/note/unit', '/kind/unit']) {
      expect((await here.admin.as(token).get(path)).status, path).toBe(401);
    }
  }
  const { id } = here.admin;
  const both = { 'kind-project-key': `${id}, ${there.admin.id}` };
  expect((await here.admin.get('/kind/unit', { headers: both })).status).toBe(401);
});

it('definitions, changes and deletions in one do not affect the other', async () => {
  const doomed = await makeTenant('doomed');
  const before = [await definitionsOf(here.admin), (await here.admin.get('/group/all/unit')).text];
  await ok(doomed.admin.put('/string/unit/name', { indexed: false, read_access: 'admin' }));
  await ok(doomed.admin.delete('/kind/unit/note/link/parameter/string/unit/name?cascade=true'));
  await ok(doomed.admin.delete('/kind/unit/note?cascade=true'));
  await ok(doomed.admin.delete('/kind/unit/land?cascade=true'));
  expect([await definitionsOf(here.admin), (await here.admin.get('/group/all/unit')).text]).toEqual(before);
  expect((await here.admin.as(here.ann.accessToken).get(`/note/unit/${here.note}`)).text).toContain('here');
});

it('locks of one do not block the other', async () => {
  const side = await sideConnection();
  const release = await side.lock(there.admin, '"land"');
  await ok(here.admin.put('/kind/unit/land', { label: 'land of here, too' }));
  await ok(here.admin.post('/land/unit', { code: 'c', name: 'c here' }));
  await release();
});

it('no constraint refers from one to the other', async () => {
  const rows = await query<{ constrained: string }>(
    here.admin,
    `SELECT c.conname AS constrained FROM pg_constraint c JOIN pg_class a ON a.oid = c.conrelid
     JOIN pg_class b ON b.oid = c.confrelid WHERE c.contype = 'f' AND a.relnamespace <> b.relnamespace`,
  );
  expect(rows).toEqual([]);
});
