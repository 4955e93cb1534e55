/** The served document: without a project, and for each caller of a project. */
import { describe, expect, it } from 'vitest';
import type { OpenApiDocument, Schema } from '../../../src/doc/openapi/openapi.js';
import { TAGS } from '../../../src/http/route/api-route.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { sharedService, type Reply, type TestProject } from '../../support/service.js';
import { send } from '../../support/wire.js';

const service = await sharedService();
const admin = await service.project();

const DOCUMENT = '/api/lib/doc/openapi.json';

const documentOf = (reply: Reply) => reply.body as unknown as OpenApiDocument;
const fetchFor = async (caller: TestProject) => documentOf(await caller.get('/doc/openapi.json'));
/** The operations below a path; one that stands once for many kinds counts for each. */
const operations = ({ paths }: OpenApiDocument, path = '') =>
  Object.entries(paths)
    .flatMap(([each, item]) =>
      Object.entries(item).flatMap(([method, { parameters }]) => {
        const [first] = parameters ?? [];
        const kinds = first && 'schema' in first ? (first.schema['enum'] as string[]) : undefined;
        const all = kinds?.map((kind) => each.replace(/\{\w+\}/, kind)) ?? [each];
        return all
          .filter((one) => one.startsWith(path))
          .map((one) => `${method.toUpperCase()} ${one.slice(path.length)}`);
      }),
    )
    .sort();
/** The properties of a schema, those that stand in a schema of their own too. */
const wholePropertiesOf = (document: OpenApiDocument, name: string) =>
  Object.fromEntries(
    Object.entries(propertiesOf(document, name)).map(([id, { $ref, ...rest }]) => {
      const shared = typeof $ref === 'string' ? document.components.schemas[$ref.split('/').at(-1) ?? ''] : undefined;
      return [id, { ...shared, ...rest }];
    }),
  );
const propertiesOf = ({ components }: OpenApiDocument, name: string) =>
  (components.schemas[name]?.['properties'] ?? {}) as Record<string, Schema>;

const ann = await asMember(admin);
await defineKinds(
  admin,
  {
    id: 'vault',
    label: 'Canary vault',
    access: { read: 'admin', create: 'admin', update: 'admin', delete: 'admin', link: 'admin' },
    parameters: [{ id: 'combination', kind_id: 'string', label: 'Canary', helper_text: 'Canary', values: ['canary'] }],
  },
  {
    id: 'book',
    label: 'Book',
    public: true,
    parameters: [
      {
        id: 'title',
        kind_id: 'string',
        label: 'Title',
        required: true,
        min_length: 1,
        max_length: 200,
        helper_text: 'As it stands on the cover',
      },
      { id: 'state', kind_id: 'string', values: ['new', 'used'], default_string: 'new' },
      { id: 'pages', kind_id: 'integer', min_value: 1, nullable: false, default_integer: 1 },
      { id: 'printed', kind_id: 'datetime' },
      { id: 'price', kind_id: 'decimal', scale: 2 },
      { id: 'code', kind_id: 'string', pattern: '^[A-Z]{3}$' },
      { id: 'cover', kind_id: 'binary', max_length: 300 },
      { id: 'tags', kind_id: 'string', multiple: true, unique: true, max_length: 20 },
      { id: 'kept_in', kind_id: 'unit', reference_kind: 'vault' },
      { id: 'cost', kind_id: 'integer', read_access: 'admin', write_access: 'admin', helper_text: 'Canary' },
      { id: 'pin', kind_id: 'string', hidden: true, default_string: 'canary' },
      { id: 'stock', kind_id: 'integer', write_access: 'nobody' },
    ],
    access: { create: 'member', update: 'eq(stock,1)', delete: 'admin', link: 'nobody' },
  },
  { id: 'note', label: 'Note', parameters: ['title'], access: { create: 'anyone', read: 'eq(id,@member.id)' } },
);

