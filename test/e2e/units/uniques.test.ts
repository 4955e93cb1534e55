/** Of values that other units have, all are told at once. */
import { expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';

const folder = new FunctionsFolder({
  'hooked.ts': `
    import { kind } from 'kind';
    export default kind('hooked').module({ hooks: { before_create: ({ values }) => values, before_update: ({ values }) => values } });`,
});
const service = await startTestService({ functionsDir: folder.path });
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

it('of an edit, but for its own', async () => {
  const edit = { name: 'n', size: '2', born: first.born, place: 'p' };
  expect(await told(project.put('/thing/unit/b', edit))).toEqual({
    status: 409,
    messages: ['parameter.not_unique name', 'unit.not_unique'],
  });
});

it('of a kind whose hooks make a transaction of it', async () => {
  const both = { status: 409, messages: ['parameter.not_unique hook_name', 'parameter.not_unique hook_size'] };
  await ok(project.post('/hooked/unit', { hook_name: 'n', hook_size: 2 }));
  const { id } = (await ok(project.post('/hooked/unit', { hook_name: 'm', hook_size: 3 }))) as { id: string };
  expect(await told(project.post('/hooked/unit', { hook_name: 'n', hook_size: 2 }))).toEqual(both);
  expect(await told(project.put(`/hooked/unit/${id}`, { hook_name: 'n', hook_size: 2 }))).toEqual(both);
});

it('but those that the caller may not read', async () => {
  const member = await asMember(project);
  expect(await told(member.post('/thing/unit', { ...first, code: 'c' }))).toMatchObject({ status: 409 });
  const { messages } = await told(member.post('/thing/unit', { ...first, code: 'c' }));
  expect(messages).not.toContain('parameter.not_unique secret');
  expect(messages).toContain('parameter.not_unique name');
  expect(messages).toContain('parameter.not_unique size');
});
