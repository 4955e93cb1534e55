/** Custom functions in the document: those that the caller may call, as they are declared now. */
import { describe, expect, it } from 'vitest';
import type { OpenApiDocument, OpenApiOperation } from '../../../src/doc/openapi/openapi.js';
import { OPERATIONS } from '../../../src/model/built-in-traits.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import type { TestProject } from '../../support/service.js';

const CITY = `
import { kind, FunctionError } from 'kind';
const city = kind('city');
export default city.module({
  functions: {
    near: city.function({
      description: 'The cities nearest to a point',
      parameters: {
        latitude: { type: 'float', required: true, min_value: -90, max_value: 90, label: 'Latitude', helper_text: 'In degrees' },
        limit: { type: 'integer', default: 10, max_value: 100 },
        tags: { type: 'string', multiple: true },
        extra: { type: 'json' },
        country: { type: 'unit', reference_kind: 'vault' },
      },
      run: ({ parameters }) => parameters,
    }),
    open: city.function({ description: 'Open to all', methods: ['GET'], access: 'anyone', run: () => [1, 'two', null] }),
    secret: city.function({ description: 'Canary', access: 'admin', run: () => ({ any: 'thing' }) }),
    tea: city.function({ description: 'Refuses', methods: ['POST'], run: () => { throw new FunctionError(418, 'tea.pot', 'Short'); } }),
  },
  unitFunctions: {
    grow: city.unitFunction({ description: 'Grows', methods: ['POST'], run: ({ unit }) => unit }),
  },
});`;

const CLOSED = Object.fromEntries(OPERATIONS.map((operation) => [operation, 'admin']));

const PAGE = `
import { kind } from 'kind';
export default kind('page').module({ fills: ['code'], hooks: { before_create: ({ values }) => ({ code: String(values['title']).toLowerCase() }) } });`;

const folder = new FunctionsFolder({ 'city.ts': CITY, 'page.ts': PAGE });
const service = await sharedServiceWith(folder);
const root = await service.project();
const ann = await asMember(root);
const code = { id: 'code', kind_id: 'string', is_primary: true };
await defineKinds(
  root,
  { id: 'vault', access: CLOSED },
  { id: 'city', label: 'City' },
  { id: 'page', label: 'Page', parameters: [code, { id: 'title', kind_id: 'string', required: true }] },
  { id: 'plain', label: 'Plain', parameters: ['code', 'title'] },
);

const documentOf = async (caller: TestProject) =>
  (await caller.get('/doc/openapi.json')).body as unknown as OpenApiDocument;
