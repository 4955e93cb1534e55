/** Unique parameters, alone and together, and bodies of many units: all or none, and who is to blame. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const UNIQUE: Record<string, readonly [unknown, unknown]> = {
  string: ['a', 'A'],
  text: ['', ' '],
  integer: [1, -1],
  float: [0.1, 1e20],
  decimal: ['1.5', '1.50000000000000000000000000001'],
  boolean: [true, false],
  date: ['2024-01-31', '2024-02-01'],
  time: ['09:30:00.5', '09:30:00'],
  datetime: ['2024-01-31T09:30:00Z', '2024-01-31T09:30:00.000001Z'],
};
await defineKinds(
  project,
  ...Object.keys(UNIQUE).map((type) => ({
    id: `one_${type}`,
    label: type,
    parameters: [{ id: `u_${type}`, kind_id: type, unique: true }],
  })),
  {
    id: 'seat',
    label: 'Seat',
    parameters: [
      { id: 'line', kind_id: 'string' },
      { id: 'number', kind_id: 'integer' },
      { id: 'day', kind_id: 'date' },
    ],
    unique: [['line', 'number', 'day']],
  },
  {
    id: 'note',
    label: 'Note',
    parameters: [
      { id: 'name', kind_id: 'string', required: true, max_length: 5 },
      { id: 'size', kind_id: 'integer' },
    ],
  },
  { id: 'land', label: 'Land', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }] },
);
const count = async (kind: string) => (await project.get(`/${kind}/unit?limit=0`)).body.content.count as number;

describe('a unique parameter', () => {
  it.each(Object.entries(UNIQUE))('of %s has each value once, null aside', async (type, [one, other]) => {
    const path = `/one_${type}/unit`;
    const id = `u_${type}`;
    const conflict = { status: 409, body: { messages: [{ code: 'parameter.not_unique', parameter: id }] } };
    const first = await createdId(project.post(path, { [id]: one }));
    expect(await project.post(path, { [id]: one })).toMatchObject(conflict);
    const second = await createdId(project.post(path, { [id]: other }));
    expect(await project.put(`${path}/${second}`, { [id]: one })).toMatchObject(conflict);
    expect((await project.put(`${path}/${first}`, { [id]: one })).status).toBe(200);
    expect((await project.post(path, [{}, { [id]: null }, {}])).status).toBe(200);
    expect((await project.put(`${path}/${first}`, { [id]: null })).status).toBe(200);
    expect((await project.put(`${path}/${second}`, { [id]: one })).status).toBe(200);
    const bulk = await project.post(path, [{ [id]: null }, { [id]: other }, { [id]: one }]);
    expect(bulk).toMatchObject({
      status: 409,
      body: { messages: [{ code: 'parameter.not_unique', parameter: id, index: 2 }] },
    });
    const within = await project.post(path, [{ [id]: other }, {}, { [id]: other }]);
    expect(within).toMatchObject({
      status: 409,
      body: { messages: [{ code: 'parameter.not_unique', parameter: id, index: 2 }] },
    });
    expect(await count(`one_${type}`)).toBe(5);
  });

  it('is enforced for concurrent writers: one wins', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => project.post('/one_string/unit', { u_string: 'race' })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  it('that is too long for its index is reported as such', async () => {
    const long = Array.from({ length: 9000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000))).join(
      '',
    );
    expect(await project.post('/one_string/unit', { u_string: long })).toMatchObject({
      status: 400,
      body: { messages: [{ code: 'parameter.too_long', parameter: 'u_string' }] },
    });
  });
});

describe('parameters that are unique together', () => {
  const seat = { line: 'a, (b)', number: 1, day: '2024-01-31' };
  it('have each combination once, nulls excepted', async () => {
    expect((await project.post('/seat/unit', seat)).status).toBe(200);
    expect(await project.post('/seat/unit', seat)).toMatchObject({
      status: 409,
      body: { messages: [{ code: 'unit.not_unique' }] },
    });
    expect((await project.post('/seat/unit', seat)).body.messages[0]?.text).toMatch(/line.*number.*day/);
    const [other] = (
      await project.post('/seat/unit', [
        { ...seat, number: 2 },
        { ...seat, day: '2024-02-01' },
        { ...seat, day: null },
        { ...seat, day: null },
      ])
    ).body.content.items as [{ id: string }];
    expect(await project.put(`/seat/unit/${other.id}`, { number: 1 })).toMatchObject({
      status: 409,
      body: { messages: [{ code: 'unit.not_unique' }] },
    });
  });

  it('report the index in a bulk body', async () => {
    const reply = await project.post('/seat/unit', [{ ...seat, number: 7 }, { ...seat, number: 8 }, seat]);
    expect(reply).toMatchObject({ status: 409, body: { messages: [{ code: 'unit.not_unique', index: 2 }] } });
  });
});

describe('a bulk create', () => {
  it('of a thousand units takes one statement, and returns them in order', async () => {
    const bodies = Array.from({ length: 1000 }, (_, at) => ({ name: `${at}`, size: at }));
    const before = await count('note');
    let reply = await project.get('/note/unit');
    expect(await project.statements(async () => (reply = await project.post('/note/unit', bodies)))).toBe(1);
    expect(reply.body.content.count).toBe(1000);
    expect((reply.body.content.items as { size: number }[]).map(({ size }) => size)).toEqual(
      bodies.map(({ size }) => size),
    );
    expect(await count('note')).toBe(before + 1000);
    const listed = (await project.get('/note/unit?limit=1000&include=size')).body.content.items as { size: number }[];
    expect(listed.map(({ size }) => size)).toEqual(bodies.map(({ size }) => size));
  });

  it('of 1001 is refused', async () => {
    const before = await count('note');
    const reply = await project.post(
      '/note/unit',
      Array.from({ length: 1001 }, () => ({ name: 'x' })),
    );
    expect(reply).toMatchObject({ status: 400, body: { messages: [{ code: 'body.too_many' }] } });
    expect(reply.body.messages[0]?.text).toContain('1000');
    expect(await count('note')).toBe(before);
  });

  it('of an empty list creates none', async () => {
    expect((await project.post('/note/unit', [])).body).toEqual({ content: { count: 0, items: [] }, messages: [] });
  });

  it('of one unit returns a list', async () => {
    expect((await project.post('/note/unit', [{ name: 'one' }])).body.content).toMatchObject({
      count: 1,
      items: [{ name: 'one' }],
    });
  });

  it('reports every fault of every object with its index, and creates none', async () => {
    const before = await count('note');
    const reply = await project.post('/note/unit', [
      { name: 'fine' },
      {},
      { name: 'much too long', size: 'x' },
      { name: 'ok', nope: 1 },
    ]);
    expect(reply.status).toBe(400);
    expect(reply.body.messages.map(({ index, code, parameter }) => [index, code, parameter])).toEqual([
      [1, 'parameter.required', 'name'],
      [2, 'parameter.too_long', 'name'],
      [2, 'parameter.bad_type', 'size'],
      [3, 'parameter.unknown', 'nope'],
    ]);
    expect(await count('note')).toBe(before);
  });

  it.each([[[1]], [['a']], [[null]], [[[{}]]], [[true]]])('accepts only objects: %j', async (body) => {
    expect(await project.post('/note/unit', body)).toMatchObject({
      status: 400,
      body: { messages: [{ code: 'body.not_object', index: 0 }] },
    });
  });

  it('with an existing or duplicate key creates none and reports where', async () => {
    await project.post('/land/unit', { code: 'it' });
    for (const codes of [
      ['fr', 'it', 'de'],
      ['fr', 'fr', 'de'],
    ]) {
      const reply = await project.post(
        '/land/unit',
        codes.map((code) => ({ code })),
      );
      expect(reply).toMatchObject({
        status: 409,
        body: { messages: [{ code: 'parameter.not_unique', parameter: 'code', index: 1 }] },
      });
      expect(await count('land')).toBe(1);
    }
  });

  it('is only for units of user kinds', async () => {
    for (const [path, body] of [
      ['/kind/unit', { id: 'k1' }],
      ['/string/unit', { id: 'p1' }],
      ['/group/unit', { id: 'g1' }],
      ['/link/unit', { id: 'l1' }],
      ['/kind_admin/unit', { username: 'b', email: 'b@x.example' }],
    ] as const) {
      expect(await project.post(path, [body]), path).toMatchObject({
        status: 400,
        body: { messages: [{ code: 'body.not_object' }] },
      });
    }
  });

  it('does not exist for edits', async () => {
    const id = await createdId(project.post('/note/unit', { name: 'a' }));
    expect(await project.put(`/note/unit/${id}`, [{ name: 'b' }])).toMatchObject({
      status: 400,
      body: { messages: [{ code: 'body.not_object' }] },
    });
  });

  it('concurrent with others creates all units of each', async () => {
    const before = await count('note');
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        project.post(
          '/note/unit',
          Array.from({ length: 100 }, () => ({ name: `${at}` })),
        ),
      ),
    );
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(await count('note')).toBe(before + 1000);
  });
});
