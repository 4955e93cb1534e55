/** The headers of dry runs and of repeated answers are declared where an operation can answer them, and nowhere else. */
import { expect, it } from 'vitest';
import type { OpenApiDocument, Response } from '../../../src/doc/openapi/openapi.js';
import { defineKinds } from '../../support/callers.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';

const folder = new FunctionsFolder({
  'city.ts': `
    import { kind } from 'kind';
    const city = kind('city');
    export default city.module({ functions: {
      found: city.function({ description: 'Founds', methods: ['POST'], run: () => 1 }),
      named: city.function({ description: 'Names', methods: ['POST', 'GET'], returns: { name: { type: 'string' } }, run: () => ({ name: 'a' }) }),
    } });`,
  'far.ts': `
    import { kind } from 'kind';
    export default kind('far').module({ remote: { list: () => ({ count: 0, items: [] }), get: () => null, create: () => ({ id: '1' }), update: () => ({ id: '1' }), delete: () => true } });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
await defineKinds(
  project,
  { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] },
  { id: 'far', remote: true, parameters: ['name'] },
);
await reload(service);

const HEADERS = { dry: 'kind-dry-run', key: 'idempotency-replayed' };

async function operationsOf(query: string) {
  const document = (await project.get(`/doc/openapi.json${query}`)).body as unknown as OpenApiDocument;
  const response = (given: object): Response =>
    '$ref' in given
      ? (document.components.responses[String(given.$ref).replace('#/components/responses/', '')] as Response)
      : (given as Response);
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [], responses }]) => {
      const named = JSON.stringify(parameters);
      const declared = (status: string) => Object.keys(response(responses[status] ?? {}).headers ?? {});
      return {
        at: `${method} ${path}`,
        dry: named.includes('/dry_run"'),
        key: named.includes('/IdempotencyKey"'),
        declared,
      };
    }),
  );
}

it.each(['', '?kinds=city,far'])('is so in the document%s', async (query) => {
  const operations = await operationsOf(query);
  for (const { at, dry, key, declared } of operations) {
    expect([at, declared('200').includes(HEADERS.dry)]).toEqual([at, dry]);
    expect([at, declared('200').includes(HEADERS.key)]).toEqual([at, key]);
    if (dry) expect([at, declared('403')]).toEqual([at, expect.arrayContaining([HEADERS.dry])]);
    if (key) expect([at, declared('409')]).toEqual([at, expect.arrayContaining([HEADERS.key])]);
  }
  const both = operations.filter(({ dry, key }) => dry && key).map(({ at }) => at);
  expect(both).toEqual(expect.arrayContaining(['post /api/lib/city/unit', 'delete /api/lib/city/unit/{unit_id}']));
  expect(operations.filter(({ at, dry, key }) => at.includes('/far/') && (dry || key))).toEqual([]);
  // The answer has a secret, and is not kept.
  expect(operations.filter(({ at }) => at === 'post /api/lib/api_key/unit').map(({ key }) => key)).toEqual(
    query === '' ? [false] : [],
  );
  expect(operations.filter(({ dry, key }) => key && !dry).map(({ at }) => at)).toEqual(
    expect.arrayContaining(['post /api/lib/city/function/found', 'post /api/lib/city/function/named']),
  );
});

it('is answered so', async () => {
  const dry = await project.post('/city/unit?dry_run=true', { name: 'a' });
  const refused = await project.post('/city/unit?dry_run=true', { name: 1 });
  const send = () => project.post('/city/unit', { name: 'a' }, { headers: { 'idempotency-key': 'once' } });
  const [first, second] = [await send(), await send()];
  expect([dry, refused, first].map(({ headers }) => headers.get(HEADERS.dry))).toEqual(['true', 'true', null]);
  expect([first, second].map(({ headers }) => headers.get(HEADERS.key))).toEqual([null, 'true']);
});
