/** Large documents: rendered once, up to the maximum size, and for some kinds on request. */
import { describe, expect, it, vi } from 'vitest';
import { DocumentedFunctions } from '../../../src/doc/openapi/documented-functions.js';
import type { OpenApiDocument } from '../../../src/doc/openapi/openapi.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { defineMany } from '../../support/large-model.js';
import { sharedService, type TestProject } from '../../support/service.js';
import { send } from '../../support/wire.js';

const DOCUMENT = '/doc/openapi.json';
const service = await sharedService();
const documentOf = async (caller: TestProject, query = '') => {
  const reply = await caller.get(`${DOCUMENT}${query}`);
  return { ...reply, document: reply.body as unknown as OpenApiDocument };
};
/** Its head alone: to read so much would hold the service up, which is in this process. */
const headOf = async ({ service: { url }, id, token = '' }: TestProject) => {
  const headers = { 'kind-project-key': id, authorization: `Bearer ${token}`, 'accept-encoding': 'identity' };
  const reply = await fetch(`${url}/api/lib${DOCUMENT}`, { method: 'HEAD', headers });
  return { status: reply.status, etag: reply.headers.get('etag') };
};
const pathsOf = ({ paths }: OpenApiDocument, kind: string) =>
  Object.keys(paths).filter((path) => path.startsWith(`/api/lib/${kind}/`));

describe('the document of some kinds', async () => {
  const project = await service.project();
  await defineKinds(
    project,
    { id: 'country', parameters: [{ id: 'name', kind_id: 'string' }] },
    { id: 'city', parameters: ['name', { id: 'country', kind_id: 'unit', reference_kind: 'country' }] },
    { id: 'vault', access: { read: 'admin', create: 'admin', update: 'admin', delete: 'admin', link: 'admin' } },
  );
  const member = await asMember(project);

  it.each(['?kinds=city', '?kinds=[city]', '?kinds[]=city'])('has only their operations: %s', async (query) => {
    const { document } = await documentOf(project, query);
    expect(pathsOf(document, 'city').length).toBeGreaterThan(0);
    expect([...pathsOf(document, 'country'), ...pathsOf(document, 'string')]).toEqual([]);
    expect(pathsOf(document, 'auth')).toContain('/api/lib/auth/signin');
    // What they refer to is there too.
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(['city.record', 'country.create']));
  });

  it('uses the same names as the whole document', async () => {
    const [whole, part] = [await documentOf(project), await documentOf(project, '?kinds=city,country')];
    for (const path of pathsOf(part.document, 'city'))
      expect(whole.document.paths[path]).toEqual(part.document.paths[path]);
    expect(whole.document.components.schemas).toMatchObject(part.document.components.schemas);
  });

  it('has the records that nest makes of references, but for kinds that it does not describe or the caller may not read all of', async () => {
    const nestedIn = async (caller: TestProject, query: string) => {
      const { schemas } = (await documentOf(caller, query)).document.components;
      const { country } = (schemas['city.record'] as { properties: { country: { anyOf: object[] } } }).properties;
      return country.anyOf.slice(1);
    };
    const [record, other] = ['country.record', 'kind_nested_unit'].map((name) => ({
      $ref: `#/components/schemas/${name}`,
    }));
    expect(await nestedIn(project, '')).toEqual([record]);
    expect(await nestedIn(project, '?kinds=city')).toEqual([other]);
    await ok(project.put('/kind/unit/country', { access: { read: 'eq(name,Italy)' } }));
    expect(await nestedIn(member, '')).toEqual([record, other]);
    await ok(project.put('/kind/unit/country', { access: {} }));
  });

  it('has no operation of a kind if none is named, and a tag of each kind', async () => {
    const { document } = await documentOf(project, '?kinds=');
    expect([...pathsOf(document, 'city'), ...pathsOf(document, 'string')]).toEqual([]);
    const tags = Object.fromEntries(document.tags.map((tag) => [tag.name, tag['x-kinds']]));
    expect(tags).toMatchObject({ city: ['city'], country: ['country'], Kinds: ['kind'], Authentication: undefined });
    expect(tags['Parameters']).toHaveLength(12);
  });

  it('rejects unknown kinds, and kinds that the caller may not see', async () => {
    const refused = { status: 400, messages: ['query.bad_value kinds'] };
    expect(refusalOf(await project.get(`${DOCUMENT}?kinds=city,cities`))).toEqual(refused);
    const text = async (id: string) => {
      const reply = await member.get(`${DOCUMENT}?kinds=${id}`);
      expect(refusalOf(reply)).toEqual(refused);
      return reply.body.messages[0]?.text.replace(id, '…');
    };
    expect(await text('vault')).toBe(await text('fault'));
    expect(refusalOf(await project.get(`${DOCUMENT}?kind=city`))).toEqual({
      status: 400,
      messages: ['query.unknown kind'],
    });
  });

  it('works without a project too', async () => {
    const reply = await send(service.service, { path: `/api/lib${DOCUMENT}?kinds=group` });
    const document = reply.body as unknown as OpenApiDocument;
    expect(pathsOf(document, 'group')).toContain('/api/lib/group/unit/{group_id}');
    expect(pathsOf(document, 'string')).toEqual([]);
    expect(pathsOf(document, '{kind_id}')).toContain('/api/lib/{kind_id}/unit');
  });
});

describe('a large document', { timeout: 120_000 }, () => {
  it('is built once for concurrent requests', async () => {
    lowerLimit('documentBytes', LIMITS.documentBytes / 4);
    const large = await service.project();
    await defineMany(large, 16, 395);
    // All see the same loaded model.
    await large.get('/large_1/struct?include=shared_1');
    const { source } = service.service.app.get(DocumentedFunctions);
    if (!source) throw new Error('no source of functions');
    const asked = vi.spyOn(source, 'functionsOf');
    const replies = await Promise.all(Array.from({ length: 5 }, () => headOf(large)));
    expect(asked.mock.calls.filter(([, , { id }]) => id === 'large_7')).toHaveLength(1);
    asked.mockRestore();
    const { text, headers } = await large.get(DOCUMENT);
    expect(replies).toEqual(Array.from({ length: 5 }, () => ({ status: 200, etag: headers.get('etag') })));
    expect(Buffer.byteLength(text)).toBeGreaterThan(LIMITS.documentBytes / 2);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMITS.documentBytes);
  });

  it('is rejected if it is too large, with advice', async () => {
    lowerLimit('documentBytes', LIMITS.documentBytes / 10);
    const huge = await service.project();
    await defineMany(huge, 46, 395);
    const { status, body } = await huge.get(DOCUMENT);
    expect([status, body.messages.map(({ code }) => code)]).toEqual([413, ['document.too_large']]);
    expect(body.messages[0]?.text).toContain('?kinds=');
    const { document, text } = await documentOf(huge, '?kinds=large_7,large_45');
    expect(pathsOf(document, 'large_45')).toEqual([
      '/api/lib/large_45/unit',
      '/api/lib/large_45/aggregate',
      '/api/lib/large_45/unit/{unit_id}',
    ]);
    expect(Buffer.byteLength(text)).toBeLessThan(LIMITS.documentBytes);
    expect(
      (await documentOf(huge, '?kinds=')).document.tags.filter(({ name }) => name.startsWith('large_')),
    ).toHaveLength(46);
  });
});
