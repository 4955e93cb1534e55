/** Functions that declare what they return: the check of their answers, and the API document. */
import { describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../src/doc/openapi/openapi.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { logLines } from '../../support/log-lines.js';
import { startTestService, type TestProject } from '../../support/service.js';

const folder = new FunctionsFolder({
  'city.ts': `import { kind } from 'kind';
    const city = kind('city');
    export default city.module({
      functions: {
        sum: city.function({
          description: 'Returns what it is given',
          parameters: { answer: { type: 'json', required: true } },
          methods: ['POST'],
          returns: {
            total: { type: 'integer', required: true, min_value: 0 },
            at: { type: 'datetime' },
            code: { type: 'string', pattern: '[a-z]+' },
            home: { type: 'unit', reference_kind: 'vault' },
          },
          run: ({ parameters: { answer } }) => answer as never,
        }),
        city: city.function({
          description: 'Returns what it is given as a city',
          parameters: { answer: { type: 'json' } },
          methods: ['POST'],
          returns: 'city',
          run: ({ parameters: { answer } }) => answer as never,
        }),
        stored: city.function({
          description: 'Creates a city, and returns one of a list with other terms',
          methods: ['POST'],
          returns: 'city',
          async run({ units }) {
            await units('city').create({ name: 'Rome', population: 3, country: { title: 'Italy' }, secret: 'hush' });
            const { items } = await units('city').list({ include: ['name', 'country', 'country.title'], nest: true, limit: 1 });
            return items[0] as never;
          },
        }),
        lost: city.function({ description: 'No such kind', methods: ['POST'], returns: 'atlantis', run: () => ({}) }),
        vault: city.function({ description: 'Not for all', methods: ['POST'], returns: 'vault', run: () => ({}) }),
      },
      unitFunctions: {
        same: city.unitFunction({ description: 'The unit', methods: ['POST'], returns: 'city', run: ({ unit }) => unit }),
      },
    });`,
});
const parameters = [
  { id: 'name', kind_id: 'string', max_length: 10, nullable: false },
  { id: 'population', kind_id: 'integer' },
  { id: 'country', kind_id: 'unit', reference_kind: 'country' },
  { id: 'secret', kind_id: 'string', hidden: true },
];
const model = [
  { id: 'vault', access: { read: 'admin', create: 'admin', update: 'admin', delete: 'admin' } },
  { id: 'country', parameters: [{ id: 'title', kind_id: 'string' }] },
  { id: 'city', parameters },
];
const log = logLines();
const service = await startTestService({ functionsDir: folder.path }, log.logger);
const project = await service.project();
await defineKinds(project, ...model);
await reload(service);

const call = (name: string, answer: unknown, caller: TestProject = project) =>
  caller.post(`/city/function/${name}`, { answer });

describe('an answer of values', () => {
  it.each([
    { total: 3 },
    { total: 3, at: '2026-01-02T03:04:05Z', code: 'abc', home: null },
    { total: 0, home: '00000000-0000-4000-8000-000000000000' },
  ])('fits: %j', async (answer) => {
    expect(await ok(call('sum', answer))).toEqual(answer);
  });

  it.each([
    [{}, 'total: '],
    [{ total: -1 }, 'total: '],
    [{ total: 'three' }, 'total: must be a'],
    [{ total: 3, code: 'A' }, 'code: '],
    [{ total: 3, at: 'now' }, 'at: '],
    [{ total: 3, other: 1 }, 'other: '],
    [[1], 'must be an object, got array'],
    [7, 'must be an object, got number'],
  ])('does not fit: %j', async (answer, text) => {
    expect(refusalOf(await call('sum', answer))).toEqual({ status: 500, messages: ['server.error'] });
    expect(log.text()).toContain(`does not fit its declaration (returns): ${text}`);
  });
});

describe('an answer that is a unit', () => {
  it('fits, with other terms of include and objects of nest, and without hidden values', async () => {
    expect(await ok(project.post('/city/function/stored'))).toMatchObject({
      name: 'Rome',
      country: { title: 'Italy' },
    });
    const id = await createdId(project.post('/city/unit', { name: 'Bern' }));
    const same = await ok(project.post(`/city/unit/${id}/function/same`));
    expect(same).toMatchObject({ id, name: 'Bern' });
    expect(same).not.toHaveProperty('secret');
  });

  it.each([
    [{ name: 'much too long a name' }, 'name: '],
    [{ name: null }, 'name: must not be null'],
    [{ population: 'many' }, 'population: must be a'],
    [null, "must be a unit of 'city', got null"],
  ])('does not fit: %j', async (answer, text) => {
    expect((await call('city', answer)).status).toBe(500);
    expect(log.text()).toContain(`does not fit its declaration (returns): ${text}`);
  });

  it('of a kind that the project does not have', async () => {
    expect((await call('lost', undefined)).status).toBe(500);
    expect(log.text()).toContain("no kind 'atlantis' in this project");
  });
});

it('in production an answer that does not fit is sent, and logged once in a while', async () => {
  const lines = logLines();
  const production = await startTestService({ functionsDir: folder.path, production: true }, lines.logger);
  const caller = await production.signIn(project.id);
  for (const total of ['one', 'two']) expect(await ok(call('sum', { total }, caller))).toEqual({ total });
  const warned = lines.of('warn').filter((line) => line.includes('does not fit its declaration'));
  expect(warned).toHaveLength(1);
  expect(warned[0]).toContain('total: must be a');
});

describe('the API document', () => {
  const answerOf = async (caller: TestProject, name: string) => {
    const { paths } = (await caller.get('/doc/openapi.json')).body as unknown as OpenApiDocument;
    const response = paths[`/api/lib/city/${name}`]?.post?.responses?.['200'] as unknown as {
      content: Record<string, { schema: { properties: { content: Record<string, unknown> } } }>;
    };
    return response.content['application/json']?.schema.properties.content;
  };

  it('has the values', async () => {
    expect(await answerOf(project, 'function/sum')).toMatchObject({
      type: 'object',
      required: ['total'],
      additionalProperties: false,
      properties: {
        total: { type: 'integer', minimum: 0 },
        code: { type: ['string', 'null'], pattern: '[a-z]+' },
      },
    });
  });

  it('refers to the schema of the kind, if the caller may read units of it', async () => {
    const city = await answerOf(project, 'function/city');
    expect(city).toEqual({ $ref: '#/components/schemas/city.record' });
    expect(await answerOf(project, 'unit/{unit_id}/function/same')).toEqual(city);
    const member = await asMember(project);
    expect(await answerOf(member, 'function/vault')).toEqual(await answerOf(member, 'function/lost'));
    expect(await answerOf(project, 'function/vault')).not.toEqual(await answerOf(project, 'function/lost'));
  });
});