const called = ({ paths }: OpenApiDocument) =>
  Object.entries(paths)
    .filter(([path]) => path.includes('/function/'))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path.replace('/api/lib/city/', '')}`))
    .sort();
const operationOf = async (caller: TestProject, method: 'get' | 'post', path: string): Promise<OpenApiOperation> => {
  const found = (await documentOf(caller)).paths[`/api/lib/city/${path}`]?.[method];
  if (!found) throw new Error(`no ${method} ${path}`);
  return found;
};

describe('hooks in the document', () => {
  const createOf = async (label: string) => {
    const { components } = await documentOf(ann);
    const schemas = Object.values((components as { schemas: Record<string, object> }).schemas);
    const start = `What a create of ${label} takes.`;
    return (schemas as { description?: string; required?: string[] }[]).find(({ description }) =>
      description?.startsWith(start),
    );
  };

  it('a create may omit values that a module fills, and no others', async () => {
    expect((await createOf('Plain'))?.required).toEqual(['code', 'title']);
    const page = await createOf('Page');
    expect(page?.required).toEqual(['title']);
    expect(page?.description).toContain(' A hook of the project makes what is left out of: code.');
    const { requestBody } = (await documentOf(ann)).paths['/api/lib/page/unit']?.post ?? {};
    expect(requestBody?.content['application/json']?.example).toEqual({ title: 'title' });
    expect(await ok((await ann.documented()).post('/page/unit', { title: 'One' }))).toMatchObject({ id: 'one' });
  });

  it('calls and writes list the 503 of lost races', async () => {
    const { paths, components } = await documentOf(ann);
    const busy = (path: string, method: 'get' | 'post' | 'put' | 'delete') =>
      (paths[`/api/lib/${path}`]?.[method]?.responses['503'] as { $ref?: string } | undefined)?.$ref;
    const overtaken = '#/components/responses/Overtaken';
    expect(busy('city/function/near', 'post')).toBe(overtaken);
    expect(busy('city/function/near', 'get')).toBe(overtaken);
    expect(busy('page/unit', 'post')).toBe(overtaken);
    expect(busy('page/unit', 'get')).toBe('#/components/responses/Unavailable');
    const { description } = (components as { responses: Record<string, { description: string }> }).responses[
      'Overtaken'
    ] ?? { description: '' };
    expect(description).toMatch(/run again .* `server\.busy` .* nothing was stored/);
  });
});

describe('functions in the document', () => {
  it('are those that the caller may call', async () => {
    const own = [
      'get function/near',
      'get function/open',
      'post function/near',
      'post function/tea',
      'post unit/{unit_id}/function/grow',
    ];
    expect(called(await documentOf(ann))).toEqual(own);
    const ofAdministrators = ['/api/lib/function/run', 'function/secret'].flatMap((path) => [
      `get ${path}`,
      `post ${path}`,
    ]);
    const ofFailures = ['get', 'post /{failure_id}/retry', 'delete /{failure_id}'].map((each) => {
      const [method = '', path = ''] = each.split(' ');
      return `${method} /api/lib/function/failure${path}`;
    });
    expect(called(await documentOf(root))).toEqual([...own, ...ofAdministrators, ...ofFailures].sort());
    expect(called(await documentOf(anonymous(root)))).toEqual(['get function/open']);
    await ok(root.put('/kind/unit/city', { access: { read: 'nobody' } }));
    expect(called(await documentOf(ann))).toEqual(own.filter((each) => !each.includes('unit_id')));
    await ok(root.put('/kind/unit/city', { access: {} }));
    expect(/canary|vault/i.exec(JSON.stringify(await documentOf(ann)))).toBeNull();
  });

  it('have their parameters in the query', async () => {
    const { summary, description, parameters, security } = await operationOf(ann, 'get', 'function/near');
    expect([summary, description]).toEqual(['Call near', 'The cities nearest to a point']);
    expect(security).toEqual([{ project: [], bearer: [] }]);
    expect(parameters).toEqual([
      {
        ...{ name: 'latitude', in: 'query', required: true, description: 'In degrees' },
        schema: { type: 'number', format: 'double', minimum: -90, maximum: 90 },
      },
      {
        ...{ name: 'limit', in: 'query', required: false },
        schema: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 100, default: 10 },
      },
      {
        ...{ name: 'tags', in: 'query', required: false, style: 'form', explode: true },
        schema: { type: 'array', items: { type: 'string' }, maxItems: LIMITS.jsonValues },
      },
      {
        ...{ name: 'extra', in: 'query', required: false, description: 'Any JSON value.' },
        schema: { type: 'string', contentMediaType: 'application/json' },
      },
      {
        ...{ name: 'country', in: 'query', required: false, description: 'The id of a unit of another kind.' },
        schema: { type: 'string', format: 'uuid' },
      },
    ]);
  });

  it('have their parameters in the body', async () => {
    const { requestBody, parameters } = await operationOf(ann, 'post', 'function/near');
    expect(parameters).toEqual([{ $ref: '#/components/parameters/IdempotencyKey' }]);
    expect(requestBody).toMatchObject({
      required: true,
      content: {
        'application/json': {
          schema: { required: ['latitude'], additionalProperties: false },
          example: { latitude: 1.5, tags: ['tags'] },
        },
      },
    });
    const grow = await operationOf(ann, 'post', 'unit/{unit_id}/function/grow');
    expect(grow.parameters).toEqual([
      { $ref: '#/components/parameters/unit_uuid' },
      { $ref: '#/components/parameters/IdempotencyKey' },
    ]);
    expect(grow.requestBody?.required).toBe(false);
  });

  it('answer as it says', async () => {
    const held = await ann.documented();
    const id = await createdId(held.post('/city/unit', {}));
    const given = { latitude: 12.5, limit: 3, tags: ['a', 'b'], extra: { a: 1 } };
    const query = 'latitude=12.5&limit=3&tags=a&tags=b&extra=%7B%22a%22%3A1%7D';
    expect(await ok(held.post('/city/function/near', given))).toMatchObject(given);
    expect(await ok(held.get(`/city/function/near?${query}`))).toMatchObject(given);
    expect((await held.get('/city/function/near?latitude=91')).status).toBe(400);
    expect(await ok(held.get('/city/function/open'))).toEqual([1, 'two', null]);
    expect((await held.post('/city/function/tea')).status).toBe(418);
    expect(await ok(held.post(`/city/unit/${id}/function/grow`))).toMatchObject({ id });
  });

  it('change with the files', async () => {
    const before = (await ann.get('/doc/openapi.json')).headers.get('etag');
    folder.write('city.ts', CITY.replaceAll('tea:', 'coffee:'));
    await reload(service);
    const after = await ann.get('/doc/openapi.json');
    expect(after.headers.get('etag')).not.toBe(before);
    expect(called(after.body as unknown as OpenApiDocument)).toContain('post function/coffee');
    folder.write('city.ts', 'export default 1;');
    await reload(service);
    expect(called(await documentOf(ann))).toEqual([]);
  });
});
