/** Records that were read and come back: posted again, or sent back in an edit, whole. */
import { describe, expect, it } from 'vitest';
import { BUILT_IN_KINDS, FIXED_KINDS } from '../../../src/model/built-in/built-in.js';
import { anonymous, defineKinds, signUp, withMembers } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { PARAMETERS, PLACE, THING, VALUES } from '../../support/every-type.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const root = await withMembers(await service.project());
await defineKinds(
  root,
  PLACE,
  THING,
  { id: 'land', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }, 'a_string'] },
  { id: 'price', parameters: [{ id: 'amount', kind_id: 'decimal', is_primary: true }] },
  { id: 'note', parameters: ['a_string', { id: 'state', kind_id: 'string', write_access: 'admin' }] },
);
await ok(root.put('/kind/unit/person', { access: { update: 'member', read: 'member' } }));
const admin = await root.documented();
const ann = await signUp(root, 'ann');
const member = await root.as(ann.accessToken).documented();
type Unit = Record<string, unknown> & { readonly id: string };
const get = async (path: string): Promise<Unit> => (await ok(admin.get(path))) as Unit;
const make = async (path: string, body: unknown): Promise<Unit> => (await ok(admin.post(path, body))) as Unit;
const without = (unit: object, ...names: string[]): object =>
  Object.fromEntries(Object.entries(unit).filter(([name]) => !names.includes(name)));
const changed = { status: 412, messages: ['unit.changed'] };

