/** Parameters with `write_once`: a value that is there stays as it is. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, query, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';

const folder = new FunctionsFolder({
  'letter.ts': `
    import { kind } from 'kind';
    const letter = kind('letter');
    export default letter.module({
      hooks: { before_update: ({ values }) => ({ ...values, stamp: 'hook' }) },
      unitFunctions: {
        restamp: letter.unitFunction({
          description: 'Sets the stamp as the system',
          methods: ['POST'],
          run: ({ unit, system }) => system.units('letter').update(unit.id, { stamp: 'system' }),
        }),
      },
    });`,
});
const service = await sharedServiceWith(folder);
const admin = await service.project();
const open = { read: 'member', create: 'member', update: 'member', delete: 'member' };
await defineKinds(
  admin,
  { id: 'country', parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'bill',
    access: open,
    parameters: [
      { id: 'number', kind_id: 'integer', write_once: true },
      { id: 'total', kind_id: 'decimal', write_once: true },
      { id: 'paid_at', kind_id: 'datetime', write_once: true },
      { id: 'tags', kind_id: 'string', multiple: true, write_once: true },
      { id: 'lines', kind_id: 'json', write_once: true },
      { id: 'currency', kind_id: 'string', write_once: true, default_string: 'EUR' },
      { id: 'place', kind_id: 'unit', reference_kind: 'country', write_once: true },
      { id: 'pin', kind_id: 'string', write_once: true, read_access: 'admin' },
      { id: 'note', kind_id: 'string' },
    ],
  },
  { id: 'letter', parameters: [{ id: 'stamp', kind_id: 'string', write_once: true }, 'note'] },
);
const member = await asMember(admin);
const [italy, spain] = [
  await createdId(admin.post('/country/unit', { name: 'Italy' })),
  await createdId(admin.post('/country/unit', { name: 'Spain' })),
];
const VALUES = {
  number: 1,
  total: '10.5',
  paid_at: '2024-01-31T10:00:00Z',
  tags: ['a', 'b'],
  lines: [{ text: 'x', price: 1 }],
  place: italy,
};
const made = (values: object = VALUES) => createdId(member.post('/bill/unit', values));

describe('an edit', () => {
  it.each([
    ['number', 2],
    ['number', null],
    ['total', '10.51'],
    ['paid_at', '2024-01-31T10:00:01Z'],
    ['tags', ['b', 'a']],
    ['tags', []],
    ['lines', [{ text: 'x', price: 2 }]],
    ['currency', 'USD'],
    ['place', spain],
    ['place', { name: 'Malta' }],
  ])('does not change %s to %j', async (name, value) => {
    const id = await made();
    const before = (await member.get(`/bill/unit/${id}`)).body.content as object;
    for (const caller of [member, admin]) {
      const reply = await caller.put(`/bill/unit/${id}`, { [name]: value, note: 'lost' });
      expect(refusalOf(reply)).toEqual({ status: 409, messages: [`parameter.write_once ${name}`] });
    }
    expect((await member.get(`/bill/unit/${id}`)).body.content).toEqual(before);
    const [{ count } = { count: 0 }] = await query<{ count: number }>(
      admin,
      `SELECT count(*)::int AS count FROM $schema.country WHERE "name" = 'Malta'`,
    );
    expect(count).toBe(0);
  });

  it('may send the same values again, in any spelling, and the whole record', async () => {
    const id = await made();
    const same = { ...VALUES, total: '10.50', paid_at: '2024-01-31T11:00:00+01:00', lines: [{ price: 1, text: 'x' }] };
    expect((await member.put(`/bill/unit/${id}`, { ...same, note: 'a' })).status).toBe(200);
    const record = (await member.get(`/bill/unit/${id}`)).body.content as object;
    const { body } = await member.put(`/bill/unit/${id}`, { ...record, note: 'b' });
    expect(body.content).toMatchObject({ number: 1, total: '10.5', note: 'b' });
  });

  it('names all parameters that would change', async () => {
    const id = await made();
    const reply = await member.put(`/bill/unit/${id}`, { number: 2, note: 'x', total: '1', place: italy });
    expect(refusalOf(reply)).toEqual({
      status: 409,
      messages: ['parameter.write_once number', 'parameter.write_once total'],
    });
  });

  it('gives a value once where it was null', async () => {
    const id = await made({ number: null });
    expect((await member.put(`/bill/unit/${id}`, { number: 5, tags: null })).status).toBe(200);
    expect((await member.put(`/bill/unit/${id}`, { tags: [] })).status).toBe(200);
    const reply = await member.put(`/bill/unit/${id}`, { number: 6, tags: ['late'] });
    expect(refusalOf(reply).messages).toEqual(['parameter.write_once number', 'parameter.write_once tags']);
  });

  it('is done by one of fifty at once', async () => {
    const id = await made({});
    const numbers = Array.from({ length: 50 }, (_, number) => number);
    const replies = await Promise.all(numbers.map((number) => member.put(`/bill/unit/${id}`, { number })));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(49);
    const stored = (await member.get(`/bill/unit/${id}`)).body.content as { number: number };
    expect(stored.number).toBe(statuses.indexOf(200));
  });

  it('checks version, rights and existence first', async () => {
    const id = await made();
    const stale = await member.put(`/bill/unit/${id}`, { number: 2 }, { headers: { 'if-match': '"1"' } });
    expect(refusalOf(stale)).toEqual({ status: 412, messages: ['unit.changed'] });
    const unknown = await member.put('/bill/unit/00000000-0000-4000-8000-000000000000', { number: 2 });
    expect(unknown.status).toBe(404);
  });

  it('does not tell whether a value is right that the caller may not read', async () => {
    const id = await createdId(admin.post('/bill/unit', { pin: '1234' }));
    const [right, wrong] = [
      await member.put(`/bill/unit/${id}`, { pin: '1234' }),
      await member.put(`/bill/unit/${id}`, { pin: '4321' }),
    ];
    expect(refusalOf(right)).toEqual({ status: 409, messages: ['parameter.write_once pin'] });
    expect(right.body).toEqual(wrong.body);
    expect((await admin.put(`/bill/unit/${id}`, { pin: '1234' })).status).toBe(200);
  });
});

describe('functions', () => {
  it('hooks give a value once, and cannot change it', async () => {
    const id = await createdId(admin.post('/letter/unit', { note: 'a' }));
    expect((await admin.put(`/letter/unit/${id}`, { note: 'b' })).body.content).toMatchObject({ stamp: 'hook' });
    expect((await admin.put(`/letter/unit/${id}`, { note: 'c' })).status).toBe(200);
    const given = await createdId(admin.post('/letter/unit', { stamp: 'given' }));
    const reply = await admin.put(`/letter/unit/${given}`, { note: 'd' });
    expect(refusalOf(reply)).toEqual({ status: 409, messages: ['parameter.write_once stamp'] });
  });

  it('cannot change it as the system either', async () => {
    const id = await createdId(admin.post('/letter/unit', { stamp: 'given' }));
    const reply = await admin.post(`/letter/unit/${id}/function/restamp`);
    expect(refusalOf(reply)).toEqual({ status: 409, messages: ['parameter.write_once stamp'] });
  });
});

describe('a definition', () => {
  it.each([
    { kind_id: 'unit', reference_kind: 'country', on_delete: 'set_null' },
    { kind_id: 'string', only_run_time: true },
  ])('with %j is refused', async (settings) => {
    const parameters = [{ id: 'odd', write_once: true, ...settings }];
    const { status, text } = await admin.post('/kind/unit', { id: 'odd_kind', label: 'Odd', parameters });
    expect(status, text).toBe(400);
    expect(text).toContain('write_once');
  });

  it('of a link type has no such parameter', async () => {
    const parameters = [{ id: 'weight', kind_id: 'float', write_once: true }];
    const { status, text } = await admin.post('/link/unit', { id: 'fixed', label: 'Fixed', parameters });
    expect(status, text).toBe(400);
    expect(text).toContain("it is 'write_once'");
  });

  it('holds for values that were there before, and ends when it is turned off', async () => {
    await defineKinds(admin, { id: 'box', parameters: [{ id: 'depth', kind_id: 'integer' }] });
    const id = await createdId(admin.post('/box/unit', { depth: 1 }));
    await ok(admin.put('/integer/unit/depth', { write_once: true }));
    expect((await admin.put(`/box/unit/${id}`, { depth: 2 })).status).toBe(409);
    await ok(admin.put('/integer/unit/depth', { write_once: false }));
    expect((await admin.put(`/box/unit/${id}`, { depth: 2 })).status).toBe(200);
  });
});
