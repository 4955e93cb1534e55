/** Upserts: a create that edits or leaves the unit that is there. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import type { Reply } from '../../support/service.js';

const folder = new FunctionsFolder({
  'hooked.ts': `
    import { kind } from 'kind';
    export default kind('hooked').module({
      hooks: {
        before_create: ({ values }) => values.name === 'rekey' ? { code: 'other' } : { log: 'create' },
        before_update: ({ values }) => values.name === 'rekey' ? { code: 'other' } : { log: 'update' },
      },
    });`,
});
const service = await sharedServiceWith(folder);
const admin = await service.project();
const open = { read: 'member', create: 'member', update: 'member', delete: 'member' };
await defineKinds(
  admin,
  { id: 'city', access: open, parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'country',
    access: open,
    unique: [['name', 'region']],
    parameters: [
      { id: 'code', kind_id: 'string', unique: true, max_length: 5 },
      'name',
      { id: 'region', kind_id: 'string' },
      { id: 'area', kind_id: 'decimal' },
      { id: 'tags', kind_id: 'string', multiple: true, unique: true },
      { id: 'meta', kind_id: 'json' },
      { id: 'pin', kind_id: 'string', read_access: 'admin' },
      { id: 'short', kind_id: 'string', required: true, default_string: 'none' },
      { id: 'capital', kind_id: 'unit', reference_kind: 'city' },
    ],
  },
  { id: 'currency', access: open, parameters: [{ id: 'iso', kind_id: 'string', is_primary: true }, 'name'] },
  {
    id: 'note',
    access: { read: 'eq(name,mine)', create: 'member', update: 'eq(region,open)', delete: 'member' },
    parameters: ['code', 'name', 'region'],
  },
  { id: 'added', access: { ...open, update: 'admin' }, parameters: ['code', 'name'] },
  { id: 'edited', access: { ...open, create: 'admin' }, parameters: ['code', 'name'] },
  { id: 'hooked', access: open, parameters: ['code', 'name', { id: 'log', kind_id: 'string' }] },
);
const member = await asMember(admin);
const upsert = (kind: string, body: unknown, url = '?on_conflict=update&by=code'): Promise<Reply> =>
  member.post(`/${kind}/unit${url}`, body);
const resultOf = (reply: Reply) => ({ status: reply.status, result: reply.headers.get('kind-result') });

describe('an upsert of one unit', () => {
  it('creates it, leaves it if nothing changes, and edits it', async () => {
    const created = await upsert('country', { code: 'IT', name: 'Italy', area: '1.50' });
    expect(resultOf(created)).toEqual({ status: 200, result: 'created' });
    const { id } = created.body.content as { id: string };
    const same = await upsert('country', { code: 'IT', area: '1.5' });
    expect(resultOf(same)).toEqual({ status: 200, result: 'unchanged' });
    expect(same.body.content).toEqual(created.body.content);
    expect(same.headers.get('etag')).toBe(created.headers.get('etag'));
    const updated = await upsert('country', { code: 'IT', name: 'Italia' });
    expect(resultOf(updated)).toEqual({ status: 200, result: 'updated' });
    expect(updated.body.content).toMatchObject({ id, name: 'Italia', area: '1.5' });
    const ignored = await upsert('country', { code: 'IT', name: 'x' }, '?on_conflict=ignore&by=[code]');
    expect(resultOf(ignored)).toEqual({ status: 200, result: 'ignored' });
    expect(ignored.body.content).toEqual(updated.body.content);
  });

  it('goes by the primary parameter where none is named', async () => {
    expect(resultOf(await upsert('currency', { iso: 'EUR', name: 'Euro' }, '?on_conflict=update'))).toMatchObject({
      result: 'created',
    });
    expect(resultOf(await upsert('currency', { iso: 'EUR', name: 'euro' }, '?on_conflict=update'))).toMatchObject({
      result: 'updated',
    });
    expect(resultOf(await upsert('currency', { iso: 'EUR' }, '?on_conflict=update&by=iso'))).toMatchObject({
      result: 'unchanged',
    });
    expect(refusalOf(await upsert('country', { code: 'X' }, '?on_conflict=update'))).toEqual({
      status: 400,
      messages: ['query.bad_value by'],
    });
  });

  it('goes by a compound unique', async () => {
    const url = '?on_conflict=update&by=[region,name]';
    const [a, b] = [
      await upsert('country', { name: 'Congo', region: 'west', area: '1' }, url),
      await upsert('country', { name: 'Congo', region: 'east', area: '2' }, url),
    ];
    expect([resultOf(a).result, resultOf(b).result]).toEqual(['created', 'created']);
    const again = await upsert('country', { name: 'Congo', region: 'west', area: '3' }, url);
    expect(resultOf(again).result).toBe('updated');
    expect(again.body.content).toMatchObject({ id: (a.body.content as { id: string }).id, area: '3' });
  });

  it('takes objects of JSON as they are, and counts what the caller cannot read as changed', async () => {
    await ok(upsert('country', { code: 'J', meta: { a: 1 } }));
    const reply = await upsert('country', { code: 'J', meta: { $merge: { b: 2 } } });
    expect(reply.body.content).toMatchObject({ meta: { $merge: { b: 2 } } });
    expect(refusalOf(await upsert('country', { code: 'J', area: { $inc: 1 } }))).toEqual({
      status: 400,
      messages: ['parameter.bad_type area'],
    });
    expect(resultOf(await upsert('country', { code: 'J', pin: '1' })).result).toBe('updated');
    expect(resultOf(await upsert('country', { code: 'J', pin: '1' })).result).toBe('updated');
  });

  it('accepts a record that was read', async () => {
    const { id, ...record } = (await ok(upsert('country', { code: 'R', name: 'Rec' }))) as { id: string };
    expect(resultOf(await upsert('country', record)).result).toBe('unchanged');
    expect(resultOf(await upsert('country', { ...record, id })).result).toBe('unchanged');
    expect(resultOf(await upsert('country', { ...record, id, name: 'Rec 2' })).result).toBe('updated');
    expect(resultOf(await upsert('country', { ...record, name: 'Rec 3' })).result).toBe('updated');
  });

  it('creates units inside', async () => {
    const reply = await upsert('country', { code: 'N', capital: { name: 'Nested' } });
    expect(resultOf(reply).result).toBe('created');
    const again = await upsert('country', { code: 'N', capital: { name: 'Other' } });
    expect(resultOf(again).result).toBe('updated');
    expect((again.body.content as { capital: string }).capital).not.toBe(
      (reply.body.content as { capital: string }).capital,
    );
  });

  it.each([
    ['no value', { name: 'x' }, 'parameter.required code'],
    ['null', { code: null }, 'parameter.required code'],
    ['a value of another type', { code: 1 }, 'parameter.bad_type code'],
    ['a value that is too long', { code: 'abcdef' }, 'parameter.too_long code'],
  ])('is refused with %s to look it up by', async (_, body, message) => {
    expect(refusalOf(await upsert('country', body))).toEqual({ status: 400, messages: [message] });
  });

  it.each([
    ['by=code', 'query.bad_value by'],
    ['on_conflict=replace&by=code', 'query.bad_value on_conflict'],
    ['on_conflict=update&by=name', 'query.bad_value by'],
    ['on_conflict=update&by=cod', 'parameter.unknown by'],
    ['on_conflict=update&by=pin', 'parameter.unknown by'],
    ['on_conflict=update&by=tags', 'query.bad_value by'],
    ['on_conflict=update&by=code,name', 'query.bad_value by'],
    ['on_conflict=update&by=code&limit=1', 'query.unknown limit'],
  ])('is refused with ?%s', async (url, message) => {
    expect(refusalOf(await upsert('country', { code: 'Q', name: 'q' }, `?${url}`))).toEqual({
      status: 400,
      messages: [message],
    });
  });

  it('takes no If-Match, and is not there for definitions', async () => {
    const url = '/country/unit?on_conflict=update&by=code';
    const reply = await member.post(url, { code: 'H' }, { headers: { 'if-match': '*' } });
    expect(refusalOf(reply)).toEqual({ status: 400, messages: ['header.not_here'] });
    expect(refusalOf(await admin.post('/kind/unit?on_conflict=update', { id: 'city' }))).toEqual({
      status: 400,
      messages: ['query.unknown on_conflict'],
    });
  });
});

describe('a body with faults', () => {
  it.each([
    [{ nme: 'x' }, 'parameter.unknown nme'],
    [{ name: 5 }, 'parameter.bad_type name'],
    [{ metadata: 5 }, 'parameter.bad_type metadata'],
    [{ capital: '01900000-0000-7000-8000-000000000000' }, 'parameter.bad_reference capital'],
    [{ tags: ['a', 'a'] }, 'parameter.duplicate tags'],
  ])('is refused with on_conflict=ignore whether the unit is there or not: %j', async (fault, message) => {
    const url = '?on_conflict=ignore&by=code';
    await upsert('country', { code: 'G1' }, url);
    const refusal = { status: 400, messages: [message] };
    expect(refusalOf(await upsert('country', { code: 'G0', ...fault }, url))).toEqual(refusal);
    expect(refusalOf(await upsert('country', { code: 'G1', ...fault }, url))).toEqual(refusal);
    const many = await upsert('country', [{ code: 'G1' }, { code: 'G1b' }, { code: 'G0', ...fault }], url);
    expect(many.body.messages).toMatchObject([{ index: 2 }]);
    await upsert('country', { code: 'G2' }, url);
    const there = await upsert('country', [{ code: 'G1' }, { code: 'G3' }, { code: 'G2', ...fault }], url);
    expect(there.body.messages).toMatchObject([{ index: 2 }]);
    expect((await ok(admin.get('/country/unit?filter=eq(code,G3)'))).count).toBe(0);
  });
});

describe('rights', () => {
  it('are those of what happens to the unit', async () => {
    expect(resultOf(await upsert('added', { code: 'A', name: '1' })).result).toBe('created');
    expect((await upsert('added', { code: 'A', name: '2' })).status).toBe(403);
    expect(resultOf(await upsert('added', { code: 'A', name: '2' }, '?on_conflict=ignore&by=code')).result).toBe(
      'ignored',
    );
    expect((await upsert('edited', { code: 'A', name: '1' })).status).toBe(403);
    await ok(admin.post('/edited/unit', { code: 'A', name: '1' }));
    expect(resultOf(await upsert('edited', { code: 'A', name: '2' })).result).toBe('updated');
  });

  it('a unit that the caller may not read is a conflict, and one that it may not change is refused', async () => {
    await createdId(admin.post('/note/unit', { code: 'A', name: 'theirs', region: 'open' }));
    for (const mode of ['update', 'ignore']) {
      const reply = await upsert('note', { code: 'A', name: 'mine' }, `?on_conflict=${mode}&by=code`);
      expect(refusalOf(reply)).toEqual({ status: 409, messages: ['parameter.not_unique code'] });
    }
    await createdId(admin.post('/note/unit', { code: 'B', name: 'mine', region: 'closed' }));
    expect((await upsert('note', { code: 'B', name: 'mine', region: 'open' })).status).toBe(403);
    expect(resultOf(await upsert('note', { code: 'B', name: 'x' }, '?on_conflict=ignore&by=code')).result).toBe(
      'ignored',
    );
  });
});

describe('an upsert of many units', () => {
  it('refuses for access before conflicts, whatever the order of the bodies', async () => {
    const note = (code: string, region: string) => ({ code, name: 'mine', region });
    const rule = 'in(region,open,half)';
    await defineKinds(admin, {
      id: 'ranked',
      access: { ...open, update: rule },
      parameters: ['code', 'name', 'region', { id: 'rank', kind_id: 'integer', unique: true }],
    });
    await ok(
      admin.post('/ranked/unit', [{ ...note('A', 'open') }, { ...note('B', 'closed') }, { code: 'C', rank: 1 }]),
    );
    const conflict = { code: 'A', rank: 1 };
    const denied = { code: 'B', name: 'other' };
    const leaving = { code: 'A', region: 'closed' };
    for (const bodies of [
      [conflict, denied],
      [denied, conflict],
      [{ code: 'D', rank: 1 }, denied],
      [denied, { code: 'D', rank: 1 }],
    ]) {
      const reply = await upsert('ranked', bodies);
      expect(refusalOf(reply)).toEqual({ status: 403, messages: ['access.denied'] });
      expect(reply.body.messages).toMatchObject([{ index: bodies.indexOf(denied) }]);
    }
    await ok(admin.put('/ranked/unit?filter=eq(code,B)', { region: 'open' }));
    const answers = [
      [{ ...denied, rank: 1 }, leaving],
      [leaving, { ...denied, rank: 1 }],
    ].map((bodies) => upsert('ranked', bodies));
    const [one, other] = (await Promise.all(answers)).map(refusalOf);
    expect(one).toEqual(other);
  });

  it('answers what happened to each, in order', async () => {
    await ok(
      upsert('country', [
        { code: 'M1', name: 'one' },
        { code: 'M2', name: 'two' },
      ]),
    );
    const content = (await ok(
      upsert('country', [
        { code: 'M3', name: 'three' },
        { code: 'M1', name: 'uno' },
        { code: 'M2', name: 'two' },
        { code: 'M4', name: 'four' },
      ]),
    )) as { count: number; items: { code: string; name: string }[]; results: string[] };
    expect(content.count).toBe(4);
    expect(content.results).toEqual(['created', 'updated', 'unchanged', 'created']);
    expect(content.items.map(({ code, name }) => `${code} ${name}`)).toEqual([
      'M3 three',
      'M1 uno',
      'M2 two',
      'M4 four',
    ]);
    const { count } = (await ok(member.get('/country/unit?filter=startswith(code,M)&limit=0'))) as { count: number };
    expect(count).toBe(4);
  });

  it('is all or none, with the positions of all faults', async () => {
    await ok(upsert('country', [{ code: 'F1' }]));
    const reply = await upsert('country', [
      { code: 'F9', area: 'x' },
      { code: 'F1', name: 1 },
      { code: 'F2', name: 'ok' },
      { code: 'F1x', nme: 1 },
    ]);
    expect(reply.status).toBe(400);
    expect(reply.body.messages.map(({ code, parameter, index }) => `${index} ${code} ${parameter}`)).toEqual([
      '0 parameter.bad_value area',
      '1 parameter.bad_type name',
      '3 parameter.unknown nme',
    ]);
    expect((await ok(member.get('/country/unit?filter=eq(code,F2)'))) as object).toMatchObject({ count: 0 });
  });

  it('reports faults of the values to look it up by together with all others', async () => {
    await ok(upsert('country', [{ code: 'G1' }]));
    const reply = await upsert('country', [
      { name: 1 },
      { code: 5, area: 'x' },
      { code: 'G1', name: 2 },
      { code: 'G2', nme: 'x' },
      7,
      { code: 'G1', name: 3 },
    ]);
    expect(reply.status).toBe(400);
    expect(reply.body.messages.map(({ code, parameter, index }) => `${index} ${code} ${parameter}`)).toEqual([
      '0 parameter.required code',
      '0 parameter.bad_type name',
      '1 parameter.bad_type code',
      '1 parameter.bad_value area',
      '2 parameter.bad_type name',
      '3 parameter.unknown nme',
      '4 body.not_object undefined',
      '5 parameter.duplicate code',
      '5 parameter.bad_type name',
    ]);
    // Whether the body would be a create or an edit is not known, so nothing is said of what only a create must have.
    expect(refusalOf(await upsert('currency', { name: 3, iso: 4 }, '?on_conflict=update'))).toEqual({
      status: 400,
      messages: ['parameter.bad_type iso', 'parameter.bad_type name'],
    });
    expect(refusalOf(await upsert('country', { id: 'x', name: 'y', short: null, tags: 1 }))).toEqual({
      status: 400,
      messages: ['parameter.required code', 'parameter.bad_type tags'],
    });
  });

  it('is refused for missing rights before faults of other units', async () => {
    await ok(upsert('added', [{ code: 'P1' }]));
    expect((await upsert('added', [{ code: 'P1', name: 'x' }, { name: 1 }])).status).toBe(403);
    expect((await upsert('edited', [{ code: 'P2' }, { name: 1 }])).status).toBe(403);
  });

  it('refuses the same values twice, and others than objects', async () => {
    const twice = await upsert('country', [{ code: 'T1' }, { code: 'T2' }, { code: 'T1' }]);
    expect(twice.body.messages).toMatchObject([{ code: 'parameter.duplicate', parameter: 'code', index: 2 }]);
    const mixed = await upsert('country', [{ code: 'T1' }, 1, {}]);
    expect(mixed.body.messages).toMatchObject([
      { code: 'body.not_object', index: 1 },
      { code: 'parameter.required', parameter: 'code', index: 2 },
    ]);
    expect(await ok(upsert('country', []))).toEqual({ count: 0, items: [], results: [] });
  });

  it('names the unit that another one conflicts with', async () => {
    await ok(
      upsert('country', [
        { code: 'C1', name: 'Chad', region: 'c' },
        { code: 'C2', name: 'Cuba', region: 'c' },
      ]),
    );
    const create = await upsert('country', [
      { code: 'C2', name: 'Cuba' },
      { code: 'C3', name: 'Chad', region: 'c' },
    ]);
    expect(create.status).toBe(409);
    expect(create.body.messages).toMatchObject([{ code: 'unit.not_unique', index: 1 }]);
    const edit = await upsert('country', [{ code: 'C4' }, { code: 'C2', name: 'Chad' }]);
    expect(edit.status).toBe(409);
    expect(edit.body.messages).toMatchObject([{ code: 'unit.not_unique', index: 1 }]);
  });
});

describe('hooks', () => {
  it('are those of what happens', async () => {
    expect((await ok(upsert('hooked', { code: 'A', name: '1' }))) as object).toMatchObject({ log: 'create' });
    expect((await ok(upsert('hooked', { code: 'A', name: '1' }))) as object).toMatchObject({ log: 'create' });
    expect((await ok(upsert('hooked', { code: 'A', name: '2' }))) as object).toMatchObject({ log: 'update' });
  });

  it('may not change the value that the unit was looked up by', async () => {
    expect(refusalOf(await upsert('hooked', { code: 'B', name: 'rekey' }))).toEqual({
      status: 409,
      messages: ['unit.conflict code'],
    });
    expect(refusalOf(await upsert('hooked', { code: 'A', name: 'rekey' }))).toEqual({
      status: 409,
      messages: ['unit.conflict code'],
    });
  });
});

describe('at the same time', () => {
  it.each(['country', 'hooked'])('fifty equal upserts make one unit of %s, and none fails', async (kind) => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => upsert(kind, { code: 'Z', name: 'same' })));
    expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const results = replies.map((reply) => resultOf(reply).result);
    expect(results.filter((result) => result === 'created')).toHaveLength(1);
    expect(results.filter((result) => result === 'unchanged')).toHaveLength(49);
    expect((await ok(member.get(`/${kind}/unit?filter=eq(code,Z)`))) as object).toMatchObject({ count: 1 });
  });

  it('twenty different ones of one unit all succeed', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `n${at}`);
    const replies = await Promise.all(
      names.map((name) => upsert('currency', { iso: 'CON', name }, '?on_conflict=update')),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(replies.filter((reply) => resultOf(reply).result === 'created')).toHaveLength(1);
  });

  it('many at once in different orders make each unit once', async () => {
    const codes = Array.from({ length: 20 }, (_, at) => `O${at}`);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        upsert(
          'country',
          (at % 2 === 0 ? codes : codes.toReversed()).map((code) => ({ code, region: `r${at}` })),
        ),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect((await ok(member.get('/country/unit?filter=startswith(code,O)'))) as object).toMatchObject({ count: 20 });
  });
});
