/** Many links of one unit, while others link and delete the same units. */
import { expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { sharedService, type Reply } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const service = await sharedService();
const admin = await service.project();
const side = await sideConnection();

await defineKinds(admin, { id: 'node', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }] });
await ok(admin.post('/link/unit', { id: 'edge', parameters: [{ id: 'weight', kind_id: 'integer' }] }));
const NODES = Array.from({ length: 60 }, (_, n) => `n${String(n).padStart(2, '0')}`);
await ok(
  admin.post(
    '/node/unit',
    [...NODES, 'hub', 'rim'].map((code) => ({ code })),
  ),
);
const items = (codes: readonly string[], weight?: number) =>
  codes.map((id) => ({ kind_id: 'node', id, ...(weight !== undefined && { weight }) }));
const path = (unit: string, direction = 'child') => `/node/unit/${unit}/link/edge/${direction}`;
const link = (codes: readonly string[], more: object = {}, unit = 'hub', direction = 'child') =>
  admin.post(path(unit, direction), { items: items(codes), ...more });
const replace = { replace: true };

async function children(unit: string): Promise<string[]> {
  const text = `SELECT child_id AS id FROM $schema."_link" WHERE parent_id = $1 ORDER BY 1`;
  return (await query<{ id: string }>(admin, text, [unit])).map(({ id }) => id);
}
const sets = Array.from({ length: 50 }, (_, n) =>
  [0, 7, 13, 20, 31].map((step) => NODES[(n + step) % 60] ?? '').sort(),
);
const statuses = (replies: readonly Reply[]) => [...new Set(replies.map(({ status }) => status))];

it('fifty replacements end in one of the sets', async () => {
  const replies = await Promise.all(sets.map((set) => link(set, replace)));
  expect(statuses(replies)).toEqual([200]);
  expect(sets).toContainEqual(await children('hub'));
});

it('a replacement waits for another one, and deletes what that has created', async () => {
  const ended = await side.holding(
    admin,
    `UPDATE "node" SET "inserted_at" = "inserted_at" WHERE "id" = 'rim'`,
    `INSERT INTO "_link" VALUES ('node', 'rim', 'node', 'n59', 'edge', now())`,
  );
  const replacing = link(['n00', 'n01'], replace, 'rim');
  await side.blocked();
  await ended();
  expect((await replacing).status).toBe(200);
  expect(await children('rim')).toEqual(['n00', 'n01']);
});

it('the same links in opposite orders, and from both sides, never fail', async () => {
  const reversed = [...NODES].reverse();
  const rounds = Array.from({ length: 12 }, (_, n) => [
    link(n % 2 ? NODES : reversed, {}, 'rim'),
    link(n % 2 ? reversed : NODES, n % 3 ? {} : replace, 'rim'),
    link(['rim', 'hub', ...NODES.slice(n, n + 9)], replace, NODES[n] ?? '', 'parent'),
    link(['hub', 'rim', ...NODES.slice(n, n + 9)].reverse(), replace, NODES[n + 1] ?? '', 'parent'),
  ]);
  expect(statuses(await Promise.all(rounds.flat()))).toEqual([200]);
});

it('replacements from both sides, whose access depends on both units, never fail', async () => {
  const rule = 'and(ne(parent.code,nowhere),ne(child.code,nowhere))';
  await ok(admin.post('/link/unit', { id: 'ruled', access: { create: rule, delete: rule } }));
  const ann = await asMember(admin);
  const units = NODES.slice(0, 10);
  const body = (way: string) => ({ items: items(way === 'child' ? units : [...units].reverse()), replace: true });
  const ways = units.flatMap((unit) => ['child', 'parent'].map((way) => ({ unit, way })));
  const replies = await Promise.all(
    ways.map(({ unit, way }) => ann.post(`/node/unit/${unit}/link/ruled/${way}`, body(way))),
  );
  expect(statuses(replies)).toEqual([200]);
});

it('a single link that is created meanwhile is answered like one that existed', async () => {
  const ended = await side.holding(admin, `INSERT INTO "_link" VALUES ('node', 'n50', 'node', 'n51', 'edge', now())`);
  const linking = link(['n51', 'n52'], {}, 'n50');
  await side.blocked();
  await ended();
  const reply = await linking;
  expect(reply.status).toBe(200);
  expect(reply.body.content).toMatchObject({ count: 2, items: [{ child_id: 'n51' }, { child_id: 'n52' }] });
});

it('a unit that is deleted meanwhile is missing, and nothing is stored', async () => {
  await ok(admin.post('/node/unit', { code: 'doomed' }));
  await ok(link(['n40'], {}, 'n41'));
  const ended = await side.holding(admin, `DELETE FROM "node" WHERE "id" = 'doomed'`);
  const linking = link(['n42', 'doomed'], replace, 'n41');
  await side.blocked();
  await ended();
  const reply = await linking;
  expect(reply.body.messages).toEqual([
    { code: 'parameter.bad_reference', text: "id: no such unit of 'node'", parameter: 'id', index: 1 },
  ]);
  expect(await children('n41')).toEqual(['n40']);
});

it('units are deleted while they are linked, and no link to nothing remains', async () => {
  const doomed = Array.from({ length: 12 }, (_, n) => `d${n}`);
  await ok(
    admin.post(
      '/node/unit',
      doomed.map((code) => ({ code })),
    ),
  );
  const replies = await Promise.all(
    doomed.flatMap((code, n) => [
      link([code, 'n00', 'n01'], replace, 'hub'),
      admin.delete(`/node/unit/${code}`),
      link([doomed[(n + 1) % 12] ?? '', 'n02'], {}, code),
    ]),
  );
  expect(statuses(replies).filter((status) => ![200, 400, 404].includes(status))).toEqual([]);
  const dangling = `SELECT FROM $schema."_link" AS l WHERE NOT EXISTS (SELECT FROM $schema."node" WHERE "id" = l.child_id) OR NOT EXISTS (SELECT FROM $schema."node" WHERE "id" = l.parent_id)`;
  expect(await query(admin, dangling)).toEqual([]);
});

it('a link type that is deleted meanwhile gets no links', async () => {
  await ok(admin.post('/link/unit', { id: 'canal' }));
  const ended = await side.holding(
    admin,
    'LOCK TABLE "_link" IN ROW SHARE MODE',
    `SELECT FROM "node" WHERE "id" = 'n30' FOR UPDATE`,
  );
  const linking = admin.post('/node/unit/hub/link/canal/child', { items: items(['n29', 'n30']) });
  await side.blocked();
  const deleting = admin.delete('/link/unit/canal?cascade=true');
  await side.waiting(admin, '_link');
  await ended();
  expect((await linking).status).toBe(200);
  expect((await deleting).status).toBe(200);
  expect(await query(admin, `SELECT FROM $schema."_link" WHERE link_id = 'canal'`)).toEqual([]);
  expect((await link(['n29'], {}, 'hub', 'sideways')).status).toBe(404);
});
