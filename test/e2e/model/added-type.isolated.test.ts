/** A parameter type is one file and one entry in `parameter-types.ts`: with these, the whole service has it. */
import { expect, it } from 'vitest';
import '../../support/added-type.js';
import { kindTypesOf, renderKindTypes } from '../../../src/cli/functions/kind-types.js';
import type { OpenApiDocument, Schema } from '../../../src/doc/openapi/openapi.js';
import { FunctionRegistry } from '../../../src/function/load/module-registry.js';
import { defineKinds } from '../../support/callers.js';
import { expectNoDrift, modelOf, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';

const folder = new FunctionsFolder({
  'film.ts': `
import { kind } from 'kind';
const film = kind('film');
const parameters = { least: { type: 'duration', required: true, min_value: '0:10' }, more: { type: 'duration', multiple: true } };
export default film.module({
  functions: {
    least: film.function({ description: 'Echoes', parameters, run: ({ parameters }) => parameters }),
  },
});`,
});
const service = await startTestService({ functionsDir: folder.path });
const project = await service.project();
await ok(project.post('/duration/unit', { id: 'runtime', min_value: '0:01', indexed: true, unique: true }));
await defineKinds(
  project,
  {
    id: 'film',
    parameters: [
      'runtime',
      { id: 'pause', kind_id: 'duration', default_duration: '0:20' },
      { id: 'parts', kind_id: 'duration', multiple: true, unique: true, indexed: true },
    ],
  },
  { id: 'slot', parameters: [{ id: 'after', kind_id: 'duration', is_primary: true }] },
  { id: 'showing', parameters: ['runtime', { id: 'slot', kind_id: 'unit', reference_kind: 'slot', required: true }] },
);
await reload(service);
const admin = await project.documented();

it('is a parameter type like the others, with its own fields', async () => {
  const { items } = (await ok(admin.get('/group/parameter/kind'))) as { items: { id: string; parameters: string[] }[] };
  const type = items.at(-1);
  expect(type?.id).toBe('duration');
  expect(type?.parameters).toEqual(expect.arrayContaining(['default_duration', 'min_value', 'max_value']));
  expect(await ok(admin.get('/duration/unit/runtime'))).toMatchObject({ kind_id: 'duration', min_value: '00:01:00' });
  expect(await ok(admin.get('/duration/unit/pause'))).toMatchObject({ default_duration: '00:20:00' });
  const bad = { id: 'bad', kind_id: 'duration', min_value: '10:00', max_value: '9:00', default_duration: 'x' };
  expect(refusalOf(await admin.post('/duration/unit', bad))).toEqual({
    status: 400,
    messages: ['parameter.bad_definition min_value', 'parameter.bad_value default_duration'],
  });
});

it('has a column, whose values are written and read in one form', async () => {
  const film = await ok(admin.post('/film/unit', { runtime: '2:05', parts: ['1:00', '01:05:00'] }));
  expect(film).toMatchObject({ runtime: '02:05:00', pause: '00:20:00', parts: ['01:00:00', '01:05:00'] });
  await ok(admin.post('/film/unit', { runtime: '100:00:01', pause: null }));
  await ok(admin.put(`/film/unit/${film.id as string}`, { ...film, pause: '0:05' }));
  expect(await ok(admin.get(`/film/unit/${film.id as string}`))).toMatchObject({
    runtime: '02:05:00',
    pause: '00:05:00',
  });
  await expectNoDrift(admin);
});

it.each([
  [{ runtime: '0:60' }, ['parameter.bad_value runtime']],
  [{ runtime: 5 }, ['parameter.bad_type runtime']],
  [{ runtime: '0:00:59' }, ['parameter.too_small runtime']],
  [{ parts: ['1:00', '01:00:00'] }, ['parameter.duplicate parts']],
])('refuses %j', async (body, messages) => {
  expect(refusalOf(await admin.post('/film/unit', body))).toEqual({ status: 400, messages });
});

it('tells the unit of a bulk write whose unique value another one has', async () => {
  const { status, body } = await admin.post('/film/unit', [{ runtime: '7:00' }, { runtime: '2:05' }]);
  expect(status).toBe(409);
  expect(body.messages).toMatchObject([{ code: 'parameter.not_unique', parameter: 'runtime', index: 1 }]);
});

it.each([
  ['eq(runtime,2:05)', ['02:05:00']],
  ['gt(runtime,3:00)', ['100:00:01']],
  ['in(runtime,2:05:00,8:00)', ['02:05:00']],
  ['contains(parts,1:05)', ['02:05:00']],
  ['isnull(pause)', ['100:00:01']],
])('filters by %s', async (filter, found) => {
  const { items } = await ok(admin.get(`/film/unit?filter=${filter}`));
  expect((items as { runtime: string }[]).map(({ runtime }) => runtime)).toEqual(found);
});

it('names what a filter wants, and the operators that it has', async () => {
  const bad = await admin.get('/film/unit?filter=eq(runtime,long)');
  expect(bad.body.messages[0]?.text).toContain('a duration as HH:MM or HH:MM:SS (duration)');
  const operator = await admin.get('/film/unit?filter=icontains(runtime,2)');
  expect(operator.body.messages[0]?.code).toBe('filter.bad_operator');
});

it('orders, page by page', async () => {
  const first = await ok(admin.get('/film/unit?order=runtime;desc&limit=1&cursor='));
  const second = await ok(admin.get(`/film/unit?order=runtime;desc&limit=1&cursor=${first.next as string}`));
  const runtimes = [...first.items, ...second.items].map(({ runtime }: { runtime: string }) => runtime);
  expect(runtimes).toEqual(['100:00:01', '02:05:00']);
});

it('can be a key, and be referred to', async () => {
  await ok(admin.post('/slot/unit', { after: '1:30' }));
  expect(await ok(admin.get('/slot/unit/01:30:00'))).toMatchObject({ id: '01:30:00', after: '01:30:00' });
  await ok(admin.post('/showing/unit', { runtime: '0:30', slot: '01:30:00' }));
  const { items } = await ok(admin.get('/showing/unit?filter=get(slot.after,1:00)&include=slot.after'));
  expect(items).toEqual([{ 'slot.after': '01:30:00' }]);
});

it('is described by structs, the API document and the generated types', async () => {
  const { items } = await ok(admin.get('/film/struct'));
  expect(items).toContainEqual(expect.objectContaining({ id: 'pause', type: 'duration', default: '00:20:00' }));
  const { body } = await admin.get('/doc/openapi.json');
  const { paths, components } = body as unknown as OpenApiDocument;
  const schemaOf = (name: string) => components.schemas[name]?.['properties'] as Record<string, Schema>;
  expect(schemaOf('film.record')['runtime']).toMatchObject({
    type: ['string', 'null'],
    pattern: '^\\d{2,}:[0-5]\\d:[0-5]\\d$',
    description: expect.stringContaining('Hours, minutes and seconds. At least 00:01:00.'),
  });
  expect(schemaOf('film.create')['runtime']?.['pattern']).toBe('^\\d+:[0-5]\\d(:[0-5]\\d)?$');
  const example = paths['/api/lib/film/unit']?.post?.requestBody?.content['application/json']?.example;
  expect(example).toMatchObject({ runtime: '01:30:00' });
  const current = service.service.app.get(FunctionRegistry).current;
  const types = renderKindTypes(kindTypesOf(await modelOf(project), project.id, current), project.id);
  expect(types).toContain('readonly runtime: string | null;');
  expect(types).toContain('readonly parts: readonly string[] | null;');
});

it('is a type of the parameters of functions', async () => {
  const values = { least: '01:00:00', more: ['00:10:00', '00:20:00'] };
  expect(await ok(admin.post('/film/function/least', { least: '1:00', more: ['0:10', '0:20'] }))).toEqual(values);
  expect(await ok(admin.get('/film/function/least?least=1:00&more=0:10&more=0:20'))).toEqual(values);
  expect(refusalOf(await admin.get('/film/function/least?least=0:09'))).toEqual({
    status: 400,
    messages: ['parameter.too_small least'],
  });
});

it('guards stored values when its limits become stricter', async () => {
  const refused = await admin.put('/duration/unit/runtime', { min_value: '3:00' });
  expect(refusalOf(refused)).toEqual({
    status: 409,
    messages: ['parameter.violated runtime', 'parameter.violated runtime'],
  });
  expect(refused.body.messages[0]?.text).toContain(`1 unit of 'film' would violate the new min_value`);
});
