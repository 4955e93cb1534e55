/** What the document says of links with values: exactly what a caller may read and write of them, by link type. */
import { describe, expect, it } from 'vitest';
import type { OpenApiDocument, OpenApiOperation, Schema } from '../../../src/doc/openapi/openapi.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(project, { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] });
await ok(
  project.post('/link/unit', {
    id: 'road',
    parameters: [
      { id: 'km', kind_id: 'integer', required: true, min_value: 1, nullable: false },
      { id: 'toll', kind_id: 'decimal' },
      { id: 'budget', kind_id: 'integer', read_access: 'admin', write_access: 'admin' },
      { id: 'fixed', kind_id: 'boolean', write_access: 'admin' },
    ],
  }),
);
await ok(project.post('/link/unit', { id: 'plain' }));
await ok(
  project.post('/link/unit', {
    id: 'inner',
    parameters: [{ id: 'note', kind_id: 'string', read_access: 'admin', write_access: 'admin' }],
  }),
);
const member = await asMember(project);
const LINK = '/api/lib/{parent_kind_id}/unit/{parent_unit_id}/link';

const documentOf = async (caller: TestProject) =>
  (await caller.get('/doc/openapi.json')).body as unknown as OpenApiDocument;
const documents = { admin: await documentOf(project), member: await documentOf(member) };

const schemasOf = (document: OpenApiDocument, name: string) =>
  document.components.schemas[name] as { properties: Record<string, Schema>; required?: string[] } & Schema;

describe('a link type with parameters', () => {
  const { schemas } = documents.admin.components;

  it('has operations of its own, with its values', () => {
    const { paths } = documents.admin;
    const operations: Record<string, OpenApiOperation | undefined> = {
      'road.link': paths[`${LINK}/road/{child_kind_id}/unit/{child_unit_id}`]?.post,
      'road.link_update': paths[`${LINK}/road/{child_kind_id}/unit/{child_unit_id}`]?.put,
      'road.link_many': paths[`${LINK}/road/{direction}`]?.post,
    };
    for (const [id, operation] of Object.entries(operations)) {
      expect(operation?.operationId).toBe(id);
      expect(JSON.stringify(operation?.parameters)).not.toContain('link_id');
    }
    const bodies = Object.values(operations).map((each) => each?.requestBody?.content['application/json']?.schema.$ref);
    expect(bodies).toEqual(
      ['link_body', 'link_changes', 'links_body'].map((form) => `#/components/schemas/road.${form}`),
    );
    expect(Object.keys(paths)).toContain(`${LINK}/{link_id}/{child_kind_id}/unit/{child_unit_id}`);
    expect(Object.keys(paths).filter((path) => path.includes('/plain/'))).toEqual([]);
  });

  it('has schemas of links, and of the values that one may give', () => {
    expect(schemas['road.link_step']).toMatchObject({
      properties: { link_id: { const: 'road' }, km: { type: 'integer' }, toll: { type: ['string', 'null'] } },
      required: ['link_id', 'parent_id', 'child_id', 'depth', 'inserted_at', 'km', 'toll', 'budget', 'fixed'],
      additionalProperties: false,
    });
    expect(schemas['road.link_body']).toMatchObject({
      description: 'The values of a link of this type. A new link needs: km.',
      properties: { km: { type: 'integer', minimum: 1 } },
      additionalProperties: false,
    });
    expect(Object.keys(schemasOf(documents.admin, 'road.link_changes').properties)).toEqual([
      'km',
      'toll',
      'budget',
      'fixed',
    ]);
    expect(schemas['kind_link_step']).toMatchObject({
      anyOf: [
        { properties: { link_id: { enum: ['link', 'plain'] } }, additionalProperties: false },
        { $ref: '#/components/schemas/road.link_step' },
        { $ref: '#/components/schemas/inner.link_step' },
      ],
    });
  });

  it('is described with what the caller may read and write', () => {
    const { paths } = documents.member;
    expect(Object.keys(schemasOf(documents.member, 'road.link').properties).slice(-3)).toEqual(['km', 'toll', 'fixed']);
    expect(Object.keys(schemasOf(documents.member, 'road.link_body').properties)).toEqual(['km', 'toll']);
    expect(documents.member.components.schemas['kind_link_step']).toMatchObject({
      anyOf: [{ properties: { link_id: { enum: ['link', 'plain', 'inner'] } } }, {}],
    });
    expect(Object.keys(paths).filter((path) => path.includes('/inner/'))).toEqual([]);
    expect(JSON.stringify(documents.member)).not.toMatch(/budget|"note"/);
  });

  it.each(['admin', 'member'] as const)('answers %s as described', async (who) => {
    const caller = await (who === 'admin' ? project : member).documented();
    const city = async () => `/city/unit/${await createdId(project.post('/city/unit', { name: 'x' }))}`;
    const [a, b, c] = [await city(), await city(), await city()];
    await ok(caller.post(`${a}/link/road${b}`, { km: 5, toll: '1.5' }));
    await ok(caller.post(`${a}/link/road${b}`, {}));
    await ok(caller.put(`${a}/link/road${b}`, { km: 6 }));
    await ok(caller.post(`${a}/link/road/child`, { items: [{ kind_id: 'city', id: c.split('/').at(-1), km: 7 }] }));
    await ok(caller.post(`${a}/link/plain${b}`, { anything: true }));
    await ok(project.post(`${a}/link/inner${c}`, { note: 'n' }));
    for (const query of ['', '?depth=2', '?link_id=inner']) await ok(caller.get(`${a}/link/child${query}`));
    await ok(caller.get(`${a}?load_links=true`));
    await ok(caller.get(`${a}/link/path?to_kind=city&to_id=${b.split('/').at(-1)}`));
  });
});

it('nothing is said of link types to those who may not read them all', async () => {
  await ok(project.put('/kind/unit/link', { access: { read: 'eq(id,plain)' } }));
  const text = JSON.stringify(await documentOf(member));
  expect(text).not.toMatch(/road|toll/);
});
