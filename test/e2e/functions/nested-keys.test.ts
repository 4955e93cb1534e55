/** Units inside others whose hooks change their keys: the outer unit refers to the created one, and to no other with that key. */
import { beforeEach, describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';

const TAG = `
import { FunctionError, kind } from 'kind';
export default kind('tag').module({ hooks: {
  before_create: ({ values }) => {
    if (values.note === 'bad') return { note: 12 as never };
    if (values.note === 'refused') throw new FunctionError(422, 'tag.refused', 'Not that one', 'note');
    return { code: String(values.code).toLowerCase(), note: values.parent === undefined ? null : 'in ' + values.parent };
  },
  after_create: ({ unit }) => {
    if (unit.code === 'undone') throw new FunctionError(422, 'tag.undone', 'Not now');
  },
} });`;

const folder = new FunctionsFolder({});
const service = await sharedServiceWith(folder);
const admin = await service.project();
await defineKinds(
  admin,
  {
    id: 'tag',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'note', kind_id: 'string' },
      { id: 'owner', kind_id: 'string', default_string: 'all' },
      { id: 'parent', kind_id: 'unit', reference_kind: 'tag' },
    ],
    access: { read: 'eq(owner,all)', create: 'member', update: 'nobody', delete: 'admin' },
  },
  {
    id: 'item',
    parameters: [
      { id: 'tag', kind_id: 'unit', reference_kind: 'tag' },
      { id: 'other', kind_id: 'unit', reference_kind: 'tag' },
    ],
  },
);
const member = await asMember(admin);
// What was there before the hook keeps its key: a unit that everybody reads, and one that members do not.
await ok(admin.post('/tag/unit', { code: 'SEEN' }));
await ok(admin.post('/tag/unit', { code: 'HIDDEN', owner: 'nobody' }));
folder.write('tag.ts', TAG);
await reload(service);

const tags = async () => {
  const { items } = (await ok(admin.get('/tag/unit?include=code,note,parent&order=code;asc'))) as {
    items: { code: string }[];
  };
  return items.filter(({ code }) => code === code.toLowerCase());
};
const items = async () => ((await ok(admin.get('/item/unit?limit=0'))) as { count: number }).count;

beforeEach(async () => {
  const found = (await ok(admin.get('/item/unit?include=id'))) as { items: { id: string }[] };
  for (const { id } of found.items) await ok(admin.delete(`/item/unit/${id}`));
  for (const { code } of (await tags()).toReversed()) await ok(admin.delete(`/tag/unit/${code}`));
});

describe('a unit refers to the unit that it creates', () => {
  it.each(['ABC', 'SEEN', 'HIDDEN'])('even if another unit has the given key: %s', async (code) => {
    const made = (await ok(member.post('/item/unit', { tag: { code } }))) as { id: string };
    expect(made).toMatchObject({ tag: code.toLowerCase() });
    expect(await ok(member.get(`/item/unit/${made.id}?include=[tag.code]`))).toEqual({
      'tag.code': code.toLowerCase(),
    });
    expect(await tags()).toEqual([{ code: code.toLowerCase(), note: null, parent: null }]);
  });

  it('in an edit', async () => {
    const id = await createdId(member.post('/item/unit', { tag: 'SEEN' }));
    expect(await ok(member.put(`/item/unit/${id}`, { other: { code: 'SEEN' } }))).toMatchObject({
      tag: 'SEEN',
      other: 'seen',
    });
  });

  it('on several levels and in several fields, visible to hooks', async () => {
    const tag = { code: 'B', parent: { code: 'A' } };
    expect(await ok(member.post('/item/unit', { tag, other: { code: 'C' } }))).toMatchObject({ tag: 'b', other: 'c' });
    expect(await tags()).toEqual([
      { code: 'a', note: null, parent: null },
      { code: 'b', note: 'in a', parent: 'a' },
      { code: 'c', note: null, parent: null },
    ]);
  });

  it('in a list', async () => {
    const made = await ok(member.post('/item/unit', [{ tag: { code: 'A' } }, {}, { tag: { code: 'B' } }]));
    expect(made).toMatchObject({ items: [{ tag: 'a' }, { tag: null }, { tag: 'b' }] });
  });
});

describe('a key that no new unit has after hooks', () => {
  it.each(['ABC', 'HIDDEN'])('cannot be used as an id in the same body: %s', async (code) => {
    const reply = await member.post('/item/unit', [{ tag: { code } }, { tag: code }]);
    expect(refusalOf(reply)).toEqual({ status: 400, messages: ['parameter.bad_reference tag'] });
    expect(reply.body.messages).toMatchObject([{ index: 1, text: "tag: no such unit of 'tag'" }]);
    const inside = await member.post('/item/unit', { tag: { code }, other: { code: 'Z', parent: code } });
    expect(refusalOf(inside)).toEqual({ status: 400, messages: ['parameter.bad_reference other.parent'] });
    const own = await member.post('/tag/unit', [{ code }, { code: 'Z', parent: code }]);
    expect(refusalOf(own)).toEqual({ status: 400, messages: ['parameter.bad_reference parent'] });
    expect([await tags(), await items()]).toEqual([[], 0]);
  });

  it('can be used if such a unit existed before', async () => {
    const made = await ok(member.post('/item/unit', [{ tag: { code: 'SEEN' } }, { tag: 'SEEN' }]));
    expect(made).toMatchObject({ items: [{ tag: 'seen' }, { tag: 'SEEN' }] });
  });
});

it('an invalid value of a hook is reported with the path to the unit', async () => {
  const bad = { code: 'A', note: 'bad' };
  const one = await member.post('/item/unit', { tag: bad });
  expect(refusalOf(one)).toEqual({ status: 400, messages: ['parameter.bad_type tag.note'] });
  const deep = await member.post('/item/unit', [{}, { tag: { code: 'B' }, other: { code: 'C', parent: bad } }]);
  expect(refusalOf(deep)).toEqual({ status: 400, messages: ['parameter.bad_type other.parent.note'] });
  expect(deep.body.messages).toMatchObject([
    { index: 1, text: expect.stringMatching(/^other\.parent\.note: must be a string/) as string },
  ]);
  const two = await member.post('/item/unit', { tag: { code: 'B' }, other: bad });
  expect(refusalOf(two)).toEqual({ status: 400, messages: ['parameter.bad_type other.note'] });
});

it("a hook's error is reported with the place of the unit", async () => {
  const told = async (body: object) => (await member.post('/item/unit', body)).body.messages;
  const refused = { code: 'A', note: 'refused' };
  const before = { code: 'tag.refused', text: 'Not that one' };
  expect(await told({ tag: refused })).toEqual([{ ...before, parameter: 'tag.note' }]);
  const others = [{ tag: { code: 'B' } }, {}];
  expect(await told([...others, { tag: refused }])).toEqual([{ ...before, parameter: 'tag.note', index: 2 }]);
  const after = { code: 'tag.undone', text: 'Not now' };
  expect(await told([...others, { other: { code: 'undone' } }])).toEqual([{ ...after, index: 2 }]);
  expect(await told({ tag: { code: 'B' }, other: { code: 'undone' } })).toEqual([after]);
});