describe('a record is posted again', () => {
  const place = root.post('/place/unit', {}).then(({ body }) => body.content.id as string);
  const valuesAt = (at: number) =>
    [...PARAMETERS].map(([id, { type, multiple }]) => {
      if (type === 'unit') return [id, place] as const;
      const values = VALUES[type as keyof typeof VALUES];
      return [id, multiple ? values.slice(0, at) : values[at % values.length]] as const;
    });

  it('of units with values of every type, one by one and in bulk', async () => {
    const bodies = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const values = await Promise.all(valuesAt(at).map(async ([id, value]) => [id, await value] as const));
        return { ...Object.fromEntries(values), metadata: { at } };
      }),
    );
    const { items } = (await ok(admin.post('/thing/unit', bodies))) as { items: Unit[] };
    const again = (await ok(
      admin.post(
        '/thing/unit',
        items.map((unit) => without(unit, 'id')),
      ),
    )) as { items: Unit[] };
    const values = (unit: Unit) => without(unit, 'id', 'inserted_at', 'updated_at');
    expect(again.items.map(values)).toEqual(items.map(values));
    for (const unit of items) expect(values(await make('/thing/unit', without(unit, 'id')))).toEqual(values(unit));
  });

  it('of a kind with a natural key, whose id is in it twice', async () => {
    const record = await make('/land/unit', { code: 'it', a_string: 'x' });
    await ok(admin.delete('/land/unit/it'));
    expect(await make('/land/unit', record)).toMatchObject({ id: 'it', code: 'it' });
    const amount = await make('/price/unit', { amount: '1.50' });
    expect(amount).toMatchObject({ id: '1.5', amount: '1.5' });
    await ok(admin.delete('/price/unit/1.5'));
    await ok(admin.post('/price/unit', [{ ...amount, amount: '01.500' }]));
    for (const body of [{ ...record, code: 'fr' }, { id: 'fr' }, { id: null, code: 'fr' }, { id: 5, code: '5' }]) {
      const { status, messages } = refusalOf(await admin.post('/land/unit', body));
      expect([status, messages[0]]).toEqual([400, 'parameter.read_only id']);
    }
  });

  it('with another kind or invalid times is rejected', async () => {
    const record = without(await make('/note/unit', { a_string: 'x' }), 'id');
    expect(refusalOf(await admin.post('/place/unit', without(record, 'a_string', 'state')))).toEqual({
      status: 400,
      messages: ['parameter.immutable kind_id'],
    });
    for (const inserted_at of [null, 5, '', 'now', '2024-02-30T00:00:00Z', ['2024-01-01T00:00:00Z']]) {
      expect(refusalOf(await admin.post('/note/unit', { ...record, inserted_at }))).toEqual({
        status: 400,
        messages: ['parameter.read_only inserted_at'],
      });
    }
    const { items } = (await ok(admin.post('/note/unit', [record, record]))) as { items: Unit[] };
    expect(items).toHaveLength(2);
    expect(refusalOf(await admin.post('/note/unit', [record, { ...record, kind_id: 'x' }]))).toEqual({
      status: 400,
      messages: ['parameter.immutable kind_id'],
    });
  });

  it('of a kind, under another id', async () => {
    const record = await get('/kind/unit/note');
    expect(await make('/kind/unit', { ...record, id: 'memo' })).toMatchObject({
      ...without(record, 'id', 'inserted_at', 'updated_at'),
      id: 'memo',
    });
    await ok(admin.post('/kind/unit', { ...without(record, 'id'), label: 'Made of its label' }));
    expect(refusalOf(await admin.post('/kind/unit', record))).toEqual({ status: 409, messages: ['kind.exists id'] });
    expect(refusalOf(await admin.post('/kind/unit', { ...record, id: 'other', type: 'group' }))).toEqual({
      status: 400,
      messages: ['parameter.read_only type'],
    });
  });

  it('of every kind of definition, with its times and without, and sent back in an edit', async () => {
    const types = BUILT_IN_KINDS.filter(({ table }) => table === '_parameter').map(({ id }) => id);
    expect(types).toHaveLength(12);
    const made = types.map((type) => [type, { ...(type === 'unit' && { reference_kind: 'place' }) }] as const);
    const others = [
      ['kind', { parameters: ['a_string'] }],
      ['group', { kind_list: ['place'] }],
      ['link', {}],
    ] as const;
    const EXCLUDED = ['metadata', 'inserted_at', 'updated_at', 'inserted_at,updated_at'];
    for (const [kind, body] of [...made, ...others]) {
      const path = `/${kind}/unit`;
      await make(path, { ...body, id: `def_${kind}` });
      // Parameters of all types are stored alike: one of them tries all.
      const place = types.indexOf(kind);
      const tried = EXCLUDED.filter((_, at) => place < 1 || at === place % EXCLUDED.length);
      for (const [at, exclude] of tried.entries()) {
        const record = await get(`${path}/def_${kind}?exclude=${exclude}`);
        await make(path, { ...record, id: `def_${kind}_${at}` });
        await ok(admin.put(`${path}/def_${kind}`, record));
      }
      const record = without(await get(`${path}/def_${kind}`), 'inserted_at', 'updated_at');
      if (others.some(([id]) => id === kind)) continue;
      // In the body of a kind too: as a definition of its own, or as the one that is stored.
      const parameters = [{ ...record, id: `def_${kind}_inside` }, record];
      await make('/kind/unit', { id: `with_${kind}`, parameters });
    }
  });

  it('and a field that a type does not have is rejected if it has a value', async () => {
    await make('/integer/unit', { id: 'plain' });
    const values = [
      ['min_length', 0],
      ['max_length', 3],
      ['strip', true],
      ['strip', null],
      ['min_length', false],
    ] as const;
    for (const [name, value] of values) {
      const refused = { status: 400, messages: [`parameter.unknown ${name}`] };
      expect(refusalOf(await admin.post('/integer/unit', { id: 'n', [name]: value }))).toEqual(refused);
      expect(refusalOf(await admin.put('/integer/unit/plain', { [name]: value }))).toEqual(refused);
      const record = await get('/integer/unit/plain');
      expect(refusalOf(await admin.put('/integer/unit/plain', { ...record, [name]: value }))).toEqual(refused);
      expect(refusalOf(await admin.post('/integer/unit', { ...record, id: 'n', [name]: value }))).toEqual(refused);
      const parameters = [{ kind_id: 'integer', id: 'n', [name]: value }];
      expect(refusalOf(await admin.post('/kind/unit', { id: 'never', parameters })).status).toBe(400);
    }
    expect(refusalOf(await admin.post('/boolean/unit', { id: 'b', scale: null }))).toEqual({
      status: 400,
      messages: ['parameter.unknown scale'],
    });
  });

  it('inside another unit, and at a sign-up', async () => {
    await ok(root.post('/kind/unit', { id: 'visit', parameters: ['a_unit'] }));
    const record = without(await make('/place/unit', {}), 'id');
    await ok(root.post('/visit/unit', { a_unit: record }));
    const { inserted_at } = (await signUp(root, 'bob', {
      kind_id: 'person',
      inserted_at: '2000-01-01T00:00:00Z',
    }).then(({ id }) => get(`/person/unit/${id}`))) as { inserted_at: string };
    expect(inserted_at > '2020').toBe(true);
  });
});