describe('the document without a project', () => {
  it('has the generic routes', async () => {
    const reply = await send(service.service, { path: DOCUMENT });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const document = documentOf(reply);
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: service.service.url }]);
    const tags = document.tags.map(({ name }) => name);
    expect(tags).toEqual([...Object.keys(TAGS), 'kind_admin', 'api_key', 'passkey', 'identity_provider', 'identity']);
    expect(operations(document, '/api/lib/{kind_id}')).toEqual([
      'DELETE /unit',
      'DELETE /unit/{unit_id}',
      'DELETE /unit/{unit_id}/history',
      'DELETE /unit/{unit_id}/second_step',
      'GET /aggregate',
      'GET /by/{unique_parameter}/{value}',
      'GET /export',
      'GET /function/{function_name}',
      'GET /history',
      'GET /struct',
      'GET /unit',
      'GET /unit/{unit_id}',
      'GET /unit/{unit_id}/access',
      'GET /unit/{unit_id}/function/{function_name}',
      'GET /unit/{unit_id}/history',
      'GET /unit/{unit_id}/struct',
      'POST /access/preview',
      'POST /function/{function_name}',
      'POST /import',
      'POST /unit',
      'POST /unit/{unit_id}/function/{function_name}',
      'POST /unit/{unit_id}/revert',
      'PUT /unit',
      'PUT /unit/{unit_id}',
    ]);
    expect(operations(document, '/api/lib/auth/{member_kind_id}')).toEqual(['POST /signup']);
    expect(document.components.securitySchemes).toMatchObject({
      project: { type: 'apiKey', in: 'header', name: 'kind-project-key' },
      bearer: { type: 'http', scheme: 'bearer' },
    });
  });

  it('has the limits of every list', async () => {
    const { components } = documentOf(await send(service.service, { path: DOCUMENT }));
    expect(components.parameters['limit']?.schema).toEqual({
      type: 'integer',
      minimum: 0,
      maximum: LIMITS.pageMax,
      default: LIMITS.pageDefault,
    });
  });

  it('is kept by its ETag', async () => {
    const { headers } = await send(service.service, { path: DOCUMENT });
    const known = { 'if-none-match': headers.get('etag') ?? '' };
    const again = await send(service.service, { path: DOCUMENT, headers: known });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('rejects a bad key or token', async () => {
    const status = async (headers: Record<string, string>) =>
      (await send(service.service, { path: DOCUMENT, headers })).status;
    expect(await status({ 'kind-project-key': 'nowhere' })).toBe(401);
    expect(await status({ 'kind-project-key': '' })).toBe(400);
    expect(await status({ 'kind-project-key': admin.id, authorization: 'Bearer x.y.z' })).toBe(401);
  });
});

