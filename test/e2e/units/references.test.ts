/** Parameters of the type unit: held by foreign keys, refused and followed as their definition says. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const KEYED = { string: 'it', integer: 39, decimal: '12.5', date: '2024-01-31' } as const;
await defineKinds(
  project,
  { id: 'country', label: 'Country', parameters: [{ id: 'name', kind_id: 'string' }] },
  { id: 'city', label: 'City', parameters: ['name', { id: 'country', kind_id: 'unit', reference_kind: 'country' }] },
  {
    id: 'river',
    label: 'River',
    parameters: [{ id: 'source', kind_id: 'unit', reference_kind: 'country', on_delete: 'set_null' }],
  },
  {
    id: 'road',
    label: 'Road',
    parameters: [{ id: 'owner', kind_id: 'unit', reference_kind: 'country', on_delete: 'cascade' }],
  },
  {
    id: 'sign',
    label: 'Sign',
    parameters: [{ id: 'road', kind_id: 'unit', reference_kind: 'road', on_delete: 'cascade' }],
  },
  {
    id: 'post',
    label: 'Post',
    parameters: [{ id: 'sign', kind_id: 'unit', reference_kind: 'sign', on_delete: 'set_null' }],
  },
  {
    id: 'node',
    label: 'Node',
    parameters: [
      'name',
      { id: 'parent', kind_id: 'unit', reference_kind: 'node' },
      { id: 'heir', kind_id: 'unit', reference_kind: 'node', on_delete: 'cascade' },
    ],
  },
  {
    id: 'needy',
    label: 'Needy',
    parameters: [{ id: 'needs', kind_id: 'unit', reference_kind: 'country', required: true, nullable: false }],
  },
  {
    id: 'single',
    label: 'Single',
    parameters: [{ id: 'only', kind_id: 'unit', reference_kind: 'country', unique: true }],
  },
  ...Object.keys(KEYED).flatMap((type) => [
    { id: `by_${type}`, label: type, parameters: [{ id: `key_${type}`, kind_id: type, is_primary: true }] },
    {
      id: `to_${type}`,
      label: type,
      parameters: [{ id: `ref_${type}`, kind_id: 'unit', reference_kind: `by_${type}` }],
    },
  ]),
);
const member = await asMember(project);
const missing = '0190163d-8694-739b-aea5-966c26f8ad91';
const make = async (kind: string, body: object = {}) => {
  const reply = await project.post(`/${kind}/unit`, body);
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body.content.id as string;
};

describe('a reference', () => {
  it('is the id of a unit of its kind', async () => {
    const country = await make('country', { name: 'Italy' });
    const city = await make('city', { country });
    expect((await project.get(`/city/unit/${city}`)).body.content.country).toBe(country);
    expect((await project.post('/city/unit', { country: country.toUpperCase() })).body.content.country).toBe(country);
    expect((await project.get(`/city/unit?filter=eq(country,${country})`)).body.content.count).toBe(2);
    expect((await project.put(`/city/unit/${city}`, { country: null })).body.content.country).toBeNull();
    expect((await project.get('/city/unit?filter=isnull(country)')).body.content.items).toMatchObject([{ id: city }]);
  });

  it.each([
    ['no unit', missing, 'parameter.bad_reference'],
    ['no id', 'nonsense', 'parameter.bad_reference'],
    ['nothing', '', 'parameter.bad_reference'],
    ['a number', 1, 'parameter.bad_type'],
    ['a list', [missing], 'parameter.bad_type'],
    ['a NUL', 'a\0', 'parameter.bad_value'],
  ])('to %s is refused', async (_, country, code) => {
    const expected = { status: 400, body: { messages: [{ code, parameter: 'country' }] } };
    expect(await project.post('/city/unit', { country })).toMatchObject(expected);
    const city = await make('city');
    expect(await project.put(`/city/unit/${city}`, { country })).toMatchObject(expected);
    const bulk = await project.post('/city/unit', [{}, { country }, {}]);
    expect(bulk).toMatchObject({ status: 400, body: { messages: [{ code, parameter: 'country', index: 1 }] } });
  });

  it('to a unit of another kind is refused', async () => {
    const city = await make('city');
    expect(await project.post('/city/unit', { country: city })).toMatchObject({
      status: 400,
      body: { messages: [{ code: 'parameter.bad_reference' }] },
    });
  });

  it('to a unit of another project is refused', async () => {
    const other = await service.project();
    await defineKinds(other, { id: 'country', label: 'Country' });
    const id = await createdId(other.post('/country/unit', {}));
    expect(await project.post('/city/unit', { country: id })).toMatchObject({
      status: 400,
      body: { messages: [{ code: 'parameter.bad_reference' }] },
    });
  });

  it.each(Object.entries(KEYED))('takes on the type of the key: %s', async (type, key) => {
    await make(`by_${type}`, { [`key_${type}`]: key });
    const unit = await make(`to_${type}`, { [`ref_${type}`]: String(key) });
    expect((await project.get(`/to_${type}/unit/${unit}`)).body.content[`ref_${type}`]).toBe(String(key));
    expect((await project.get(`/to_${type}/unit?filter=eq(ref_${type},${key})`)).body.content.count).toBe(1);
    expect((await project.post(`/to_${type}/unit`, { [`ref_${type}`]: 'x'.repeat(5) })).body.messages).toMatchObject([
      { code: 'parameter.bad_reference' },
    ]);
    expect((await project.get(`/to_${type}/unit?order=ref_${type};asc`)).status).toBe(200);
  });

  it.each([
    ['integer', '039'],
    ['integer', 39],
    ['decimal', '12.50'],
    ['decimal', '012.5'],
    ['date', '31-01-2024'],
  ])('is not coerced: %s %j', async (type, value) => {
    expect((await project.post(`/to_${type}/unit`, { [`ref_${type}`]: value })).status).toBe(400);
  });

  it('can be required or unique', async () => {
    expect((await project.post('/needy/unit', {})).body.messages).toMatchObject([{ code: 'parameter.required' }]);
    expect((await project.post('/needy/unit', { needs: null })).body.messages).toMatchObject([
      { code: 'parameter.null' },
    ]);
    const country = await make('country');
    await make('single', { only: country });
    expect(await project.post('/single/unit', { only: country })).toMatchObject({
      status: 409,
      body: { messages: [{ code: 'parameter.not_unique', parameter: 'only' }] },
    });
    await make('single');
    await make('single', { only: null });
  });

  it('may refer to the unit itself, but not to other units of the same bulk body', async () => {
    const node = await make('node');
    expect((await project.put(`/node/unit/${node}`, { parent: node })).body.content.parent).toBe(node);
    await project.put(`/node/unit/${node}`, { parent: null });
    expect((await project.delete(`/node/unit/${node}`)).status).toBe(200);
  });
});

describe('deleting a referenced unit', () => {
  it('is rejected by restrict; only administrators get the number', async () => {
    const country = await make('country');
    await project.post('/city/unit', [{ country }, { country }, { country }]);
    const refused = await project.delete(`/country/unit/${country}`);
    expect(refused).toMatchObject({ status: 409, body: { messages: [{ code: 'unit.referenced' }] } });
    expect(refused.body.messages[0]?.text).toMatch(/\b3\b.*city/);
    const toMember = await member.delete(`/country/unit/${country}`);
    expect(toMember).toMatchObject({ status: 409, body: { messages: [{ code: 'unit.referenced' }] } });
    expect(toMember.text).not.toMatch(/\b3\b|city/);
    expect((await project.get(`/country/unit/${country}`)).status).toBe(200);
  });

  it('clears set_null references, and the referring units get new versions', async () => {
    const country = await make('country');
    const river = await make('river', { source: country });
    const before = await project.get(`/river/unit/${river}`);
    expect((await project.delete(`/country/unit/${country}`)).status).toBe(200);
    const etag = before.headers.get('etag') ?? '';
    const after = await project.get(`/river/unit/${river}`, { headers: { 'if-none-match': etag } });
    expect(after).toMatchObject({ status: 200, body: { content: { source: null } } });
    expect((await project.put(`/river/unit/${river}`, {}, { headers: { 'if-match': etag } })).status).toBe(412);
  });

  it('deletes along cascade references, to the end', async () => {
    const country = await make('country');
    const road = await make('road', { owner: country });
    const sign = await make('sign', { road });
    const posted = await make('post', { sign });
    const etag = (await project.get(`/post/unit/${posted}`)).headers.get('etag') ?? '';
    expect((await project.delete(`/country/unit/${country}`)).status).toBe(200);
    expect((await project.get(`/road/unit/${road}`)).status).toBe(404);
    expect((await project.get(`/sign/unit/${sign}`)).status).toBe(404);
    expect(await project.get(`/post/unit/${posted}`, { headers: { 'if-none-match': etag } })).toMatchObject({
      status: 200,
      body: { content: { sign: null } },
    });
  });

  it('deletes nothing if restrict forbids one of them', async () => {
    const country = await make('country');
    const road = await make('road', { owner: country });
    const river = await make('river', { source: country });
    const city = await make('city', { country });
    expect((await project.delete(`/country/unit/${country}`)).status).toBe(409);
    expect((await project.get(`/road/unit/${road}`)).body.content.owner).toBe(country);
    expect((await project.get(`/river/unit/${river}`)).body.content.source).toBe(country);
    await project.delete(`/city/unit/${city}`);
    expect((await project.delete(`/country/unit/${country}`)).status).toBe(200);
  });

  it('ends for circular references', async () => {
    const [a, b, c] = [await make('node'), await make('node'), await make('node')];
    await project.put(`/node/unit/${a}`, { heir: b });
    await project.put(`/node/unit/${b}`, { heir: c });
    await project.put(`/node/unit/${c}`, { heir: a });
    expect((await project.delete(`/node/unit/${b}`)).status).toBe(200);
    for (const id of [a, b, c]) expect((await project.get(`/node/unit/${id}`)).status).toBe(404);
  });

  it("is not prevented by the unit's reference to itself, but by that of another unit", async () => {
    const [parent, child] = [await make('node'), await make('node')];
    await project.put(`/node/unit/${child}`, { parent });
    expect((await project.delete(`/node/unit/${parent}`)).body.messages).toMatchObject([{ code: 'unit.referenced' }]);
    expect((await project.delete(`/node/unit/${child}`)).status).toBe(200);
    expect((await project.put(`/node/unit/${parent}`, { parent })).status).toBe(200);
    expect((await project.delete(`/node/unit/${parent}`)).status).toBe(200);
  });

  it('while another unit starts to refer to it keeps both or neither', async () => {
    for (let round = 0; round < 10; round += 1) {
      const country = await make('country');
      const [made, deleted] = await Promise.all([
        project.post('/city/unit', { country }),
        project.delete(`/country/unit/${country}`),
      ]);
      const there = (await project.get(`/country/unit/${country}`)).status === 200;
      expect([made.status, deleted.status]).toEqual(there ? [200, 409] : [400, 200]);
    }
  });
});