describe('a whole record in an edit', () => {
  it('of a version before is 412, whatever else is in it', async () => {
    const record = await make('/note/unit', { a_string: 'x', state: 'new' });
    const path = `/note/unit/${record.id}`;
    await ok(admin.put(path, { state: 'done' }));
    // What this one may not write has changed, so it is not the body that is wrong.
    expect(refusalOf(await member.put(path, { ...record, a_string: 'y' }))).toEqual(changed);
    expect(refusalOf(await member.put(path, { ...record, a_string: 5 }))).toEqual(changed);
    expect(await get(path)).toMatchObject({ a_string: 'x', state: 'done' });
    const now = await get(path);
    await ok(member.put(path, { ...now, a_string: 'y' }));
    expect(refusalOf(await member.put(path, { ...(await get(path)), state: 'mine' }))).toEqual({
      status: 400,
      messages: ['parameter.read_only state'],
    });
  });

  it('is checked against both If-Match and updated_at', async () => {
    const record = await make('/note/unit', { a_string: 'x' });
    const path = `/note/unit/${record.id}`;
    const tag = async () => ({ headers: { 'if-match': (await admin.get(path)).headers.get('etag') ?? '' } });
    const first = await tag();
    const edited = (await ok(admin.put(path, { ...record, a_string: 'y' }, first))) as Unit;
    expect(refusalOf(await admin.put(path, record, first))).toEqual(changed);
    expect(refusalOf(await admin.put(path, record, await tag()))).toEqual(changed);
    expect(refusalOf(await admin.put(path, { ...edited, nope: 1 }, first))).toEqual(changed);
    await ok(admin.put(path, { ...edited, a_string: 'z' }, await tag()));
  });

  it('by many at the same time is accepted once', async () => {
    const record = await make('/note/unit', { a_string: 'x' });
    const path = `/note/unit/${record.id}`;
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, at) => admin.put(path, { ...record, a_string: `${at}` })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 412)]);
    const won = replies.find(({ status }) => status === 200);
    expect(await get(path)).toEqual(won?.body.content);
  });

  it('of a unit that was deleted and created again with its key is outdated', async () => {
    const record = await make('/land/unit', { code: 'de' });
    await ok(admin.delete('/land/unit/de'));
    await make('/land/unit', { code: 'de' });
    expect(refusalOf(await admin.put('/land/unit/de', record))).toEqual(changed);
  });

  it('with a time that the unit never had is rejected', async () => {
    const record = await make('/note/unit', { a_string: 'x' });
    const path = `/note/unit/${record.id}`;
    for (const updated_at of ['2000-01-01T00:00:00Z', '2999-01-01T00:00:00Z', 'now', null, 5]) {
      expect(refusalOf(await admin.put(path, { a_string: 'y', updated_at }))).toEqual({
        status: 400,
        messages: ['parameter.read_only updated_at'],
      });
    }
  });

  it('is first answered with 404 or 403 if the caller may not read or edit the unit', async () => {
    const record = await make('/note/unit', { a_string: 'x' });
    await ok(admin.put(`/note/unit/${record.id}`, { a_string: 'y' }));
    await ok(root.put('/kind/unit/note', { access: { update: 'eq(a_string,mine)' } }));
    expect(refusalOf(await member.put(`/note/unit/${record.id}`, record))).toEqual({
      status: 403,
      messages: ['access.denied'],
    });
    expect((await anonymous(root).put(`/note/unit/${record.id}`, record)).status).toBe(401);
    await ok(admin.delete(`/note/unit/${record.id}`));
    expect((await member.put(`/note/unit/${record.id}`, record)).status).toBe(404);
    await ok(root.put('/kind/unit/note', { access: null }));
  });

  it('of a member who has signed in meanwhile still has the current version', async () => {
    const path = `/person/unit/${ann.id}`;
    const record = await get(path);
    await ok(anonymous(root).post('/auth/signin', { username: 'ann', password: ann.password }));
    const now = await get(path);
    expect(now['last_access_time']).not.toBe(record['last_access_time']);
    expect(await ok(member.put(path, { ...record, first_name: 'Ann' }))).toMatchObject({
      first_name: 'Ann',
      last_access_time: now['last_access_time'],
    });
    expect(refusalOf(await member.put(path, record))).toEqual(changed);
    expect(refusalOf(await member.put(path, { last_access_time: record['last_access_time'] }))).toEqual({
      status: 400,
      messages: ['parameter.read_only last_access_time'],
    });
    expect(refusalOf(await member.put(path, { ...(await get(path)), last_access_time: 'now' }))).toEqual({
      status: 400,
      messages: ['parameter.read_only last_access_time'],
    });
  });

  const visible = FIXED_KINDS.filter((id) => id !== 'kind_system_user');
  it.each(visible)('of the built-in kind %s changes its editable fields', async (id) => {
    const path = `/kind/unit/${id}`;
    const record = await get(path);
    expect(await ok(admin.put(path, { ...record, metadata: { a: 1 } }))).toMatchObject({
      ...without(record, 'updated_at'),
      metadata: { a: 1 },
    });
    expect(refusalOf(await admin.put(path, record))).toEqual(changed);
    expect(refusalOf(await admin.put(path, { ...(await get(path)), active: false }))).toEqual({
      status: 403,
      messages: ['kind.built_in'],
    });
  });

  it.each(['parameter', 'kind_auth_member'])('of the built-in group %s, too', async (id) => {
    const record = await get(`/group/unit/${id}`);
    await ok(admin.put(`/group/unit/${id}`, { ...record, metadata: { a: 1 } }));
    expect(refusalOf(await admin.put(`/group/unit/${id}`, record))).toEqual(changed);
  });
});