describe('the document of a project', () => {
  it('has a path for every kind, and no generic path', async () => {
    const document = await fetchFor(admin);
    expect(operations(document, '/api/lib/vault')).toEqual([
      'DELETE /unit',
      'DELETE /unit/{parent_unit_id}/link/{link_id}/{child_kind_id}/unit/{child_unit_id}',
      'DELETE /unit/{unit_id}',
      'GET /aggregate',
      'GET /export',
      'GET /struct',
      'GET /unit',
      'GET /unit/{parent_unit_id}/link/path',
      'GET /unit/{parent_unit_id}/link/{direction}',
      'GET /unit/{unit_id}',
      'GET /unit/{unit_id}/access',
      'GET /unit/{unit_id}/struct',
      'POST /access/preview',
      'POST /import',
      'POST /unit',
      'POST /unit/{parent_unit_id}/link/{link_id}/{child_kind_id}/unit/{child_unit_id}',
      'POST /unit/{parent_unit_id}/link/{link_id}/{direction}',
      'PUT /unit',
      'PUT /unit/{parent_unit_id}/link/{link_id}/{child_kind_id}/unit/{child_unit_id}',
      'PUT /unit/{unit_id}',
    ]);
    expect(operations(document, '/api/lib/{')).toEqual([]);
    expect(operations(document, '/api/lib/kind_system_user')).toEqual([]);
    expect(operations(document, '/api/lib/auth/')).toContain('POST person/signup');
    expect(operations(document, '/api/lib/auth/')).not.toContain('POST kind_admin/signup');
  });

  it('describes bodies', async () => {
    const document = await fetchFor(ann);
    const { components } = document;
    const schema = components.schemas['book.create'];
    expect(schema).toMatchObject({ type: 'object', required: ['title'], additionalProperties: false });
    expect(wholePropertiesOf(document, 'book.create')).toMatchObject({
      title: {
        description: 'As it stands on the cover',
        type: ['string', 'null'],
        minLength: 1,
        maxLength: 200,
      },
      state: { enum: ['new', 'used', null], default: 'new' },
      pages: { type: 'integer', minimum: 1, default: 1 },
      printed: { type: ['string', 'null'], format: 'date-time' },
      price: { type: ['string', 'number', 'null'], description: 'An exact number, as a string. At most 2 decimals.' },
      code: { pattern: '^[A-Z]{3}$' },
      cover: { contentEncoding: 'base64', maxLength: 400 },
      tags: { type: ['array', 'null'], items: { type: 'string', maxLength: 20 }, uniqueItems: true, maxItems: 500_000 },
      kept_in: { type: ['string', 'null'], format: 'uuid' },
      pin: { writeOnly: true },
    });
    expect(components.schemas['book.update']).not.toHaveProperty('required');
  });

  it('has examples of bodies, which are accepted', async () => {
    const held = await admin.documented();
    const { paths } = await fetchFor(admin);
    const exampleOf = (path: string, method: 'post' | 'put') =>
      paths[path]?.[method]?.requestBody?.content['application/json']?.example;
    const create = exampleOf('/api/lib/book/unit', 'post');
    expect(create).toEqual({
      title: 'Title',
      printed: '2024-01-31T09:30:00Z',
      price: '1',
      tags: ['tags'],
      cost: 1,
    });
    const id = await createdId(held.post('/book/unit', create));
    await ok(held.put(`/book/unit/${id}`, exampleOf('/api/lib/book/unit/{unit_id}', 'put')));
  });

  it('respects field masks', async () => {
    const document = await fetchFor(ann);
    const create = Object.keys(propertiesOf(document, 'book.create'));
    const record = Object.keys(propertiesOf(document, 'book.record'));
    expect([create.includes('pin'), record.includes('pin')]).toEqual([true, false]);
    expect([create.includes('stock'), record.includes('stock')]).toEqual([false, true]);
    expect([create.includes('cost'), record.includes('cost')]).toEqual([false, false]);
    expect(propertiesOf(document, 'book.create')['pin']).not.toHaveProperty('default');
    expect(Object.keys(propertiesOf(await fetchFor(admin), 'book.record'))).toContain('cost');
  });

  it.each([
    ['a member', ann],
    ['nobody in particular', anonymous(admin)],
  ])('tells %s only of what it may use', async (_, caller) => {
    const text = (await caller.get('/doc/openapi.json')).text;
    expect(/canary|vault/i.exec(text)).toBeNull();
  });

  it('has the operations that the caller has a right to', async () => {
    const own = async (caller: TestProject, kind: string) => operations(await fetchFor(caller), `/api/lib/${kind}/`);
    const reads = [
      'GET aggregate',
      'GET export',
      'GET struct',
      'GET unit',
      'GET unit/{parent_unit_id}/link/path',
      'GET unit/{parent_unit_id}/link/{direction}',
      'GET unit/{unit_id}',
      'GET unit/{unit_id}/struct',
    ];
    expect(await own(ann, 'book')).toEqual([...reads, 'POST import', 'POST unit', 'PUT unit', 'PUT unit/{unit_id}']);
    expect(await own(anonymous(admin), 'book')).toEqual([...reads, 'PUT unit', 'PUT unit/{unit_id}']);
    expect(await own(anonymous(admin), 'note')).toEqual(['GET struct', 'POST import', 'POST unit']);
    expect(await own(anonymous(admin), 'kind')).toEqual([]);
    expect(await own(ann, 'kind')).toEqual([
      'GET aggregate',
      'GET struct',
      'GET unit',
      'GET unit/{kind_id}',
      'GET unit/{unit_id}/struct',
    ]);
    expect((await own(admin, 'book')).filter((each) => each.includes('link_id'))).toEqual([]);
  });

  it('has no operation on units for callers who may read none of them', async () => {
    const project = await service.project();
    const member = await asMember(project);
    const open = { create: 'anyone', update: 'anyone', delete: 'anyone', link: 'anyone' };
    await defineKinds(
      project,
      { id: 'drop', access: { ...open, read: 'nobody' } },
      { id: 'form', access: { ...open, read: 'member' } },
    );
    const own = async (caller: TestProject, kind: string) => operations(await fetchFor(caller), `/api/lib/${kind}/`);
    const alone = ['GET struct', 'POST import', 'POST unit'];
    expect(await own(project, 'drop')).toEqual(alone);
    expect(await own(anonymous(project), 'form')).toEqual(alone);
    expect(await own(member, 'form')).toContain('DELETE unit/{unit_id}');
    const { paths } = await fetchFor(member);
    expect(paths['/api/lib/form/unit/{unit_id}']?.put?.security).toEqual([{ project: [], bearer: [] }]);
    for (const [kind, caller] of [['drop', project] as const, ['form', anonymous(project)] as const]) {
      const id = await createdId(caller.post(`/${kind}/unit`, {}));
      const link = `/${kind}/unit/${id}/link/link/${kind}/unit/${id}`;
      expect((await caller.put(`/${kind}/unit/${id}`, {})).status).toBe(404);
      expect((await caller.delete(`/${kind}/unit/${id}`)).status).toBe(404);
      expect([401, 403]).toContain((await caller.post(link)).status);
    }
  });

  it('links groups with kinds for callers who may read both', async () => {
    const project = await service.project();
    const member = await asMember(project);
    const ways = async () =>
      operations(await fetchFor(member), '/api/lib/group/').filter((each) => /[/]kind/.test(each));
    await ok(project.put('/kind/unit/group', { access: { link: 'member' } }));
    const all = await ways();
    expect(all.map((each) => each.split(' ')[0])).toEqual(['DELETE', 'GET', 'POST']);
    await ok(project.put('/kind/unit/kind', { access: { read: 'admin' } }));
    expect(await ways()).toEqual([]);
    expect((await member.post('/group/unit/parameter/link/group/kind/unit/string')).status).toBe(403);
    await ok(project.put('/kind/unit/kind', { access: {} }));
    expect(await ways()).toEqual(all);
    await ok(project.put('/kind/unit/group', { access: { link: 'member', read: 'nobody' } }));
    expect(await ways()).toEqual([]);
    expect((await member.get('/group/parameter/kind')).status).toBe(403);
  });

  it('says which calls need a token', async () => {
    const { paths } = await fetchFor(ann);
    const [key, both] = [{ project: [] }, { project: [], bearer: [] }];
    expect(paths['/api/lib/book/unit']?.get?.security).toEqual([key, both]);
    expect(paths['/api/lib/book/unit']?.post?.security).toEqual([both]);
    expect(paths['/api/lib/auth/signin']?.post?.security).toEqual([key]);
  });

  it('is always current, and only of the project and the caller', async () => {
    const project = await service.project();
    const before = await project.get('/doc/openapi.json');
    expect(operations(documentOf(before))).not.toContain('GET /api/lib/city/unit');
    await defineKinds(project, { id: 'city' });
    const after = await project.get('/doc/openapi.json');
    expect(operations(documentOf(after))).toContain('GET /api/lib/city/unit');
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(after.headers.get('vary')).toBe('Authorization, kind-project-key, Accept-Encoding');
    expect((await anonymous(project).get('/doc/openapi.json')).text).not.toContain('/api/lib/city');
    expect((await admin.get('/doc/openapi.json')).text).not.toContain('/api/lib/city');
    await ok(project.put('/kind/unit/city', { active: false }));
    expect(operations(await fetchFor(project), '/api/lib/city')).toEqual(['GET /struct']);
  });

  it('takes one statement if cached, and is shared by all members of a kind', async () => {
    const bob = await asMember(admin, 'other');
    await fetchFor(ann);
    expect(await admin.statements(() => fetchFor(ann))).toBe(1);
    expect((await fetchFor(bob)).components.schemas['book.record']).toEqual(
      (await fetchFor(ann)).components.schemas['book.record'],
    );
  });

  it('lists 504 for writes with hooks and for sources', async () => {
    const { paths } = await fetchFor(admin);
    const late = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { responses }]) => ('504' in responses ? [`${method} ${path}`] : [])),
    );
    expect(late).toEqual(
      expect.arrayContaining([
        'post /api/lib/book/unit',
        'put /api/lib/book/unit/{unit_id}',
        'delete /api/lib/book/unit/{unit_id}',
      ]),
    );
    expect(late).not.toContain('get /api/lib/book/unit');
  });

  it('has no `$ref` from texts of users', async () => {
    const project = await service.project();
    const shape = {
      id: 'shape',
      kind_id: 'json',
      default_json: { $ref: 5, more: [{ $ref: '#/components/none/any' }] },
    };
    await defineKinds(project, { id: 'city', parameters: [shape] });
    const { text } = await project.get('/doc/openapi.json');
    for (const [, target] of text.matchAll(/"\$ref":("[^"]*"|.)/g))
      expect(target).toMatch(/^"#\/components\/[a-z]+\//i);
    expect(text).not.toContain('#/components/none');
  });

  it('shows texts of users as plain text', async () => {
    const project = await service.project();
    const evil = '<img src=x onerror=alert(1)> [x](javascript:alert(1))';
    await defineKinds(project, {
      id: 'page',
      label: evil,
      parameters: [{ id: 'body', kind_id: 'text', helper_text: evil }],
    });
    const { tags, components } = await fetchFor(project);
    const shown = '&lt;img src=x onerror=alert(1)&gt; \\[x\\]&#40;javascript:alert(1))';
    expect(tags.find(({ name }) => name === 'page')?.description).toBe(shown);
    expect(components.schemas['page.body.value']).toMatchObject({ description: shown });
  });
});
