/** Names in a served document: distinct by the rules of client generators, and unchanged when kinds are added. */
import { describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../src/doc/openapi/openapi.js';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import type { TestProject } from '../../support/service.js';

const ORDER = `
import { kind } from 'kind';
const order = kind('order');
const made = (description) => order.function({ description, run: () => null });
export default order.module({
  functions: { near: made('a'), Near: made('b'), ne_ar: made('c'), near_get: made('d') },
  unitFunctions: { near: order.unitFunction({ description: 'e', run: () => null }) },
});`;

const folder = new FunctionsFolder({ 'order.ts': ORDER });
const service = await sharedServiceWith(folder);

const documentOf = async (caller: TestProject) =>
  (await caller.get('/doc/openapi.json')).body as unknown as OpenApiDocument;
const operationsOf = ({ paths }: OpenApiDocument) => Object.values(paths).flatMap((item) => Object.values(item));
const bare = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Ids of kinds that look like names of the document, or like each other. */
const LOOKALIKES = [
  ...['order_update', 'order_create', 'orderupdate', 'session', 'error', 'kinderror', 'message', 'linked_unit'],
  ...['links', 'service', 'units', 'any', 'order_function_near', 'ord_er', 'or_der', 'kindunit', 'kindlink'],
];

/** How openapi-python-client makes names of modules and of classes (`utils.py`). */
function wordsOf(name: string): string[] {
  const clean = name.replace(/[^\w. -]+/g, '');
  const split = /[A-Z]/.test(clean) ? clean.split(/([A-Z]?[a-z]+)/).join(' ') : clean;
  return split.match(/[^. _-]+/g) ?? [];
}
const snakeCase = (name: string) => wordsOf(name).join('_').toLowerCase();
const pascalCase = (name: string) =>
  wordsOf(name)
    .map((word) => (word === word.toUpperCase() ? word : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()))
    .join('');

function expectDistinct(names: readonly string[], rule: (name: string) => string): void {
  const made = names.map(rule);
  expect(names.filter((_, at) => made.indexOf(made[at] ?? '') < at)).toEqual([]);
}

const titlesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, each]) =>
        key === 'title' && typeof each === 'string' ? [each] : titlesIn(each),
      )
    : [];

const project = await service.project();
await defineKinds(project, { id: 'order', label: 'Order', parameters: [{ id: 'heading', kind_id: 'string' }] });
const before = await documentOf(project);
await defineKinds(project, ...LOOKALIKES.map((id) => ({ id, label: 'Order', parameters: ['heading'] })));
for (const id of ['order', 'or_der', 'any', 'order_link', 'anew', 'error']) {
  await ok(project.post('/link/unit', { id, parameters: [{ id: `w_${id}`, kind_id: 'integer' }] }));
}
const member = await asMember(project);
await ok(project.put('/kind/unit/order', { public: true }));
const documents = {
  administrator: await documentOf(project),
  member: await documentOf(member),
  nobody: await documentOf(anonymous(project)),
};

describe.each(Object.entries(documents))('names of the document for %s', (_, document) => {
  const schemas = Object.keys(document.components.schemas);
  const operations = operationsOf(document);

  it('are apart without regard to case and punctuation', () => {
    expectDistinct(schemas, bare);
    expectDistinct(
      document.tags.map(({ name }) => name),
      bare,
    );
    expectDistinct(
      operations.map(({ operationId }) => operationId),
      bare,
    );
    for (const section of ['parameters', 'responses', 'headers'] as const) {
      expectDistinct(Object.keys(document.components[section]), bare);
    }
    // Generators make types of all components, under one roof.
    expectDistinct([...schemas, ...Object.keys(document.components.parameters)], bare);
    expectDistinct([...schemas, ...Object.keys(document.components.responses)], bare);
  });

  it('have no titles, which generators would use as names', () => {
    expect(titlesIn([document.paths, document.components])).toEqual([]);
  });

  it('are distinct modules and classes in Python', () => {
    expectDistinct(schemas, snakeCase);
    expectDistinct(schemas, pascalCase);
    expectDistinct(
      document.tags.map(({ name }) => name),
      snakeCase,
    );
    for (const { name } of document.tags) {
      const own = operations.filter(({ tags }) => tags[0] === name).map(({ operationId }) => operationId);
      expectDistinct(own, snakeCase);
    }
  });
});

describe('adding kinds', () => {
  it('renames nothing', () => {
    const after = documents.administrator;
    const idsOf = (document: OpenApiDocument) =>
      Object.entries(document.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, { operationId, tags }]) => [`${method} ${path}`, operationId, ...tags]),
      );
    expect(idsOf(after)).toEqual(expect.arrayContaining(idsOf(before)));
    expect(Object.keys(after.components.schemas)).toEqual(
      expect.arrayContaining(Object.keys(before.components.schemas)),
    );
    expect(after.components.schemas['order.update']).toEqual(before.components.schemas['order.update']);
  });

  it('with similar ids gives them distinct names', () => {
    const { schemas } = documents.administrator.components;
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['order_update.create', 'session.record']));
    // Those that differ by an underscore alone: the older has the plain name.
    expect(
      Object.keys(schemas).filter((name) => /^or_?d_?er.*\.record$/.test(name) && !name.includes('update')),
    ).toEqual([
      'order.record',
      'order_create.record',
      'order_function_near.record',
      expect.stringMatching(/^ord_er_[0-9a-f]{4}\.record$/),
      expect.stringMatching(/^or_der_[0-9a-f]{4}\.record$/),
    ]);
  });
});

it('of values are those of the kind, where it has an own parameter or generators use the name for parts of operations', async () => {
  const other = await service.project();
  const values = (start: string) => Array.from({ length: 20 }, (_, at) => `${start} number ${at}`);
  const state = (start: string) => ({ id: 'state', kind_id: 'string', own: true, values: values(start) });
  await defineKinds(
    other,
    { id: 'ticket', parameters: [state('ticket'), { id: 'body', kind_id: 'string' }] },
    { id: 'order', parameters: [state('order'), 'body'] },
  );
  const propertiesIn = async (kind: string, query = '') => {
    const { body } = await other.get(`/doc/openapi.json${query}`);
    const { schemas } = (body as unknown as OpenApiDocument).components;
    return (schemas[`${kind}.record`] as { properties: Record<string, object> }).properties;
  };
  for (const kind of ['ticket', 'order']) {
    for (const query of ['', `?kinds=${kind}`]) {
      expect(await propertiesIn(kind, query)).toMatchObject({
        state: { $ref: `#/components/schemas/${kind}.state.value` },
        body: { $ref: `#/components/schemas/${kind}.body.value` },
      });
    }
  }
});
