/** All values that other units have already are reported at once. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';

const folder = new FunctionsFolder({
  'hooked.ts': `
    import { kind } from 'kind';
    export default kind('hooked').module({ hooks: { before_create: ({ values }) => values, before_update: ({ values }) => values } });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
await defineKinds(project, {
  id: 'thing',
  label: 'Thing',
  parameters: [
    { id: 'code', kind_id: 'string', is_primary: true },
    { id: 'name', kind_id: 'string', unique: true },
    { id: 'size', kind_id: 'decimal', unique: true },
    { id: 'born', kind_id: 'datetime' },
    { id: 'place', kind_id: 'string' },
    { id: 'secret', kind_id: 'string', unique: true, read_access: 'admin' },
  ],
  unique: [['born', 'place']],
});
await defineKinds(project, {
  id: 'hooked',
  label: 'Hooked',
  parameters: [
    { id: 'hook_name', kind_id: 'string', unique: true },
    { id: 'hook_size', kind_id: 'integer', unique: true },
  ],
});
await defineKinds(
  project,
  { id: 'lone', parameters: [{ id: 'mark', kind_id: 'string', unique: true }] },
  { id: 'hidden', parameters: [{ id: 'open', kind_id: 'boolean' }], access: { read: 'eq(open,true)' } },
  {
    id: 'outer',
    parameters: [
      { id: 'label', kind_id: 'string', unique: true },
      { id: 'hook', kind_id: 'unit', reference_kind: 'hooked' },
      { id: 'thing_hook', kind_id: 'unit', reference_kind: 'hooked' },
      { id: 'ruled', kind_id: 'unit', reference_kind: 'hidden' },
    ],
  },
);
const member = await asMember(project);
await ok(project.post('/lone/unit', { mark: 'm' }));
const first = { code: 'a', name: 'n', size: '1.5', born: '2024-01-31T10:00:00Z', place: 'p', secret: 's' };
await ok(project.post('/thing/unit', first));
await ok(project.post('/thing/unit', { ...first, code: 'b', name: 'm', size: '2', place: 'q', secret: 't' }));

const told = async (call: ReturnType<typeof project.post>) => {
  const { status, messages } = refusalOf(await call);
  return { status, messages: [...messages].sort() };
};

it('of a create', async () => {
  expect(
    await told(project.post('/thing/unit', { ...first, size: '1.50', born: '2024-01-31T11:00:00+01:00' })),
  ).toEqual({
    status: 409,
    messages: [
      'parameter.not_unique code',
      'parameter.not_unique name',
      'parameter.not_unique secret',
      'parameter.not_unique size',
      'unit.not_unique',
    ],
  });
  expect(await told(project.post('/thing/unit', { code: 'c', name: 'n', size: '2', place: 'p' }))).toEqual({
    status: 409,
    messages: ['parameter.not_unique name', 'parameter.not_unique size'],
  });
});

it("of an edit, except the unit's own", async () => {
  const edit = { name: 'n', size: '2', born: first.born, place: 'p' };
  expect(await told(project.put('/thing/unit/b', edit))).toEqual({
    status: 409,
    messages: ['parameter.not_unique name', 'unit.not_unique'],
  });
});

it('of a kind with hooks', async () => {
  const both = { status: 409, messages: ['parameter.not_unique hook_name', 'parameter.not_unique hook_size'] };
  await ok(project.post('/hooked/unit', { hook_name: 'n', hook_size: 2 }));
  const id = await createdId(project.post('/hooked/unit', { hook_name: 'm', hook_size: 3 }));
  expect(await told(project.post('/hooked/unit', { hook_name: 'n', hook_size: 2 }))).toEqual(both);
  expect(await told(project.put(`/hooked/unit/${id}`, { hook_name: 'n', hook_size: 2 }))).toEqual(both);
});

it('but not values that the caller may not read', async () => {
  expect(await told(member.post('/thing/unit', { ...first, code: 'c' }))).toMatchObject({ status: 409 });
  const { messages } = await told(member.post('/thing/unit', { ...first, code: 'c' }));
  expect(messages).not.toContain('parameter.not_unique secret');
  expect(messages).toContain('parameter.not_unique name');
  expect(messages).toContain('parameter.not_unique size');
});

describe('of many units', () => {
  const at = async (call: ReturnType<typeof project.post>) => {
    const { status, body } = await call;
    return [status, body.messages.map(({ code, parameter, index }) => `${index} ${code} ${parameter ?? ''}`.trimEnd())];
  };

  it('with the index of each; of two equal ones the later', async () => {
    const bodies = [
      { code: 'x1', name: 'n' },
      { code: 'x2', name: 'free' },
      { code: 'x3', name: 'm', size: '2.0' },
      { code: 'x4', name: 'twice', born: first.born, place: 'p' },
      { code: 'x5', name: 'twice' },
      { code: 'b' },
      { code: 'x6', name: null, born: null, place: 'p' },
      { code: 'x7', name: null },
    ];
    expect(await at(project.post('/thing/unit', bodies))).toEqual([
      409,
      [
        '0 parameter.not_unique name',
        '2 parameter.not_unique name',
        '2 parameter.not_unique size',
        '3 unit.not_unique',
        '4 parameter.not_unique name',
        '5 parameter.not_unique code',
      ],
    ]);
    expect((await project.get('/thing/unit?limit=0')).body.content.count).toBe(2);
  });

  it('of a kind with hooks, and inside others', async () => {
    const taken = ['0 parameter.not_unique hook_name', '2 parameter.not_unique hook_size'];
    expect(await at(project.post('/hooked/unit', [{ hook_name: 'n' }, {}, { hook_size: 3 }]))).toEqual([409, taken]);
    const outer = [{ hook: { hook_name: 'n' } }, {}, { hook: { hook_size: 3, hook_name: 'm' } }];
    expect(await at(project.post('/outer/unit', outer))).toEqual([
      409,
      [
        '0 parameter.not_unique hook.hook_name',
        '2 parameter.not_unique hook.hook_name',
        '2 parameter.not_unique hook.hook_size',
      ],
    ]);
  });

  it('but not values that the caller may not read', async () => {
    const [status, messages] = await at(
      member.post('/thing/unit', [
        { code: 'y1', name: 'n' },
        { code: 'y2', secret: 's' },
        { code: 'y3', secret: 't', size: '2' },
      ]),
    );
    expect([status, messages]).toEqual([409, ['0 parameter.not_unique name', '2 parameter.not_unique size']]);
    const known = await at(member.post('/thing/unit', [{ code: 'y1', name: 'n' }, { code: 'a' }]));
    expect(known).toEqual([409, ['0 parameter.not_unique name', '1 parameter.not_unique code']]);
  });

  it('of a thousand units with one additional statement', async () => {
    const bodies = Array.from({ length: 1000 }, (_, n) => ({ code: `z${n}`, name: n % 2 === 0 ? 'n' : `z${n}` }));
    const cost = (body: unknown) => project.statements(() => project.post('/thing/unit', body));
    // A single unit that has nothing else to ask for: its kind has one unique value.
    const least = await project.statements(() => project.post('/lone/unit', { mark: 'm' }));
    expect(await cost(bodies)).toBe(least + 1);
    expect((await project.post('/thing/unit', bodies)).body.messages).toHaveLength(500);
  });
});

describe('together with references to missing units', () => {
  const missing = '01890000-0000-7000-8000-000000000000';
  const both = { status: 400, messages: ['parameter.bad_reference thing_hook', 'parameter.not_unique label'] };

  it('of a create', async () => {
    await ok(project.post('/outer/unit', { label: 'l' }));
    expect(await told(project.post('/outer/unit', { label: 'l', thing_hook: missing }))).toEqual(both);
    const { messages } = (await project.post('/outer/unit', [{ label: 'l' }, {}, { thing_hook: missing }])).body;
    expect(messages).toMatchObject([
      { code: 'parameter.bad_reference', index: 2 },
      { code: 'parameter.not_unique', index: 0 },
    ]);
  });

  it('of an edit', async () => {
    const id = await createdId(project.post('/outer/unit', { label: 'k' }));
    expect(await told(project.put(`/outer/unit/${id}`, { label: 'l', thing_hook: missing }))).toEqual(both);
  });

  it('and to units that a rule hides', async () => {
    const id = await createdId(project.post('/hidden/unit', { open: false }));
    expect(await told(member.post('/outer/unit', { label: 'l', ruled: id }))).toEqual({
      status: 400,
      messages: ['parameter.bad_reference ruled', 'parameter.not_unique label'],
    });
  });
});
