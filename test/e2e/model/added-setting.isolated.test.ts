/** A setting of a parameter is one file and one entry in `parameter-settings.ts`: with these, the whole service has it. */
import { expect, it } from 'vitest';
import '../../support/added-setting.js';
import type { OpenApiDocument, Schema } from '../../../src/doc/openapi/openapi.js';
import { defineKinds } from '../../support/callers.js';
import { expectNoDrift, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';

const folder = new FunctionsFolder({
  'film.ts': `
import { kind } from 'kind';
const film = kind('film');
const parameters = { old: { type: 'string', deprecated: true } };
export default film.module({
  functions: { named: film.function({ description: 'Echoes', parameters, run: ({ parameters }) => parameters }) },
});`,
});
const service = await startTestService({ functionsDir: folder.path });
const project = await service.project();
await ok(project.post('/string/unit', { id: 'title', deprecated: true }));
await defineKinds(project, { id: 'film', parameters: ['title', { id: 'year', kind_id: 'integer' }] });
await reload(service);
const admin = await project.documented();

it('is stored, and shown in records', async () => {
  expect(await ok(admin.get('/string/unit/title'))).toMatchObject({ deprecated: true });
  expect(await ok(admin.get('/integer/unit/year'))).toMatchObject({ deprecated: false });
  await ok(admin.put('/string/unit/title', { deprecated: false }));
  expect(await ok(admin.get('/string/unit/title'))).toMatchObject({ deprecated: false });
  await ok(admin.put('/string/unit/title', { deprecated: true }));
  await expectNoDrift(admin);
});

it.each([
  [{ id: 'a', deprecated: 'yes' }, 'parameter.bad_type deprecated'],
  [{ id: 'a', deprecated: true, required: true }, 'parameter.bad_definition deprecated'],
])('is checked in %j', async (body, message) => {
  expect(refusalOf(await admin.post('/string/unit', body))).toEqual({ status: 400, messages: [message] });
});

it('is compared where a kind repeats the definition of a parameter', async () => {
  const repeated = { id: 'book', parameters: [{ id: 'title', kind_id: 'string' }] };
  const { body } = await admin.post('/kind/unit', repeated);
  expect(body.messages).toMatchObject([{ text: expect.stringContaining('with another deprecated') }]);
});

it('is shown by structs, which can be filtered by it', async () => {
  const { items } = await ok(admin.get('/film/struct?filter=eq(deprecated,true)'));
  expect(items).toMatchObject([{ id: 'title', deprecated: true }]);
});

it('is described by the API document', async () => {
  const { body } = await admin.get('/doc/openapi.json');
  const { schemas } = (body as unknown as OpenApiDocument).components;
  const properties = (name: string) => schemas[name]?.['properties'] as Record<string, Schema>;
  expect(properties('kind_descriptor')['deprecated']).toEqual({ type: 'boolean' });
  expect(properties('string.create')['deprecated']).toMatchObject({ type: 'boolean' });
});

it('can be declared for parameters of functions', async () => {
  const { items } = (await ok(admin.get('/function'))) as { items: { parameters: object[] }[] };
  expect(items[0]?.parameters).toMatchObject([{ id: 'old', deprecated: true }]);
});
