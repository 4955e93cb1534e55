/** `dry_run=changes` of deletions: what would go along, over all steps, and nothing is deleted. */
import { beforeAll, describe, expect, it } from 'vitest';
import { defineKinds, signUp, withMembers } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const project = await withMembers(await (await sharedService()).project());
const reference = (id: string, to: string, rule: string) => ({
  id,
  kind_id: 'unit',
  reference_kind: to,
  on_delete: rule,
});
await defineKinds(
  project,
  { id: 'country', parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'city',
    parameters: ['name', reference('country', 'country', 'cascade'), reference('twin', 'city', 'set_null')],
  },
  { id: 'visit', access: { read: 'admin' }, parameters: [reference('city', 'city', 'cascade')] },
  { id: 'note', access: { read: 'eq(about.city.name,Rome)' }, parameters: [reference('about', 'visit', 'set_null')] },
  { id: 'alone', parameters: ['name'] },
);

let italy: string;
let rome: string;
beforeAll(async () => {
  italy = await createdId(project.post('/country/unit', { name: 'Italy' }));
  rome = await createdId(project.post('/city/unit', { name: 'Rome', country: italy }));
  const milan = await createdId(project.post('/city/unit', { name: 'Milan', country: italy }));
  await ok(project.post('/city/unit', { name: 'Elsewhere', twin: rome }));
  const visit = await createdId(project.post('/visit/unit', { city: rome }));
  await ok(project.post('/visit/unit', [{ city: milan }, { city: milan }]));
  await ok(project.post('/note/unit', [{ about: visit }, { about: visit }, {}]));
});

/** The effects of a dry run. */
async function lossesOf(path: string, caller = project): Promise<unknown> {
  const reply = await caller.delete(`${path}${path.includes('?') ? '&' : '?'}dry_run=changes`);
  expect([reply.status, reply.body.messages]).toEqual([200, []]);
  return (reply.body as unknown as { changes: { losses: unknown } }).changes.losses;
}

describe('the effects of a deletion', () => {
  it('are all units that go along, over several steps, and the references that are cleared', async () => {
    const all = [
      { kind_id: 'country', units: 1 },
      { kind_id: 'city', units: 2 },
      { kind_id: 'visit', units: 3 },
      { kind_id: 'note', parameter: 'about', units: 2 },
      { kind_id: 'city', parameter: 'twin', units: 1 },
    ];
    expect(await lossesOf(`/country/unit/${italy}`)).toEqual(expect.arrayContaining(all));
    expect(await lossesOf('/country/unit?filter=eq(name,Italy)')).toEqual(expect.arrayContaining(all));
    expect((await ok(project.get('/visit/unit'))) as object).toMatchObject({ count: 3 });
    expect((await ok(project.get('/note/unit?filter=isnull(about,false)'))) as object).toMatchObject({ count: 2 });
  });

  it('are the unit alone, if nothing refers to it', async () => {
    const id = await createdId(project.post('/alone/unit', { name: 'x' }));
    expect(await lossesOf(`/alone/unit/${id}`)).toEqual([{ kind_id: 'alone', units: 1 }]);
    expect(await lossesOf('/alone/unit?filter=all()')).toEqual([{ kind_id: 'alone', units: 1 }]);
    expect(await lossesOf('/alone/unit?filter=eq(name,nothing)')).toEqual([]);
  });

  it('of a batch are those of all its operations', async () => {
    const operations = [
      { method: 'DELETE', path: `/city/unit/${rome}` },
      { method: 'DELETE', path: '/alone/unit?filter=all()' },
    ];
    const reply = await project.post('/batch?dry_run=changes', { operations });
    expect(reply.status).toBe(200);
    const { losses } = (reply.body as unknown as { changes: { losses: object[] } }).changes;
    expect(losses).toEqual(
      expect.arrayContaining([
        { kind_id: 'city', units: 1 },
        { kind_id: 'visit', units: 1 },
        { kind_id: 'alone', units: 1 },
      ]),
    );
  });

  it('tell nothing of units, references and steps that the caller may not read', async () => {
    const { accessToken } = await signUp(project, 'ann');
    const ann = project.as(accessToken);
    // Units of `visit` are read by administrators only, so nothing is told of the notes about them.
    expect(await lossesOf(`/country/unit/${italy}`, ann)).toEqual([
      { kind_id: 'country', units: 1 },
      { kind_id: 'city', units: 2 },
      { kind_id: 'city', parameter: 'twin', units: 1 },
    ]);

    const masks = { hidden: { hidden: true }, admin: { read_access: 'admin' }, rule: { read_access: 'eq(open,true)' } };
    const references = Object.entries(masks).flatMap(([name, mask]) => [
      { ...reference(`cleared_${name}`, 'tree', 'set_null'), ...mask },
      { ...reference(`deleted_${name}`, 'tree', 'cascade'), ...mask },
    ]);
    await defineKinds(
      project,
      { id: 'tree', parameters: ['name'] },
      { id: 'leaf', parameters: [...references, { id: 'open', kind_id: 'boolean' }] },
      { id: 'cell', parameters: [reference('leaf', 'leaf', 'cascade')] },
      { id: 'own', access: { read: 'eq(open,true)' }, parameters: ['open', reference('of', 'tree', 'cascade')] },
    );
    const [named, free] = await Promise.all([1, 2].map(() => createdId(project.post('/tree/unit', {}))));
    for (const { id } of references) {
      const leaf = await createdId(project.post('/leaf/unit', { [id]: named }));
      await ok(project.post('/cell/unit', { leaf }));
    }
    await ok(project.post('/own/unit', [{ of: named, open: true }, { of: named }]));
    const told = [
      { kind_id: 'tree', units: 1 },
      { kind_id: 'leaf', units: null },
      { kind_id: 'own', units: null },
      { kind_id: 'leaf', parameter: 'cleared_rule', units: null },
    ];
    for (const tree of [named, free]) expect(await lossesOf(`/tree/unit/${tree}`, ann)).toEqual(told);
    expect(await lossesOf(`/tree/unit/${named}`)).toEqual(
      expect.arrayContaining([
        { kind_id: 'leaf', units: 3 },
        { kind_id: 'cell', units: 3 },
        { kind_id: 'own', units: 2 },
        ...Object.keys(masks).map((name) => ({ kind_id: 'leaf', parameter: `cleared_${name}`, units: 1 })),
      ]),
    );
  });

  it('are for deletions only', async () => {
    const reply = await project.put(`/city/unit/${rome}?dry_run=changes`, { name: 'Roma' });
    expect([reply.status, reply.body.messages[0]?.code]).toEqual([400, 'query.bad_value']);
    expect((await project.get(`/city/unit/${rome}`)).body.content).toMatchObject({ name: 'Rome' });
  });
});
