import { describe, expect, it } from 'vitest';
import { createdId } from '../support/definitions.js';
import { sharedService } from '../support/service.js';

const service = await sharedService();
const project = await service.project();

const reference = (id: string, kind: string, rule?: string) => ({
  id,
  kind_id: 'unit',
  reference_kind: kind,
  ...(rule && { on_delete: rule }),
});
const define = (id: string, parameters: object[]) => project.post('/kind/unit', { id, parameters });
const create = (kind: string, body: object) => createdId(project.post(`/${kind}/unit`, body));

await define('owner', [{ id: 'name', kind_id: 'string' }]);
await define('note', [reference('writer', 'owner', 'set_null')]);
await define('pet', [reference('keeper', 'owner', 'cascade')]);
await define('toy', [reference('pet', 'pet', 'cascade')]);
await define('bill', [reference('payer', 'owner')]);
await define('node', [reference('parent', 'node', 'cascade'), reference('friend', 'node', 'set_null')]);

describe('deleting a unit that others refer to', () => {
  it('empties set_null references, and makes a new version of the referring unit', async () => {
    const owner = await create('owner', {});
    const note = await create('note', { writer: owner });
    const before = await project.get(`/note/unit/${note}`);
    expect(await project.delete(`/owner/unit/${owner}`)).toMatchObject({ status: 200 });
    const after = await project.get(`/note/unit/${note}`);
    expect(after.body.content).toMatchObject({ writer: null });
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(after.body.content.updated_at > before.body.content.updated_at).toBe(true);
  });

  it('deletes along cascade references, step by step', async () => {
    const owner = await create('owner', {});
    const pet = await create('pet', { keeper: owner });
    const toy = await create('toy', { pet });
    expect(await project.delete(`/owner/unit/${owner}`)).toMatchObject({ status: 200 });
    for (const path of [`/pet/unit/${pet}`, `/toy/unit/${toy}`]) expect((await project.get(path)).status).toBe(404);
  });

  it('is refused by restrict, with the number, and then changes nothing', async () => {
    const owner = await create('owner', {});
    const note = await create('note', { writer: owner });
    const pet = await create('pet', { keeper: owner });
    await create('bill', { payer: owner });
    await create('bill', { payer: owner });
    const refused = await project.delete(`/owner/unit/${owner}`);
    expect(refused).toMatchObject({
      status: 409,
      body: { messages: [{ code: 'unit.referenced', text: "Units refer to this one: 2 of 'bill' by 'payer'" }] },
    });
    expect((await project.get(`/note/unit/${note}`)).body.content.writer).toBe(owner);
    expect((await project.get(`/pet/unit/${pet}`)).status).toBe(200);
  });

  it('ends for circular references', async () => {
    const a = await create('node', {});
    const b = await create('node', { parent: a, friend: a });
    await project.put(`/node/unit/${a}`, { parent: b });
    expect(await project.delete(`/node/unit/${a}`)).toMatchObject({ status: 200 });
    expect((await project.get('/node/unit')).body.content.count).toBe(0);
  });
});
