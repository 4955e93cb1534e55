/** Creating, finding and deleting links: what prevents it, and what is deleted together. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, definitionsOf, ok, query, TIMESTAMP } from '../../support/definitions.js';
import { scenarios } from '../../support/scenario.js';
import { sharedService, type TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await sharedService();
const admin = await service.project();
const ann = await asMember(admin);
const side = await sideConnection();

const name = { id: 'name', kind_id: 'string' };
await defineKinds(
  admin,
  { id: 'town', parameters: [name], access: { link: 'eq(name,open)', read: 'anyone' } },
  { id: 'land', parameters: [{ id: 'iso', kind_id: 'string', is_primary: true }, 'name'] },
  { id: 'price', parameters: [{ id: 'amount', kind_id: 'decimal', is_primary: true }] },
  { id: 'secret', parameters: ['name'], access: { read: 'admin', link: 'member' } },
  { id: 'own', parameters: ['name'], access: { read: 'eq(name,shown)' } },
  { id: 'idle', parameters: ['name'], active: false },
);
for (const id of ['road', 'rail']) await ok(admin.post('/link/unit', { id, label: id }));

const made = async (kind: string, body: object): Promise<string> => await createdId(admin.post(`/${kind}/unit`, body));
const open = await made('town', { name: 'open' });
const closed = await made('town', { name: 'closed' });
const secret = await made('secret', { name: 'x' });
const [shown, hidden] = [await made('own', { name: 'shown' }), await made('own', { name: 'hidden' })];
await made('land', { iso: 'IT' });
await made('price', { amount: '1.50' });
const NOBODY = '0190f3c0-0000-7000-8000-000000000000';

async function links(project: TestProject = admin): Promise<number> {
  const [row] = await query<{ n: number }>(project, 'SELECT count(*)::int AS n FROM $schema."_link"');
  return row?.n ?? -1;
}

describe('a link', () => {
  const path = `/town/unit/${open}/link/road/land/unit/IT`;

  it('is one record, however often it is created, and is deleted once', async () => {
    const record = await ok(admin.post(path));
    expect(record).toEqual({
      parent_id: open,
      child_id: 'IT',
      type: 'link',
      parent_kind_id: 'town',
      child_kind_id: 'land',
      link_id: 'road',
      inserted_at: expect.stringMatching(TIMESTAMP),
    });
    expect(await admin.statements(async () => expect(await ok(admin.post(path))).toEqual(record))).toBe(1);
    await ok(ann.post(path.replace('road', 'rail')));
    expect(await ok(admin.delete(path))).toBeNull();
    expect(await admin.delete(path)).toMatchObject({ status: 404, body: { messages: [{ code: 'link.unknown' }] } });
    await ok(admin.delete(path.replace('road', 'rail')));
    expect(await links()).toBe(0);
  });

  it('between natural keys of numbers shows them as in records', async () => {
    const record = await ok(admin.post(`/town/unit/${open.toUpperCase()}/link/link/price/unit/1.5`));
    expect(record).toMatchObject({ parent_id: open, child_id: '1.5' });
    await ok(admin.delete('/price/unit/1.5'));
    expect(await links()).toBe(0);
  });

  it('is created once by concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => admin.post(path)));
    const records = new Set(replies.map(({ status, text }) => `${status} ${text}`));
    expect([records.size, replies[0]?.status, await links()]).toEqual([1, 200, 1]);
    const gone = await Promise.all(Array.from({ length: 10 }, () => admin.delete(path)));
    expect(gone.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('may lead from a unit to itself', async () => {
    await ok(admin.post(`/town/unit/${open}/link/link/town/unit/${open}`));
    await ok(admin.delete(`/town/unit/${open}/link/link/town/unit/${open}`));
  });
});

const post = (path: string) => `POST ${path}`;
const to = (parent: string, link: string, child: string) => post(`/${parent}/link/${link}/${child}`);
const town = `town/unit/${open}`;

describe('what is refused', () => {
  const nobody = anonymous(admin);
  scenarios({ admin, ann, nobody }, [
    {
      name: 'an unknown link type',
      request: to(town, 'raod', 'land/unit/IT'),
      expect: { status: 404, code: 'link.unknown', text: `did you mean 'road'?` },
    },
    {
      name: 'a link type of the system',
      request: to(town, 'group', 'land/unit/IT'),
      expect: { status: 404, code: 'link.unknown' },
    },
    {
      name: 'an unknown parent',
      request: to(`town/unit/${NOBODY}`, 'road', 'land/unit/IT'),
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'an unknown child',
      request: to(town, 'road', 'land/unit/FR'),
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'an id that none can have',
      request: to('town/unit/x', 'road', 'land/unit/IT'),
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'an unknown kind of parents',
      request: to('twon/unit/x', 'road', 'land/unit/IT'),
      expect: { status: 404, code: 'kind.unknown' },
    },
    {
      name: 'an unknown kind of children',
      request: to(town, 'road', 'lnad/unit/IT'),
      expect: { status: 404, code: 'kind.unknown' },
    },
    {
      name: 'a kind of the model as parent',
      request: to('kind/unit/town', 'road', 'land/unit/IT'),
      expect: { status: 404, code: 'link.unknown' },
    },
    {
      name: 'a kind of the model as child',
      request: to(town, 'road', 'kind/unit/town'),
      expect: { status: 404, code: 'link.unknown' },
    },
    {
      name: 'an inactive parent',
      request: to(`idle/unit/${NOBODY}`, 'road', 'land/unit/IT'),
      expect: { status: 403, code: 'kind.inactive' },
    },
    {
      name: 'an inactive child',
      request: to(town, 'road', `idle/unit/${NOBODY}`),
      expect: { status: 403, code: 'kind.inactive' },
    },
    {
      name: 'a parent that the rule of link leaves out',
      as: 'ann',
      request: to(`town/unit/${closed}`, 'road', 'land/unit/IT'),
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'that the administrator links',
      request: to(`town/unit/${closed}`, 'road', 'land/unit/IT'),
      expect: { status: 200 },
    },
    {
      name: 'a parent that may be linked but not read',
      as: 'ann',
      request: to(`secret/unit/${secret}`, 'road', 'land/unit/IT'),
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'a child of a kind that may not be read',
      as: 'ann',
      request: to(town, 'road', `secret/unit/${secret}`),
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'a child that may be read',
      as: 'ann',
      request: to(town, 'road', `own/unit/${shown}`),
      expect: { status: 200 },
    },
    {
      name: 'no token',
      as: 'nobody',
      request: to('land/unit/IT', 'road', 'land/unit/IT'),
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'no token and no such kind',
      as: 'nobody',
      request: to('nope/unit/IT', 'road', 'land/unit/IT'),
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'a query that says nothing here',
      request: to(town, 'road', 'land/unit/IT?cascade=true'),
      expect: { status: 400, code: 'query.unknown' },
    },
    {
      name: 'such a query of a unit that is not there',
      request: to(town, 'road', 'land/unit/FR?cascade=true'),
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'no such link',
      request: `DELETE /${town}/link/rail/land/unit/IT`,
      expect: { status: 404, code: 'link.unknown' },
    },
  ]);

  it('reveals nothing of a child that may not be read', async () => {
    const replies = [hidden, NOBODY].map((id) => ann.post(`/${town}/link/road/own/unit/${id}`));
    const [there, missing] = (await Promise.all(replies)).map(({ status, text }) => `${status} ${text}`);
    expect(there?.replaceAll(hidden, '*')).toBe(missing?.replaceAll(NOBODY, '*'));
  });
});

describe('links are deleted', () => {
  it('with either unit, with cascade references, and with the kind', async () => {
    await defineKinds(
      admin,
      { id: 'tree', parameters: ['name'] },
      { id: 'leaf', parameters: [{ id: 'of', kind_id: 'unit', reference_kind: 'tree', on_delete: 'cascade' }] },
    );
    const before = await links();
    const tree = await made('tree', { name: 'oak' });
    const leaves = await Promise.all(Array.from({ length: 3 }, () => made('leaf', { of: tree })));
    const other = await made('leaf', {});
    for (const leaf of leaves) {
      await ok(admin.post(`/leaf/unit/${leaf}/link/link/leaf/unit/${other}`));
      await ok(admin.post(`/leaf/unit/${other}/link/link/leaf/unit/${leaf}`));
      await ok(admin.post(`/tree/unit/${tree}/link/link/town/unit/${open}`));
    }
    expect(await links()).toBe(before + 7);
    await ok(admin.delete(`/tree/unit/${tree}`));
    expect(await links()).toBe(before);
    await ok(admin.post(`/leaf/unit/${other}/link/link/town/unit/${open}`));
    await ok(admin.post(`/town/unit/${open}/link/link/leaf/unit/${other}`));
    await ok(admin.delete('/kind/unit/leaf?cascade=true'));
    expect(await links()).toBe(before);
  });

  it('with their type, which first is rejected with the number', async () => {
    await ok(admin.post('/link/unit', { id: 'ferry' }));
    await ok(admin.post(`/${town}/link/ferry/land/unit/IT`));
    const refused = await admin.delete('/link/unit/ferry');
    expect(refused).toMatchObject({ status: 409, body: { messages: [{ code: 'link.in_use' }] } });
    expect(refused.body.messages[0]?.text).toContain('1 link ');
    const before = await links();
    await ok(admin.delete('/link/unit/ferry?cascade=true'));
    expect(await links()).toBe(before - 1);
    expect(await admin.delete('/link/unit/link')).toMatchObject({ status: 403 });
    expect((await definitionsOf(admin)).records.links.map(({ id }) => id)).not.toContain('ferry');
  });
});

describe('at the same time', () => {
  const dangling = `SELECT count(*)::int AS n FROM $schema."_link" AS l WHERE l."child_kind" = 'town' AND NOT EXISTS (SELECT FROM $schema."town" AS t WHERE t."id"::text = l."child_id")`;

  it('a link waits for the deletion of its unit, and is not created', async () => {
    const child = await made('town', { name: 'going' });
    const holder = await side.holding(admin, `DELETE FROM "town" WHERE "id" = '${child}'`);
    const linking = admin.post(`/${town}/link/road/town/unit/${child}`);
    await side.blocked();
    await holder();
    expect((await linking).status).toBe(404);
    expect(await query(admin, dangling)).toEqual([{ n: 0 }]);
  });

  it('a deletion waits for a link that is being created, and deletes it', async () => {
    const child = await made('town', { name: 'going' });
    const holder = await side.holding(
      admin,
      `SELECT FROM "town" WHERE "id" = '${child}' FOR KEY SHARE`,
      `INSERT INTO "_link" VALUES ('town', '${open}', 'town', '${child}', 'road', now())`,
    );
    const deleting = admin.delete(`/town/unit/${child}`);
    await side.blocked();
    await holder();
    expect((await deleting).status).toBe(200);
    expect(await query(admin, dangling)).toEqual([{ n: 0 }]);
  });

  it.each(Array.from({ length: 8 }, (_, round) => round))(
    'units are linked and deleted by many, and no link to nothing remains (%i)',
    async (round) => {
      const towns = await Promise.all(Array.from({ length: 12 }, (_, n) => made('town', { name: `t${n}` })));
      const other = (n: number) => towns[n % 12] ?? '';
      const calls = towns.flatMap((id, n) => [
        () => admin.post(`/town/unit/${id}/link/road/town/unit/${other(n + 1)}`),
        () => admin.post(`/town/unit/${other(n + 1)}/link/rail/town/unit/${id}`),
        ...(n % 2 ? [() => admin.delete(`/town/unit/${id}`)] : []),
        () => admin.post(`/town/unit/${id}/link/link/town/unit/${other(n + 5)}`),
      ]);
      // Another order in every round.
      const order = calls.map((call, at) => ({ call, at: (at * (2 * round + 1)) % calls.length }));
      order.sort((x, y) => x.at - y.at);
      const statuses = new Set((await Promise.all(order.map(({ call }) => call()))).map(({ status }) => status));
      expect([...statuses].filter((status) => status !== 200 && status !== 404)).toEqual([]);
      expect(await query(admin, dangling)).toEqual([{ n: 0 }]);
      expect(await query(admin, dangling.replaceAll('child', 'parent'))).toEqual([{ n: 0 }]);
    },
  );

  it('a link type that is being deleted gets no more links', async () => {
    await ok(admin.post('/link/unit', { id: 'canal' }));
    const path = `/${town}/link/canal/land/unit/IT`;
    await ok(admin.post(path));
    const holder = await side.holding(admin, `SELECT FROM "_link" WHERE "link_id" = 'canal' FOR UPDATE`);
    const deleting = admin.delete('/link/unit/canal?cascade=true');
    await side.blocked();
    const linking = admin.post(path);
    await side.queued(admin, 2);
    await holder();
    expect((await deleting).status).toBe(200);
    expect(await linking).toMatchObject({ status: 404, body: { messages: [{ code: 'link.unknown' }] } });
    expect(await query(admin, `SELECT FROM $schema."_link" WHERE "link_id" = 'canal'`)).toEqual([]);
  });

  it('the deletion of a link type waits for a link that is being created, and is rejected', async () => {
    await ok(admin.post('/link/unit', { id: 'lock' }));
    const holder = await side.holding(
      admin,
      `INSERT INTO "_link" VALUES ('town', '${open}', 'land', 'IT', 'lock', now())`,
    );
    const deleting = admin.delete('/link/unit/lock');
    await side.blocked();
    await holder();
    expect(await deleting).toMatchObject({ status: 409, body: { messages: [{ code: 'link.in_use' }] } });
  });
});
